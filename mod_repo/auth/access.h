/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May the user of a request read a path in a revision? Asked before anything
 * of the path is told. Answers hold for one request and are remembered in it.
 */

#ifndef MOD_REPO_AUTH_ACCESS_H
#define MOD_REPO_AUTH_ACCESS_H

#include <httpd.h>

#include "libfs/fs_tree.h"

typedef struct repo_access_t repo_access_t;

/**
 * @param root     decoded path of the repository's root URL ("" for "/")
 * @param special  special URI, "!svn"
 * @param check    false: everything is readable (RepoPathAuthz off)
 */
repo_access_t *repo_access_create(request_rec *r, const char *root,
                                  const char *special, bool check,
                                  apr_pool_t *result);

/**
 * For the functions of libfs. `may_read` is NULL when everything is readable:
 * then nothing is asked.
 */
const fs_reader_t *repo_access_reader(const repo_access_t *access);

/**
 * May `path` (an fspath) be read in `rev`? FS_INVALID_REV: the public URL.
 * Cost: a look-up; else an internal subrequest through httpd's access rules.
 */
fs_error_t *repo_access_may_read(bool *allowed, repo_access_t *access,
                                 fs_rev_t rev, const char *path,
                                 apr_pool_t *scratch) FS_MUST_CHECK;

#endif
