/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: create, inherit, and what holds where nothing was set. */

#include "mod_repo/conf/config.h"

#include <string.h>

#include <apr_strings.h>

#define MIB ((apr_int64_t)1024 * 1024)

/** Seconds that a hook may run where nothing was set. */
#define HOOK_TIMEOUT_S 3600

/* A row of the table of limits. */
#define LIMIT(field, directive, value, is_bytes, help)                         \
    {                                                                          \
        offsetof(repo_limits_t, field), "RepoLimit" directive, value,          \
            is_bytes, help                                                     \
    }

const repo_limit_t repo_limits[] = {
    LIMIT(report_body, "ReportBody", 256 * MIB, true,
          "longest body of a REPORT, in bytes"),
    LIMIT(report_entries, "ReportEntries", 2000000, false,
          "most entries of an update report"),
    LIMIT(report_paths, "ReportPaths", 4096, false,
          "most paths, patterns or revisions named in another report"),
    LIMIT(report_text, "ReportText", MIB, true,
          "texts of one report that are kept, in bytes"),
    LIMIT(xml_body, "XMLBody", 16 * MIB, true,
          "longest XML body of other requests, in bytes"),
    LIMIT(xml_depth, "XMLDepth", 64, false, "deepest nesting of XML elements"),
    LIMIT(xml_attributes, "XMLAttributes", 32, false,
          "most attributes of an XML element"),
    LIMIT(xml_namespaces, "XMLNamespaces", 64, false,
          "most namespaces declared in an XML body"),
    LIMIT(xml_items, "XMLItems", 65536, false,
          "most elements and attributes of such an XML body"),
    LIMIT(xml_text, "XMLText", 64 * 1024, true,
          "longest text of an XML element that is no property, in bytes"),
    LIMIT(prop_names, "PropertyNames", 256, false,
          "most properties named in a PROPFIND or a log report"),
    LIMIT(post_body, "PostBody", 16 * MIB, true,
          "longest body of a POST, with a log message in it, in bytes"),
    { 0, NULL, 0, false, NULL }
};

static apr_int64_t *limit_at(repo_limits_t *limits, const repo_limit_t *limit)
{
    return (apr_int64_t *)((char *)limits + limit->field);
}

static apr_int64_t limit_value(const repo_limits_t *limits,
                               const repo_limit_t *limit)
{
    return *(const apr_int64_t *)((const char *)limits + limit->field);
}

void *repo_config_create_dir(apr_pool_t *pool, char *path)
{
    (void)path; /* a section may hold settings without a repository */
    return apr_pcalloc(pool, sizeof(repo_config_t));
}

static void merge_limits(repo_limits_t *merged, const repo_limits_t *base,
                         const repo_limits_t *child)
{
    const repo_limit_t *limit;

    for (limit = repo_limits; limit->directive; limit++) {
        apr_int64_t value = limit_value(child, limit);

        *limit_at(merged, limit) = value ? value : limit_value(base, limit);
    }
}

#define INHERIT(field) merged->field = child->field ? child->field : base->field

void *repo_config_merge_dir(apr_pool_t *pool, void *base_config,
                            void *child_config)
{
    const repo_config_t *base = base_config, *child = child_config;
    repo_config_t *merged = apr_pmemdup(pool, base, sizeof(*base));

    if (child->path || child->parent) {
        merged->base = child->base;
        merged->path = child->path;
        merged->parent = child->parent;
    }
    INHERIT(name);
    INHERIT(index_xslt);
    INHERIT(activities_db);
    INHERIT(hooks_env);
    INHERIT(hook_timeout);
    INHERIT(list_parent);
    INHERIT(path_authz);
    INHERIT(advertise_v2);
    INHERIT(autoversioning);
    INHERIT(bulk);
    INHERIT(refused);
    if (child->options)
        merged->options = base->options ? apr_hash_overlay(pool, child->options,
                                                           base->options)
                                        : child->options;
    merge_limits(&merged->limits, &base->limits, &child->limits);
    return merged;
}

void *repo_config_create_server(apr_pool_t *pool, server_rec *server)
{
    repo_server_config_t *config = apr_pcalloc(pool, sizeof(*config));

    (void)server;
    config->compression_level = -1;
    config->ignored = apr_array_make(pool, 2, sizeof(const char *));
    return config;
}

void *repo_config_merge_server(apr_pool_t *pool, void *base_config,
                               void *child_config)
{
    const repo_server_config_t *base = base_config, *child = child_config;
    repo_server_config_t *merged = apr_pmemdup(pool, base, sizeof(*base));

    INHERIT(special);
    INHERIT(cache);
    INHERIT(cache_size);
    if (child->compression_level >= 0)
        merged->compression_level = child->compression_level;
    merged->ignored = apr_array_append(pool, base->ignored, child->ignored);
    return merged;
}

const repo_config_t *repo_config_of(const request_rec *r)
{
    return ap_get_module_config(r->per_dir_config, &repo_core_module);
}

const repo_server_config_t *repo_config_of_server(const server_rec *server)
{
    return ap_get_module_config(server->module_config, &repo_core_module);
}

const char *repo_config_special(const server_rec *server)
{
    const char *special = repo_config_of_server(server)->special;

    return special ? special : "!svn";
}

int repo_config_compression(const server_rec *server)
{
    int level = repo_config_of_server(server)->compression_level;

    return level >= 0 ? level : 5;
}

bool repo_config_v2(const repo_config_t *config)
{
    return config->advertise_v2 != REPO_OFF;
}

bool repo_config_path_authz(const repo_config_t *config)
{
    return config->path_authz != REPO_OFF;
}

bool repo_config_list_parent(const repo_config_t *config)
{
    return config->list_parent == REPO_ON;
}

bool repo_config_autoversioning(const repo_config_t *config)
{
    return config->autoversioning == REPO_ON;
}

repo_bulk_t repo_config_bulk(const repo_config_t *config)
{
    return config->bulk == REPO_BULK_UNSET ? REPO_BULK_ON : config->bulk;
}

apr_interval_time_t repo_config_hook_timeout(const repo_config_t *config)
{
    return apr_time_from_sec(config->hook_timeout ? config->hook_timeout
                                                  : HOOK_TIMEOUT_S);
}

void repo_config_limits(repo_limits_t *limits, const repo_config_t *config)
{
    const repo_limit_t *limit;

    for (limit = repo_limits; limit->directive; limit++) {
        apr_int64_t value = limit_value(&config->limits, limit);

        *limit_at(limits, limit) = value ? value : limit->value;
    }
}

const char *repo_config_limit_name(apr_size_t field)
{
    const repo_limit_t *limit;

    for (limit = repo_limits; limit->directive; limit++)
        if (limit->field == field)
            return limit->directive;
    return "";
}
