/* SPDX-License-Identifier: Apache-2.0 */
/* Node records: a table of headers, each with its parser. */

#include "libfs/format/node_rev.h"

#include <string.h>

#include "libfs/base/cursor.h"

/* What is collected before the strings get their place. */
typedef struct parts_t {
    fs_node_rev_t *node;
    fs_bytes_t cpath;
    fs_bytes_t copyfrom;
    fs_bytes_t copyroot;
    bool has_id;
} parts_t;

static fs_error_t *check_path(fs_bytes_t path)
{
    if (!path.len || path.data[0] != '/' || memchr(path.data, '\0', path.len))
        return FS_ERROR(FS_ERR_CORRUPT, "'%.*s' is not an absolute path",
                        path.len > 200 ? 200 : (int)path.len, path.data);
    return NULL;
}

static fs_error_t *parse_id(parts_t *parts, fs_bytes_t value)
{
    parts->has_id = true;
    return fs_node_id_parse(&parts->node->id, value.data, value.len);
}

static fs_error_t *parse_type(parts_t *parts, fs_bytes_t value)
{
    if (value.len == 4 && memcmp(value.data, "file", 4) == 0)
        parts->node->kind = FS_NODE_FILE;
    else if (value.len == 3 && memcmp(value.data, "dir", 3) == 0)
        parts->node->kind = FS_NODE_DIR;
    else
        return FS_ERROR(FS_ERR_CORRUPT, "file or dir expected");
    return NULL;
}

static fs_error_t *parse_pred(parts_t *parts, fs_bytes_t value)
{
    parts->node->has_pred = true;
    return fs_node_id_parse(&parts->node->pred, value.data, value.len);
}

static fs_error_t *whole_decimal(apr_uint64_t *out, fs_bytes_t value)
{
    fs_cursor_t c = fs_cursor(value.data, value.len);

    FS_TRY(fs_cursor_decimal(&c, out, APR_INT64_MAX));
    if (fs_cursor_left(&c))
        return FS_ERROR(FS_ERR_CORRUPT, "a decimal number expected");
    return NULL;
}

static fs_error_t *parse_count(parts_t *parts, fs_bytes_t value)
{
    return whole_decimal(&parts->node->count, value);
}

static fs_error_t *parse_text(parts_t *parts, fs_bytes_t value)
{
    parts->node->has_text = true;
    return fs_rep_string_parse(&parts->node->text, value.data, value.len);
}

static fs_error_t *parse_props(parts_t *parts, fs_bytes_t value)
{
    parts->node->has_props = true;
    return fs_rep_string_parse(&parts->node->props, value.data, value.len);
}

static fs_error_t *parse_cpath(parts_t *parts, fs_bytes_t value)
{
    parts->cpath = value;
    return check_path(value);
}

/* "<rev> <path>"; the revision may be -1 if `in_txn`. */
static fs_error_t *rev_and_path(fs_rev_t *rev, fs_bytes_t *path,
                                fs_bytes_t value, bool in_txn)
{
    fs_cursor_t c = fs_cursor(value.data, value.len);
    apr_uint64_t number;

    if (in_txn && fs_cursor_accept(&c, "-1")) {
        *rev = FS_INVALID_REV;
    } else {
        FS_TRY(fs_cursor_decimal(&c, &number, APR_INT64_MAX));
        *rev = (fs_rev_t)number;
    }
    FS_TRY(fs_cursor_expect(&c, " "));
    path->data = c.pos;
    path->len = fs_cursor_left(&c);
    return check_path(*path);
}

static fs_error_t *parse_copyfrom(parts_t *parts, fs_bytes_t value)
{
    return rev_and_path(&parts->node->copyfrom_rev, &parts->copyfrom, value,
                        false);
}

static fs_error_t *parse_copyroot(parts_t *parts, fs_bytes_t value)
{
    return rev_and_path(&parts->node->copyroot_rev, &parts->copyroot, value,
                        true);
}

static fs_error_t *parse_fresh(parts_t *parts, fs_bytes_t value)
{
    (void)value;
    parts->node->fresh_txn_root = true;
    return NULL;
}

static fs_error_t *parse_minfo_count(parts_t *parts, fs_bytes_t value)
{
    return whole_decimal(&parts->node->minfo_count, value);
}

static fs_error_t *parse_minfo_here(parts_t *parts, fs_bytes_t value)
{
    if (value.len != 1 || value.data[0] != 'y')
        return FS_ERROR(FS_ERR_CORRUPT, "y expected");
    parts->node->minfo_here = true;
    return NULL;
}

static const struct {
    const char *name;
    fs_error_t *(*parse)(parts_t *parts, fs_bytes_t value);
} headers[] = {
    { "id", parse_id },
    { "type", parse_type },
    { "pred", parse_pred },
    { "count", parse_count },
    { "text", parse_text },
    { "props", parse_props },
    { "cpath", parse_cpath },
    { "copyfrom", parse_copyfrom },
    { "copyroot", parse_copyroot },
    { "is-fresh-txn-root", parse_fresh },
    { "minfo-cnt", parse_minfo_count },
    { "minfo-here", parse_minfo_here },
};

