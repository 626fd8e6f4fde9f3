/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of directives. Each has a name of our own, and most the name
 * under which mod_dav_svn and its companions know it.
 *
 * httpd calls every module that owns a directive's name. So an old name may
 * well be meant for a mod_dav_svn that is loaded beside us: what we cannot do
 * is refused here only when nobody else is there to do it, and else when a
 * request comes to a location that is ours.
 */

#include "mod_repo/conf/directives.h"

#include <string.h>
#include <unistd.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include <http_core.h>

#include "libfs/fs_repo.h"
#include "mod_repo/conf/config.h"

/* ---- values ---- */

const char *repo_directives_parse_size(apr_int64_t *value, const char *text,
                                       int units)
{
    static const char right[] = "a positive decimal number";
    static const char right_units[] =
        "a positive number of bytes, or one with K, M or G after it";
    const char *wanted = units ? right_units : right;
    apr_int64_t number = 0, factor = 1;
    const char *p;

    for (p = text; apr_isdigit(*p); p++) {
        if (number > APR_INT64_MAX / 10 - 1)
            return wanted;
        number = number * 10 + (*p - '0');
    }
    if (p == text || number == 0)
        return wanted;
    if (units && *p) {
        static const char letters[] = "KMG";
        const char *letter = strchr(letters, apr_toupper(*p));
        apr_ssize_t power = letter ? letter - letters + 1 : 0;

        if (!power)
            return wanted;
        for (; power > 0; power--)
            factor *= 1024;
        p++;
    }
    if (*p || number > APR_INT64_MAX / factor)
        return wanted;
    *value = number * factor;
    return NULL;
}

const char *repo_directives_special(const char *text, apr_pool_t *result)
{
    char *special = apr_pstrdup(result, text), *to = special;
    char *segment, *state;

    segment = apr_strtok(apr_pstrdup(result, text), "/", &state);
    for (; segment; segment = apr_strtok(NULL, "/", &state)) {
        if (strcmp(segment, ".") == 0 || strcmp(segment, "..") == 0)
            return NULL;
        if (to > special)
            *to++ = '/';
        memcpy(to, segment, strlen(segment));
        to += strlen(segment);
    }
    *to = '\0';
    return to > special ? special : NULL;
}

/** "Name: 'value' is not valid, it must be WHAT". */
static const char *wrong(const cmd_parms *cmd, const char *value,
                         const char *right)
{
    return apr_psprintf(cmd->temp_pool, "%s: '%s' is not valid, it must be %s",
                        cmd->cmd->name, value, right);
}

/* ---- what is not built ---- */

/* Is a module of that name loaded which is not one of our records? Ours have
 * no table of directives. */
static bool foreign_module_is_loaded(const char *name)
{
    const module *m;

    for (m = ap_top_module; m; m = m->next)
        if (strcmp(m->name, name) == 0 && m->cmds)
            return true;
    return false;
}

/* Whose directive is this by its old name? */
static const char *owner_of(const char *directive)
{
    if (strncasecmp(directive, "SVN", 3) == 0)
        return "mod_dav_svn.c";
    if (strncasecmp(directive, "Authz", 5) == 0)
        return "mod_authz_svn.c";
    if (strncasecmp(directive, "DontDoThat", 10) == 0)
        return "mod_dontdothat.c";
    return NULL;
}

/* What is known and not built: what it needs, what would be right. */
typedef struct unbuilt_t {
    const char *needs;
    const char *right; /* or "" where only another server helps */
} unbuilt_t;

/* Refuse what the module cannot do yet: now, or at each request. */
static const char *refuse(const cmd_parms *cmd, repo_config_t *config,
                          const char *value, const unbuilt_t *unbuilt)
{
    const char *owner = owner_of(cmd->cmd->name);
    const char *message = apr_psprintf(
        cmd->pool,
        "%s: '%s' needs %s, which this version of mod_repo does not "
        "have%s%s",
        cmd->cmd->name, value, unbuilt->needs, *unbuilt->right ? "; " : "",
        unbuilt->right);

    if (!owner || !foreign_module_is_loaded(owner))
        return message;
    config->refused = message;
    return NULL;
}

/* A directive that is wholly unavailable. */
static const char *set_refused(cmd_parms *cmd, void *dir, const char *value)
{
    return refuse(cmd, dir, value, cmd->info);
}

/* A switch with one value that is what we do anyway. */
typedef struct fixed_switch_t {
    bool value;
    unbuilt_t other; /* what the other value needs */
} fixed_switch_t;

