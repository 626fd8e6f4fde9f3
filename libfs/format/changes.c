/* SPDX-License-Identifier: Apache-2.0 */
/* Changed-path lists: one entry from bytes, all of them from a stream. */

#include "libfs/format/changes.h"

#include <string.h>

#include "libfs/base/cursor.h"

#define FIRST_BLOCK 16384

static const char *const action_names[] = { "add", "delete", "replace",
                                            "modify", "reset" };

/* The word up to the next blank, which is passed over. */
static fs_error_t *take_word(fs_cursor_t *c, fs_bytes_t *word)
{
    apr_size_t left = fs_cursor_left(c);
    const char *blank = left ? memchr(c->pos, ' ', left) : NULL;

    if (!blank)
        return FS_ERROR(FS_ERR_CORRUPT, "fewer words than expected");
    word->data = c->pos;
    word->len = (apr_size_t)(blank - c->pos);
    c->pos = blank + 1;
    return NULL;
}

static bool is_word(fs_bytes_t word, const char *text)
{
    return word.len == strlen(text) && memcmp(word.data, text, word.len) == 0;
}

/* "<action>" or "<action>-<kind>" */
static fs_error_t *take_action(fs_change_record_t *out, fs_cursor_t *c)
{
    fs_bytes_t word;
    const char *dash;
    unsigned int i;

    FS_TRY(take_word(c, &word));
    out->kind = FS_NODE_UNKNOWN;
    dash = word.len ? memchr(word.data, '-', word.len) : NULL;
    if (dash) {
        fs_bytes_t kind = { dash + 1,
                            word.len - 1 - (apr_size_t)(dash - word.data) };

        if (!is_word(kind, "file") && !is_word(kind, "dir"))
            return FS_ERROR(FS_ERR_CORRUPT, "kind file or dir expected");
        out->kind = kind.len == 3 ? FS_NODE_DIR : FS_NODE_FILE;
        word.len = (apr_size_t)(dash - word.data);
    }
    for (i = 0; i < sizeof(action_names) / sizeof(action_names[0]); i++)
        if (is_word(word, action_names[i])) {
            out->action = (fs_change_action_t)i;
            return NULL;
        }
    return FS_ERROR(FS_ERR_CORRUPT, "an action expected");
}

static fs_error_t *take_flag(bool *out, fs_cursor_t *c)
{
    if (fs_cursor_accept(c, "true "))
        *out = true;
    else if (fs_cursor_accept(c, "false "))
        *out = false;
    else
        return FS_ERROR(FS_ERR_CORRUPT, "true or false expected");
    return NULL;
}

static fs_error_t *take_path(fs_bytes_t *path, const fs_cursor_t *c)
{
    path->data = c->pos;
    path->len = fs_cursor_left(c);
    if (!path->len || path->data[0] != '/' ||
        memchr(path->data, '\0', path->len))
        return FS_ERROR(FS_ERR_CORRUPT, "an absolute path expected");
    return NULL;
}

static fs_error_t *parse_first(fs_change_record_t *out, fs_bytes_t line)
{
    fs_cursor_t c = fs_cursor(line.data, line.len);
    bool minfo;

    FS_TRY(take_word(&c, &out->id));
    FS_TRY(take_action(out, &c));
    FS_TRY(take_flag(&out->text_mod, &c));
    FS_TRY(take_flag(&out->prop_mod, &c));
    out->minfo_mod = -1;
    if (fs_cursor_left(&c) && *c.pos != '/') {
        FS_TRY(take_flag(&minfo, &c));
        out->minfo_mod = minfo;
    }
    return take_path(&out->path, &c);
}

static fs_error_t *parse_second(fs_change_record_t *out, fs_bytes_t line)
{
    fs_cursor_t c = fs_cursor(line.data, line.len);
    apr_uint64_t rev;

    out->copyfrom_rev = FS_INVALID_REV;
    out->copyfrom_path.data = NULL;
    out->copyfrom_path.len = 0;
    if (!line.len)
        return NULL;
    FS_TRY(fs_cursor_decimal(&c, &rev, APR_INT64_MAX));
    FS_TRY(fs_cursor_expect(&c, " "));
    out->copyfrom_rev = (fs_rev_t)rev;
    return take_path(&out->copyfrom_path, &c);
}

/* The next line; false if its end is not there. */
static bool take_line(fs_cursor_t *c, fs_bytes_t *line)
{
    apr_size_t left = fs_cursor_left(c);
    const char *newline = left ? memchr(c->pos, '\n', left) : NULL;

    if (!newline)
        return false;
    line->data = c->pos;
    line->len = (apr_size_t)(newline - c->pos);
    c->pos = newline + 1;
    return true;
}

