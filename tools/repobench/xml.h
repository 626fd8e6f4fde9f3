/* SPDX-License-Identifier: Apache-2.0 */
/* Reads XML as it arrives; names are told without their prefix. */

#ifndef TOOLS_REPOBENCH_XML_H
#define TOOLS_REPOBENCH_XML_H

#include <apr_pools.h>

#include "libfs/fs_error.h"

typedef struct bench_xml_t bench_xml_t;

/** What is told of a document. Any member may be NULL. */
typedef struct bench_xml_ops_t {
    /** @param attributes  names and values in turn, then NULL */
    void (*start)(void *baton, const char *name, const char **attributes);
    void (*end)(void *baton, const char *name);
    void (*text)(void *baton, const char *data, apr_size_t len);
} bench_xml_ops_t;

/** A reader that lives in `pool`. Memory: bounded by the depth. */
fs_error_t *bench_xml_create(bench_xml_t **xml, const bench_xml_ops_t *ops,
                             void *baton, apr_pool_t *pool) FS_MUST_CHECK;

/** Errors: FS_ERR_XML_MALFORMED with line and reason. */
fs_error_t *bench_xml_feed(bench_xml_t *xml, const char *data,
                           apr_size_t len) FS_MUST_CHECK;

/** There is no more. Errors: FS_ERR_XML_MALFORMED, it ends too early. */
fs_error_t *bench_xml_finish(bench_xml_t *xml) FS_MUST_CHECK;

/** Value of an attribute, NULL if it is not there. */
const char *bench_xml_attribute(const char **attributes, const char *name);

/** `text` with what XML reserves escaped; in `pool`. */
const char *bench_xml_escape(const char *text, apr_pool_t *pool);

#endif
