/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PROPPATCH: properties of nodes in transactions, of transactions, and of
 * revisions.
 */

#ifndef MOD_REPO_DAV_PROPPATCH_H
#define MOD_REPO_DAV_PROPPATCH_H

#include <httpd.h>

/**
 * Handler of PROPPATCH on our locations. Answers 207 with a status for each
 * property; in a transaction all are set or none. Those of a revision are set
 * one after the other, each with its hooks, up to the first that is refused.
 * Source: docs/protocol/http-write.md, "Properties".
 */
int repo_proppatch_handler(request_rec *r);

#endif
