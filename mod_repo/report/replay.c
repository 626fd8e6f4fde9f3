/* SPDX-License-Identifier: Apache-2.0 */
/* replay-report: one revision as a flat sequence of edits, for mirrors. */

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "libfs/fs_report.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"
#include "mod_repo/report/reports.h"

typedef struct replay_t {
    repo_fields_t base;
    fs_rev_t rev;
    fs_rev_t low_water;
    const char *send_deltas;
    const char *include_path;

    repo_output_t *out;
    int version;
    int level;
} replay_t;

static const repo_field_t fields[] = {
    REPO_FIELD(replay_t, "revision", REPO_FIELD_REV, rev),
    REPO_FIELD(replay_t, "low-water-mark", REPO_FIELD_REV, low_water),
    REPO_FIELD(replay_t, "send-deltas", REPO_FIELD_TEXT, send_deltas),
    REPO_FIELD(replay_t, "include-path", REPO_FIELD_TEXT, include_path),
    REPO_FIELDS_END,
};

/* ---- the edit ---- */

static void write_rev(repo_output_t *out, const char *name, fs_rev_t rev)
{
    repo_output_printf(out, " %s=\"%" FS_REV_FMT "\"", name, rev);
}

static void write_hex(repo_output_t *out, const char *name,
                      const unsigned char *md5)
{
    int i;

    if (!md5)
        return;
    repo_output_printf(out, " %s=\"", name);
    for (i = 0; i < FS_MD5_SIZE; i++)
        repo_output_printf(out, "%02x", md5[i]);
    repo_output_puts(out, "\"");
}

static void write_tag(repo_output_t *out, const char *tag, const char *path)
{
    repo_output_puts(out, "<S:");
    repo_output_puts(out, tag);
    if (path)
        repo_xml_attribute(out, "name", path);
}

static fs_error_t *write_close(repo_output_t *out)
{
    repo_output_puts(out, "/>\n");
    return repo_output_check(out);
}

static fs_error_t *set_target_revision(void *edit, fs_rev_t rev,
                                       apr_pool_t *scratch)
{
    replay_t *replay = edit;

    (void)scratch;
    repo_output_puts(replay->out, REPO_XML_HEADER
                     "<S:editor-report xmlns:S=\"" REPO_NS_SVN "\">\n");
    write_tag(replay->out, "target-revision", NULL);
    write_rev(replay->out, "rev", rev);
    return write_close(replay->out);
}

static fs_error_t *open_root(void **dir, void *edit, fs_rev_t base,
                             const fs_node_t *target, apr_pool_t *result)
{
    replay_t *replay = edit;

    (void)target;
    (void)result;
    *dir = replay;
    write_tag(replay->out, "open-root", NULL);
    write_rev(replay->out, "rev", base);
    return write_close(replay->out);
}

static fs_error_t *delete_entry(void *parent, const char *path, fs_rev_t rev,
                                apr_pool_t *scratch)
{
    replay_t *replay = parent;

    (void)scratch;
    write_tag(replay->out, "delete-entry", path);
    write_rev(replay->out, "rev", rev);
    return write_close(replay->out);
}

static fs_error_t *write_add(void **node, replay_t *replay, const char *tag,
                             const char *path, const char *copyfrom_path,
                             fs_rev_t copyfrom_rev)
{
    *node = replay;
    write_tag(replay->out, tag, path);
    if (copyfrom_path) {
        repo_xml_attribute(replay->out, "copyfrom-path", copyfrom_path);
        write_rev(replay->out, "copyfrom-rev", copyfrom_rev);
    }
    return write_close(replay->out);
}

static fs_error_t *add_dir(void **dir, void *parent, const char *path,
                           const char *copyfrom_path, fs_rev_t copyfrom_rev,
                           const fs_node_t *target, apr_pool_t *result)
{
    (void)target;
    (void)result;
    return write_add(dir, parent, "add-directory", path, copyfrom_path,
                     copyfrom_rev);
}

static fs_error_t *add_file(void **file, void *parent, const char *path,
                            const char *copyfrom_path, fs_rev_t copyfrom_rev,
                            const fs_node_t *target, apr_pool_t *result)
{
    (void)target;
    (void)result;
    return write_add(file, parent, "add-file", path, copyfrom_path,
                     copyfrom_rev);
}

static fs_error_t *write_open(void **node, replay_t *replay, const char *tag,
                              const char *path, fs_rev_t base)
{
    *node = replay;
    write_tag(replay->out, tag, path);
    write_rev(replay->out, "rev", base);
    return write_close(replay->out);
}

static fs_error_t *open_dir(void **dir, void *parent, const char *path,
                            fs_rev_t base, const fs_node_t *target,
                            apr_pool_t *result)
{
    (void)target;
    (void)result;
    return write_open(dir, parent, "open-directory", path, base);
}

static fs_error_t *open_file(void **file, void *parent, const char *path,
                             fs_rev_t base, const fs_node_t *target,
                             apr_pool_t *result)
{
    (void)target;
    (void)result;
    return write_open(file, parent, "open-file", path, base);
}

/* Values always travel as base64. */
static fs_error_t *write_prop(replay_t *replay, const char *tag,
                              const char *name, const fs_bytes_t *value)
{
    repo_output_t *out = replay->out;

    write_tag(out, tag, name);
    if (!value) {
        repo_output_puts(out, " del=\"true\"");
        return write_close(out);
    }
    repo_output_puts(out, ">");
    repo_xml_base64(out, value->data, value->len);
    repo_output_puts(out, "</S:");
    repo_output_puts(out, tag);
    repo_output_puts(out, ">\n");
    return repo_output_check(out);
}

