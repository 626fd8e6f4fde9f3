/* SPDX-License-Identifier: Apache-2.0 */
/* mod_dav's resources: what a URL names, looked up in the repository. */

#ifndef MOD_REPO_DAV_RESOURCE_H
#define MOD_REPO_DAV_RESOURCE_H

#include <mod_dav.h>

#include "libfs/fs_lock.h"
#include "libfs/fs_tree.h"
#include "libfs/fs_txn.h"
#include "mod_repo/request/request.h"

/** Our part of a dav_resource; lives in the resource's pool. */
struct dav_resource_private {
    repo_request_t *request;
    repo_uri_t uri;        /* of this resource, not always the request's */
    fs_rev_t rev;          /* of the tree or the property bag */
    fs_root_t *root;       /* of tree resources; NULL for others */
    const fs_node_t *node; /* NULL: missing, or no tree resource */
    fs_rev_t pinned;       /* revision of ?p=, or FS_INVALID_REV */
    bool is_listing;       /* the list of repositories */
    apr_hash_t *revprops;  /* of the revision it shows; NULL: not yet read */
    /* Of resources in a transaction, see working.h: */
    const char *txn; /* its name; NULL for all others */
    fs_txn_t *shown; /* open, while `node` is shown */
    bool lock_known; /* `lock` is that of its path, NULL if there is none */
    const fs_lock_t *lock;
    apr_pool_t *shown_pool;
};

/** What our hooks are known by: to tell our resources from others'. */
extern const dav_hooks_repository repo_provider_repository;

/** Is it one of ours? */
bool repo_resource_is_ours(const dav_resource *resource);

/** Hook get_resource. */
dav_error *repo_resource_get(request_rec *r, const char *root_dir,
                             const char *label, int use_checked_in,
                             dav_resource **out);

/** Hook get_parent_resource. */
dav_error *repo_resource_parent(const dav_resource *resource,
                                dav_resource **parent);

/** Hooks is_same_resource and is_parent_resource. */
int repo_resource_is_same(const dav_resource *a, const dav_resource *b);
int repo_resource_is_parent(const dav_resource *parent,
                            const dav_resource *child);

/** Hook get_request_rec. */
request_rec *repo_resource_request(const dav_resource *resource);

/** The member of a tree resource that `node` is; lives in `result`. */
dav_resource *repo_resource_member(const dav_resource *parent,
                                   const fs_node_t *node, apr_pool_t *result);

/** Does it name a node of a committed revision that exists? */
bool repo_resource_has_node(const dav_resource *resource);

/** Is it the property bag of a revision (rev/N, bln/N)? */
bool repo_resource_is_revision(const dav_resource *resource);

#endif
