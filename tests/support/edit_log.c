/* SPDX-License-Identifier: Apache-2.0 */
/* The editor that writes down what it is told. */

#include "tests/support/edit_log.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_strings.h>

#include "libfs/base/checksum.h"
#include "tests/support/unit.h"

typedef struct node_t {
    edit_log_t *log;
    const char *path;
} node_t;

void edit_log_init(edit_log_t *log, apr_pool_t *pool)
{
    log->lines = apr_array_make(pool, 64, sizeof(const char *));
    log->all_entry_props = false;
    log->pool = pool;
}

void edit_log_add(edit_log_t *log, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    APR_ARRAY_PUSH(log->lines, const char *) =
        apr_pvsprintf(log->pool, format, args);
    va_end(args);
}

static const char *shown(const char *path)
{
    return *path ? path : "\"\"";
}

static node_t *make_node(edit_log_t *log, const char *path)
{
    node_t *node = apr_palloc(log->pool, sizeof(*node));

    node->log = log;
    node->path = apr_pstrdup(log->pool, path);
    return node;
}

static fs_error_t *set_target_revision(void *edit, fs_rev_t rev,
                                       apr_pool_t *scratch)
{
    (void)scratch;
    edit_log_add(edit, "target-revision %" FS_REV_FMT, rev);
    return NULL;
}

static fs_error_t *open_root(void **dir, void *edit, fs_rev_t base,
                             const fs_node_t *target, apr_pool_t *result)
{
    (void)target;
    (void)result;
    edit_log_add(edit, "open-root r%" FS_REV_FMT, base);
    *dir = make_node(edit, "");
    return NULL;
}

static fs_error_t *delete_entry(void *parent, const char *path, fs_rev_t rev,
                                apr_pool_t *scratch)
{
    (void)scratch;
    edit_log_add(((node_t *)parent)->log, "delete-entry %s r%" FS_REV_FMT, path,
                 rev);
    return NULL;
}

static fs_error_t *add(void **out, void *parent, const char *word,
                       const char *path, const char *copyfrom_path,
                       fs_rev_t copyfrom_rev)
{
    edit_log_t *log = ((node_t *)parent)->log;

    if (copyfrom_path)
        edit_log_add(log, "%s %s copyfrom %s@%" FS_REV_FMT, word, path,
                     copyfrom_path, copyfrom_rev);
    else
        edit_log_add(log, "%s %s", word, path);
    *out = make_node(log, path);
    return NULL;
}

static fs_error_t *add_dir(void **dir, void *parent, const char *path,
                           const char *copyfrom_path, fs_rev_t copyfrom_rev,
                           const fs_node_t *target, apr_pool_t *result)
{
    (void)result;
    assert_non_null(target);
    return add(dir, parent, "add-dir", path, copyfrom_path, copyfrom_rev);
}

static fs_error_t *add_file(void **file, void *parent, const char *path,
                            const char *copyfrom_path, fs_rev_t copyfrom_rev,
                            const fs_node_t *target, apr_pool_t *result)
{
    (void)result;
    assert_non_null(target);
    return add(file, parent, "add-file", path, copyfrom_path, copyfrom_rev);
}

static fs_error_t *open_dir(void **dir, void *parent, const char *path,
                            fs_rev_t base, const fs_node_t *target,
                            apr_pool_t *result)
{
    edit_log_t *log = ((node_t *)parent)->log;

    (void)result;
    assert_non_null(target);
    edit_log_add(log, "open-dir %s r%" FS_REV_FMT, path, base);
    *dir = make_node(log, path);
    return NULL;
}

static fs_error_t *open_file(void **file, void *parent, const char *path,
                             fs_rev_t base, const fs_node_t *target,
                             apr_pool_t *result)
{
    edit_log_t *log = ((node_t *)parent)->log;

    (void)result;
    assert_non_null(target);
    edit_log_add(log, "open-file %s r%" FS_REV_FMT, path, base);
    *file = make_node(log, path);
    return NULL;
}

static bool is_told(const edit_log_t *log, const char *name)
{
    return strncmp(name, "svn:entry:", 10) != 0 || log->all_entry_props ||
           strcmp(name, "svn:entry:lock-token") == 0 ||
           strcmp(name, "svn:entry:committed-rev") == 0;
}

static fs_error_t *prop(node_t *node, const char *word, const char *name,
                        const fs_bytes_t *value)
{
    if (!is_told(node->log, name))
        return NULL;
    if (value)
        edit_log_add(node->log, "%s %s %s=%.*s", word, shown(node->path),
                     shown(name), (int)value->len, value->data);
    else
        edit_log_add(node->log, "%s %s %s (none)", word, shown(node->path),
                     shown(name));
    return NULL;
}

static fs_error_t *dir_prop(void *dir, const char *name,
                            const fs_bytes_t *value, apr_pool_t *scratch)
{
    (void)scratch;
    return prop(dir, "dir-prop", name, value);
}

static fs_error_t *file_prop(void *file, const char *name,
                             const fs_bytes_t *value, apr_pool_t *scratch)
{
    (void)scratch;
    return prop(file, "file-prop", name, value);
}

