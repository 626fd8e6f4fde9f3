/* SPDX-License-Identifier: Apache-2.0 */
/* Errors: one malloc'ed block a level, so that they outlive every pool. */

#include "libfs/fs_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

typedef struct error_row_t {
    fs_error_code_t code;
    fs_error_kind_t kind;
    const char *name;
    const char *text;
} error_row_t;

static const error_row_t error_rows[] = {
#define FS_ERROR_ROW(name, number, kind, text) { name, kind, #name, text },
    FS_ERROR_LIST(FS_ERROR_ROW)
#undef FS_ERROR_ROW
};

static fs_error_t out_of_memory = { FS_ERR_IO, "out of memory", APR_ENOMEM,
                                    NULL,      __FILE__,        __LINE__ };

#ifdef FS_DEBUG
#include <stdatomic.h>
#include <stdbool.h>

static atomic_long live_errors;
static _Thread_local long live_here;
static atomic_bool threads_are_checked;

static void abort_if_leaked(long count)
{
    if (count != 0) {
        fprintf(stderr, "libfs: %ld errors were neither returned nor cleared\n",
                count);
        abort();
    }
}

__attribute__((destructor)) static void check_process(void)
{
    if (!atomic_load(&threads_are_checked))
        abort_if_leaked(atomic_load(&live_errors));
}

void fs_error_check_thread(void)
{
    atomic_store(&threads_are_checked, true);
    abort_if_leaked(live_here);
}

static void count_error(int step)
{
    atomic_fetch_add(&live_errors, step);
    live_here += step;
}
#else
static void count_error(int step)
{
    (void)step;
}

void fs_error_check_thread(void)
{
}
#endif

static const error_row_t *find_row(fs_error_code_t code)
{
    size_t i;

    for (i = 0; i < sizeof(error_rows) / sizeof(error_rows[0]); i++)
        if (error_rows[i].code == code)
            return &error_rows[i];
    return NULL;
}

fs_error_t *fs_error_create(fs_error_code_t code, apr_status_t status,
                            fs_error_t *cause, const char *file, int line,
                            const char *format, ...)
{
    fs_error_t *err;
    va_list args;
    int len;
    char *text;

    va_start(args, format);
    len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0)
        len = 0;

    err = malloc(sizeof(*err) + (size_t)len + 1);
    if (!err) {
        fs_error_clear(cause);
        return &out_of_memory;
    }
    count_error(1);

    text = (char *)(err + 1);
    text[0] = '\0';
    va_start(args, format);
    vsnprintf(text, (size_t)len + 1, format, args);
    va_end(args);

    err->code = code;
    err->message = text;
    err->apr_status = status;
    err->cause = cause;
    err->file = file;
    err->line = line;
    return err;
}

void fs_error_clear(fs_error_t *err)
{
    while (err && err != &out_of_memory) {
        fs_error_t *cause = err->cause;

        free(err);
        count_error(-1);
        err = cause;
    }
}

fs_error_kind_t fs_error_kind(fs_error_code_t code)
{
    const error_row_t *row = find_row(code);

    return row ? row->kind : FS_KIND_IO;
}

const char *fs_error_text(fs_error_code_t code)
{
    const error_row_t *row = find_row(code);

    return row ? row->text : "unknown error";
}

const char *fs_error_name(fs_error_code_t code)
{
    const error_row_t *row = find_row(code);

    return row ? row->name : "unknown";
}

int fs_error_has(const fs_error_t *err, fs_error_code_t code)
{
    for (; err; err = err->cause)
        if (err->code == code)
            return 1;
    return 0;
}

const char *fs_error_describe(const fs_error_t *err, apr_pool_t *result)
{
    const char *text = "";

    for (; err; err = err->cause) {
        text = apr_pstrcat(result, text, *text ? ": " : "", err->message, NULL);
        if (err->apr_status != APR_SUCCESS && !err->cause) {
            char reason[120];

            apr_strerror(err->apr_status, reason, sizeof(reason));
            text = apr_pstrcat(result, text, " (", reason, ")", NULL);
        }
    }
    return text;
}
