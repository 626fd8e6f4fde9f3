/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of libfs become HTTP. */

#include "mod_repo/http/error.h"

#include <stdbool.h>
#include <string.h>

#include <apr_strings.h>

#include <http_protocol.h>

#include "mod_repo/http/log.h"
#include "mod_repo/http/readable.h"

REPO_USE_LOG;

int repo_log_index = APLOG_NO_MODULE;

/* Status by kind, in the order of fs_error_kind_t. */
static const int status_of_kind[] = {
    [FS_KIND_BAD_REQUEST] = HTTP_BAD_REQUEST,
    [FS_KIND_NOT_FOUND] = HTTP_NOT_FOUND,
    [FS_KIND_CONFLICT] = HTTP_CONFLICT,
    [FS_KIND_FORBIDDEN] = HTTP_FORBIDDEN,
    [FS_KIND_LOCKED] = HTTP_LOCKED,
    [FS_KIND_PRECONDITION] = HTTP_PRECONDITION_FAILED,
    [FS_KIND_UNSUPPORTED] = HTTP_NOT_IMPLEMENTED,
    [FS_KIND_DAMAGED] = HTTP_INTERNAL_SERVER_ERROR,
    [FS_KIND_BUSY] = HTTP_SERVICE_UNAVAILABLE,
    [FS_KIND_ABORTED] = HTTP_BAD_REQUEST,
    [FS_KIND_TOO_LARGE] = HTTP_REQUEST_ENTITY_TOO_LARGE,
    [FS_KIND_IO] = HTTP_INTERNAL_SERVER_ERROR,
};

int repo_error_status(const fs_error_t *err, int fallback)
{
    fs_error_kind_t kind = fs_error_kind(err->code);

    switch (err->code) {
    case FS_ERR_UNSUPPORTED_REPO:
    case FS_ERR_UNSUPPORTED_FORMAT:
        /* The request is fine; it is the repository we cannot serve. */
        return HTTP_INTERNAL_SERVER_ERROR;
    case FS_ERR_FOREIGN_TXN:
        return HTTP_CONFLICT;
    case FS_ERR_BAD_LOCK_TOKEN:
        /* Clients go by the number. */
        return fallback ? fallback : HTTP_LOCKED;
    default:
        break;
    }
    if (fallback && (kind == FS_KIND_BAD_REQUEST || kind == FS_KIND_CONFLICT ||
                     kind == FS_KIND_FORBIDDEN))
        return fallback;
    return status_of_kind[kind];
}

/* All levels as one text: "outermost: cause: its cause". What the system said
 * is for the log. */
static const char *chain_text(const fs_error_t *err, bool for_client,
                              apr_pool_t *result)
{
    const char *text = "", *separator = "", *level, *last = NULL;

    for (; err; err = err->cause) {
        level = for_client && fs_error_kind(err->code) == FS_KIND_IO
                    ? fs_error_text(err->code)
                    : err->message;
        if (last && strcmp(level, last) == 0)
            continue;
        text = apr_pstrcat(result, text, separator, level, NULL);
        separator = ": ";
        last = level;
    }
    return text;
}

const char *repo_error_message(const fs_error_t *err, apr_pool_t *result)
{
    return chain_text(err, true, result);
}

/* One line for administrators: which request, and all that is known. */
static const char *log_text(request_rec *r, const fs_error_t *err)
{
    return apr_psprintf(r->pool, "%s %s: %s", r->method, r->uri,
                        chain_text(err, false, r->pool));
}

dav_error *repo_error_new(apr_pool_t *result, int status, int number,
                          const char *text)
{
    return dav_new_error_tag(result, status, number, 0, text, "svn:", "error");
}

dav_error *repo_error_convert(request_rec *r, fs_error_t *err, int fallback)
{
    int status = repo_error_status(err, fallback);
    dav_error *converted;

    converted = repo_error_new(
        r->pool, status, (int)err->code,
        repo_readable(repo_error_message(err, r->pool), r->pool));
    /* A level without a tag is for mod_dav's log alone. */
    if (status >= 500)
        converted->prev = dav_new_error(r->pool, status, (int)err->code,
                                        err->apr_status, log_text(r, err));
    fs_error_clear(err);
    return converted;
}

void repo_error_log(request_rec *r, const fs_error_t *err)
{
    int level = repo_error_status(err, 0) >= 500 ? APLOG_ERR : APLOG_INFO;

    ap_log_rerror(APLOG_MARK, level, err->apr_status, r, "%s  [#%d]",
                  log_text(r, err), (int)err->code);
}

int repo_error_send(request_rec *r, fs_error_t *err, int fallback)
{
    if (fs_error_kind(err->code) == FS_KIND_ABORTED) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, err->apr_status, r, "%s",
                      err->message);
        fs_error_clear(err);
        r->connection->keepalive = AP_CONN_CLOSE;
        return HTTP_BAD_REQUEST; /* it may have closed one direction only */
    }
    return repo_error_send_dav(r, repo_error_convert(r, err, fallback));
}

int repo_error_send_dav(request_rec *r, dav_error *err)
{
    return dav_handle_err(r, err, NULL);
}
