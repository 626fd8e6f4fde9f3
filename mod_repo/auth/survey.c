/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can this server's configuration tell paths below a location apart?
 *
 * Two things are looked at. Directives: sections that match parts of a
 * location's URLs, and conditions on them. Modules: the hooks of access
 * control and those that run before it may belong only to modules whose
 * answer depends on the section and the user alone.
 */

#include "mod_repo/auth/survey.h"

#include <string.h>

#include <apr_hooks.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include <http_request.h>

static const char *reason = "the configuration was not looked at yet";
static char reason_text[256];

/* Directives by which URLs of one location may be treated differently,
 * whatever their arguments are. */
static const char *const telling_directives[] = {
    "<LocationMatch",
    "<If",
    "<ElseIf",
    "<Else",
    "RewriteEngine",
    "SSLRequire",
    "RedirectMatch",
    "Deny",
    "Allow",
    "AuthzProviderAlias",
    "<AuthzProviderAlias",
    "AuthMerging",
    NULL,
};

/* Modules whose hooks look at the section, the user or the client only. */
static const char *const plain_modules[] = {
    "core.c",
    "http_core.c",
    "mod_so.c",
    "mod_authz_core.c",
    "mod_authz_host.c",
    "mod_authz_user.c",
    "mod_authz_groupfile.c",
    "mod_authz_owner.c",
    "mod_authz_dbm.c",
    "mod_authz_dbd.c",
    "mod_authnz_ldap.c",
    "mod_auth_basic.c",
    "mod_auth_digest.c",
    "mod_authn_core.c",
    "mod_authn_file.c",
    "mod_authn_anon.c",
    "mod_authn_dbd.c",
    "mod_authn_dbm.c",
    "mod_authn_socache.c",
    "mod_access_compat.c",
    "mod_ssl.c",
    "mod_alias.c",
    "mod_dav.c",
    "mod_dav_fs.c",
    "mod_dav_lock.c",
    "mod_mime.c",
    "mod_dir.c",
    "mod_autoindex.c",
    "mod_cgi.c",
    "mod_cgid.c",
    "mod_deflate.c",
    "mod_brotli.c",
    "mod_env.c",
    "mod_expires.c",
    "mod_filter.c",
    "mod_headers.c",
    "mod_log_config.c",
    "mod_logio.c",
    "mod_setenvif.c",
    "mod_status.c",
    "mod_info.c",
    "mod_unixd.c",
    "mod_unique_id.c",
    "mod_negotiation.c",
    "mod_reqtimeout.c",
    "mod_remoteip.c",
    "mod_http2.c",
    "mod_socache_shmcb.c",
    "mod_mpm_event.c",
    "mod_mpm_worker.c",
    "mod_mpm_prefork.c",
    "event.c",
    "worker.c",
    "prefork.c",
    "mod_usertrack.c",
    "mod_version.c",
    "mod_rewrite.c",
    "mod_repo.c",
    "mod_repo_core.c",
    "mod_systemd.c",
    "mod_include.c",
    "mod_actions.c",
    "mod_watchdog.c",
    "mod_dav_svn.c",
    NULL,
};

static bool is_listed(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (strcasecmp(name, *list) == 0)
            return true;
    return false;
}

static void found(const char *what, const char *detail)
{
    if (reason)
        return;
    apr_snprintf(reason_text, sizeof(reason_text), "%s%s%s", what,
                 detail ? " " : "", detail ? detail : "");
    reason = reason_text;
}

/* ---- directives ---- */

/* Is the path `inner` a part of what the path `outer` covers? */
static bool is_below(const char *inner, const char *outer)
{
    apr_size_t len = strlen(outer);

    while (len > 0 && outer[len - 1] == '/')
        len--;
    return strncmp(inner, outer, len) == 0 && inner[len] == '/' &&
           inner[len + 1] != '\0';
}

/* The first word of arguments as httpd reads it: maybe quoted, without the
 * ">" of a section. Sets what follows. */
static const char *first_word(const char **args, apr_pool_t *result)
{
    const char *in = *args;
    char *word, *out, quote = 0;

    while (apr_isspace(*in))
        in++;
    if (*in == '"' || *in == '\'')
        quote = *in++;
    word = out = apr_palloc(result, strlen(in) + 1);
    for (; *in; in++) {
        if (quote ? *in == quote : apr_isspace(*in) || *in == '>')
            break;
        if (quote && *in == '\\' && (in[1] == quote || in[1] == '\\'))
            in++;
        *out++ = *in;
    }
    *out = '\0';
    *args = *in ? in + 1 : in;
    return word;
}

static const char *section_path(const ap_directive_t *directive,
                                apr_pool_t *result)
{
    const char *args = directive->args;

    return first_word(&args, result);
}

static bool has_repository(const ap_directive_t *directive)
{
    for (; directive; directive = directive->next)
        if (strcasecmp(directive->directive, "DAV") == 0 ||
            (directive->first_child && has_repository(directive->first_child)))
            return true;
    return false;
}

typedef void (*visit_t)(const ap_directive_t *directive, void *baton);

static void each_directive(const ap_directive_t *directive, visit_t visit,
                           void *baton)
{
    for (; directive; directive = directive->next) {
        visit(directive, baton);
        each_directive(directive->first_child, visit, baton);
    }
}

