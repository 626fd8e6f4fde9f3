/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions as the first version of the protocol has them: activities that
 * clients name, and working resources that are checked out into them.
 */

#ifndef MOD_REPO_DAV_CHECKOUT_H
#define MOD_REPO_DAV_CHECKOUT_H

#include "mod_repo/dav/resource.h"

/** Hook make_activity: begin a transaction under the name of the activity. */
dav_error *repo_checkout_make_activity(dav_resource *resource);

/**
 * Hook checkout: check that the client's version of a node, or of the
 * repository, is the one that the transaction has, and tell the URL of it
 * there.
 * Errors: 405 and 200007, no version of anything; 409 and 200003, no activity;
 *         200004, several, or no URL of one; 190002, an unknown one; 190003,
 *         not the youngest revision; 160024, out of date.
 * Source: docs/protocol/http-write.md, "The first version".
 */
dav_error *repo_checkout(dav_resource *resource, int auto_checkout,
                         int is_unreserved, int is_fork_ok, int create_activity,
                         apr_array_header_t *activities,
                         dav_resource **working_resource);

#endif