static const char *set_fixed_switch(cmd_parms *cmd, void *dir, int on)
{
    const fixed_switch_t *fixed = cmd->info;

    if ((on != 0) == fixed->value)
        return NULL;
    return refuse(cmd, dir, on ? "on" : "off", &fixed->other);
}

/* ---- what has no effect ---- */

static const char *note_ignored(cmd_parms *cmd)
{
    repo_server_config_t *config =
        ap_get_module_config(cmd->server->module_config, &repo_core_module);

    APR_ARRAY_PUSH(config->ignored, const char *) = cmd->cmd->name;
    return NULL;
}

static const char *ignore_switch(cmd_parms *cmd, void *dir, int on)
{
    (void)dir;
    (void)on;
    return note_ignored(cmd);
}

/* ---- settings of a location ---- */

static repo_switch_t to_switch(int on)
{
    return on ? REPO_ON : REPO_OFF;
}

static const char *check_folder(cmd_parms *cmd, const char **folder,
                                const char *value)
{
    if (!*value)
        return wrong(cmd, value, "the name of a folder");
    *folder = ap_server_root_relative(cmd->pool, value);
    if (!*folder)
        return wrong(cmd, value, "the name of a folder");
    return NULL;
}

static const char *set_path(cmd_parms *cmd, void *dir, const char *value)
{
    repo_config_t *config = dir;

    if (config->parent)
        return apr_psprintf(cmd->temp_pool,
                            "%s: '%s' stands beside RepoParentPath; a location "
                            "has one repository or a folder of them",
                            cmd->cmd->name, value);
    config->base = cmd->path;
    return check_folder(cmd, &config->path, value);
}

static const char *set_parent(cmd_parms *cmd, void *dir, const char *value)
{
    repo_config_t *config = dir;

    if (config->path)
        return apr_psprintf(cmd->temp_pool,
                            "%s: '%s' stands beside RepoPath; a location has "
                            "one repository or a folder of them",
                            cmd->cmd->name, value);
    config->base = cmd->path;
    return check_folder(cmd, &config->parent, value);
}

static const char *set_list_parent(cmd_parms *cmd, void *dir, int on)
{
    (void)cmd;
    ((repo_config_t *)dir)->list_parent = to_switch(on);
    return NULL;
}

static const char *set_v2(cmd_parms *cmd, void *dir, int on)
{
    (void)cmd;
    ((repo_config_t *)dir)->advertise_v2 = to_switch(on);
    return NULL;
}

static const char *set_autoversioning(cmd_parms *cmd, void *dir, int on)
{
    (void)cmd;
    ((repo_config_t *)dir)->autoversioning = to_switch(on);
    return NULL;
}

static const unbuilt_t no_short_circuit = { "path authorization of our own",
                                            "it must be on or off" };

static const char *set_path_authz(cmd_parms *cmd, void *dir, const char *value)
{
    repo_config_t *config = dir;

    if (strcasecmp(value, "on") == 0)
        config->path_authz = REPO_ON;
    else if (strcasecmp(value, "off") == 0)
        config->path_authz = REPO_OFF;
    else if (strcasecmp(value, "short_circuit") == 0)
        return refuse(cmd, config, value, &no_short_circuit);
    else
        return wrong(cmd, value, "on or off");
    return NULL;
}

static const char *set_bulk(cmd_parms *cmd, void *dir, const char *value)
{
    repo_config_t *config = dir;

    if (strcasecmp(value, "on") == 0)
        config->bulk = REPO_BULK_ON;
    else if (strcasecmp(value, "off") == 0)
        config->bulk = REPO_BULK_OFF;
    else if (strcasecmp(value, "prefer") == 0)
        config->bulk = REPO_BULK_PREFER;
    else
        return wrong(cmd, value, "on, off or prefer");
    return NULL;
}

static const char *set_name(cmd_parms *cmd, void *dir, const char *value)
{
    (void)cmd;
    ((repo_config_t *)dir)->name = value;
    return NULL;
}

static const char *set_activities_db(cmd_parms *cmd, void *dir,
                                     const char *value)
{
    return check_folder(cmd, &((repo_config_t *)dir)->activities_db, value);
}

static const char *set_hooks_env(cmd_parms *cmd, void *dir, const char *value)
{
    (void)cmd;
    ((repo_config_t *)dir)->hooks_env = value;
    return NULL;
}

/** Longest time that may be set, in seconds: a day. */
#define HOOK_TIMEOUT_MAX_S 86400