fs_error_t *fs_changes_parse(fs_change_record_t *out, fs_changes_step_t *step,
                             apr_size_t *used, const char *data, apr_size_t len)
{
    fs_cursor_t c = fs_cursor(data, len);
    fs_bytes_t first, second;
    fs_error_t *err;

    *used = 0;
    *step = FS_CHANGES_CUT;
    if (take_line(&c, &first) && !first.len) {
        *step = FS_CHANGES_END;
        *used = 1;
        return NULL;
    }
    if (c.pos == data || !take_line(&c, &second)) {
        if (len > FS_CHANGES_ENTRY_MAX)
            return FS_ERROR(FS_ERR_CORRUPT, "a changed path exceeds %d bytes",
                            FS_CHANGES_ENTRY_MAX);
        return NULL;
    }
    err = parse_first(out, first);
    if (!err)
        err = parse_second(out, second);
    if (err)
        return FS_WRAP(err, "malformed changed path '%.*s'",
                       first.len > 200 ? 200 : (int)first.len, first.data);
    *step = FS_CHANGES_ENTRY;
    *used = (apr_size_t)(c.pos - data);
    return NULL;
}

struct fs_changes_t {
    fs_stream_t *source;
    apr_pool_t *pool;
    char *block;
    apr_size_t room;  /* bytes allocated at `block` */
    apr_size_t start; /* of what was not parsed yet */
    apr_size_t end;   /* of what was read */
    bool terminated;  /* an empty line must come */
    bool source_done; /* the stream is at its end */
    bool done;        /* all entries were handed out */
    fs_change_record_t record;
};

fs_changes_t *fs_changes_open(fs_stream_t *source, bool terminated,
                              apr_pool_t *result)
{
    fs_changes_t *changes = apr_pcalloc(result, sizeof(*changes));

    changes->source = source;
    changes->pool = result;
    changes->terminated = terminated;
    changes->room = FIRST_BLOCK;
    changes->block = apr_palloc(result, FIRST_BLOCK);
    return changes;
}

/* Get more bytes behind those that are left, which move to the front. */
static fs_error_t *refill(fs_changes_t *changes)
{
    apr_size_t left = changes->end - changes->start;
    char *block = changes->block;
    apr_size_t part;

    if (left == changes->room) {
        changes->room *= 2;
        changes->block = apr_palloc(changes->pool, changes->room);
    }
    memmove(changes->block, block + changes->start, left);
    changes->start = 0;
    changes->end = left;
    part = changes->room - left;
    FS_TRY(fs_stream_read(changes->source, changes->block + left, &part));
    changes->source_done = part == 0;
    changes->end += part;
    return NULL;
}

static fs_error_t *at_source_end(fs_changes_t *changes)
{
    changes->done = true;
    if (changes->start != changes->end)
        return FS_ERROR(FS_ERR_CORRUPT, "the last changed path is cut off");
    if (changes->terminated)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "no empty line ends the list of changed paths");
    return NULL;
}

fs_error_t *fs_changes_next(const fs_change_record_t **out,
                            fs_changes_t *changes)
{
    *out = NULL;
    while (!changes->done) {
        fs_changes_step_t step;
        apr_size_t used;

        FS_TRY(fs_changes_parse(&changes->record, &step, &used,
                                changes->block + changes->start,
                                changes->end - changes->start));
        changes->start += used;
        if (step == FS_CHANGES_ENTRY) {
            *out = &changes->record;
            return NULL;
        }
        if (step == FS_CHANGES_END)
            changes->done = true;
        else if (changes->source_done)
            FS_TRY(at_source_end(changes));
        else
            FS_TRY(refill(changes));
    }
    return NULL;
}

static void put_bytes(fs_buffer_t *out, fs_bytes_t bytes)
{
    fs_buffer_append(out, bytes.data, bytes.len);
}

void fs_changes_format(fs_buffer_t *out, const fs_change_record_t *change,
                       int format)
{
    put_bytes(out, change->id);
    fs_buffer_printf(out, " %s", action_names[change->action]);
    if (format >= 4 && change->kind == FS_NODE_DIR)
        fs_buffer_puts(out, "-dir");
    if (format >= 4 && change->kind == FS_NODE_FILE)
        fs_buffer_puts(out, "-file");
    fs_buffer_puts(out, change->text_mod ? " true" : " false");
    fs_buffer_puts(out, change->prop_mod ? " true " : " false ");
    if (format >= 7 && change->minfo_mod >= 0)
        fs_buffer_puts(out, change->minfo_mod ? "true " : "false ");
    put_bytes(out, change->path);
    fs_buffer_puts(out, "\n");
    if (change->copyfrom_path.data) {
        fs_buffer_printf(out, "%" FS_REV_FMT " ", change->copyfrom_rev);
        put_bytes(out, change->copyfrom_path);
    }
    fs_buffer_puts(out, "\n");
}