static fs_error_t *dir_prop(void *dir, const char *name,
                            const fs_bytes_t *value, apr_pool_t *scratch)
{
    (void)scratch;
    return write_prop(dir, "change-dir-prop", name, value);
}

static fs_error_t *file_prop(void *file, const char *name,
                             const fs_bytes_t *value, apr_pool_t *scratch)
{
    (void)scratch;
    return write_prop(file, "change-file-prop", name, value);
}

static fs_error_t *file_text(void *file, const fs_node_t *base,
                             const unsigned char *base_md5,
                             const fs_node_t *target, apr_pool_t *scratch)
{
    replay_t *replay = file;
    repo_output_t *out = replay->out;
    fs_stream_t *svndiff;

    write_tag(out, "apply-textdelta", NULL);
    write_hex(out, "checksum", base_md5);
    repo_output_puts(out, ">");
    if (target)
        FS_TRY(fs_node_svndiff(&svndiff, base, target, replay->version,
                               replay->level, scratch));
    else
        svndiff = fs_stream_from_bytes("SVN\0", 4, scratch);
    FS_TRY(repo_xml_base64_stream(out, svndiff));
    repo_output_puts(out, "</S:apply-textdelta>\n");
    return repo_output_check(out);
}

static fs_error_t *close_file(void *file, const unsigned char *md5,
                              apr_pool_t *scratch)
{
    replay_t *replay = file;

    (void)scratch;
    write_tag(replay->out, "close-file", NULL);
    write_hex(replay->out, "checksum", md5);
    return write_close(replay->out);
}

static fs_error_t *close_dir(void *dir, apr_pool_t *scratch)
{
    replay_t *replay = dir;

    (void)scratch;
    write_tag(replay->out, "close-directory", NULL);
    return write_close(replay->out);
}

/* What may not be read is left out of a replay without a word. */
static fs_error_t *absent(void *parent, const char *path, apr_pool_t *scratch)
{
    (void)parent;
    (void)path;
    (void)scratch;
    return NULL;
}

static fs_error_t *close_edit(void *edit, apr_pool_t *scratch)
{
    replay_t *replay = edit;

    (void)scratch;
    repo_output_puts(replay->out, "</S:editor-report>\n");
    return repo_output_check(replay->out);
}

static const fs_editor_t editor = {
    .set_target_revision = set_target_revision,
    .open_root = open_root,
    .delete_entry = delete_entry,
    .add_dir = add_dir,
    .open_dir = open_dir,
    .dir_prop = dir_prop,
    .close_dir = close_dir,
    .absent_dir = absent,
    .add_file = add_file,
    .open_file = open_file,
    .file_prop = file_prop,
    .file_text = file_text,
    .close_file = close_file,
    .absent_file = absent,
    .close_edit = close_edit,
};

/* ---- the request ---- */

static fs_error_t *make_options(fs_replay_options_t *options,
                                const replay_t *replay)
{
    const char *send_deltas = replay->send_deltas;

    if (!FS_IS_REV(replay->low_water))
        return FS_ERROR(FS_ERR_DAV_REQUEST,
                        "the element 'low-water-mark' is missing or negative");
    options->low_water = replay->low_water;
    if (send_deltas && strcmp(send_deltas, "0") != 0 &&
        strcmp(send_deltas, "1") != 0)
        return FS_ERROR(FS_ERR_DAV_REQUEST,
                        "'%s' in 'send-deltas' is neither 0 nor 1",
                        send_deltas);
    options->send_deltas = !send_deltas || *send_deltas == '1';
    return NULL;
}

/* On rev/N the URL names the revision and the body the subtree; on the URL of
 * a subtree the body names the revision. */
static fs_error_t *choose_target(fs_rev_t *rev, const char **base_path,
                                 const replay_t *replay)
{
    const repo_request_t *request = replay->base.request;
    const char *path = replay->include_path ? replay->include_path : "";

    if (request->uri.kind == REPO_URI_REV ||
        request->uri.kind == REPO_URI_BLN) {
        if (FS_IS_REV(replay->rev))
            return FS_ERROR(FS_ERR_DAV_REQUEST,
                            "the URL names the revision already; drop the "
                            "element 'revision'");
        *rev = request->uri.rev;
    } else {
        if (!FS_IS_REV(replay->rev))
            return FS_ERROR(FS_ERR_DAV_REQUEST,
                            "the element 'revision' is missing");
        *rev = replay->rev;
        path = request->uri.path ? request->uri.path + 1 : "";
    }
    if (*path == '/')
        path++;
    if (!fs_path_is_relpath(path))
        return FS_ERROR(FS_ERR_PATH_SYNTAX,
                        "'%s' in 'include-path' is not a path", path);
    *base_path = path;
    return NULL;
}

static fs_error_t *run(void *baton, repo_request_t *request, repo_output_t *out,
                       apr_pool_t *scratch)
{
    replay_t *replay = baton;
    fs_replay_options_t options = { 0 };
    fs_root_t *root;
    fs_rev_t rev = FS_INVALID_REV;

    FS_TRY(make_options(&options, replay));
    FS_TRY(choose_target(&rev, &options.base_path, replay));
    FS_TRY(repo_fields_root(&root, request, "revision", rev, scratch));
    repo_request_action(
        request, "replay %s r%" FS_REV_FMT,
        repo_uri_encode(apr_pstrcat(scratch, "/", options.base_path, NULL),
                        scratch),
        rev);

    replay->out = out;
    replay->version = repo_request_svndiff_version(request);
    replay->level = repo_request_compression(request);
    FS_TRY(fs_replay(root, &options, repo_request_reader(request), &editor,
                     replay, scratch));
    return editor.close_edit(replay, scratch);
}

const repo_report_t repo_report_replay = {
    .root = "replay-report",
    .size = sizeof(replay_t),
    .fields = fields,
    .run = run,
};