static fs_error_t *close_dir(void *dir, apr_pool_t *scratch)
{
    node_t *node = dir;

    (void)scratch;
    edit_log_add(node->log, "close-dir %s", shown(node->path));
    return NULL;
}

static fs_error_t *absent_dir(void *parent, const char *path,
                              apr_pool_t *scratch)
{
    (void)scratch;
    edit_log_add(((node_t *)parent)->log, "absent-dir %s", path);
    return NULL;
}

static fs_error_t *absent_file(void *parent, const char *path,
                               apr_pool_t *scratch)
{
    (void)scratch;
    edit_log_add(((node_t *)parent)->log, "absent-file %s", path);
    return NULL;
}

static const char *hex_or_dash(const unsigned char *md5, apr_pool_t *pool)
{
    return md5 ? fs_hex_format(md5, FS_MD5_SIZE, pool) : "-";
}

/* The delta is really applied: what it makes must be the target's text. */
static fs_error_t *file_text(void *file, const fs_node_t *base,
                             const unsigned char *base_md5,
                             const fs_node_t *target, apr_pool_t *scratch)
{
    node_t *node = file;
    apr_uint64_t bytes = 0;
    int windows = 0;

    edit_log_add(node->log, "apply-textdelta %s base=%s", node->path,
                 hex_or_dash(base_md5, node->log->pool));
    if (target) {
        const fs_delta_window_t *window;
        fs_delta_stream_t *delta;

        FS_TRY(fs_node_delta(&delta, base, target, scratch));
        for (;;) {
            FS_TRY(fs_delta_next(&window, delta));
            if (!window)
                break;
            bytes += window->target_len;
            windows++;
        }
    }
    edit_log_add(node->log,
                 "text %s windows=%s target-bytes=%" APR_UINT64_T_FMT,
                 node->path, windows ? "some" : "none", bytes);
    return NULL;
}

static fs_error_t *close_file(void *file, const unsigned char *md5,
                              apr_pool_t *scratch)
{
    node_t *node = file;

    (void)scratch;
    edit_log_add(node->log, "close-file %s md5=%s", node->path,
                 hex_or_dash(md5, node->log->pool));
    return NULL;
}

static fs_error_t *close_edit(void *edit, apr_pool_t *scratch)
{
    (void)scratch;
    edit_log_add(edit, "close-edit");
    return NULL;
}

static void abort_edit(void *edit, apr_pool_t *scratch)
{
    (void)scratch;
    edit_log_add(edit, "abort-edit");
}

const fs_editor_t edit_log_editor = {
    .set_target_revision = set_target_revision,
    .open_root = open_root,
    .delete_entry = delete_entry,
    .add_dir = add_dir,
    .open_dir = open_dir,
    .dir_prop = dir_prop,
    .close_dir = close_dir,
    .absent_dir = absent_dir,
    .add_file = add_file,
    .open_file = open_file,
    .file_prop = file_prop,
    .file_text = file_text,
    .close_file = close_file,
    .absent_file = absent_file,
    .close_edit = close_edit,
    .abort_edit = abort_edit,
};

apr_array_header_t *edit_log_read(const char *file, apr_pool_t *pool)
{
    apr_array_header_t *lines = apr_array_make(pool, 64, sizeof(const char *));
    char line[4096];
    apr_file_t *in;

    assert_apr_ok(apr_file_open(&in, file, APR_READ | APR_BUFFERED,
                                APR_OS_DEFAULT, pool));
    while (apr_file_gets(line, sizeof(line), in) == APR_SUCCESS) {
        line[strcspn(line, "\n")] = '\0';
        if (*line && *line != '#')
            APR_ARRAY_PUSH(lines, const char *) = apr_pstrdup(pool, line);
    }
    apr_file_close(in);
    return lines;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static apr_array_header_t *normal(const apr_array_header_t *lines, bool ordered,
                                  apr_pool_t *pool)
{
    apr_array_header_t *copy = apr_array_copy(pool, lines);
    int i;

    for (i = 0; i < copy->nelts; i++) {
        const char *line = APR_ARRAY_IDX(copy, i, const char *);

        if (strncmp(line, "ERROR E", 7) == 0)
            APR_ARRAY_IDX(copy, i, const char *) =
                apr_pstrmemdup(pool, line, 7 + strspn(line + 7, "0123456789"));
    }
    if (!ordered)
        qsort(copy->elts, (size_t)copy->nelts, sizeof(const char *), by_text);
    return copy;
}

void edit_log_assert_same(const char *name, const apr_array_header_t *expected,
                          const apr_array_header_t *actual, bool ordered,
                          apr_pool_t *pool)
{
    const char *want =
        apr_array_pstrcat(pool, normal(expected, ordered, pool), '\n');
    const char *got =
        apr_array_pstrcat(pool, normal(actual, ordered, pool), '\n');

    if (strcmp(want, got) != 0)
        fail_msg("%s\n--- expected\n%s\n--- actual\n%s\n", name, want, got);
}
