/* SPDX-License-Identifier: Apache-2.0 */
/* Listings for browsers. Every text that comes from a repository is escaped. */

#include "mod_repo/web/index.h"

#include <stdlib.h>
#include <string.h>

#include <apr_file_info.h>
#include <apr_strings.h>

#include <http_core.h>

#include "mod_repo/http/readable.h"
#include "mod_repo/http/xml.h"

/* ---- what both forms need ---- */

/* "?p=7" or "". */
static const char *peg_suffix(fs_rev_t pinned, apr_pool_t *result)
{
    if (!FS_IS_REV(pinned))
        return "";
    return apr_psprintf(result, "?p=%" FS_REV_FMT, pinned);
}

/* A link relative to the listing. */
static const char *entry_link(const char *name, bool is_dir, const char *suffix,
                              apr_pool_t *result)
{
    /* What stands before a colon would be taken for a scheme. */
    return apr_pstrcat(result, strchr(name, ':') ? "./" : "",
                       repo_uri_encode(name, result), is_dir ? "/" : "", suffix,
                       NULL);
}

/* Is there anything above the directory that can be shown? */
static bool has_parent(const repo_request_t *request, const char *path)
{
    return strcmp(path, "/") != 0 || (request->config->parent &&
                                      repo_config_list_parent(request->config));
}

/* Name of the repository in titles: the last segment of its URL. */
static const char *base_name(const repo_request_t *request)
{
    const char *slash = strrchr(request->root, '/');

    return slash ? slash + 1 : request->root;
}

typedef fs_error_t *(*entry_fn)(repo_output_t *out, const char *name,
                                bool is_dir, const char *suffix,
                                apr_pool_t *scratch);

static fs_error_t *each_entry(repo_output_t *out, repo_request_t *request,
                              const fs_node_t *directory, const char *suffix,
                              entry_fn write, apr_pool_t *scratch)
{
    const char *path = fs_node_path(directory);
    fs_rev_t rev = fs_root_rev(fs_node_root(directory));
    const fs_dirent_t *entry;
    fs_dir_t *dir;
    apr_pool_t *iter;

    apr_pool_create(&iter, scratch);
    FS_TRY(fs_dir_open(&dir, directory, scratch));
    for (;;) {
        bool allowed;

        apr_pool_clear(iter);
        FS_TRY(fs_dir_next(&entry, dir));
        if (!entry)
            break;
        FS_TRY(repo_access_may_read(
            &allowed, request->access, rev,
            apr_pstrcat(iter, path[1] ? path : "", "/", entry->name, NULL),
            iter));
        if (!allowed)
            continue;
        FS_TRY(
            write(out, entry->name, entry->kind == FS_NODE_DIR, suffix, iter));
        FS_TRY(repo_output_check(out));
    }
    apr_pool_destroy(iter);
    return NULL;
}

/* ---- HTML ---- */

static void html_begin(repo_output_t *out, const char *name,
                       apr_pool_t *scratch)
{
    const char *title = repo_readable(name, scratch);

    repo_output_puts(out, "<html><head><title>");
    repo_xml_text_of(out, title);
    repo_output_puts(out, "</title></head>\n<body>\n <h2>");
    repo_xml_text_of(out, title);
    repo_output_puts(out, "</h2>\n <ul>\n");
}

static void html_end(repo_output_t *out, request_rec *r)
{
    repo_output_puts(out, " </ul>\n");
    repo_output_puts(out, ap_psignature(" ", r));
    repo_output_puts(out, "</body></html>\n");
}

static void html_link(repo_output_t *out, const char *link, const char *text,
                      bool is_dir)
{
    repo_output_puts(out, "  <li><a href=\"");
    repo_xml_attr_of(out, link);
    repo_output_puts(out, "\">");
    repo_xml_text_of(out, text);
    repo_output_puts(out, is_dir ? "/</a></li>\n" : "</a></li>\n");
}

