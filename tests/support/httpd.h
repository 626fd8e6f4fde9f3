/* SPDX-License-Identifier: Apache-2.0 */
/* Stand-ins for the few functions of httpd that parts of the module call. */

#ifndef TESTS_SUPPORT_HTTPD_H
#define TESTS_SUPPORT_HTTPD_H

#include <stdbool.h>

#include <httpd.h>
#include <http_core.h>
#include <util_filter.h>

/**
 * A request that was made by nobody; its output filters end in a collector,
 * its input filters begin with `body`.
 */
typedef struct httpd_request_t {
    request_rec r;
    conn_rec c;
    ap_filter_t filter;
    char *sent;           /* what reached the filters */
    apr_size_t sent_len;  /* bytes */
    int flushes;          /* flush buckets seen */
    bool ended;           /* an end of stream was seen */
    bool broken;          /* an error bucket was seen */
    apr_status_t fail;    /* what passing on returns */
    const char *body;     /* what is read; NULL: reading fails */
    apr_size_t body_len;  /* bytes left of it */
    core_dir_config core; /* httpd's settings of the location */
    void *settings[1];
    apr_size_t piece; /* most bytes a bucket, 0: as many as are asked for */
} httpd_request_t;

httpd_request_t *httpd_request(apr_pool_t *pool);

/** The module that all hooks of access control seem to belong to, or NULL. */
extern const char *httpd_hook_owner;

#endif
