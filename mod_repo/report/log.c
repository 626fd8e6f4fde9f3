/* SPDX-License-Identifier: Apache-2.0 */
/* log-report: history of paths, with what each revision changed. */

#include <string.h>

#include <apr_strings.h>
#include <apr_time.h>

#include "libfs/fs_history.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/report/reports.h"

/* The first items leave one by one, since a client waits for them; later ones
 * when some time went by, since the next may be far. */
#define FLUSH_ALWAYS 32
#define FLUSH_AFTER apr_time_from_msec(5)

typedef struct log_t {
    repo_fields_t base;
    fs_rev_t start;
    fs_rev_t end;
    apr_int64_t limit;
    bool changed_paths;
    bool strict;
    bool merged;
    bool all_revprops;
    bool no_revprops;
    bool encode_binary;
    apr_array_header_t *revprops;
    apr_array_header_t *paths;

    /* the answer */
    repo_output_t *out;
    bool item_open; /* "<S:log-item>" is written */
    int depth;      /* of nested merged revisions */
    apr_int64_t items;
    apr_time_t flushed;
} log_t;

static const repo_field_t fields[] = {
    REPO_FIELD(log_t, "start-revision", REPO_FIELD_REV, start),
    REPO_FIELD(log_t, "end-revision", REPO_FIELD_REV, end),
    REPO_FIELD(log_t, "limit", REPO_FIELD_NUMBER, limit),
    REPO_FIELD(log_t, "discover-changed-paths", REPO_FIELD_FLAG, changed_paths),
    REPO_FIELD(log_t, "strict-node-history", REPO_FIELD_FLAG, strict),
    REPO_FIELD(log_t, "include-merged-revisions", REPO_FIELD_FLAG, merged),
    REPO_FIELD(log_t, "all-revprops", REPO_FIELD_FLAG, all_revprops),
    REPO_FIELD(log_t, "no-revprops", REPO_FIELD_FLAG, no_revprops),
    REPO_FIELD(log_t, "encode-binary-props", REPO_FIELD_FLAG, encode_binary),
    REPO_FIELD(log_t, "revprop", REPO_FIELD_LIST, revprops),
    REPO_FIELD(log_t, "path", REPO_FIELD_LIST, paths),
    REPO_FIELDS_END,
};

/* ---- the answer ---- */

static void open_item(log_t *log)
{
    if (!log->item_open)
        repo_output_puts(log->out, "<S:log-item>\n");
    log->item_open = true;
}

static const char *change_tag(fs_action_t action)
{
    switch (action) {
    case FS_ACTION_ADD:
        return "added-path";
    case FS_ACTION_DELETE:
        return "deleted-path";
    case FS_ACTION_REPLACE:
        return "replaced-path";
    case FS_ACTION_MODIFY:
        break;
    }
    return "modified-path";
}

static const char *kind_word(fs_node_kind_t kind)
{
    return kind == FS_NODE_FILE   ? "file"
           : kind == FS_NODE_DIR  ? "dir"
           : kind == FS_NODE_NONE ? "none"
                                  : "unknown";
}

static fs_error_t *write_change(void *baton, const fs_change_t *change,
                                apr_pool_t *scratch)
{
    log_t *log = baton;
    repo_output_t *out = log->out;
    const char *tag = change_tag(change->action);

    (void)scratch;
    open_item(log);
    repo_output_puts(out, "<S:");
    repo_output_puts(out, tag);
    if (change->copyfrom_path) {
        repo_xml_attribute(out, "copyfrom-path", change->copyfrom_path);
        repo_output_printf(out, " copyfrom-rev=\"%" FS_REV_FMT "\"",
                           change->copyfrom_rev);
    }
    repo_output_printf(
        out, " node-kind=\"%s\" text-mods=\"%s\" prop-mods=\"%s\">",
        kind_word(change->kind), change->text_mod ? "true" : "false",
        change->prop_mod ? "true" : "false");
    repo_xml_text_of(out, change->path);
    repo_output_puts(out, "</S:");
    repo_output_puts(out, tag);
    repo_output_puts(out, ">\n");
    return repo_output_check(out);
}

/* A message with bytes that XML cannot carry, for a client that did not ask
 * for base64: each such byte as ?\ and three decimal digits. */
