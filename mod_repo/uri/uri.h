/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Request paths and what they name: public URLs, the special URLs below
 * "!svn", and the URLs that answers carry.
 *
 * "Path" here is what httpd hands over: percent-decoded. "URL" is encoded.
 * Source: docs/protocol/http.md, "URL space".
 */

#ifndef MOD_REPO_URI_URI_H
#define MOD_REPO_URI_URI_H

#include "libfs/fs_types.h"

#include <apr_pools.h>

/** The name of a URL below the root of a repository. */
typedef enum repo_uri_kind_t {
    REPO_URI_PUBLIC = 0, /* ROOT/path: the youngest revision */
    REPO_URI_ME,         /* me: the repository as a whole */
    REPO_URI_REV,        /* rev/N: a revision as a property bag */
    REPO_URI_RVR,        /* rvr/N/path */
    REPO_URI_TXN,        /* txn/NAME: a transaction as a property bag */
    REPO_URI_TXR,        /* txr/NAME/path */
    REPO_URI_VTXN,       /* vtxn/NAME: by the client's own name */
    REPO_URI_VTXR,       /* vtxr/NAME/path */
    REPO_URI_VCC,        /* vcc/default */
    REPO_URI_BLN,        /* bln/N: as rev/N */
    REPO_URI_BC,         /* bc/N/path: as rvr/N/path */
    REPO_URI_VER,        /* ver/N/path */
    REPO_URI_ACT,        /* act/NAME: a transaction named by the client */
    REPO_URI_WRK,        /* wrk/NAME/path */
    REPO_URI_WBL,        /* wbl/NAME/N: the property bag of wrk */
    REPO_URI_KIND_COUNT
} repo_uri_kind_t;

/** A parsed path below the root of a repository. */
typedef struct repo_uri_t {
    repo_uri_kind_t kind;
    const char *path; /* canonical fspath; NULL where the kind has none */
    fs_rev_t rev;     /* N of the URL, or FS_INVALID_REV */
    const char *name; /* transaction or activity; NULL where there is none */
    bool slash;       /* it was written with a trailing slash */
} repo_uri_t;

/** Does a kind name a node by its path (public, rvr, txr...)? */
bool repo_uri_has_path(repo_uri_kind_t kind);

/** Does it name a node of a committed revision (public, rvr, bc, ver)? */
bool repo_uri_is_tree(repo_uri_kind_t kind);

/** First segment below the special prefix, "rvr" and so on; "" for public. */
const char *repo_uri_word(repo_uri_kind_t kind);

/**
 * Split the path of a request at the root of the repository it names.
 *
 * @param location  path of the location, "/svn" or "/svn/" or "/"
 * @param path      decoded path of the request
 * @param is_parent the segment below the location names the repository
 * @param root      path of the repository's root without a trailing slash
 *                  ("" for "/")
 * @param name      that segment, NULL unless is_parent; "" when the location
 *                  itself was asked for
 * @param below     the rest, with its leading slash if there is any rest
 *
 * Returns false if `path` is not below the location.
 */
bool repo_uri_split(const char **root, const char **name, const char **below,
                    const char *location, const char *path, bool is_parent,
                    apr_pool_t *result);

/**
 * Parse what follows the root of a repository. Repeated slashes and "."
 * segments are dropped; numbers are strict decimal.
 *
 * @param below    as repo_uri_split() gives it
 * @param special  "!svn" or whatever is configured, without outer slashes
 *
 * Returns false if there is no such special URL, or if the path is one that
 * no repository can have (".." segments): both are 404.
 */
bool repo_uri_parse(repo_uri_t *uri, const char *below, const char *special,
                    apr_pool_t *result);

/** Parse a strict, unsigned decimal of a revision: false if it is none. */
bool repo_uri_parse_rev(fs_rev_t *rev, const char *text);

/**
 * The URL path of something in a repository, percent-encoded.
 *
 * @param root   decoded path of the root ("" for "/")
 * @param rev    for kinds with a number; FS_INVALID_REV: the bare stub
 *               ("/repo/!svn/rvr"); ignored for the others
 * @param path   fspath for public, rvr, bc and ver; name for txn, vtxn and
 *               act, NULL: the bare stub; ignored for the others. txr, vtxr,
 *               wrk and wbl give the bare stub.
 *
 * repo_uri_build(REPO_URI_RVR, "/repo", "!svn", 7, "/trunk/a b", pool) is
 * "/repo/!svn/rvr/7/trunk/a%20b"; the root directory gives ".../rvr/7/".
 */
const char *repo_uri_build(repo_uri_kind_t kind, const char *root,
                           const char *special, fs_rev_t rev, const char *path,
                           apr_pool_t *result);

/**
 * Percent-encode a path: letters, digits and ! $ & ' ( ) * + , - . / : = @ _ ~
 * stay, all else becomes %XX with upper-case digits.
 */
const char *repo_uri_encode(const char *path, apr_pool_t *result);

/**
 * The decoded path of a URL or URL path as clients write it into bodies and
 * headers ("http://host/repo/a%20b", "/repo/a%20b"): scheme, host, query and
 * fragment are dropped, escapes decoded. NULL if it holds a bad escape, an
 * encoded NUL or slash, or no path.
 */
const char *repo_uri_decode(const char *url, apr_pool_t *result);

/**
 * The fspath of a *public* URL as clients put it into src-path and dst-path:
 * NULL if it does not lie below `root` or is no path of a repository.
 */
const char *repo_uri_fspath(const char *url, const char *root,
                            apr_pool_t *result);

#endif