static const char *set_hook_timeout(cmd_parms *cmd, void *dir,
                                    const char *value)
{
    apr_int64_t seconds = 0;

    if (repo_directives_parse_size(&seconds, value, 0) ||
        seconds > HOOK_TIMEOUT_MAX_S)
        return wrong(cmd, value, "a number of seconds from 1 to 86400");
    ((repo_config_t *)dir)->hook_timeout = seconds;
    return NULL;
}

static const char *set_xslt(cmd_parms *cmd, void *dir, const char *value)
{
    (void)cmd;
    ((repo_config_t *)dir)->index_xslt = value;
    return NULL;
}

static const char *known_options(apr_pool_t *result)
{
    const fs_option_t *option;
    const char *known = "";

    for (option = fs_repo_options(); option->name; option++)
        known =
            apr_pstrcat(result, known, *known ? ", " : "", option->name, NULL);
    return known;
}

/* Is it an option of the store? NULL, or what is wrong with it. */
static const char *check_option(cmd_parms *cmd, const char *key,
                                const char *value)
{
    apr_hash_t *alone = apr_hash_make(cmd->temp_pool);
    const fs_option_t *option = fs_repo_options();
    const char *message;
    fs_error_t *err;

    while (option->name && strcmp(option->name, key) != 0)
        option++;
    if (!option->name)
        return wrong(cmd, key,
                     apr_pstrcat(cmd->temp_pool, "one of ",
                                 known_options(cmd->temp_pool), NULL));
    apr_hash_set(alone, key, APR_HASH_KEY_STRING, value);
    err = fs_repo_check_options(alone, cmd->temp_pool);
    if (!err)
        return NULL;
    message = apr_psprintf(cmd->temp_pool, "%s: %s", cmd->cmd->name,
                           fs_error_describe(err, cmd->temp_pool));
    fs_error_clear(err);
    return message;
}

static const char *set_option(cmd_parms *cmd, void *dir, const char *key,
                              const char *value)
{
    repo_config_t *config = dir;
    const char *problem = check_option(cmd, key, value);

    if (problem)
        return problem;
    if (!config->options)
        config->options = apr_hash_make(cmd->pool);
    apr_hash_set(config->options, apr_pstrdup(cmd->pool, key),
                 APR_HASH_KEY_STRING, value);
    return NULL;
}

static const char *set_limit(cmd_parms *cmd, void *dir, const char *value)
{
    repo_config_t *config = dir;
    const repo_limit_t *limit;
    const char *right;

    for (limit = repo_limits; limit->directive; limit++) {
        if (strcasecmp(limit->directive, cmd->cmd->name) != 0)
            continue;
        right = repo_directives_parse_size(
            (apr_int64_t *)((char *)&config->limits + limit->field), value,
            limit->is_bytes);
        return right ? wrong(cmd, value, right) : NULL;
    }
    return "unknown limit";
}

/* ---- settings of a server ---- */

static repo_server_config_t *server_config(const cmd_parms *cmd)
{
    return ap_get_module_config(cmd->server->module_config, &repo_core_module);
}

static const char *set_special(cmd_parms *cmd, void *dir, const char *value)
{
    const char *special = repo_directives_special(value, cmd->pool);

    (void)dir;
    if (!special)
        return wrong(cmd, value, "a path of one or more segments");
    server_config(cmd)->special = special;
    return NULL;
}

static const char *set_compression(cmd_parms *cmd, void *dir, const char *value)
{
    (void)dir;
    if (!apr_isdigit(value[0]) || value[1])
        return wrong(cmd, value, "a level from 0 to 9");
    server_config(cmd)->compression_level = value[0] - '0';
    return NULL;
}

static const char *set_cache(cmd_parms *cmd, void *dir, const char *value)
{
    const char *const *name;
    const char *known = "";

    (void)dir;
    for (name = cache_backend_names(); *name; name++) {
        if (strcasecmp(*name, value) == 0) {
            server_config(cmd)->cache = *name;
            return NULL;
        }
        known = apr_pstrcat(cmd->temp_pool, known, *known ? " or " : "", *name,
                            NULL);
    }
    return wrong(cmd, value, known);
}

/* Bytes of memory that the machine has; APR_INT64_MAX if it does not tell. */
static apr_int64_t machine_memory(void)
{
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);

    if (pages > 0 && page > 0)
        return (apr_int64_t)pages * page;
#endif
    return APR_INT64_MAX;
}

static const char *set_cache_size(cmd_parms *cmd, void *dir, const char *value)
{
    apr_int64_t bytes = 0;
    const char *right = repo_directives_parse_size(&bytes, value, 1);

    (void)dir;
    if (!right && bytes > machine_memory())
        right = apr_psprintf(
            cmd->temp_pool,
            "a size up to the machine's memory, %" APR_INT64_T_FMT " bytes",
            machine_memory());
    if (right)
        return wrong(cmd, value, right);
    server_config(cmd)->cache_size = (apr_uint64_t)bytes;
    return NULL;
}

