/* SPDX-License-Identifier: Apache-2.0 */
/* Logs as text that can be compared. */

#include "tests/support/log_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>
#include <expat.h>

/* An entry that is being put together. */
typedef struct entry_t {
    fs_rev_t rev;
    bool subtractive;
    const char *author; /* NULL: not told */
    const char *date;
    const char *message;
    apr_array_header_t *paths; /* lines */
} entry_t;

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_indent(fs_buffer_t *out, int depth)
{
    int i;

    for (i = 0; i < depth; i++)
        fs_buffer_puts(out, "  ");
}

static void put_value(fs_buffer_t *out, int depth, const char *name,
                      const char *value)
{
    if (!value || !*value)
        return;
    put_indent(out, depth);
    fs_buffer_printf(out, " %s: %s\n", name, value);
}

static void put_entry(fs_buffer_t *out, int depth, const entry_t *entry)
{
    int i;

    if (entry->rev == 0 && (!entry->message || !*entry->message))
        return;
    put_indent(out, depth);
    fs_buffer_printf(out, "r%" FS_REV_FMT "%s\n", entry->rev,
                     entry->subtractive ? " reverse" : "");
    put_value(out, depth, "author", entry->author);
    put_value(out, depth, "date", entry->date);
    put_value(out, depth, "message", entry->message);
    qsort(entry->paths->elts, (size_t)entry->paths->nelts, sizeof(const char *),
          compare_lines);
    for (i = 0; i < entry->paths->nelts; i++) {
        put_indent(out, depth);
        fs_buffer_printf(out, "  %s\n",
                         APR_ARRAY_IDX(entry->paths, i, const char *));
    }
}

static void add_path(entry_t *entry, const char *path, const char *action,
                     const char *kind, bool text, bool props, const char *from,
                     apr_pool_t *pool)
{
    APR_ARRAY_PUSH(entry->paths, const char *) = apr_psprintf(
        pool, "%s %s %s%s%s%s%s", path, action, kind, text ? " text" : "",
        props ? " props" : "", *from ? " from " : "", from);
}

/* ---- from fs_log() ---- */

typedef struct receiver_t {
    fs_buffer_t *out;
    int depth;
    entry_t entry;
    apr_pool_t *pool;
} receiver_t;

static const char *kind_name(fs_node_kind_t kind)
{
    return kind == FS_NODE_FILE  ? "file"
           : kind == FS_NODE_DIR ? "dir"
                                 : "unknown";
}

static fs_error_t *receive_change(void *baton, const fs_change_t *change,
                                  apr_pool_t *scratch)
{
    receiver_t *receiver = baton;
    const char action[2] = { (char)change->action, '\0' };
    const char *from = "";

    if (change->copyfrom_path)
        from = apr_psprintf(scratch, "%s@%" FS_REV_FMT, change->copyfrom_path,
                            change->copyfrom_rev);
    add_path(&receiver->entry, change->path, action, kind_name(change->kind),
             change->text_mod, change->prop_mod, from, receiver->pool);
    return NULL;
}

static const char *value_of(apr_hash_t *props, const char *name,
                            apr_pool_t *pool)
{
    const fs_bytes_t *value =
        props ? apr_hash_get(props, name, APR_HASH_KEY_STRING) : NULL;

    return value ? apr_pstrmemdup(pool, value->data, value->len) : NULL;
}

static fs_error_t *receive_entry(void *baton, const fs_log_entry_t *told,
                                 apr_pool_t *scratch)
{
    receiver_t *receiver = baton;
    entry_t *entry = &receiver->entry;

    if (told->rev == FS_INVALID_REV) {
        if (receiver->depth > 0)
            receiver->depth--;
        return NULL;
    }
    entry->rev = told->rev;
    entry->subtractive = told->subtractive;
    entry->author = value_of(told->revprops, "svn:author", scratch);
    entry->date = value_of(told->revprops, "svn:date", scratch);
    entry->message = value_of(told->revprops, "svn:log", scratch);
    put_entry(receiver->out, receiver->depth, entry);
    apr_array_clear(entry->paths);
    if (told->has_children)
        receiver->depth++;
    return NULL;
}

fs_error_t *fs_test_log_text(fs_buffer_t *out, fs_repo_t *repo,
                             const fs_log_options_t *options,
                             const fs_reader_t *reader, apr_pool_t *pool)
{
    receiver_t receiver = { out, 0, { 0 }, pool };
    fs_log_receiver_t calls = { receive_change, receive_entry, &receiver };

    receiver.entry.paths = apr_array_make(pool, 8, sizeof(const char *));
    FS_TRY(fs_log(repo, options, reader, &calls, pool));
    fs_buffer_append(out, "", 1);
    out->len--;
    return NULL;
}

