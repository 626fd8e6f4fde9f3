/* SPDX-License-Identifier: Apache-2.0 */
/* The POST method: what can be done to the repository as a whole. */

#ifndef MOD_REPO_POST_POST_H
#define MOD_REPO_POST_POST_H

#include <httpd.h>

/**
 * Handler of POST on our locations: `create-txn` and `create-txn-with-props`
 * in a skel, on the URL "me"; all else is 400.
 * Source: docs/protocol/http-write.md, "Beginning a transaction".
 */
int repo_post_handler(request_rec *r);

#endif
