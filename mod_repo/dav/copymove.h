/* SPDX-License-Identifier: Apache-2.0 */
/* MKCOL, COPY, MOVE and DELETE in transactions. */

#ifndef MOD_REPO_DAV_COPYMOVE_H
#define MOD_REPO_DAV_COPYMOVE_H

#include "mod_repo/dav/resource.h"

/** Make a directory at a working resource. */
dav_error *repo_copymove_make_dir(const dav_resource *resource);

/** Copy a node of a revision, with history, to a working resource; what is
 *  there is replaced. Cost: the same for a tree of any size. */
dav_error *repo_copymove_copy(const dav_resource *source,
                              const dav_resource *target);

/** Delete a node of a transaction; or abort a transaction (txn, vtxn) or an
 *  activity, whose name is forgotten. */
dav_error *repo_copymove_delete(const dav_resource *resource);

#endif
