/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stand-ins for mod_repo/request and mod_repo/auth: a request that nobody made,
 * on a repository that is open and wholly readable.
 */

#ifndef TESTS_SUPPORT_REQUEST_H
#define TESTS_SUPPORT_REQUEST_H

#include "mod_repo/request/request.h"
#include "tests/support/httpd.h"

/**
 * A request on `below` ("/!svn/rvr/3/trunk", decoded) of `repo`, whose root is
 * "/repo". NULL if there is no such URL.
 */
repo_request_t *fs_test_request(httpd_request_t *httpd, fs_repo_t *repo,
                                const char *below);

#endif