static void collect_location(const ap_directive_t *directive, void *baton)
{
    apr_array_header_t *ours = baton;

    if (strcasecmp(directive->directive, "<Location") == 0 &&
        has_repository(directive->first_child))
        APR_ARRAY_PUSH(ours, const char *) =
            section_path(directive, ours->pool);
}

/* What concerns `path` concerns only a part of one of `ours`. */
static void check_path(const char *path, const apr_array_header_t *ours,
                       const ap_directive_t *directive)
{
    int i;

    for (i = 0; i < ours->nelts; i++)
        if (is_below(path, APR_ARRAY_IDX(ours, i, const char *)))
            found(apr_psprintf(ours->pool, "a part of a location in %s",
                               directive->directive),
                  directive->args);
}

static void check_location(const ap_directive_t *directive, void *baton)
{
    const apr_array_header_t *ours = baton;
    const char *args = directive->args, *path;

    /* Redirect [status] /path URL: all below the path goes elsewhere. */
    if (strcasecmp(directive->directive, "Redirect") == 0 ||
        strcasecmp(directive->directive, "RedirectTemp") == 0 ||
        strcasecmp(directive->directive, "RedirectPermanent") == 0) {
        path = first_word(&args, ours->pool);
        if (*path != '/')
            path = first_word(&args, ours->pool);
        check_path(path, ours, directive);
        return;
    }
    if (strcasecmp(directive->directive, "<Location") != 0)
        return;
    path = section_path(directive, ours->pool);
    if (strcmp(path, "~") == 0 || strpbrk(path, "*?["))
        found("a pattern in <Location", directive->args);
    check_path(path, ours, directive);
}

/* What Require may ask for without a look at the URL. */
static const char *const plain_requirements[] = {
    "all",       "user",        "valid-user",  "group",          "ip",
    "host",      "forward-dns", "local",       "method",         "dbm-group",
    "dbd-group", "dbd-login",   "dbd-logout",  "ldap-user",      "ldap-group",
    "ldap-dn",   "ldap-filter", "ldap-search", "ldap-attribute", NULL,
};

/* Whether a Require names what may differ by URL, as those may of which
 * nothing is known. */
static bool requires_by_url(const char *args, apr_pool_t *scratch)
{
    const char *word = first_word(&args, scratch);

    if (strcasecmp(word, "not") == 0)
        word = first_word(&args, scratch);
    return !is_listed(word, plain_requirements) || strstr(args, "%{") != NULL;
}

static bool has_word(const char *args, const char *word)
{
    apr_size_t len = strlen(word);
    const char *p;

    for (p = strstr(args, word); p; p = strstr(p + 1, word))
        if ((p == args || p[-1] == ' ') &&
            (p[len] == '\0' || p[len] == ' ' || p[len] == '>'))
            return true;
    return false;
}

/* Whether a section for methods treats GET unlike the other ways to read. */
static bool splits_reading(const char *args)
{
    bool get = has_word(args, "GET");

    return get != has_word(args, "PROPFIND") || get != has_word(args, "REPORT");
}

static void check_directive(const ap_directive_t *directive, void *baton)
{
    const char *name = directive->directive;

    if (strcasecmp(name, "RewriteEngine") == 0 &&
        strcasecmp(directive->args, "off") == 0)
        return;
    if (strcasecmp(name, "Deny") == 0 || strcasecmp(name, "Allow") == 0) {
        if (strstr(directive->args, "env="))
            found("the directive", name);
        return;
    }
    if (strcasecmp(name, "<Limit") == 0 ||
        strcasecmp(name, "<LimitExcept") == 0) {
        if (splits_reading(directive->args))
            found("a section", name);
        return;
    }
    if (strcasecmp(name, "Require") == 0) {
        if (requires_by_url(directive->args, baton))
            found("the directive Require", directive->args);
        return;
    }
    if (is_listed(name, telling_directives))
        found("the directive", name);
}

/* ---- modules ---- */

/* What apr_hook_*_get() returns: an array whose elements begin so. */
typedef struct hook_entry_t {
    void (*function)(void);
    const char *module;
    const char *const *before;
    const char *const *after;
    int order;
} hook_entry_t;

static void check_hooks(const apr_array_header_t *hooks)
{
    int i;

    for (i = 0; hooks && i < hooks->nelts; i++) {
        const char *module = APR_ARRAY_IDX(hooks, i, hook_entry_t).module;

        if (!module || !is_listed(module, plain_modules))
            found("the module", module ? module : "without a name");
    }
}

void repo_survey_take(const ap_directive_t *tree, apr_pool_t *scratch)
{
    apr_array_header_t *ours = apr_array_make(scratch, 4, sizeof(char *));

    reason = NULL;
    each_directive(tree, collect_location, ours);
    each_directive(tree, check_location, ours);
    each_directive(tree, check_directive, scratch);
    check_hooks(ap_hook_get_access_checker());
    check_hooks(ap_hook_get_access_checker_ex());
    check_hooks(ap_hook_get_auth_checker());
    check_hooks(ap_hook_get_check_user_id());
    check_hooks(ap_hook_get_translate_name());
    check_hooks(ap_hook_get_map_to_storage());
    check_hooks(ap_hook_get_type_checker());
    check_hooks(ap_hook_get_fixups());
}

bool repo_survey_is_uniform(void)
{
    return reason == NULL;
}

const char *repo_survey_reason(void)
{
    return reason;
}
