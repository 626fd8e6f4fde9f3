/* SPDX-License-Identifier: Apache-2.0 */
/* Elements to fields, by table. */

#include "mod_repo/report/fields.h"

#include <errno.h>
#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "mod_repo/http/xml.h"

static void *field_at(void *baton, const repo_field_t *field)
{
    return (char *)baton + field->offset;
}

void *repo_fields_begin(apr_size_t size, const repo_field_t *fields,
                        repo_request_t *request, const repo_limits_t *limits)
{
    repo_fields_t *base = apr_pcalloc(request->pool, size);
    const repo_field_t *field;

    base->request = request;
    base->fields = fields;
    base->limits = *limits;
    base->pool = request->pool;
    for (field = fields; field->name; field++)
        if (field->type == REPO_FIELD_REV)
            *(fs_rev_t *)field_at(base, field) = FS_INVALID_REV;
    return base;
}

static const repo_field_t *find_field(const repo_fields_t *base,
                                      const repo_body_elem_t *elem)
{
    const repo_field_t *field;

    for (field = base->fields; field->name; field++)
        if (repo_body_is(elem, field->dav ? REPO_NS_DAV : REPO_NS_SVN,
                         field->name))
            return field;
    return NULL;
}

fs_error_t *repo_fields_number(apr_int64_t *out, const char *name,
                               const char *text)
{
    char *end;

    while (apr_isspace(*text))
        text++;
    errno = 0;
    *out = apr_strtoi64(text, &end, 10);
    while (end != text && apr_isspace(*end))
        end++;
    if (errno || end == text || *end)
        return FS_ERROR(FS_ERR_BAD_NUMBER, "'%s' in '%s' is not a number", text,
                        name);
    return NULL;
}

/* Each copy counts, also that of an element which comes again. */
static fs_error_t *keep_text(const char **copy, repo_fields_t *base,
                             const char *text, apr_size_t len)
{
    base->kept += (apr_int64_t)len;
    if (base->kept > base->limits.report_text)
        return FS_ERROR(FS_ERR_TOO_LARGE,
                        "the texts of the report are longer than "
                        "%" APR_INT64_T_FMT " bytes; %s sets the limit",
                        base->limits.report_text, REPO_LIMIT_NAME(report_text));
    *copy = apr_pstrmemdup(base->pool, text, len);
    return NULL;
}

static fs_error_t *add_to_list(repo_fields_t *base, apr_array_header_t **list,
                               const char *name, const char *text,
                               apr_size_t len)
{
    if (!*list)
        *list = apr_array_make(base->pool, 4, sizeof(const char *));
    if ((*list)->nelts >= base->limits.report_paths)
        return FS_ERROR(FS_ERR_TOO_LARGE,
                        "more than %" APR_INT64_T_FMT
                        " elements '%s' in one report; %s sets the limit",
                        base->limits.report_paths, name,
                        REPO_LIMIT_NAME(report_paths));
    return keep_text(&APR_ARRAY_PUSH(*list, const char *), base, text, len);
}

fs_error_t *repo_fields_end(void *baton, const repo_body_elem_t *elem,
                            const char *text, apr_size_t len)
{
    repo_fields_t *base = baton;
    const repo_field_t *field =
        elem->depth == 1 ? find_field(base, elem) : NULL;
    void *at;

    if (!field)
        return NULL;
    if (memchr(text, '\0', len))
        return FS_ERROR(FS_ERR_XML_MALFORMED, "a NUL byte in '%s'",
                        field->name);
    at = field_at(base, field);
    switch (field->type) {
    case REPO_FIELD_FLAG:
        *(bool *)at = true;
        break;
    case REPO_FIELD_YES:
        *(bool *)at = strcmp(text, "no") != 0;
        break;
    case REPO_FIELD_TEXT:
        return keep_text(at, base, text, len);
    case REPO_FIELD_REV:
    case REPO_FIELD_NUMBER:
        return repo_fields_number(at, field->name, text);
    case REPO_FIELD_LIST:
        return add_to_list(base, at, field->name, text, len);
    }
    return NULL;
}

