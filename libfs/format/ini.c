/* SPDX-License-Identifier: Apache-2.0 */
/* Files of sections and options: their syntax. */

#include "libfs/format/ini.h"

#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/base/cursor.h"

/* State of reading a file. */
typedef struct reader_t {
    const char *label;
    int line; /* number, from 1 */
    apr_pool_t *pool;
    const char *section; /* NULL before the first */
    const char *name;    /* of the option that may be continued; or NULL */
    fs_buffer_t *value;  /* of that option so far */
    fs_ini_fn receive;
    void *baton;
} reader_t;

static fs_bytes_t trim(fs_bytes_t text)
{
    while (text.len && apr_isspace(text.data[0])) {
        text.data++;
        text.len--;
    }
    while (text.len && apr_isspace(text.data[text.len - 1]))
        text.len--;
    return text;
}

static fs_error_t *malformed(const reader_t *r, const char *what)
{
    return FS_ERROR(FS_ERR_BAD_CONFIG, "%s line %d: %s", r->label, r->line,
                    what);
}

/* No more lines belong to the option that was begun. */
static fs_error_t *end_option(reader_t *r)
{
    const char *name = r->name;

    if (!name)
        return NULL;
    r->name = NULL;
    return r->receive(r->baton, r->section, name,
                      apr_pstrmemdup(r->pool, r->value->data, r->value->len));
}

static fs_error_t *take_section(reader_t *r, fs_bytes_t line)
{
    const char *close = memchr(line.data, ']', line.len);

    if (!close)
        return malformed(r, "a section needs a ']'");
    r->section = apr_pstrmemdup(r->pool, line.data + 1,
                                (apr_size_t)(close - line.data - 1));
    return NULL;
}

/* "name = value" or "name : value", whichever sign comes first. */
static fs_error_t *take_option(reader_t *r, fs_bytes_t line)
{
    fs_bytes_t name = line, value;

    for (name.len = 0; name.len < line.len; name.len++)
        if (line.data[name.len] == '=' || line.data[name.len] == ':')
            break;
    if (name.len == line.len)
        return malformed(r, "'name = value' is expected");
    if (!r->section)
        return malformed(r, "a section has to come first");
    value.data = line.data + name.len + 1;
    value.len = line.len - name.len - 1;
    value = trim(value);
    name = trim(name);
    r->name = apr_pstrmemdup(r->pool, name.data, name.len);
    r->value->len = 0;
    fs_buffer_append(r->value, value.data, value.len);
    return NULL;
}

static void continue_value(reader_t *r, fs_bytes_t text)
{
    if (!r->name)
        return;
    if (r->value->len)
        fs_buffer_append(r->value, " ", 1);
    fs_buffer_append(r->value, text.data, text.len);
}

static fs_error_t *take_line(reader_t *r, fs_bytes_t line)
{
    bool indented = line.len && apr_isspace(line.data[0]);
    fs_bytes_t text = trim(line);

    if (memchr(line.data, '\0', line.len))
        return malformed(r, "there is a NUL byte in it");
    if (text.len && line.data[0] == '#')
        return NULL;
    if (text.len && indented) {
        continue_value(r, text);
        return NULL;
    }
    FS_TRY(end_option(r));
    if (!text.len)
        return NULL;
    return text.data[0] == '[' ? take_section(r, text) : take_option(r, text);
}

fs_error_t *fs_ini_parse(const char *label, fs_bytes_t text, fs_ini_fn receive,
                         void *baton, apr_pool_t *result)
{
    fs_cursor_t c = fs_cursor(text.data, text.len);
    reader_t reader;

    memset(&reader, 0, sizeof(reader));
    reader.label = label;
    reader.pool = result;
    reader.value = fs_buffer_create(0, result);
    reader.receive = receive;
    reader.baton = baton;
    (void)fs_cursor_accept(&c, "\xef\xbb\xbf"); /* a byte order mark */
    while (fs_cursor_left(&c)) {
        const char *newline = memchr(c.pos, '\n', fs_cursor_left(&c));
        fs_bytes_t line;

        line.data = c.pos;
        line.len = newline ? (apr_size_t)(newline - c.pos) : fs_cursor_left(&c);
        c.pos += line.len + (newline != NULL);
        reader.line++;
        FS_TRY(take_line(&reader, line));
    }
    return end_option(&reader);
}
