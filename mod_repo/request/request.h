/* SPDX-License-Identifier: Apache-2.0 */
/* One request on one of our locations: what it names, who asks. */

#ifndef MOD_REPO_REQUEST_REQUEST_H
#define MOD_REPO_REQUEST_REQUEST_H

#include <httpd.h>
#include <mod_dav.h>

#include "libfs/fs_repo.h"
#include "libfs/fs_tree.h"
#include "mod_repo/auth/access.h"
#include "mod_repo/conf/config.h"
#include "mod_repo/uri/uri.h"

/** Belongs to the thread of its request; lives in r->pool. */
typedef struct repo_request_t {
    request_rec *r;
    apr_pool_t *pool; /* r->pool */
    const repo_config_t *config;
    const char *special; /* special URI */
    const char *root;    /* decoded path of the root URL, "" for "/" */
    const char *name;    /* last segment of the repository's folder */
    repo_uri_t uri;      /* what the URL names */
    fs_repo_t *repo;     /* open; NULL for the list of repositories */
    repo_access_t *access;
    bool is_svn;       /* a Subversion client asks */
    bool is_list;      /* the URL is that of the list of repositories */
    fs_rev_t youngest; /* private: FS_INVALID_REV until asked for */
} repo_request_t;

/** Name under which mod_dav knows our provider; set at registration. */
extern const dav_provider *repo_request_provider;

/** Is the location of `r` ours? */
bool repo_request_is_ours(request_rec *r);

/**
 * Parse the URL of `r` and open the repository that it names.
 * Errors: 404 no such repository, malformed special URL, a parent listing
 *         without name is no error (`is_list`); 500 not configured.
 * Cost:   one or two stat calls when the repository is open already.
 */
dav_error *repo_request_open(repo_request_t **out, request_rec *r);

/** The same request on another URL (path below the location, decoded). */
dav_error *repo_request_open_path(repo_request_t **out, request_rec *r,
                                  const char *path);

/** Youngest revision; looked up once a request, so that all parts of an
 *  answer agree. */
fs_error_t *repo_request_youngest(fs_rev_t *rev,
                                  repo_request_t *request) FS_MUST_CHECK;

/** The revision that a tree URL (public, rvr, bc, ver) is about. */
fs_error_t *repo_request_rev(fs_rev_t *rev,
                             repo_request_t *request) FS_MUST_CHECK;

/** For the functions of libfs. */
const fs_reader_t *repo_request_reader(const repo_request_t *request);

/**
 * Is what the request may see a matter of who asks? Then no cache may answer
 * in our place. Clients that are told apart by address alone do not count.
 */
bool repo_request_is_restricted(const repo_request_t *request);

/** URL path of something in this repository: repo_uri_build() with root and
 *  special URI filled in. */
const char *repo_request_url(const repo_request_t *request,
                             repo_uri_kind_t kind, fs_rev_t rev,
                             const char *path, apr_pool_t *result);

/** The answer to writing to the list of repositories: 405 with Allow. */
dav_error *repo_request_list_is_fixed(request_rec *r);

/** The svndiff version that the client takes, and the zlib level to use. */
int repo_request_svndiff_version(const repo_request_t *request);
int repo_request_compression(const repo_request_t *request);

/**
 * Note the operation for the operational log (SVN-ACTION, SVN-REPOS,
 * SVN-REPOS-NAME). Paths in it must be encoded by repo_uri_encode().
 * Source: docs/protocol/http-config.md, "Operational log".
 */
void repo_request_action(repo_request_t *request, const char *format, ...)
    FS_PRINTF(2, 3);

#endif
