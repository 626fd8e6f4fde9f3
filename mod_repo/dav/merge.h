/* SPDX-License-Identifier: Apache-2.0 */
/* MERGE: the commit of a transaction. */

#ifndef MOD_REPO_DAV_MERGE_H
#define MOD_REPO_DAV_MERGE_H

#include <httpd.h>

/**
 * Handler of MERGE on our locations: commits the transaction or activity that
 * the body names. If that fails the transaction is removed: not every client
 * does it.
 * Source: docs/protocol/http-write.md, "The commit".
 */
int repo_merge_handler(request_rec *r);

#endif