/* The old name counts KiB, and 0 switches caching off. */
static const char *set_memory_size(cmd_parms *cmd, void *dir, const char *value)
{
    apr_int64_t kib = 0;

    (void)dir;
    if (strcmp(value, "0") == 0) {
        server_config(cmd)->cache = "none";
        return NULL;
    }
    if (repo_directives_parse_size(&kib, value, 0) ||
        kib > APR_INT64_MAX / 1024)
        return wrong(cmd, value, "a number of KiB");
    server_config(cmd)->cache_size = (apr_uint64_t)kib * 1024;
    return NULL;
}

/* ---- the table ---- */

#define OWN_AUTHZ "path authorization of our own"

static const fixed_switch_t authz_on = { true, { OWN_AUTHZ, "it must be on" } };
static const fixed_switch_t authz_off = { false,
                                          { OWN_AUTHZ, "it must be off" } };
/* No advice to take rules away: the repository would stand open. */
static const unbuilt_t needs_authz = { OWN_AUTHZ, "" };
static const unbuilt_t needs_proxy = { "write-through proxying", "" };
static const unbuilt_t needs_blocking = { "blocking of requests", "" };

/* The void pointer that httpd's macros take; the handlers read only. */
#define INFO(x) ((void *)(apr_uintptr_t)(const void *)(x))
#define ANYWHERE (ACCESS_CONF | RSRC_CONF)

#define ONE(new, old, function, info, where, help)                             \
    AP_INIT_TAKE1(new, function, info, where, help),                           \
        AP_INIT_TAKE1(old, function, info, where, "as " new)
#define SWITCH(new, old, function, info, where, help)                          \
    AP_INIT_FLAG(new, function, info, where, help),                            \
        AP_INIT_FLAG(old, function, info, where, "as " new)
#define LIMIT(name)                                                            \
    AP_INIT_TAKE1("RepoLimit" name, set_limit, NULL, ANYWHERE,                 \
                  "a limit on what clients send, see docs/directives.md")

