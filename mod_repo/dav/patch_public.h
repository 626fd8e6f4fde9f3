/* SPDX-License-Identifier: Apache-2.0 */
/* PROPPATCH of public URLs, where autoversioning makes it a commit. */

#ifndef MOD_REPO_DAV_PATCH_PUBLIC_H
#define MOD_REPO_DAV_PATCH_PUBLIC_H

#include <httpd.h>

/**
 * Answer a PROPPATCH of a URL that repo_autoversion_covers(): all its changes
 * in one commit, or none. One that changes nothing makes none.
 *
 * Properties of any namespace are kept (propname.h). Those that the server
 * computes are refused inside the 207, and all others of the request then fail
 * with it; what the commit fails of is the answer to the whole request.
 */
int repo_patch_public(request_rec *r);

#endif
