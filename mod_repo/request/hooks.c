/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phases of a request before its handler: no file on disk is touched, limits
 * are raised, XML bodies are guarded.
 */

#include "mod_repo/request/hooks.h"

#include <string.h>

#include <apr_strings.h>

#include <httpd.h>
#include <http_config.h>
#include <http_protocol.h>
#include <http_request.h>

#include "mod_repo/http/guard.h"
#include "mod_repo/request/request.h"
#include "mod_repo/request/xml_limits.h"

/* httpd forgets the location's settings before the phase after this one, so
 * remember which URL is ours. Others may still refuse it or send it elsewhere:
 * rules of mod_rewrite, redirects of mod_alias. */
static int note_location(request_rec *r)
{
    if (repo_request_is_ours(r))
        ap_set_module_config(r->request_config, &repo_core_module,
                             apr_pstrdup(r->pool, r->uri));
    return DECLINED;
}

/* Is it ours, and the URL as it was? */
static bool is_noted(request_rec *r)
{
    const char *uri =
        ap_get_module_config(r->request_config, &repo_core_module);

    return uri && strcmp(uri, r->uri) == 0;
}

/* A name that is no file; its extension still tells the type. */
static void set_filename(request_rec *r)
{
    apr_size_t len = strlen(r->uri);

    while (len > 1 && r->uri[len - 1] == '/')
        len--;
    r->filename = apr_psprintf(r->pool, "mod_repo:%.*s", (int)len, r->uri);
    r->canonical_filename = r->filename;
    r->path_info = NULL;
}

static int translate_name(request_rec *r)
{
    if (!is_noted(r))
        return DECLINED;
    set_filename(r);
    return OK;
}

/* Ends the look for folders and files on disk. httpd answers TRACE in this
 * phase, or refuses it. */
static int map_to_storage(request_rec *r)
{
    if (!is_noted(r) || r->method_number == M_TRACE)
        return DECLINED;
    set_filename(r); /* an Alias may have set another one */
    r->finfo.filetype = APR_NOFILE;
    return OK;
}

static int fixups(request_rec *r)
{
    if (!r->main && ap_request_has_body(r) && repo_request_is_ours(r))
        repo_guard_raise_limits(r);
    return DECLINED;
}

/* Has the method an XML body that mod_dav parses? PUT has contents, the others
 * are read by us. */
static bool has_dav_body(const request_rec *r)
{
    switch (r->method_number) {
    case M_PUT:
    case M_POST:
    case M_PROPPATCH:
    case M_MERGE:
    case M_GET:
        return false;
    default:
        return strcmp(r->method, "REPORT") != 0;
    }
}

static void insert_filter(request_rec *r)
{
    repo_body_limits_t limits;
    repo_limits_t configured;

    if (r->main || !has_dav_body(r) || !repo_request_is_ours(r))
        return;
    repo_config_limits(&configured, repo_config_of(r));
    repo_xml_limits_dav(&limits, r, &configured);
    repo_guard_take_over(r);
    repo_guard_insert(r, &limits, configured.prop_names);
}

void repo_hooks_register(apr_pool_t *pconf)
{
    (void)pconf;
    repo_guard_register();
    ap_hook_translate_name(note_location, NULL, NULL, APR_HOOK_REALLY_FIRST);
    ap_hook_translate_name(translate_name, NULL, NULL, APR_HOOK_LAST);
    ap_hook_map_to_storage(map_to_storage, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_fixups(fixups, NULL, NULL, APR_HOOK_FIRST);
    ap_hook_insert_filter(insert_filter, NULL, NULL, APR_HOOK_MIDDLE);
}