static const char *escape_unsafe(const fs_bytes_t *value, apr_pool_t *result)
{
    bool is_utf8 = true;
    char *text = apr_palloc(result, value->len * 5 + 1), *to = text;
    apr_size_t i;

    for (i = 0; i < value->len; i++)
        if ((unsigned char)value->data[i] >= 0x80) {
            is_utf8 = repo_xml_is_safe(
                repo_xml_strip_controls(value, result),
                strlen(repo_xml_strip_controls(value, result)));
            break;
        }
    for (i = 0; i < value->len; i++) {
        unsigned char byte = (unsigned char)value->data[i];
        bool control =
            byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';

        if (control || byte == 0x7f || (byte >= 0x80 && !is_utf8))
            to += apr_snprintf(to, 6, "?\\%03u", (unsigned int)byte);
        else
            *to++ = (char)byte;
    }
    *to = '\0';
    return text;
}

static void write_value(const log_t *log, const char *tag,
                        const char *attributes, const fs_bytes_t *value,
                        bool is_message, apr_pool_t *scratch)
{
    const char *text;

    if (log->encode_binary || repo_xml_is_safe(value->data, value->len)) {
        repo_xml_value(log->out, tag, attributes, value->data, value->len);
        return;
    }
    text = is_message ? escape_unsafe(value, scratch)
                      : repo_xml_strip_controls(value, scratch);
    if (!repo_xml_is_safe(text, strlen(text)))
        text = escape_unsafe(value, scratch);
    repo_xml_value(log->out, tag, attributes, text, strlen(text));
}

/* Properties that have elements of their own; the rest is S:revprop. */
static const struct {
    const char *name;
    const char *tag;
} known_props[] = {
    { "svn:author", "D:creator-displayname" },
    { "svn:date", "S:date" },
    { "svn:log", "D:comment" },
};
#define KNOWN_PROPS (sizeof(known_props) / sizeof(known_props[0]))

static bool is_known(const char *name)
{
    size_t i;

    for (i = 0; i < KNOWN_PROPS; i++)
        if (strcmp(known_props[i].name, name) == 0)
            return true;
    return false;
}

static void write_revprops(const log_t *log, apr_hash_t *props,
                           apr_pool_t *scratch)
{
    apr_hash_index_t *hi;
    size_t i;

    for (i = 0; i < KNOWN_PROPS; i++) {
        const fs_bytes_t *value =
            apr_hash_get(props, known_props[i].name, APR_HASH_KEY_STRING);

        if (value)
            write_value(log, known_props[i].tag, "", value, i == 2, scratch);
    }
    for (hi = apr_hash_first(scratch, props); hi; hi = apr_hash_next(hi)) {
        const char *name = apr_hash_this_key(hi);

        if (!is_known(name))
            write_value(log, "S:revprop",
                        apr_psprintf(
                            scratch, " name=\"%s\"",
                            repo_xml_escape(name, strlen(name), true, scratch)),
                        apr_hash_this_val(hi), false, scratch);
    }
}

static void maybe_flush(log_t *log)
{
    apr_time_t now;

    if (++log->items > FLUSH_ALWAYS) {
        now = apr_time_now();
        if (now - log->flushed < FLUSH_AFTER)
            return;
        log->flushed = now;
    }
    repo_output_flush(log->out);
}

static fs_error_t *write_entry(void *baton, const fs_log_entry_t *entry,
                               apr_pool_t *scratch)
{
    log_t *log = baton;
    repo_output_t *out = log->out;

    /* The end of children of an item that was itself suppressed may come at
     * the outermost level, where clients do not expect it. */
    if (!FS_IS_REV(entry->rev) && log->depth == 0)
        return NULL;

    open_item(log);
    repo_output_puts(out, "<D:version-name>");
    repo_output_number(out, entry->rev);
    repo_output_puts(out, "</D:version-name>\n");
    if (entry->revprops)
        write_revprops(log, entry->revprops, scratch);
    if (entry->has_children) {
        repo_output_puts(out, "<S:has-children/>");
        log->depth++;
    }
    if (!FS_IS_REV(entry->rev))
        log->depth--;
    if (entry->subtractive)
        repo_output_puts(out, "<S:subtractive-merge/>");
    repo_output_puts(out, "</S:log-item>\n");
    log->item_open = false;
    maybe_flush(log);
    return repo_output_check(out);
}

