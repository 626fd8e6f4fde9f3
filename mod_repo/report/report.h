/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a REPORT is. The body is parsed as a stream: `begin` at the root
 * element, `start` and `end` for what is in it, then `run` answers.
 */

#ifndef MOD_REPO_REPORT_REPORT_H
#define MOD_REPO_REPORT_REPORT_H

#include "mod_repo/conf/config.h"
#include "mod_repo/http/body.h"
#include "mod_repo/http/output.h"
#include "mod_repo/request/request.h"

struct repo_field_t;

typedef struct repo_report_t {
    const char *root; /* name of the root element in the namespace "svn:" */
    /**
     * Status of an answer to an error of this report where neither code nor
     * kind decide, or 0.
     */
    int fallback;
    bool whole;      /* is for the repository as a whole: me or vcc/default */
    apr_size_t size; /* of the report's own struct */
    const struct repo_field_t *fields; /* which elements fill it */
    /** The root element; `*baton` goes to the other calls, in r->pool. NULL:
     *  the struct alone is made, by repo_fields_begin(). */
    fs_error_t *(*begin)(void **baton, repo_request_t *request,
                         const repo_limits_t *limits,
                         const repo_body_elem_t *root);
    /** An element (depth 1 and more) begins; NULL: not of interest. */
    fs_error_t *(*start)(void *baton, const repo_body_elem_t *elem);
    /** It ends, with its text. NULL: repo_fields_end(). */
    fs_error_t *(*end)(void *baton, const repo_body_elem_t *elem,
                       const char *text, apr_size_t len);
    /**
     * The body is complete: check, then write the answer. Content-Type is
     * set already. An error before the first byte left becomes an error
     * answer; after it the connection is broken off, so check first.
     */
    fs_error_t *(*run)(void *baton, repo_request_t *request, repo_output_t *out,
                       apr_pool_t *scratch);
} repo_report_t;

/** All reports, ends with NULL (report/table.c). */
extern const repo_report_t *const repo_reports[];

/** Handler of the REPORT method, registered before mod_dav's. */
int repo_report_handler(request_rec *r);

#endif
