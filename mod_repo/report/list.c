/* SPDX-License-Identifier: Apache-2.0 */
/* list-report: a directory's entries, recursively if wanted. */

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/report/reports.h"

/* Revisions whose date and author are remembered. */
#define REVISIONS_MAX 512

typedef struct list_t {
    repo_fields_t base;
    const char *path;
    fs_rev_t rev;
    const char *depth_word;
    bool no_patterns;
    apr_array_header_t *patterns;
    apr_array_header_t *props;

    repo_output_t *out;
    /* what was asked for */
    bool kind, size, has_props, created_rev, date, author;
    apr_hash_t *revisions; /* fs_rev_t -> revision_t */
    apr_pool_t *memo_pool;
} list_t;

typedef struct revision_t {
    fs_rev_t rev;
    const char *date;   /* NULL: none */
    const char *author; /* NULL: none */
} revision_t;

static const repo_field_t fields[] = {
    REPO_FIELD(list_t, "path", REPO_FIELD_TEXT, path),
    REPO_FIELD(list_t, "revision", REPO_FIELD_REV, rev),
    REPO_FIELD(list_t, "depth", REPO_FIELD_TEXT, depth_word),
    REPO_FIELD(list_t, "no-patterns", REPO_FIELD_FLAG, no_patterns),
    REPO_FIELD(list_t, "pattern", REPO_FIELD_LIST, patterns),
    REPO_FIELD(list_t, "prop", REPO_FIELD_LIST, props),
    REPO_FIELDS_END,
};

/* Which property name asks for which part of an item. */
static const struct {
    const char *name;
    size_t offset;
} parts[] = {
    { "DAV:resourcetype", offsetof(list_t, kind) },
    { "DAV:getcontentlength", offsetof(list_t, size) },
    { REPO_NS_LIVE "deadprop-count", offsetof(list_t, has_props) },
    { "DAV:version-name", offsetof(list_t, created_rev) },
    { "DAV:creationdate", offsetof(list_t, date) },
    { "DAV:creator-displayname", offsetof(list_t, author) },
};

static void choose_parts(list_t *list)
{
    int i;
    size_t j;

    for (i = 0; list->props && i < list->props->nelts; i++) {
        const char *name = APR_ARRAY_IDX(list->props, i, const char *);

        for (j = 0; j < sizeof(parts) / sizeof(parts[0]); j++)
            if (strcmp(name, parts[j].name) == 0 ||
                strcmp(name, "DAV:allprop") == 0)
                *(bool *)((char *)list + parts[j].offset) = true;
    }
}

static const char *copy_value(apr_hash_t *props, const char *name,
                              apr_pool_t *result)
{
    const fs_bytes_t *value = apr_hash_get(props, name, APR_HASH_KEY_STRING);

    return value ? repo_xml_strip_controls(value, result) : NULL;
}

static fs_error_t *get_revision(const revision_t **out, list_t *list,
                                fs_rev_t rev, apr_pool_t *scratch)
{
    revision_t *found = apr_hash_get(list->revisions, &rev, sizeof(rev));
    apr_hash_t *props;

    if (!found) {
        if (apr_hash_count(list->revisions) >= REVISIONS_MAX) {
            apr_pool_clear(list->memo_pool);
            list->revisions = apr_hash_make(list->memo_pool);
        }
        FS_TRY(fs_repo_revprops(&props, list->base.request->repo, rev, scratch,
                                scratch));
        found = apr_pcalloc(list->memo_pool, sizeof(*found));
        found->rev = rev;
        found->date = copy_value(props, "svn:date", list->memo_pool);
        found->author = copy_value(props, "svn:author", list->memo_pool);
        apr_hash_set(list->revisions, &found->rev, sizeof(found->rev), found);
    }
    *out = found;
    return NULL;
}

static void write_kind(repo_output_t *out, const list_t *list, bool is_dir)
{
    repo_xml_attribute(out, "node-kind",
                       !list->kind ? "unknown"
                       : is_dir    ? "dir"
                                   : "file");
}