static fs_error_t *parse_line(parts_t *parts, fs_bytes_t line)
{
    const char *colon = memchr(line.data, ':', line.len);
    apr_size_t name_len = colon ? (apr_size_t)(colon - line.data) : 0;
    fs_bytes_t value;
    apr_size_t i;

    if (!colon || name_len + 2 > line.len || colon[1] != ' ')
        return FS_ERROR(FS_ERR_CORRUPT, "a line without ': '");
    value.data = colon + 2;
    value.len = line.len - name_len - 2;

    for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        fs_error_t *err;

        if (strlen(headers[i].name) != name_len ||
            memcmp(headers[i].name, line.data, name_len) != 0)
            continue;
        err = headers[i].parse(parts, value);
        return err ? FS_WRAP(err, "malformed '%s'", headers[i].name) : NULL;
    }
    return NULL;
}

static fs_error_t *parse_lines(parts_t *parts, const char *data, apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);
    fs_bytes_t line;

    for (;;) {
        FS_TRY(fs_cursor_line(&c, &line));
        if (!line.len)
            break;
        FS_TRY(parse_line(parts, line));
    }
    if (!parts->has_id)
        return FS_ERROR(FS_ERR_CORRUPT, "there is no 'id'");
    if (parts->node->kind == FS_NODE_NONE)
        return FS_ERROR(FS_ERR_CORRUPT, "there is no 'type'");
    if (!parts->cpath.len)
        return FS_ERROR(FS_ERR_CORRUPT, "there is no 'cpath'");
    return NULL;
}

/* Copy to `*place` with a NUL; returns where, and moves `*place`. */
static const char *put_string(char **place, fs_bytes_t string)
{
    char *copy = *place;

    memcpy(copy, string.data, string.len);
    copy[string.len] = '\0';
    *place += string.len + 1;
    return copy;
}

static void place_strings(parts_t *parts, apr_pool_t *result)
{
    fs_node_rev_t *node = parts->node;
    char *place = apr_palloc(result, parts->cpath.len + parts->copyfrom.len +
                                         parts->copyroot.len + 3);

    node->cpath = put_string(&place, parts->cpath);
    if (parts->copyfrom.len)
        node->copyfrom_path = put_string(&place, parts->copyfrom);
    if (parts->copyroot.len) {
        node->copyroot_path = put_string(&place, parts->copyroot);
    } else {
        node->copyroot_path = node->cpath;
        node->copyroot_rev = node->id.rev;
    }
}

apr_size_t fs_node_rev_extent(const char *data, apr_size_t len)
{
    const char *end = data + len;
    const char *p = data;

    while (p < end) {
        const char *newline = memchr(p, '\n', (apr_size_t)(end - p));

        if (!newline)
            return 0;
        if (newline == p) /* an empty line */
            return (apr_size_t)(newline + 1 - data);
        p = newline + 1;
    }
    return 0;
}

fs_error_t *fs_node_rev_parse(fs_node_rev_t *out, const char *data,
                              apr_size_t len, apr_pool_t *result)
{
    parts_t parts;
    fs_error_t *err;

    memset(out, 0, sizeof(*out));
    out->copyfrom_rev = FS_INVALID_REV;
    memset(&parts, 0, sizeof(parts));
    parts.node = out;
    err = parse_lines(&parts, data, len);
    if (err)
        return FS_WRAP(err, "malformed node record");

    /* Old releases left the mark in revisions by mistake. */
    if (out->id.rev >= 0)
        out->fresh_txn_root = false;
    place_strings(&parts, result);
    return NULL;
}

static void put_id(fs_buffer_t *out, const char *name,
                   const fs_noderev_id_t *id)
{
    char text[FS_NODE_ID_SIZE];

    fs_node_id_format(text, id);
    fs_buffer_printf(out, "%s: %s\n", name, text);
}

static void put_rep(fs_buffer_t *out, const char *name, const fs_rep_t *rep,
                    int format)
{
    char text[FS_REP_STRING_SIZE];

    fs_rep_string_format(text, rep, format);
    fs_buffer_printf(out, "%s: %s\n", name, text);
}

static void put_copy(fs_buffer_t *out, const char *name, fs_rev_t rev,
                     const char *path)
{
    fs_buffer_printf(out, "%s: %" FS_REV_FMT " %s\n", name, rev, path);
}

void fs_node_rev_format(fs_buffer_t *out, const fs_node_rev_t *node, int format)
{
    put_id(out, "id", &node->id);
    fs_buffer_printf(out, "type: %s\n",
                     node->kind == FS_NODE_DIR ? "dir" : "file");
    if (node->has_pred)
        put_id(out, "pred", &node->pred);
    fs_buffer_printf(out, "count: %" APR_UINT64_T_FMT "\n", node->count);
    if (node->has_text)
        put_rep(out, "text", &node->text, format);
    if (node->has_props)
        put_rep(out, "props", &node->props, format);
    fs_buffer_printf(out, "cpath: %s\n", node->cpath);
    if (node->copyfrom_path)
        put_copy(out, "copyfrom", node->copyfrom_rev, node->copyfrom_path);
    if (node->copyroot_rev != node->id.rev ||
        strcmp(node->copyroot_path, node->cpath) != 0)
        put_copy(out, "copyroot", node->copyroot_rev, node->copyroot_path);
    if (node->fresh_txn_root)
        fs_buffer_puts(out, "is-fresh-txn-root: y\n");
    if (format >= 3 && node->minfo_count)
        fs_buffer_printf(out, "minfo-cnt: %" APR_UINT64_T_FMT "\n",
                         node->minfo_count);
    if (format >= 3 && node->minfo_here)
        fs_buffer_puts(out, "minfo-here: y\n");
    fs_buffer_puts(out, "\n");
}