fs_log_options_t *fs_test_log_options(const char *paths, fs_rev_t start,
                                      fs_rev_t end, apr_pool_t *pool)
{
    fs_log_options_t *options = apr_pcalloc(pool, sizeof(*options));
    apr_array_header_t *list = apr_array_make(pool, 1, sizeof(const char *));
    char *state = NULL;
    char *path = apr_strtok(apr_pstrdup(pool, paths), " ", &state);

    for (; path; path = apr_strtok(NULL, " ", &state))
        APR_ARRAY_PUSH(list, const char *) = path;
    options->paths = list;
    options->start = start;
    options->end = end;
    options->changed_paths = true;
    options->all_revprops = true;
    return options;
}

/* ---- from XML ---- */

typedef struct reader_t {
    fs_buffer_t *out;
    fs_buffer_t *text; /* of the innermost element */
    int depth;         /* of log entries */
    bool pending;      /* `entry` is yet to be put out */
    entry_t entry;
    const char *path_action, *path_kind, *path_from;
    bool path_text, path_props;
    bool with_paths;
    apr_pool_t *pool;
} reader_t;

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return "";
}

static void flush_entry(reader_t *reader)
{
    if (reader->pending)
        put_entry(reader->out, reader->depth - 1, &reader->entry);
    reader->pending = false;
}

static void begin_entry(reader_t *reader, const XML_Char **attributes)
{
    entry_t *entry = &reader->entry;

    flush_entry(reader);
    memset(entry, 0, sizeof(*entry));
    entry->rev = apr_atoi64(attribute(attributes, "revision"));
    entry->subtractive =
        strcmp(attribute(attributes, "reverse-merge"), "true") == 0;
    entry->paths = apr_array_make(reader->pool, 8, sizeof(const char *));
    reader->pending = true;
    reader->depth++;
}

static void begin_path(reader_t *reader, const XML_Char **attributes)
{
    const char *from = attribute(attributes, "copyfrom-path");

    reader->path_action =
        apr_pstrdup(reader->pool, attribute(attributes, "action"));
    reader->path_kind =
        apr_pstrdup(reader->pool, attribute(attributes, "kind"));
    reader->path_text = strcmp(attribute(attributes, "text-mods"), "true") == 0;
    reader->path_props =
        strcmp(attribute(attributes, "prop-mods"), "true") == 0;
    reader->path_from = "";
    if (*from)
        reader->path_from =
            apr_pstrcat(reader->pool, from, "@",
                        attribute(attributes, "copyfrom-rev"), NULL);
}

static void XMLCALL on_start(void *baton, const XML_Char *name,
                             const XML_Char **attributes)
{
    reader_t *reader = baton;

    reader->text->len = 0;
    if (strcmp(name, "logentry") == 0)
        begin_entry(reader, attributes);
    else if (strcmp(name, "path") == 0)
        begin_path(reader, attributes);
}

static void XMLCALL on_text(void *baton, const XML_Char *text, int len)
{
    fs_buffer_append(((reader_t *)baton)->text, text, (apr_size_t)len);
}

static void XMLCALL on_end(void *baton, const XML_Char *name)
{
    reader_t *reader = baton;
    const char *text =
        apr_pstrmemdup(reader->pool, reader->text->data, reader->text->len);

    reader->text->len = 0;
    if (strcmp(name, "logentry") == 0) {
        flush_entry(reader);
        reader->depth--;
    } else if (strcmp(name, "author") == 0) {
        reader->entry.author = text;
    } else if (strcmp(name, "date") == 0) {
        reader->entry.date = text;
    } else if (strcmp(name, "msg") == 0) {
        reader->entry.message = text;
    } else if (strcmp(name, "path") == 0 && reader->with_paths) {
        add_path(&reader->entry, text, reader->path_action, reader->path_kind,
                 reader->path_text, reader->path_props, reader->path_from,
                 reader->pool);
    }
}

void fs_test_log_xml_text(fs_buffer_t *out, const char *path, bool with_paths,
                          apr_pool_t *pool)
{
    reader_t reader = { 0 };
    XML_Parser parser = XML_ParserCreate(NULL);
    FILE *file = fopen(path, "r");
    char block[4096];
    size_t len;

    reader.out = out;
    reader.text = fs_buffer_create(200, pool);
    reader.with_paths = with_paths;
    reader.pool = pool;
    XML_SetUserData(parser, &reader);
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    do {
        len = file ? fread(block, 1, sizeof(block), file) : 0;
        if (!file ||
            XML_Parse(parser, block, (int)len, len == 0) != XML_STATUS_OK) {
            fprintf(stderr, "cannot parse %s\n", path);
            exit(1);
        }
    } while (len > 0);
    fclose(file);
    XML_ParserFree(parser);
    fs_buffer_append(out, "", 1);
    out->len--;
}