const command_rec repo_directives[] = {
    ONE("RepoPath", "SVNPath", set_path, NULL, ACCESS_CONF,
        "folder of the repository at this location"),
    ONE("RepoParentPath", "SVNParentPath", set_parent, NULL, ACCESS_CONF,
        "folder whose subfolders are repositories"),
    SWITCH("RepoListParentPath", "SVNListParentPath", set_list_parent, NULL,
           ANYWHERE, "whether GET of the location lists the repositories"),
    ONE("RepoSpecialURI", "SVNSpecialURI", set_special, NULL, RSRC_CONF,
        "path below a repository that is set apart for the protocol"),
    ONE("RepoName", "SVNReposName", set_name, NULL, ACCESS_CONF,
        "name of the repository in listings"),
    ONE("RepoIndexXSLT", "SVNIndexXSLT", set_xslt, NULL, ACCESS_CONF,
        "URI of a style sheet: listings become XML"),
    SWITCH("RepoAutoversioning", "SVNAutoversioning", set_autoversioning, NULL,
           ANYWHERE, "whether writes of plain WebDAV clients become commits"),
    ONE("RepoPathAuthz", "SVNPathAuthz", set_path_authz, NULL, ANYWHERE,
        "whether each path is checked before it is told: on or off"),
    ONE("RepoAllowBulkUpdates", "SVNAllowBulkUpdates", set_bulk, NULL, ANYWHERE,
        "whether updates may send all in one answer: on, off or prefer"),
    SWITCH("RepoAdvertiseV2Protocol", "SVNAdvertiseV2Protocol", set_v2, NULL,
           ANYWHERE, "whether the second version of the protocol is offered"),
    ONE("RepoMasterURI", "SVNMasterURI", set_refused, INFO(&needs_proxy),
        ACCESS_CONF, "URL of the server that takes the writes"),
    ONE("RepoMasterVersion", "SVNMasterVersion", set_refused,
        INFO(&needs_proxy), ACCESS_CONF,
        "version of the server that takes the writes"),
    ONE("RepoActivitiesDB", "SVNActivitiesDB", set_activities_db, NULL,
        ACCESS_CONF, "folder for the names of open activities"),
    ONE("RepoHooksEnv", "SVNHooksEnv", set_hooks_env, NULL, ACCESS_CONF,
        "file with the environment of hook programs"),
    ONE("RepoInMemoryCacheSize", "SVNInMemoryCacheSize", set_memory_size, NULL,
        RSRC_CONF, "size of the cache of a process in KiB"),
    ONE("RepoCompressionLevel", "SVNCompressionLevel", set_compression, NULL,
        RSRC_CONF, "compression of deltas on the wire, 0 to 9"),
    SWITCH("RepoCacheTextDeltas", "SVNCacheTextDeltas", ignore_switch, NULL,
           ANYWHERE, "without effect: the cache decides by itself"),
    SWITCH("RepoCacheFullTexts", "SVNCacheFullTexts", ignore_switch, NULL,
           ANYWHERE, "without effect: the cache decides by itself"),
    SWITCH("RepoCacheRevProps", "SVNCacheRevProps", ignore_switch, NULL,
           ANYWHERE, "without effect: they are always cached, safely"),
    SWITCH("RepoCacheNodeProps", "SVNCacheNodeProps", ignore_switch, NULL,
           ANYWHERE, "without effect: the cache decides by itself"),
    SWITCH("RepoBlockRead", "SVNBlockRead", ignore_switch, NULL, ANYWHERE,
           "without effect: whole blocks are always read"),
    SWITCH("RepoUseUTF8", "SVNUseUTF8", ignore_switch, NULL, RSRC_CONF,
           "without effect: paths are UTF-8 everywhere"),

    AP_INIT_TAKE1("RepoCache", set_cache, NULL, RSRC_CONF,
                  "kind of the cache: process or none"),
    AP_INIT_TAKE1("RepoCacheSize", set_cache_size, NULL, RSRC_CONF,
                  "size of the cache in bytes, or with K, M, G"),
    AP_INIT_TAKE2("RepoOption", set_option, NULL, ANYWHERE,
                  "an option of the store and its value"),
    LIMIT("ReportBody"),
    LIMIT("ReportEntries"),
    LIMIT("ReportPaths"),
    LIMIT("ReportText"),
    LIMIT("XMLBody"),
    LIMIT("XMLDepth"),
    LIMIT("XMLAttributes"),
    LIMIT("XMLNamespaces"),
    LIMIT("XMLItems"),
    LIMIT("XMLText"),
    LIMIT("PropertyNames"),
    LIMIT("PostBody"),
    AP_INIT_TAKE1("RepoHookTimeout", set_hook_timeout, NULL, ANYWHERE,
                  "seconds that a hook program may run"),

    ONE("RepoAuthzAccessFile", "AuthzSVNAccessFile", set_refused,
        INFO(&needs_authz), OR_AUTHCFG | ACCESS_CONF, "file of access rules"),
    ONE("RepoAuthzReposRelativeAccessFile", "AuthzSVNReposRelativeAccessFile",
        set_refused, INFO(&needs_authz), OR_AUTHCFG | ACCESS_CONF,
        "file of access rules in the repository"),
    ONE("RepoAuthzGroupsFile", "AuthzSVNGroupsFile", set_refused,
        INFO(&needs_authz), OR_AUTHCFG | ACCESS_CONF, "file of groups"),
    SWITCH("RepoAuthzAuthoritative", "AuthzSVNAuthoritative", set_fixed_switch,
           INFO(&authz_on), OR_AUTHCFG | ACCESS_CONF,
           "whether our denial is final"),
    SWITCH("RepoAuthzAnonymous", "AuthzSVNAnonymous", set_fixed_switch,
           INFO(&authz_on), OR_AUTHCFG | ACCESS_CONF,
           "whether rules apply to users without a name"),
    SWITCH("RepoAuthzNoAuthWhenAnonymousAllowed",
           "AuthzSVNNoAuthWhenAnonymousAllowed", set_fixed_switch,
           INFO(&authz_off), OR_AUTHCFG | ACCESS_CONF,
           "whether no name is asked for where none is needed"),
    ONE("RepoAuthzForceUsernameCase", "AuthzForceUsernameCase", set_refused,
        INFO(&needs_authz), OR_AUTHCFG | ACCESS_CONF,
        "fold the case of user names: upper or lower"),
    ONE("RepoDontDoThatConfigFile", "DontDoThatConfigFile", set_refused,
        INFO(&needs_blocking), OR_ALL, "file of rules on costly requests"),
    SWITCH("RepoDontDoThatDisallowReplay", "DontDoThatDisallowReplay",
           ignore_switch, NULL, OR_ALL,
           "without effect as long as there are no rules"),
    { NULL, { NULL }, NULL, 0, RAW_ARGS, NULL }
};
