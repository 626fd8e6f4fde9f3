/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports whose bodies are lists of simple elements: a table says which
 * element fills which field of the report's own struct.
 */

#ifndef MOD_REPO_REPORT_FIELDS_H
#define MOD_REPO_REPORT_FIELDS_H

#include <stddef.h>

#include "mod_repo/report/report.h"

typedef enum repo_field_type_t {
    REPO_FIELD_FLAG,   /* bool: the element is there */
    REPO_FIELD_YES,    /* bool: it is there and its text is not "no" */
    REPO_FIELD_TEXT,   /* const char *: its text; the last one counts */
    REPO_FIELD_REV,    /* fs_rev_t: a decimal, or FS_INVALID_REV if absent */
    REPO_FIELD_NUMBER, /* apr_int64_t: may be negative */
    REPO_FIELD_LIST    /* apr_array_header_t * of const char *: each text */
} repo_field_type_t;

typedef struct repo_field_t {
    const char *name; /* in the namespace "svn:" unless `dav` */
    repo_field_type_t type;
    size_t offset; /* in the report's struct */
    bool dav;      /* in the namespace "DAV:" */
} repo_field_t;

/** A row of the table: element `name` of "svn:" fills `member` of `type`. */
#define REPO_FIELD(type, name, kind, member)                                   \
    {                                                                          \
        name, kind, offsetof(type, member), false                              \
    }

/** The last row. */
#define REPO_FIELDS_END                                                        \
    {                                                                          \
        NULL, REPO_FIELD_FLAG, 0, false                                        \
    }

/** What the struct of each such report begins with. */
typedef struct repo_fields_t {
    repo_request_t *request;
    const repo_field_t *fields; /* ends with a NULL name */
    repo_limits_t limits;
    apr_pool_t *pool;
    apr_int64_t kept; /* bytes of texts in `pool` */
} repo_fields_t;

/** Make a struct of `size` bytes: revisions FS_INVALID_REV, all else zero. */
void *repo_fields_begin(apr_size_t size, const repo_field_t *fields,
                        repo_request_t *request, const repo_limits_t *limits);

/** The `end` call of such reports.
 *  Errors: FS_ERR_BAD_NUMBER; FS_ERR_TOO_LARGE, too many of a list, or the
 *  texts kept are too long. */
fs_error_t *repo_fields_end(void *baton, const repo_body_elem_t *elem,
                            const char *text, apr_size_t len);

/** Parse a number that blanks may surround; `name` is the element's name.
 *  Errors: FS_ERR_BAD_NUMBER. */
fs_error_t *repo_fields_number(apr_int64_t *out, const char *name,
                               const char *text) FS_MUST_CHECK;

/**
 * The fspath that a path in the body means: relative to that of the URL, with
 * or without one leading slash.
 * Errors: FS_ERR_DAV_REQUEST, `path` is NULL (`what` is the element's name);
 *         FS_ERR_PATH_SYNTAX, it is not canonical, or the URL has no path.
 */
fs_error_t *repo_fields_path(const char **fspath, const repo_request_t *request,
                             const char *what, const char *path,
                             apr_pool_t *result) FS_MUST_CHECK;

/** A list of such paths as an array of fspaths; `paths` may be NULL. */
fs_error_t *repo_fields_paths(apr_array_header_t **fspaths,
                              const repo_request_t *request, const char *what,
                              const apr_array_header_t *paths,
                              apr_pool_t *result) FS_MUST_CHECK;

/** Errors: FS_ERR_NO_SUCH_REV, `rev` is absent or above the youngest. */
fs_error_t *repo_fields_need_rev(repo_request_t *request, const char *what,
                                 fs_rev_t rev) FS_MUST_CHECK;

/** The root of the revision `rev`, checked as by repo_fields_need_rev(). */
fs_error_t *repo_fields_root(fs_root_t **root, repo_request_t *request,
                             const char *what, fs_rev_t rev,
                             apr_pool_t *result) FS_MUST_CHECK;

/** Parse the word of a depth; false if it is none. */
bool repo_fields_depth(fs_depth_t *depth, const char *word);
const char *repo_fields_depth_word(fs_depth_t depth);

/** "(PATH PATH)" for the operational log. */
const char *repo_fields_log_paths(const apr_array_header_t *fspaths,
                                  apr_pool_t *result);

/** Begin the answer: header and root element with the usual namespaces. */
void repo_fields_open(repo_output_t *out, const char *root);

#endif
