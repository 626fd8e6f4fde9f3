/* SPDX-License-Identifier: Apache-2.0 */
/* The Destination header. */

#include "mod_repo/dav/destination.h"

#include <stdbool.h>
#include <string.h>

#include <apr_strings.h>
#include <apr_uri.h>

#include <http_core.h>
#include <http_protocol.h>
#include <http_vhost.h>

#include "mod_repo/http/error.h"

#define HEADER "Destination"

/* Is `host` the first name in the header that proxies add? */
static bool is_forwarded(request_rec *r, const char *host)
{
    const char *told = apr_table_get(r->headers_in, "X-Forwarded-Host");
    apr_size_t len = strlen(host);

    return told && strncasecmp(told, host, len) == 0 &&
           (!told[len] || strchr(":, ", told[len]));
}

static bool is_here(request_rec *r, const char *host)
{
    return strcasecmp(host, ap_get_server_name(r)) == 0 ||
           (r->hostname && strcasecmp(host, r->hostname) == 0) ||
           strcasecmp(host, r->server->server_hostname) == 0 ||
           is_forwarded(r, host) ||
           ap_matches_request_vhost(r, host, r->server->port);
}

dav_error *repo_destination_settle(request_rec *r)
{
    const char *text = apr_table_get(r->headers_in, HEADER);
    apr_uri_t uri;

    if (!text || apr_uri_parse(r->pool, text, &uri) || !uri.path)
        return NULL; /* mod_dav says what is wrong */
    if (uri.hostname && !is_here(r, uri.hostname))
        return repo_error_new(
            r->pool, HTTP_BAD_GATEWAY, REPO_ERR_DAV_REQUEST,
            apr_psprintf(r->pool,
                         "the Destination header names the host '%s', which "
                         "is another server: nothing can be copied there",
                         uri.hostname));
    if (uri.hostname ? !uri.scheme : uri.path[0] != '/')
        return NULL;
    text = apr_pstrcat(r->pool, uri.path, uri.query ? "?" : NULL, uri.query,
                       (char *)NULL);
    apr_table_setn(r->headers_in, HEADER, ap_construct_url(r->pool, text, r));
    return NULL;
}