static fs_error_t *html_entry(repo_output_t *out, const char *name, bool is_dir,
                              const char *suffix, apr_pool_t *scratch)
{
    html_link(out, entry_link(name, is_dir, suffix, scratch),
              repo_readable(name, scratch), is_dir);
    return NULL;
}

static fs_error_t *write_html(repo_output_t *out, repo_request_t *request,
                              const fs_node_t *directory, const char *suffix,
                              apr_pool_t *scratch)
{
    const char *path = fs_node_path(directory);
    const char *name = request->config->name;

    html_begin(out,
               apr_psprintf(scratch, "%s%s%s - Revision %" FS_REV_FMT ": %s",
                            name ? name : "", name ? ": " : "",
                            base_name(request),
                            fs_root_rev(fs_node_root(directory)), path),
               scratch);
    if (has_parent(request, path))
        html_link(out, apr_pstrcat(scratch, "../", suffix, NULL), "..", false);
    FS_TRY(each_entry(out, request, directory, suffix, html_entry, scratch));
    html_end(out, request->r);
    return NULL;
}

/* ---- XML ---- */

static fs_error_t *xml_entry(repo_output_t *out, const char *name, bool is_dir,
                             const char *suffix, apr_pool_t *scratch)
{
    repo_output_puts(out, is_dir ? "    <dir" : "    <file");
    repo_xml_attribute(out, "name", repo_readable(name, scratch));
    repo_xml_attribute(out, "href", entry_link(name, is_dir, suffix, scratch));
    repo_output_puts(out, " />\n");
    return NULL;
}

static const char xml_dtd[] =
    "<!DOCTYPE svn [\n"
    "  <!ELEMENT svn (index)>\n"
    "  <!ATTLIST svn version CDATA #REQUIRED href CDATA #REQUIRED>\n"
    "  <!ELEMENT index (updir?, (file | dir)*)>\n"
    "  <!ATTLIST index name CDATA #IMPLIED path CDATA #IMPLIED\n"
    "            rev CDATA #IMPLIED base CDATA #IMPLIED>\n"
    "  <!ELEMENT updir EMPTY>\n"
    "  <!ATTLIST updir href CDATA #REQUIRED>\n"
    "  <!ELEMENT file EMPTY>\n"
    "  <!ATTLIST file name CDATA #REQUIRED href CDATA #REQUIRED>\n"
    "  <!ELEMENT dir EMPTY>\n"
    "  <!ATTLIST dir name CDATA #REQUIRED href CDATA #REQUIRED>\n"
    "]>\n";

static fs_error_t *write_xml(repo_output_t *out, repo_request_t *request,
                             const fs_node_t *directory, const char *suffix,
                             apr_pool_t *scratch)
{
    const char *path = fs_node_path(directory);

    repo_output_puts(out, "<?xml version=\"1.0\"?>\n"
                          "<?xml-stylesheet type=\"text/xsl\"");
    repo_xml_attribute(out, "href", request->config->index_xslt);
    repo_output_puts(out, "?>\n");
    repo_output_puts(out, xml_dtd);
    repo_output_puts(out, "<svn version=\"1.14.2\"\n     "
                          "href=\"http://subversion.apache.org/\">\n  <index");
    if (request->config->name)
        repo_xml_attribute(out, "name", request->config->name);
    repo_xml_attribute(out, "rev",
                       apr_psprintf(scratch, "%" FS_REV_FMT,
                                    fs_root_rev(fs_node_root(directory))));
    repo_xml_attribute(out, "path", repo_readable(path, scratch));
    repo_xml_attribute(out, "base", repo_readable(base_name(request), scratch));
    repo_output_puts(out, ">\n");
    if (has_parent(request, path)) {
        repo_output_puts(out, "    <updir");
        repo_xml_attribute(out, "href",
                           apr_pstrcat(scratch, "../", suffix, NULL));
        repo_output_puts(out, "/>\n");
    }
    FS_TRY(each_entry(out, request, directory, suffix, xml_entry, scratch));
    repo_output_puts(out, "  </index>\n</svn>\n");
    return NULL;
}

