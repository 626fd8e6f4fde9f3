/* SPDX-License-Identifier: Apache-2.0 */
/* The small files that say what a repository is and how far it got. */

#include "libfs/format/format_file.h"

#include <stdio.h>
#include <string.h>

#include "libfs/base/cursor.h"
#include "libfs/base/number.h"

#define SHARD_SIZE_MAX APR_INT32_MAX

/* What is left of the line; the last one may lack its newline. */
static fs_bytes_t rest_of_line(fs_cursor_t *c)
{
    apr_size_t left = fs_cursor_left(c);
    const char *newline = left ? memchr(c->pos, '\n', left) : NULL;
    fs_bytes_t line;

    line.data = c->pos;
    line.len = newline ? (apr_size_t)(newline - c->pos) : left;
    c->pos += line.len + (newline != NULL);
    return line;
}

static int shown(fs_bytes_t line)
{
    return line.len > 80 ? 80 : (int)line.len;
}

/* The whole line as a decimal number. */
static bool line_number(apr_uint64_t *out, fs_bytes_t line, apr_uint64_t max)
{
    const char *pos = line.data;

    return fs_number_decimal(out, &pos, line.data + line.len, max) &&
           pos == line.data + line.len;
}

static bool is_line(fs_bytes_t line, const char *text)
{
    return line.len == strlen(text) && memcmp(line.data, text, line.len) == 0;
}

static bool sharded_line(apr_uint64_t *size, fs_bytes_t line)
{
    static const char words[] = "layout sharded ";
    apr_size_t len = sizeof(words) - 1;
    fs_bytes_t number;

    if (line.len <= len || memcmp(line.data, words, len) != 0)
        return false;
    number.data = line.data + len;
    number.len = line.len - len;
    return line_number(size, number, SHARD_SIZE_MAX);
}

static fs_error_t *parse_option(fs_format_file_t *out, fs_bytes_t line)
{
    if (out->format >= FS_FORMAT_LAYOUT) {
        if (sharded_line(&out->shard_size, line))
            return NULL;
        if (is_line(line, "layout linear")) {
            out->shard_size = 0;
            return NULL;
        }
    }
    if (out->format >= FS_FORMAT_ADDRESSING) {
        bool logical = is_line(line, "addressing logical");

        if (logical || is_line(line, "addressing physical")) {
            out->logical = logical;
            return NULL;
        }
    }
    return FS_ERROR(FS_ERR_BAD_FORMAT_FILE,
                    "filesystem format %d has no option '%.*s'", out->format,
                    shown(line), line.data);
}

static fs_error_t *parse_number(int *out, fs_cursor_t *c)
{
    fs_bytes_t line = rest_of_line(c);
    apr_uint64_t number;

    if (!line_number(&number, line, APR_INT32_MAX))
        return FS_ERROR(FS_ERR_BAD_FORMAT_FILE,
                        "the format file begins with '%.*s', a number is "
                        "expected",
                        shown(line), line.data);
    *out = (int)number;
    return NULL;
}

fs_error_t *fs_format_file_parse(fs_format_file_t *out, const char *data,
                                 apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);

    out->shard_size = 0;
    out->logical = false;
    FS_TRY(parse_number(&out->format, &c));
    if (out->format < 1 || out->format > FS_FORMAT_NEWEST || out->format == 5)
        return FS_ERROR(FS_ERR_UNSUPPORTED_FORMAT,
                        "filesystem format %d: 1 to 4 and 6 to %d are served",
                        out->format, FS_FORMAT_NEWEST);
    for (;;) {
        fs_bytes_t line = rest_of_line(&c);

        if (!line.len)
            break;
        FS_TRY(parse_option(out, line));
    }
    if (out->logical && !out->shard_size)
        return FS_ERROR(FS_ERR_BAD_FORMAT_FILE,
                        "logical addressing needs a sharded layout");
    return NULL;
}

void fs_format_file_format(fs_buffer_t *out, const fs_format_file_t *format)
{
    fs_buffer_printf(out, "%d\n", format->format);
    if (format->format >= FS_FORMAT_LAYOUT && format->shard_size)
        fs_buffer_printf(out, "layout sharded %" APR_UINT64_T_FMT "\n",
                         format->shard_size);
    else if (format->format >= FS_FORMAT_LAYOUT)
        fs_buffer_puts(out, "layout linear\n");
    if (format->format >= FS_FORMAT_ADDRESSING)
        fs_buffer_puts(out, format->logical ? "addressing logical\n"
                                            : "addressing physical\n");
}

