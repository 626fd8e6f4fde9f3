/* SPDX-License-Identifier: Apache-2.0 */
/* The Destination header of COPY and MOVE, brought into mod_dav's form. */

#ifndef MOD_REPO_DAV_DESTINATION_H
#define MOD_REPO_DAV_DESTINATION_H

#include <httpd.h>
#include <mod_dav.h>

/**
 * Make the header name this server as the request does, so that mod_dav takes
 * it: a path alone (RFC 4918, section 10.3), and another scheme or port of the
 * same host, as clients behind a proxy send it, are allowed. The host is ours
 * if it is that of the request, a name of the virtual host, or what a proxy
 * tells in X-Forwarded-Host.
 * Errors: 502, it names another server; nothing was written.
 */
dav_error *repo_destination_settle(request_rec *r);

#endif
