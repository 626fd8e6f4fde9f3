/* SPDX-License-Identifier: Apache-2.0 */
/* What the administrator configured, for a location and for a server. */

#ifndef MOD_REPO_CONF_CONFIG_H
#define MOD_REPO_CONF_CONFIG_H

#include <stddef.h>

#include <apr_hash.h>
#include <apr_tables.h>

#include <httpd.h>
#include <http_config.h>

#include "libfs/fs_types.h"

/** A switch that may be left open; the accessors below know the defaults. */
typedef enum repo_switch_t {
    REPO_UNSET = 0,
    REPO_OFF,
    REPO_ON
} repo_switch_t;

typedef enum repo_bulk_t {
    REPO_BULK_UNSET = 0,
    REPO_BULK_OFF,
    REPO_BULK_ON,
    REPO_BULK_PREFER
} repo_bulk_t;

/** Limits on what clients send; all fields are apr_int64_t. */
typedef struct repo_limits_t {
    apr_int64_t report_body;    /* bytes of a REPORT body: 256 MiB */
    apr_int64_t report_entries; /* entries of an update report: 2,000,000 */
    apr_int64_t report_paths;   /* paths, patterns, revisions named in one of
                                   the other reports: 4096 */
    apr_int64_t report_text;    /* bytes of texts that a report keeps: 1 MiB */
    apr_int64_t xml_body;       /* bytes of other XML bodies: 16 MiB */
    apr_int64_t xml_depth;      /* of elements: 64 */
    apr_int64_t xml_attributes; /* of an element: 32 */
    apr_int64_t xml_namespaces; /* of a body: 64 */
    apr_int64_t xml_items;      /* elements and attributes of a body that is
                                   held in memory: 65536 */
    apr_int64_t xml_text;       /* bytes of the text of one element: 64 KiB */
    apr_int64_t prop_names;     /* in a PROPFIND, in a log report: 256 */
    apr_int64_t post_body;      /* bytes of a POST body: 16 MiB */
} repo_limits_t;

/** One limit: where it is in repo_limits_t, its directive and default. */
typedef struct repo_limit_t {
    apr_size_t field;
    const char *directive;
    apr_int64_t value; /* default */
    bool is_bytes;     /* may be written with K, M or G */
    const char *help;
} repo_limit_t;

/** All limits; ends with a NULL directive. */
extern const repo_limit_t repo_limits[];

/** Settings of a location; plain fields, 0 or NULL means "not set here". */
typedef struct repo_config_t {
    const char *base;   /* URL path of the section that has the repository */
    const char *path;   /* folder of the one repository */
    const char *parent; /* folder of repositories */
    const char *name;   /* RepoName */
    const char *index_xslt;
    const char *activities_db; /* folder of activities, or NULL */
    const char *hooks_env;     /* file of the environment of hooks, or NULL */
    apr_int64_t hook_timeout;  /* seconds that a hook may run */
    repo_switch_t list_parent;
    repo_switch_t path_authz;
    repo_switch_t advertise_v2;
    repo_switch_t autoversioning;
    repo_bulk_t bulk;
    apr_hash_t *options;  /* option table of the store, or NULL */
    repo_limits_t limits; /* 0 in a field: not set here */
    /**
     * Why this location cannot be served: a directive that is known and not
     * built yet, under its old name beside the module that owns it.
     */
    const char *refused;
} repo_config_t;

/** Settings of a server (virtual host). */
typedef struct repo_server_config_t {
    const char *special;         /* special URI without outer slashes */
    int compression_level;       /* 0 to 9, -1: not set */
    const char *cache;           /* name of a back end, or NULL */
    apr_uint64_t cache_size;     /* bytes; 0: default */
    apr_array_header_t *ignored; /* names of directives without effect here */
} repo_server_config_t;

/** The module record that directives and settings belong to (mod_repo.c). */
extern module repo_core_module;

void *repo_config_create_dir(apr_pool_t *pool, char *path);
void *repo_config_merge_dir(apr_pool_t *pool, void *base, void *child);
void *repo_config_create_server(apr_pool_t *pool, server_rec *server);
void *repo_config_merge_server(apr_pool_t *pool, void *base, void *child);

/** All directives of the module, each under its two names. */
extern const command_rec repo_directives[];

/** Settings that hold for the request's location. Never NULL. */
const repo_config_t *repo_config_of(const request_rec *r);

/** Settings of a server. Never NULL. */
const repo_server_config_t *repo_config_of_server(const server_rec *server);

/* What holds where nothing was set. */
const char *repo_config_special(const server_rec *server);    /* "!svn" */
int repo_config_compression(const server_rec *server);        /* 5 */
bool repo_config_v2(const repo_config_t *config);             /* on */
bool repo_config_path_authz(const repo_config_t *config);     /* on */
bool repo_config_list_parent(const repo_config_t *config);    /* off */
bool repo_config_autoversioning(const repo_config_t *config); /* off */
repo_bulk_t repo_config_bulk(const repo_config_t *config);    /* on */
apr_interval_time_t repo_config_hook_timeout(
    const repo_config_t *config); /* an hour */

/** The limits of a location, defaults filled in. */
void repo_config_limits(repo_limits_t *limits, const repo_config_t *config);

/**
 * Name of the directive that sets a limit, by the offset of its field in
 * repo_limits_t, for messages: "RepoLimitReportBody".
 */
const char *repo_config_limit_name(apr_size_t field);
#define REPO_LIMIT_NAME(field)                                                 \
    repo_config_limit_name(offsetof(repo_limits_t, field))

#endif
