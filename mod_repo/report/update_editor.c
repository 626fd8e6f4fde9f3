/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The answer to an update-report: nested elements for directories and files,
 * each with its version URL, properties, and text or the word to fetch it.
 * Source: docs/protocol/http-read.md, "update-report".
 */

#include "mod_repo/report/update_editor.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/report/fields.h"

/* An open element. */
typedef struct elem_t {
    repo_update_answer_t *answer;
    const fs_node_t *target;
    const char *tag;
    bool tell_props;
    bool added;
    bool text_told;
} elem_t;

static elem_t *make_elem(repo_update_answer_t *answer, const fs_node_t *target,
                         const char *tag, bool added, apr_pool_t *result)
{
    elem_t *elem = apr_pcalloc(result, sizeof(*elem));

    elem->answer = answer;
    elem->target = target;
    elem->tag = tag;
    elem->added = added;
    elem->tell_props = !added || answer->inline_props;
    return elem;
}

static void write_digest(repo_output_t *out, const unsigned char *digest,
                         apr_size_t len)
{
    static const char digits[] = "0123456789abcdef";
    char hex[2 * FS_SHA1_SIZE];
    apr_size_t i;

    for (i = 0; i < len; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    repo_output_write(out, hex, 2 * len);
}

static void write_digest_attr(repo_output_t *out, const char *name,
                              const unsigned char *digest, apr_size_t len)
{
    if (!digest)
        return;
    repo_output_puts(out, " ");
    repo_output_puts(out, name);
    repo_output_puts(out, "=\"");
    write_digest(out, digest, len);
    repo_output_puts(out, "\"");
}

static void write_rev_attr(repo_output_t *out, const char *name, fs_rev_t rev)
{
    repo_output_puts(out, " ");
    repo_output_puts(out, name);
    repo_output_puts(out, "=\"");
    repo_output_number(out, rev);
    repo_output_puts(out, "\"");
}

static void write_tag(repo_output_t *out, const char *tag)
{
    repo_output_puts(out, "<S:");
    repo_output_puts(out, tag);
}

/* The version URL of a node, by which clients fetch it. */
static fs_error_t *write_checked_in(repo_update_answer_t *answer,
                                    const fs_node_t *node, fs_rev_t rev,
                                    apr_pool_t *scratch)
{
    repo_output_t *out = answer->out;

    repo_output_puts(out, "<D:checked-in><D:href>");
    repo_xml_text_of(out, repo_request_url(answer->request, answer->checked_in,
                                           rev, fs_node_path(node), scratch));
    repo_output_puts(out, "</D:href></D:checked-in>\n");
    return repo_output_check(out);
}

/* ---- the edit ---- */

static fs_error_t *set_target_revision(void *edit, fs_rev_t rev,
                                       apr_pool_t *scratch)
{
    repo_update_answer_t *answer = edit;

    (void)scratch;
    repo_output_printf(
        answer->out,
        REPO_XML_HEADER "<S:update-report xmlns:S=\"" REPO_NS_SVN
                        "\" xmlns:V=\"" REPO_NS_LIVE "\" xmlns:D=\"" REPO_NS_DAV
                        "\"%s%s>\n"
                        "<S:target-revision rev=\"%" FS_REV_FMT "\"/>\n",
        answer->send_all ? " send-all=\"true\"" : "",
        answer->inline_props ? " inline-props=\"true\"" : "", rev);
    return repo_output_check(answer->out);
}

static fs_error_t *open_root(void **dir, void *edit, fs_rev_t base,
                             const fs_node_t *target, apr_pool_t *result)
{
    repo_update_answer_t *answer = edit;
    fs_rev_t rev;

    *dir = make_elem(answer, target, "open-directory", false, result);
    write_tag(answer->out, "open-directory");
    write_rev_attr(answer->out, "rev", base);
    repo_output_puts(answer->out, ">\n");
    if (answer->has_target || !target)
        return repo_output_check(answer->out);
    FS_TRY(fs_node_last_change(&rev, target, result));
    return write_checked_in(answer, target, rev, result);
}

static fs_error_t *delete_entry(void *parent, const char *path, fs_rev_t rev,
                                apr_pool_t *scratch)
{
    const elem_t *dir = parent;
    repo_output_t *out = dir->answer->out;

    (void)scratch;
    write_tag(out, "delete-entry");
    repo_xml_attribute(out, "name", fs_path_name(path));
    write_rev_attr(out, "rev", rev);
    repo_output_puts(out, "/>\n");
    return repo_output_check(out);
}

static fs_error_t *write_absent(const elem_t *dir, const char *tag,
                                const char *path)
{
    write_tag(dir->answer->out, tag);
    repo_xml_attribute(dir->answer->out, "name", fs_path_name(path));
    repo_output_puts(dir->answer->out, "/>\n");
    return repo_output_check(dir->answer->out);
}

static fs_error_t *absent_dir(void *parent, const char *path,
                              apr_pool_t *scratch)
{
    (void)scratch;
    return write_absent(parent, "absent-directory", path);
}

static fs_error_t *absent_file(void *parent, const char *path,
                               apr_pool_t *scratch)
{
    (void)scratch;
    return write_absent(parent, "absent-file", path);
}

static void write_copyfrom(repo_output_t *out, const char *path, fs_rev_t rev)
{
    if (!path)
        return;
    repo_xml_attribute(out, "copyfrom-path", path);
    write_rev_attr(out, "copyfrom-rev", rev);
}

static fs_error_t *add_dir(void **dir, void *parent, const char *path,
                           const char *copyfrom_path, fs_rev_t copyfrom_rev,
                           const fs_node_t *target, apr_pool_t *result)
{
    repo_update_answer_t *answer = ((elem_t *)parent)->answer;
    repo_output_t *out = answer->out;
    fs_rev_t rev;

    *dir = make_elem(answer, target, "add-directory", true, result);
    FS_TRY(fs_node_last_change(&rev, target, result));
    write_tag(out, "add-directory");
    repo_xml_attribute(out, "name", fs_path_name(path));
    repo_xml_attribute(out, "bc-url",
                       repo_request_url(answer->request, REPO_URI_BC, rev,
                                        fs_node_path(target), result));
    write_copyfrom(out, copyfrom_path, copyfrom_rev);
    repo_output_puts(out, ">\n");
    return write_checked_in(answer, target, rev, result);
}

static fs_error_t *write_open(void **node, void *parent, const char *tag,
                              const char *path, fs_rev_t base,
                              const fs_node_t *target, apr_pool_t *result)
{
    repo_update_answer_t *answer = ((elem_t *)parent)->answer;
    fs_rev_t rev;

    *node = make_elem(answer, target, tag, false, result);
    FS_TRY(fs_node_last_change(&rev, target, result));
    write_tag(answer->out, tag);
    repo_xml_attribute(answer->out, "name", fs_path_name(path));
    write_rev_attr(answer->out, "rev", base);
    repo_output_puts(answer->out, ">\n");
    return write_checked_in(answer, target, rev, result);
}

static fs_error_t *open_dir(void **dir, void *parent, const char *path,
                            fs_rev_t base, const fs_node_t *target,
                            apr_pool_t *result)
{
    return write_open(dir, parent, "open-directory", path, base, target,
                      result);
}

static fs_error_t *open_file(void **file, void *parent, const char *path,
                             fs_rev_t base, const fs_node_t *target,
                             apr_pool_t *result)
{
    return write_open(file, parent, "open-file", path, base, target, result);
}

static fs_error_t *add_file(void **file, void *parent, const char *path,
                            const char *copyfrom_path, fs_rev_t copyfrom_rev,
                            const fs_node_t *target, apr_pool_t *result)
{
    repo_update_answer_t *answer = ((elem_t *)parent)->answer;
    repo_output_t *out = answer->out;
    fs_rev_t rev;

    *file = make_elem(answer, target, "add-file", true, result);
    FS_TRY(fs_node_last_change(&rev, target, result));
    write_tag(out, "add-file");
    repo_xml_attribute(out, "name", fs_path_name(path));
    write_copyfrom(out, copyfrom_path, copyfrom_rev);
    write_digest_attr(out, "sha1-checksum", fs_node_sha1(target), FS_SHA1_SIZE);
    repo_output_puts(out, ">\n");
    return write_checked_in(answer, target, rev, result);
}

static fs_error_t *node_prop(void *node, const char *name,
                             const fs_bytes_t *value, apr_pool_t *scratch)
{
    const elem_t *elem = node;
    repo_output_t *out = elem->answer->out;

    (void)scratch;
    if (!elem->tell_props)
        return NULL;
    if (value) {
        repo_xml_named_value(out, "S:set-prop", name, value->data, value->len);
    } else {
        write_tag(out, "remove-prop");
        repo_xml_attribute(out, "name", name);
        repo_output_puts(out, "/>\n");
    }
    return repo_output_check(out);
}

static fs_error_t *write_txdelta(const elem_t *file, const fs_node_t *base,
                                 const unsigned char *base_md5,
                                 const fs_node_t *target, apr_pool_t *scratch)
{
    repo_update_answer_t *answer = file->answer;
    repo_output_t *out = answer->out;
    fs_stream_t *svndiff;

    write_tag(out, "txdelta");
    write_digest_attr(out, "base-checksum", base_md5, FS_MD5_SIZE);
    repo_output_puts(out, ">");
    if (target) {
        FS_TRY(fs_node_svndiff(&svndiff, base, target, answer->version,
                               answer->level, scratch));
    } else {
        /* Texts were not asked for: a delta without any window. */
        char *header = apr_pstrmemdup(scratch, "SVN", 4);

        header[3] = (char)answer->version;
        svndiff = fs_stream_from_bytes(header, 4, scratch);
    }
    FS_TRY(repo_xml_base64_stream(out, svndiff));
    repo_output_puts(out, "</S:txdelta>");
    return repo_output_check(out);
}

static fs_error_t *file_text(void *node, const fs_node_t *base,
                             const unsigned char *base_md5,
                             const fs_node_t *target, apr_pool_t *scratch)
{
    elem_t *file = node;
    repo_output_t *out = file->answer->out;

    if (file->answer->send_all)
        return write_txdelta(file, base, base_md5, target, scratch);
    if (file->added)
        return NULL; /* clients fetch every added file */
    write_tag(out, "fetch-file");
    write_digest_attr(out, "base-checksum", base_md5, FS_MD5_SIZE);
    write_digest_attr(out, "sha1-checksum", fs_node_sha1(file->target),
                      FS_SHA1_SIZE);
    repo_output_puts(out, "/>\n");
    return repo_output_check(out);
}

static fs_error_t *write_end(const elem_t *elem)
{
    repo_output_t *out = elem->answer->out;

    repo_output_puts(out, "</S:");
    repo_output_puts(out, elem->tag);
    repo_output_puts(out, ">\n");
    return repo_output_check(out);
}

static fs_error_t *close_file(void *node, const unsigned char *md5,
                              apr_pool_t *scratch)
{
    const elem_t *file = node;
    repo_output_t *out = file->answer->out;

    (void)scratch;
    if (md5) {
        repo_output_puts(out, "<S:prop><V:md5-checksum>");
        write_digest(out, md5, FS_MD5_SIZE);
        repo_output_puts(out, "</V:md5-checksum></S:prop>");
    }
    return write_end(file);
}

static fs_error_t *close_dir(void *dir, apr_pool_t *scratch)
{
    (void)scratch;
    return write_end(dir);
}

/* ---- resource-walk ---- */

static fs_error_t *write_resource(repo_update_answer_t *answer,
                                  const fs_node_t *node, apr_pool_t *scratch)
{
    repo_output_t *out = answer->out;
    fs_rev_t rev;

    FS_TRY(fs_node_last_change(&rev, node, scratch));
    write_tag(out, "resource");
    repo_xml_attribute(out, "path",
                       fs_path_below(answer->walk_path, fs_node_path(node)));
    repo_output_puts(out, ">\n");
    FS_TRY(write_checked_in(answer, node, rev, scratch));
    repo_output_puts(out, "</S:resource>\n");
    return repo_output_check(out);
}

static fs_error_t *list_resource(void *baton, const fs_node_t *node,
                                 apr_pool_t *scratch)
{
    return write_resource(baton, node, scratch);
}

/* The version URLs of the whole tree that was switched to. */
static fs_error_t *walk_resources(repo_update_answer_t *answer,
                                  apr_pool_t *scratch)
{
    fs_depth_t depth = answer->walk_depth == FS_DEPTH_UNKNOWN
                           ? FS_DEPTH_INFINITY
                           : answer->walk_depth;
    fs_root_t *root;

    FS_TRY(
        fs_root_open(&root, answer->request->repo, answer->walk_rev, scratch));
    repo_output_puts(answer->out, "<S:resource-walk>\n");
    FS_TRY(fs_list(root, answer->walk_path, depth, NULL,
                   repo_request_reader(answer->request), list_resource, answer,
                   scratch));
    repo_output_puts(answer->out, "</S:resource-walk>\n");
    return NULL;
}

static fs_error_t *close_edit(void *edit, apr_pool_t *scratch)
{
    repo_update_answer_t *answer = edit;

    if (answer->walk_path)
        FS_TRY(walk_resources(answer, scratch));
    repo_output_puts(answer->out, "</S:update-report>\n");
    return repo_output_check(answer->out);
}

const fs_editor_t repo_update_editor = {
    .set_target_revision = set_target_revision,
    .open_root = open_root,
    .delete_entry = delete_entry,
    .add_dir = add_dir,
    .open_dir = open_dir,
    .dir_prop = node_prop,
    .close_dir = close_dir,
    .absent_dir = absent_dir,
    .add_file = add_file,
    .open_file = open_file,
    .file_prop = node_prop,
    .file_text = file_text,
    .close_file = close_file,
    .absent_file = absent_file,
    .close_edit = close_edit,
};
