/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a MERGE. */

#include "mod_repo/dav/merge_answer.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "mod_repo/http/readable.h"
#include "mod_repo/http/xml.h"

typedef struct answer_t {
    repo_output_t *out;
    repo_request_t *request;
    fs_root_t *root;
    fs_rev_t rev;
    apr_pool_t *pool;
    apr_hash_t *told; /* directories that have their response */
} answer_t;

/* ---- the revision ---- */

static fs_error_t *write_revision(answer_t *answer,
                                  const fs_hook_commit_t *done)
{
    repo_output_t *out = answer->out;
    repo_request_t *request = answer->request;
    const fs_bytes_t *date, *author;
    apr_hash_t *props;

    FS_TRY(fs_repo_revprops(&props, request->repo, answer->rev, answer->pool,
                            answer->pool));
    date = apr_hash_get(props, "svn:date", APR_HASH_KEY_STRING);
    author = apr_hash_get(props, "svn:author", APR_HASH_KEY_STRING);
    repo_output_puts(out, "<D:response>\n<D:href>");
    repo_xml_text_of(out, repo_request_url(request, REPO_URI_VCC,
                                           FS_INVALID_REV, NULL, answer->pool));
    repo_output_puts(out, "</D:href>\n<D:propstat><D:prop>\n"
                          "<D:resourcetype><D:baseline/></D:resourcetype>\n");
    if (done->post_error) {
        repo_output_puts(out, "<S:post-commit-err>");
        repo_xml_text_of(out, repo_readable(done->post_error, answer->pool));
        repo_output_puts(out, "</S:post-commit-err>");
    }
    repo_output_printf(out,
                       "\n<D:version-name>%" FS_REV_FMT "</D:version-name>\n",
                       answer->rev);
    if (date) {
        repo_output_puts(out, "<D:creationdate>");
        repo_xml_text(out, date->data, date->len);
        repo_output_puts(out, "</D:creationdate>\n");
    }
    if (author) {
        repo_output_puts(out, "<D:creator-displayname>");
        repo_xml_text_of(out, repo_xml_strip_controls(author, answer->pool));
        repo_output_puts(out, "</D:creator-displayname>\n");
    }
    repo_output_puts(out, "</D:prop>\n<D:status>HTTP/1.1 200 OK</D:status>\n"
                          "</D:propstat>\n</D:response>\n");
    return NULL;
}

/* ---- nodes ---- */

static void write_node(answer_t *answer, const char *path, bool is_dir,
                       apr_pool_t *scratch)
{
    repo_output_t *out = answer->out;

    repo_output_puts(out, "<D:response>\n<D:href>");
    repo_xml_text_of(out, repo_request_url(answer->request, REPO_URI_PUBLIC,
                                           FS_INVALID_REV, path, scratch));
    repo_output_puts(out, "</D:href>\n<D:propstat><D:prop>\n");
    repo_output_puts(
        out, is_dir ? "<D:resourcetype><D:collection/></D:resourcetype>\n"
                    : "<D:resourcetype/>\n");
    repo_output_puts(out, "<D:checked-in><D:href>");
    repo_xml_text_of(out, repo_request_url(answer->request, REPO_URI_VER,
                                           answer->rev, path, scratch));
    repo_output_puts(out, "</D:href></D:checked-in>\n</D:prop>\n"
                          "<D:status>HTTP/1.1 200 OK</D:status>\n"
                          "</D:propstat>\n</D:response>\n");
}

static void write_dir(answer_t *answer, const char *path, apr_pool_t *scratch)
{
    if (apr_hash_get(answer->told, path, APR_HASH_KEY_STRING))
        return;
    apr_hash_set(answer->told, apr_pstrdup(answer->pool, path),
                 APR_HASH_KEY_STRING, "");
    write_node(answer, path, true, scratch);
}

/* What changed has its version URL in this very revision, and so has each
 * directory in which something came or went. */
static fs_error_t *write_change(void *baton, const fs_change_t *change,
                                apr_pool_t *scratch)
{
    answer_t *answer = baton;
    fs_node_kind_t kind;

    if (change->action != FS_ACTION_DELETE) {
        FS_TRY(fs_change_kind(&kind, answer->root, change, scratch));
        if (kind == FS_NODE_DIR)
            write_dir(answer, change->path, scratch);
        else
            write_node(answer, change->path, false, scratch);
    }
    if (change->action != FS_ACTION_MODIFY)
        write_dir(answer, fs_path_parent(change->path, scratch), scratch);
    return repo_output_check(answer->out);
}

fs_error_t *repo_merge_answer(repo_output_t *out, repo_request_t *request,
                              const fs_hook_commit_t *done, bool full,
                              apr_pool_t *scratch)
{
    answer_t answer = {
        .out = out, .request = request, .rev = done->rev, .pool = scratch
    };

    repo_output_puts(out, REPO_XML_HEADER "<D:merge-response xmlns:D=\"DAV:\"");
    if (done->post_error)
        repo_output_puts(out, " xmlns:S=\"svn:\"");
    repo_output_puts(out, ">\n<D:updated-set>\n");
    FS_TRY(write_revision(&answer, done));
    if (full) {
        answer.told = apr_hash_make(scratch);
        FS_TRY(fs_root_open(&answer.root, request->repo, done->rev, scratch));
        FS_TRY(fs_root_changes(answer.root, write_change, &answer, scratch));
    }
    repo_output_puts(out, "</D:updated-set>\n</D:merge-response>\n");
    return NULL;
}
