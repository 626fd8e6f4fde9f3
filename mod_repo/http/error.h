/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of libfs become HTTP: status, the DAV error body with the number
 * that clients know, a log line a level.
 * Source: docs/errors.md.
 */

#ifndef MOD_REPO_HTTP_ERROR_H
#define MOD_REPO_HTTP_ERROR_H

#include <httpd.h>
#include <mod_dav.h>

#include "libfs/fs_error.h"

/** Numbers that clients see and libfs does not raise. */
enum {
    REPO_ERR_DAV_REQUEST = 175002,
    REPO_ERR_NO_REPOSITORY = 190000,
    REPO_ERR_BAD_URL = 190001,
    REPO_ERR_UNSUPPORTED = 200007
};

/** A dav_error that carries a number: 409, 175002, "text". Lower case. */
dav_error *repo_error_new(apr_pool_t *result, int status, int number,
                          const char *text) FS_NEVER_NULL;

/**
 * Turn `err` into a dav_error and log it; `err` is consumed.
 *
 * @param fallback  HTTP status where neither code nor kind decide, 0: by kind
 *                  (docs/errors.md)
 *
 * What clients get: number of the outermost level, the messages of all levels;
 * for kind IO the general text only. What we failed at gets a line in the error
 * log, with method, URL and what clients do not see.
 */
dav_error *repo_error_convert(request_rec *r, fs_error_t *err,
                              int fallback) FS_NEVER_NULL;

/** Status that an error has: as in repo_error_convert(). */
int repo_error_status(const fs_error_t *err, int fallback);

/** Message for a client, all levels: no host path, no text of the system. */
const char *repo_error_message(const fs_error_t *err, apr_pool_t *result);

/** Log `err` with method and URL; `err` stays the caller's. */
void repo_error_log(request_rec *r, const fs_error_t *err);

/**
 * Answer a request with `err` from a handler of our own: converts, writes the
 * XML body. Returns what the handler has to return.
 */
int repo_error_send(request_rec *r, fs_error_t *err, int fallback);

/** The same for a dav_error. */
int repo_error_send_dav(request_rec *r, dav_error *err);

#endif
