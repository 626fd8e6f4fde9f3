/* SPDX-License-Identifier: Apache-2.0 */
/* Hook scripts for tests, some of which note down what they are told. */

#ifndef TESTS_SUPPORT_HOOK_NOTES_H
#define TESTS_SUPPORT_HOOK_NOTES_H

#include <apr_pools.h>

/** Put a shell script of these lines as the hook `name` of a repository. */
void fs_test_hook(const char *repo, const char *name, const char *lines,
                  apr_pool_t *pool);

/**
 * The same; before `lines` it appends to the file `notes`, in one line,
 * `NAME <ARGUMENT> ... [INPUT]`. The repository's path is left out.
 */
void fs_test_hook_noting(const char *repo, const char *name, const char *notes,
                         const char *lines, apr_pool_t *pool);

/** Fail unless that file holds these notes. */
void fs_test_hook_assert_notes(const char *notes, const char *expected);

/** Write a file with these permissions. */
void fs_test_hook_file(const char *path, const char *text, unsigned int mode);

#endif