/* ---- the request ---- */

static const apr_array_header_t *default_revprops(apr_pool_t *result)
{
    apr_array_header_t *names = apr_array_make(result, 3, sizeof(const char *));
    size_t i;

    for (i = 0; i < KNOWN_PROPS; i++)
        APR_ARRAY_PUSH(names, const char *) = known_props[i].name;
    return names;
}

static fs_error_t *make_options(fs_log_options_t *options, const log_t *log,
                                apr_pool_t *result)
{
    repo_request_t *request = log->base.request;
    apr_array_header_t *paths;
    fs_rev_t youngest;

    FS_TRY(repo_request_youngest(&youngest, request));
    options->start = FS_IS_REV(log->start) ? log->start : youngest;
    options->end = FS_IS_REV(log->end) ? log->end : youngest;
    if (options->start > youngest || options->end > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV, "no such revision %" FS_REV_FMT,
                        options->start > youngest ? options->start
                                                  : options->end);
    if (log->limit > APR_INT32_MAX)
        return FS_ERROR(FS_ERR_BAD_NUMBER, "the 'limit' is above %d",
                        APR_INT32_MAX);
    options->limit = log->limit > 0 ? log->limit : 0; /* 0: none */
    FS_TRY(repo_fields_paths(&paths, request, "path", log->paths, result));
    options->paths = paths;
    options->changed_paths = log->changed_paths;
    options->strict = log->strict;
    options->merged_revisions = log->merged;
    options->all_revprops = log->all_revprops;
    if (log->revprops && log->revprops->nelts > log->base.limits.prop_names)
        return FS_ERROR(FS_ERR_TOO_LARGE,
                        "more than %" APR_INT64_T_FMT
                        " elements 'revprop'; %s sets the limit",
                        log->base.limits.prop_names,
                        REPO_LIMIT_NAME(prop_names));
    options->revprops = log->revprops ? log->revprops
                        : log->no_revprops
                            ? apr_array_make(result, 1, sizeof(const char *))
                            : default_revprops(result);
    return NULL;
}

static void log_action(const log_t *log, const fs_log_options_t *options,
                       apr_pool_t *scratch)
{
    const char *revprops = "";

    if (options->all_revprops) {
        revprops = " revprops=all";
    } else if (log->revprops) {
        apr_array_header_t *names = apr_array_make(
            scratch, options->revprops->nelts, sizeof(const char *));
        int i;

        for (i = 0; i < options->revprops->nelts; i++)
            APR_ARRAY_PUSH(names, const char *) = repo_uri_encode(
                APR_ARRAY_IDX(options->revprops, i, const char *), scratch);
        revprops =
            apr_pstrcat(scratch, " revprops=(",
                        apr_array_pstrcat(scratch, names, ' '), ")", NULL);
    }
    repo_request_action(
        log->base.request, "log %s r%" FS_REV_FMT ":%" FS_REV_FMT "%s%s%s%s%s",
        repo_fields_log_paths(options->paths, scratch), options->start,
        options->end,
        options->limit
            ? apr_psprintf(scratch, " limit=%" APR_INT64_T_FMT, options->limit)
            : "",
        options->changed_paths ? " discover-changed-paths" : "",
        options->strict ? " strict" : "",
        options->merged_revisions ? " include-merged-revisions" : "", revprops);
}

static fs_error_t *run(void *baton, repo_request_t *request, repo_output_t *out,
                       apr_pool_t *scratch)
{
    log_t *log = baton;
    fs_log_receiver_t receiver = { write_change, write_entry, log };
    fs_log_options_t options = { 0 };

    FS_TRY(make_options(&options, log, scratch));
    log_action(log, &options, scratch);
    log->out = out;
    repo_fields_open(out, "log-report");
    FS_TRY(fs_log(request->repo, &options, repo_request_reader(request),
                  &receiver, scratch));
    repo_output_puts(out, "</S:log-report>\n");
    return NULL;
}

const repo_report_t repo_report_log = {
    .root = "log-report",
    .fallback = 400,
    .size = sizeof(log_t),
    .fields = fields,
    .run = run,
};
