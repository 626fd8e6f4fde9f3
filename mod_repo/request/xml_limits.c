/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of XML bodies, each with the name of its directive. */

#include "mod_repo/request/xml_limits.h"

#include <string.h>

#include <http_core.h>

static void set_common(repo_body_limits_t *out, const repo_limits_t *limits)
{
    memset(out, 0, sizeof(*out));
    out->depth = limits->xml_depth;
    out->depth_directive = REPO_LIMIT_NAME(xml_depth);
    out->attributes = limits->xml_attributes;
    out->attributes_directive = REPO_LIMIT_NAME(xml_attributes);
    out->namespaces = limits->xml_namespaces;
    out->namespaces_directive = REPO_LIMIT_NAME(xml_namespaces);
    out->text = limits->xml_text;
    out->text_directive = REPO_LIMIT_NAME(xml_text);
}

static void lower_bytes(repo_body_limits_t *out, apr_int64_t bytes,
                        const char *directive)
{
    if (bytes > 0 && bytes < out->bytes) {
        out->bytes = bytes;
        out->bytes_directive = directive;
    }
}

/* httpd's own limits count where the administrator set them. */
static void set_bytes(repo_body_limits_t *out, const request_rec *r,
                      apr_int64_t bytes, const char *directive)
{
    const core_dir_config *core = ap_get_core_module_config(r->per_dir_config);

    out->bytes = bytes;
    out->bytes_directive = directive;
    lower_bytes(out, core->limit_xml_body, "LimitXMLRequestBody");
    lower_bytes(out, core->limit_req_body, "LimitRequestBody");
}

void repo_xml_limits_report(repo_body_limits_t *out, const request_rec *r,
                            const repo_limits_t *limits)
{
    set_common(out, limits);
    set_bytes(out, r, limits->report_body, REPO_LIMIT_NAME(report_body));
}

void repo_xml_limits_dav(repo_body_limits_t *out, const request_rec *r,
                         const repo_limits_t *limits)
{
    set_common(out, limits);
    set_bytes(out, r, limits->xml_body, REPO_LIMIT_NAME(xml_body));
    out->items = limits->xml_items;
    out->items_directive = REPO_LIMIT_NAME(xml_items);
    if (r->method_number == M_PROPPATCH)
        out->text = 0; /* a property's value */
}