fs_error_t *fs_format_file_parse_repository(int *out, const char *data,
                                            apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);

    FS_TRY(parse_number(out, &c));
    if (*out != 3 && *out != 5)
        return FS_ERROR(FS_ERR_UNSUPPORTED_REPO,
                        "repository format %d: 3 and 5 are served", *out);
    return NULL;
}

static fs_error_t *take_base36(apr_uint64_t *out, fs_cursor_t *c)
{
    if (fs_number_base36(out, &c->pos, c->end))
        return NULL;
    return FS_ERROR(FS_ERR_CORRUPT, "a number in base 36 is expected");
}

fs_error_t *fs_format_file_parse_current(fs_format_current_t *out, int format,
                                         const char *data, apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);
    apr_uint64_t youngest;
    fs_error_t *err;

    out->next_node = 0;
    out->next_copy = 0;
    err = fs_cursor_decimal(&c, &youngest, APR_INT64_MAX);
    if (!err && format < FS_FORMAT_REV_IDS) {
        err = fs_cursor_expect(&c, " ");
        if (!err)
            err = take_base36(&out->next_node, &c);
        if (!err)
            err = fs_cursor_expect(&c, " ");
        if (!err)
            err = take_base36(&out->next_copy, &c);
    }
    if (err)
        return FS_WRAP(err, "malformed 'current'");
    out->youngest = (fs_rev_t)youngest;
    return NULL;
}

apr_size_t fs_format_file_format_current(char buf[FS_FORMAT_NUMBER_SIZE],
                                         int format,
                                         const fs_format_current_t *current)
{
    apr_size_t len = (apr_size_t)snprintf(buf, FS_FORMAT_NUMBER_SIZE,
                                          "%" FS_REV_FMT, current->youngest);

    if (format < FS_FORMAT_REV_IDS) {
        buf[len++] = ' ';
        len += fs_number_format_base36(buf + len, current->next_node);
        buf[len++] = ' ';
        len += fs_number_format_base36(buf + len, current->next_copy);
    }
    buf[len++] = '\n';
    buf[len] = '\0';
    return len;
}

bool fs_format_file_is_uuid(const char *text, apr_size_t len)
{
    apr_size_t i;

    if (len != FS_UUID_LEN)
        return false;
    for (i = 0; i < len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        char c = text[i];

        if (dash ? c != '-'
                 : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
                     (c >= 'A' && c <= 'F')))
            return false;
    }
    return true;
}

static fs_error_t *take_uuid(char out[FS_UUID_LEN + 1], fs_cursor_t *c)
{
    fs_bytes_t line = rest_of_line(c);

    if (!fs_format_file_is_uuid(line.data, line.len))
        return FS_ERROR(FS_ERR_CORRUPT, "'%.*s' is not a UUID", shown(line),
                        line.data);
    memcpy(out, line.data, FS_UUID_LEN);
    out[FS_UUID_LEN] = '\0';
    return NULL;
}

fs_error_t *fs_format_file_parse_uuid(fs_format_uuid_t *out, int format,
                                      const char *data, apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);

    out->instance[0] = '\0';
    FS_TRY(take_uuid(out->uuid, &c));
    return format >= FS_FORMAT_INSTANCE_ID ? take_uuid(out->instance, &c)
                                           : NULL;
}

fs_error_t *fs_format_file_parse_min_unpacked(fs_rev_t *out,
                                              apr_uint64_t shard_size,
                                              const char *data, apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);
    fs_bytes_t line = rest_of_line(&c);
    apr_uint64_t rev;

    if (!line_number(&rev, line, APR_INT64_MAX))
        return FS_ERROR(FS_ERR_CORRUPT,
                        "'min-unpacked-rev' is '%.*s', a revision is expected",
                        shown(line), line.data);
    if (shard_size && rev % shard_size)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "'min-unpacked-rev' is %" APR_UINT64_T_FMT
                        ", a multiple of the shard size %" APR_UINT64_T_FMT
                        " is expected",
                        rev, shard_size);
    *out = (fs_rev_t)rev;
    return NULL;
}

fs_error_t *fs_format_file_parse_txn_current(apr_uint64_t *out,
                                             const char *data, apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);
    fs_error_t *err = take_base36(out, &c);

    return err ? FS_WRAP(err, "malformed 'txn-current'") : NULL;
}