static fs_error_t *check_url(const repo_request_t *request)
{
    if (!request->uri.path)
        return FS_ERROR(FS_ERR_DAV_REQUEST,
                        "this report needs a URL that names a path");
    return NULL;
}

fs_error_t *repo_fields_path(const char **fspath, const repo_request_t *request,
                             const char *what, const char *path,
                             apr_pool_t *result)
{
    if (!path)
        return FS_ERROR(FS_ERR_DAV_REQUEST, "the element '%s' is missing",
                        what);
    FS_TRY(check_url(request));
    if (*path == '/')
        path++;
    if (!fs_path_is_relpath(path))
        return FS_ERROR(FS_ERR_PATH_SYNTAX,
                        "'%s' in '%s' is not a path without empty, '.' or "
                        "'..' segments and without a slash at its end",
                        path, what);
    if (!fs_utf8_is_valid(path, strlen(path)))
        return FS_ERROR(FS_ERR_PATH_SYNTAX, "the path in '%s' is not UTF-8",
                        what);
    *fspath = fs_path_join(request->uri.path, path, result);
    return NULL;
}

fs_error_t *repo_fields_paths(apr_array_header_t **fspaths,
                              const repo_request_t *request, const char *what,
                              const apr_array_header_t *paths,
                              apr_pool_t *result)
{
    int i;

    FS_TRY(check_url(request));
    *fspaths =
        apr_array_make(result, paths ? paths->nelts : 1, sizeof(const char *));
    for (i = 0; paths && i < paths->nelts; i++)
        FS_TRY(repo_fields_path(&APR_ARRAY_PUSH(*fspaths, const char *),
                                request, what,
                                APR_ARRAY_IDX(paths, i, const char *), result));
    return NULL;
}

fs_error_t *repo_fields_need_rev(repo_request_t *request, const char *what,
                                 fs_rev_t rev)
{
    fs_rev_t youngest;

    FS_TRY(repo_request_youngest(&youngest, request));
    if (rev < 0)
        return FS_ERROR(FS_ERR_NO_SUCH_REV,
                        "the element '%s' is missing or negative", what);
    if (rev > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV, "no such revision %" FS_REV_FMT,
                        rev);
    return NULL;
}

fs_error_t *repo_fields_root(fs_root_t **root, repo_request_t *request,
                             const char *what, fs_rev_t rev, apr_pool_t *result)
{
    FS_TRY(repo_fields_need_rev(request, what, rev));
    return fs_root_open(root, request->repo, rev, result);
}

static const struct {
    const char *word;
    fs_depth_t depth;
} depths[] = {
    { "unknown", FS_DEPTH_UNKNOWN },       { "exclude", FS_DEPTH_EXCLUDE },
    { "empty", FS_DEPTH_EMPTY },           { "files", FS_DEPTH_FILES },
    { "immediates", FS_DEPTH_IMMEDIATES }, { "infinity", FS_DEPTH_INFINITY },
};

bool repo_fields_depth(fs_depth_t *depth, const char *word)
{
    size_t i;

    for (i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
        if (strcmp(depths[i].word, word) == 0) {
            *depth = depths[i].depth;
            return true;
        }
    return false;
}

const char *repo_fields_depth_word(fs_depth_t depth)
{
    size_t i;

    for (i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
        if (depths[i].depth == depth)
            return depths[i].word;
    return "unknown";
}

const char *repo_fields_log_paths(const apr_array_header_t *fspaths,
                                  apr_pool_t *result)
{
    apr_array_header_t *encoded =
        apr_array_make(result, fspaths->nelts, sizeof(const char *));
    int i;

    for (i = 0; i < fspaths->nelts; i++)
        APR_ARRAY_PUSH(encoded, const char *) =
            repo_uri_encode(APR_ARRAY_IDX(fspaths, i, const char *), result);
    return apr_pstrcat(result, "(", apr_array_pstrcat(result, encoded, ' '),
                       ")", NULL);
}

void repo_fields_open(repo_output_t *out, const char *root)
{
    repo_output_printf(out,
                       REPO_XML_HEADER "<S:%s xmlns:S=\"" REPO_NS_SVN
                                       "\" xmlns:D=\"" REPO_NS_DAV "\">\n",
                       root);
}