static fs_error_t *write_item(void *baton, const fs_node_t *node,
                              apr_pool_t *scratch)
{
    list_t *list = baton;
    repo_output_t *out = list->out;
    bool is_dir = fs_node_kind(node) == FS_NODE_DIR;
    const revision_t *revision = NULL;

    if (list->date || list->author)
        FS_TRY(
            get_revision(&revision, list, fs_node_created_rev(node), scratch));
    repo_output_puts(out, "<S:item");
    write_kind(out, list, is_dir);
    if (list->size) {
        repo_output_puts(out, " size=\"");
        repo_output_number(out, is_dir ? -1 : (apr_int64_t)fs_node_size(node));
        repo_output_puts(out, "\"");
    }
    if (list->has_props)
        repo_xml_attribute(out, "has-props",
                           fs_node_has_props(node) ? "true" : "false");
    if (list->created_rev) {
        repo_output_puts(out, " created-rev=\"");
        repo_output_number(out, fs_node_created_rev(node));
        repo_output_puts(out, "\"");
    }
    if (list->date && revision->date)
        repo_xml_attribute(out, "date", revision->date);
    repo_output_puts(out, ">");
    repo_xml_text_of(out, fs_node_path(node));
    /* No line feed may follow: the path is the item's whole text. */
    if (list->author && revision->author) {
        repo_output_puts(out, "<D:creator-displayname>");
        repo_xml_text_of(out, revision->author);
        repo_output_puts(out, "</D:creator-displayname>");
    }
    repo_output_puts(out, "</S:item>\n");
    return repo_output_check(out);
}

static const char *patterns_for_log(const list_t *list, apr_pool_t *result)
{
    apr_array_header_t *encoded;
    int i;

    if (!list->patterns)
        return list->no_patterns ? "" : "<ANY>";
    encoded =
        apr_array_make(result, list->patterns->nelts, sizeof(const char *));
    for (i = 0; i < list->patterns->nelts; i++)
        APR_ARRAY_PUSH(encoded, const char *) = repo_uri_encode(
            APR_ARRAY_IDX(list->patterns, i, const char *), result);
    return apr_array_pstrcat(result, encoded, ' ');
}

static fs_error_t *run(void *baton, repo_request_t *request, repo_output_t *out,
                       apr_pool_t *scratch)
{
    list_t *list = baton;
    fs_depth_t depth = FS_DEPTH_UNKNOWN; /* also where none is given */
    const apr_array_header_t *patterns = list->patterns;
    const fs_node_t *node;
    const char *path;
    fs_root_t *root;
    bool allowed;

    FS_TRY(repo_fields_path(&path, request, "path", list->path, scratch));
    FS_TRY(repo_fields_root(&root, request, "revision", list->rev, scratch));
    if (list->depth_word)
        (void)repo_fields_depth(&depth, list->depth_word);
    if (depth == FS_DEPTH_UNKNOWN || depth == FS_DEPTH_EXCLUDE)
        return FS_ERROR(FS_ERR_BAD_ARGS, "'%s' is not a depth to list",
                        list->depth_word ? list->depth_word : "");
    if (!patterns && list->no_patterns)
        patterns = apr_array_make(scratch, 1, sizeof(const char *));
    /* What is hidden is listed as nothing, whether it exists or not. */
    FS_TRY(repo_access_may_read(&allowed, request->access, list->rev, path,
                                scratch));
    if (allowed)
        FS_TRY(fs_node_need(&node, root, path, scratch));

    repo_request_action(request, "list %s r%" FS_REV_FMT " depth=%s %s",
                        repo_uri_encode(path, scratch), list->rev,
                        repo_fields_depth_word(depth),
                        patterns_for_log(list, scratch));
    choose_parts(list);
    list->out = out;
    apr_pool_create(&list->memo_pool, scratch);
    list->revisions = apr_hash_make(list->memo_pool);
    repo_fields_open(out, "list-report");
    FS_TRY(fs_list(root, path, depth, patterns, repo_request_reader(request),
                   write_item, list, scratch));
    repo_output_puts(out, "</S:list-report>\n");
    return NULL;
}

const repo_report_t repo_report_list = {
    .root = "list-report",
    .fallback = 400,
    .size = sizeof(list_t),
    .fields = fields,
    .run = run,
};
