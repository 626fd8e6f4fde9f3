/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of hooks: its file, and what a hook gets of it. */

#include "libfs/hook/env.h"

#include <string.h>

#include <apr_file_io.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <apr_tables.h>

#include "libfs/base/buffer.h"
#include "libfs/format/ini.h"

#define LABEL "hooks-env"
#define FILE_MAX (1024 * 1024)
/* Of a value with what it refers to; the system takes no more either. */
#define VALUE_MAX (128 * 1024)
/* References inside references: what is deeper refers to itself. */
#define DEPTH_MAX 16
/* References of one value in all, so that its time is bounded as well. */
#define STEPS_MAX 1000

struct fs_env_t {
    apr_pool_t *pool;
    apr_hash_t *sections; /* name to apr_hash_t *, name to value */
};

/* --- the file ------------------------------------------------------------- */

static fs_error_t *take_option(void *baton, const char *section,
                               const char *name, const char *value)
{
    fs_env_t *env = baton;
    apr_hash_t *options =
        apr_hash_get(env->sections, section, APR_HASH_KEY_STRING);

    if (!options) {
        options = apr_hash_make(env->pool);
        apr_hash_set(env->sections, section, APR_HASH_KEY_STRING, options);
    }
    /* A nameless variable is none. */
    if (*name)
        apr_hash_set(options, name, APR_HASH_KEY_STRING, value);
    return NULL;
}

fs_error_t *fs_env_parse(fs_env_t **env, fs_bytes_t text, apr_pool_t *result)
{
    *env = apr_palloc(result, sizeof(**env));
    (*env)->pool = result;
    (*env)->sections = apr_hash_make(result);
    return fs_ini_parse(LABEL, text, take_option, *env, result);
}

/* One byte more than is allowed is read of a file that is too long. */
static apr_status_t read_open_file(fs_bytes_t *text, apr_file_t *file,
                                   apr_pool_t *result)
{
    fs_buffer_t *buffer = fs_buffer_create(4096, result);
    apr_status_t status = APR_SUCCESS;

    while (status == APR_SUCCESS && buffer->len <= FILE_MAX) {
        apr_size_t len = 4096;
        char *place = fs_buffer_reserve(buffer, len);

        status = apr_file_read(file, place, &len);
        if (status == APR_SUCCESS)
            buffer->len += len;
    }
    *text = fs_buffer_bytes(buffer);
    return APR_STATUS_IS_EOF(status) ? APR_SUCCESS : status;
}

static apr_status_t read_file(fs_bytes_t *text, const char *path,
                              apr_pool_t *result)
{
    apr_file_t *file;
    apr_status_t status =
        apr_file_open(&file, path, APR_READ, APR_OS_DEFAULT, result);

    text->data = "";
    text->len = 0;
    if (APR_STATUS_IS_ENOENT(status) || APR_STATUS_IS_ENOTDIR(status))
        return APR_SUCCESS;
    if (status)
        return status;
    status = read_open_file(text, file, result);
    apr_file_close(file);
    return status;
}

fs_error_t *fs_env_read(fs_env_t **env, const char *path, apr_pool_t *result)
{
    fs_bytes_t text;
    apr_status_t status = read_file(&text, path, result);

    if (status)
        return FS_ERROR_APR(status, "cannot read '%s'", path);
    if (text.len > FILE_MAX)
        return FS_ERROR(FS_ERR_BAD_CONFIG, LABEL " is longer than %d bytes",
                        FILE_MAX);
    return fs_env_parse(env, text, result);
}

/* --- a hook's part -------------------------------------------------------- */

/* A value on its way to what it means. */
typedef struct expansion_t {
    const char *name; /* of the variable */
    apr_hash_t *options;
    fs_buffer_t *out;
    int steps;
} expansion_t;

/* The variable that a reference at `text` names, else NULL. */
static const char *referred(expansion_t *e, const char *text, apr_size_t *len)
{
    const char *close;

    if (strncmp(text, "%(", 2) != 0)
        return NULL;
    close = strstr(text, ")s");
    if (!close)
        return NULL;
    *len = (apr_size_t)(close + 2 - text);
    return apr_hash_get(e->options, text + 2,
                        (apr_ssize_t)(close - (text + 2)));
}

static fs_error_t *expand(expansion_t *e, const char *value, int depth)
{
    while (*value) {
        apr_size_t len = 1;
        const char *other = referred(e, value, &len);

        if (!other) {
            len = strcspn(value + 1, "%") + 1;
            fs_buffer_append(e->out, value, len);
        } else if (++e->steps > STEPS_MAX) {
            break;
        } else if (depth < DEPTH_MAX) {
            FS_TRY(expand(e, other, depth + 1));
        }
        value += len;
    }
    if (e->steps > STEPS_MAX || e->out->len > VALUE_MAX)
        return FS_ERROR(FS_ERR_BAD_CONFIG,
                        LABEL ": the value of '%.80s' refers to others until "
                              "it is longer than %d bytes or %d references",
                        e->name, VALUE_MAX, STEPS_MAX);
    return NULL;
}

static fs_error_t *add_variable(apr_array_header_t *vector, expansion_t *e,
                                const char *value)
{
    fs_buffer_puts(e->out, e->name);
    fs_buffer_append(e->out, "=", 1);
    FS_TRY(expand(e, value, 0));
    APR_ARRAY_PUSH(vector, const char *) =
        apr_pstrmemdup(vector->pool, e->out->data, e->out->len);
    return NULL;
}

static fs_error_t *add_variables(apr_array_header_t *vector,
                                 apr_hash_t *options)
{
    fs_buffer_t *out = fs_buffer_create(256, vector->pool);
    apr_hash_index_t *i;

    for (i = apr_hash_first(vector->pool, options); i; i = apr_hash_next(i)) {
        expansion_t e = { apr_hash_this_key(i), options, out, 0 };

        out->len = 0;
        FS_TRY(add_variable(vector, &e, apr_hash_this_val(i)));
    }
    return NULL;
}

fs_error_t *fs_env_of_hook(const char *const **vector, const fs_env_t *env,
                           const char *hook, apr_pool_t *result)
{
    apr_array_header_t *strings =
        apr_array_make(result, 8, sizeof(const char *));
    apr_hash_t *options =
        apr_hash_get(env->sections, hook, APR_HASH_KEY_STRING);

    if (!options)
        options = apr_hash_get(env->sections, "default", APR_HASH_KEY_STRING);
    if (options)
        FS_TRY(add_variables(strings, options));
    APR_ARRAY_PUSH(strings, const char *) = NULL;
    *vector = (const char *const *)strings->elts;
    return NULL;
}