fs_error_t *repo_index_write(repo_output_t *out, repo_request_t *request,
                             const fs_node_t *directory, fs_rev_t pinned,
                             apr_pool_t *scratch)
{
    const char *suffix = peg_suffix(pinned, scratch);

    if (request->config->index_xslt)
        return write_xml(out, request, directory, suffix, scratch);
    return write_html(out, request, directory, suffix, scratch);
}

/* ---- the repositories of a folder ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_folder(const char *parent, const apr_finfo_t *found,
                      apr_pool_t *scratch)
{
    apr_finfo_t target;

    if (found->name[0] == '.' &&
        (!found->name[1] || (found->name[1] == '.' && !found->name[2])))
        return false;
    if (found->filetype == APR_DIR)
        return true;
    return (found->filetype == APR_LNK || found->filetype == APR_UNKFILE) &&
           apr_stat(&target,
                    apr_pstrcat(scratch, parent, "/", found->name, NULL),
                    APR_FINFO_TYPE, scratch) == APR_SUCCESS &&
           target.filetype == APR_DIR;
}

/* May the root URL of the repository be read? */
static fs_error_t *may_show(bool *allowed, repo_request_t *request,
                            const char *name, apr_pool_t *scratch)
{
    repo_access_t *access = repo_access_create(
        request->r, apr_pstrcat(scratch, request->root, "/", name, NULL),
        request->special, repo_config_path_authz(request->config), scratch);

    return repo_access_may_read(allowed, access, FS_INVALID_REV, "/", scratch);
}

static fs_error_t *collect_names(apr_array_header_t *names,
                                 repo_request_t *request, apr_dir_t *dir,
                                 apr_pool_t *iter)
{
    apr_finfo_t found;

    for (;;) {
        apr_status_t status;
        bool allowed;

        apr_pool_clear(iter);
        status = apr_dir_read(&found, APR_FINFO_NAME | APR_FINFO_TYPE, dir);
        if (status != APR_SUCCESS && status != APR_INCOMPLETE)
            return NULL;
        if (!is_folder(request->config->parent, &found, iter))
            continue;
        FS_TRY(may_show(&allowed, request, found.name, iter));
        if (allowed)
            APR_ARRAY_PUSH(names, const char *) =
                apr_pstrdup(names->pool, found.name);
    }
}

fs_error_t *repo_index_names(apr_array_header_t **names,
                             repo_request_t *request, apr_pool_t *result)
{
    apr_status_t status;
    apr_pool_t *iter;
    apr_dir_t *dir;

    *names = apr_array_make(result, 16, sizeof(const char *));
    apr_pool_create(&iter, result);
    status = apr_dir_open(&dir, request->config->parent, result);
    if (status != APR_SUCCESS)
        return FS_ERROR_APR(status, "cannot read the folder '%s'",
                            request->config->parent);
    FS_TRY(collect_names(*names, request, dir, iter));
    apr_dir_close(dir);
    apr_pool_destroy(iter);
    qsort((*names)->elts, (size_t)(*names)->nelts, sizeof(const char *),
          compare_names);
    return NULL;
}

fs_error_t *repo_index_list(repo_output_t *out, repo_request_t *request,
                            apr_pool_t *scratch)
{
    apr_array_header_t *names;
    apr_pool_t *iter;
    int i;

    apr_pool_create(&iter, scratch);
    FS_TRY(repo_index_names(&names, request, scratch));
    html_begin(out, "Collection of Repositories", scratch);
    for (i = 0; i < names->nelts; i++) {
        apr_pool_clear(iter);
        FS_TRY(html_entry(out, APR_ARRAY_IDX(names, i, const char *), true, "",
                          iter));
    }
    html_end(out, request->r);
    apr_pool_destroy(iter);
    return repo_output_check(out);
}
