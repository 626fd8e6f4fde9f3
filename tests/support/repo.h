/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repositories for tests, made by the stock tools in temporary folders. What
 * cannot be made ends the test program with a message on standard error.
 */

#ifndef TESTS_SUPPORT_REPO_H
#define TESTS_SUPPORT_REPO_H

#include <apr_pools.h>

/**
 * The file `relative` (a path from the root of the source tree, or absolute)
 * as a path that can be opened; from $MOD_REPO_SOURCE or, if that is not set,
 * from where this was compiled.
 */
const char *fs_test_source(const char *relative, apr_pool_t *pool);

/** A new empty folder below $TMPDIR or /tmp, removed with its content when
 *  `pool` is cleared. */
const char *fs_test_folder(apr_pool_t *pool);

/**
 * Run a program found on the PATH and wait for it.
 *
 * @param input  standard input: a file, or NULL for none
 * @param output standard output: a file that is replaced, or NULL to drop it
 * @param argv   NULL-terminated; argv[0] is the program
 * @return its exit status
 */
int fs_test_run(const char *input, const char *output, const char *const *argv,
                apr_pool_t *pool);

/** The same; ends the test program if the exit status is not 0. */
void fs_test_must_run(const char *input, const char *output,
                      const char *const *argv, apr_pool_t *pool);

/**
 * Create a repository and load a dump into it.
 *
 * @param dump a path as for fs_test_source(), such as
 *             "tests/data/history/hist.dump"; NULL: stay empty
 * @return the repository's folder; removed when `pool` is cleared
 */
const char *fs_test_repo_load(const char *dump, apr_pool_t *pool);

/** The same for an older format: `version` as for `svnadmin create
 *  --compatible-version` ("1.3" makes FSFS format 1). */
const char *fs_test_repo_load_as(const char *dump, const char *version,
                                 apr_pool_t *pool);

/**
 * Commit with svnmucc to the repository `path`: `actions` is a NULL-terminated
 * list of its words ("mkdir", "trunk", "put", file, "trunk/a").
 */
void fs_test_repo_commit(const char *path, const char *const *actions,
                         apr_pool_t *pool);

/** A temporary file with these bytes; removed when `pool` is cleared. */
const char *fs_test_file(const void *data, apr_size_t len, apr_pool_t *pool);

/**
 * Unpack a .tar.gz that holds a repository in a folder `name`.
 *
 * @param archive a path as for fs_test_source()
 * @return the repository's folder; removed when `pool` is cleared
 */
const char *fs_test_repo_unpack(const char *archive, const char *name,
                                apr_pool_t *pool);

#endif
