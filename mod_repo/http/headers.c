/* SPDX-License-Identifier: Apache-2.0 */
/* Request headers that steer an answer. */

#include "mod_repo/http/headers.h"

#include <stdlib.h>
#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include <http_core.h>
#include <http_request.h>

bool repo_headers_is_svn(const request_rec *r)
{
    const char *agent = apr_table_get(r->headers_in, "User-Agent");

    return agent && strncmp(agent, "SVN/", 4) == 0;
}

/* Thousandths of a q value; 1000 where none is given. */
static int quality(const char *parameters, apr_size_t len)
{
    const char *end = parameters + len, *p = parameters;
    int value = 0, scale = 1000;

    while (p < end && *p != 'q' && *p != 'Q')
        p++;
    if (p == end)
        return 1000;
    for (p++; p < end && (*p == '=' || *p == ' '); p++)
        ;
    if (p == end || !apr_isdigit(*p))
        return 1000;
    value = (*p - '0') * 1000;
    for (p++; p < end && (*p == '.' || apr_isdigit(*p)) && scale > 1; p++)
        if (*p != '.') {
            scale /= 10;
            value += (*p - '0') * scale;
        }
    return value;
}

/* Version of a token "svndiff1", -1 if it is none with a number. */
static int numbered_version(const char *token, apr_size_t len)
{
    if (len != 8 || strncasecmp(token, "svndiff", 7) != 0)
        return -1;
    return token[7] == '1' ? 1 : token[7] == '2' ? 2 : -1;
}

int repo_headers_svndiff_version(const char *accept, int level)
{
    int best = 0, best_quality = -1;

    if (!accept || level == 0)
        return 0;
    while (*accept) {
        apr_size_t len, token;
        int version;

        accept += strspn(accept, " \t,");
        len = strcspn(accept, ",");
        token = strcspn(accept, " \t;,");
        version = numbered_version(accept, token);
        if (version == 2 && level == 1)
            return 2;
        if (version > 0) {
            int q = quality(accept + token, len - token);

            if (q > best_quality) {
                best = version;
                best_quality = q;
            }
        }
        accept += len;
    }
    return best;
}

bool repo_headers_has_capability(const request_rec *r, const char *word)
{
    static const char prefix[] = "http://subversion.tigris.org/xmlns/dav/svn/";
    const char *list = apr_table_get(r->headers_in, "DAV");
    apr_size_t len = strlen(word);

    while (list && (list = strstr(list, prefix)) != NULL) {
        list += sizeof(prefix) - 1;
        if (strncmp(list, word, len) == 0 &&
            (list[len] == '\0' || list[len] == ',' || list[len] == ' '))
            return true;
    }
    return false;
}

bool repo_headers_has_option(const request_rec *r, const char *word)
{
    const char *list = apr_table_get(r->headers_in, "X-SVN-Options");
    apr_size_t len = strlen(word);

    while (list && *list) {
        apr_size_t part;

        list += strspn(list, " \t,");
        part = strcspn(list, " \t,");
        if (part == len && strncmp(list, word, len) == 0)
            return true;
        list += part;
    }
    return false;
}

const char *repo_headers_query(const request_rec *r, const char *name,
                               apr_pool_t *result)
{
    const char *args = r->args;
    apr_size_t len = strlen(name);
    char *value = NULL;

    while (args && *args) {
        apr_size_t part = strcspn(args, "&");

        if (part > len && strncasecmp(args, name, len) == 0 && args[len] == '=')
            value = apr_pstrmemdup(result, args + len + 1, part - len - 1);
        args += part;
        args += strspn(args, "&");
    }
    if (value && ap_unescape_urlencoded(value) != OK)
        return "";
    return value;
}

const char *repo_headers_guess_type(request_rec *r, const char *path,
                                    apr_pool_t *result)
{
    request_rec *probe = apr_pmemdup(result, r, sizeof(*r));
    const core_dir_config *core = ap_get_core_module_config(r->per_dir_config);

    /* "ForceType none" takes an outer one back. */
    if (core->mime_type && strcmp(core->mime_type, "none") != 0)
        return core->mime_type;
    /* A request that only the type checkers will ever see. */
    probe->pool = result;
    probe->main = r;
    probe->uri = apr_pstrdup(result, path);
    probe->filename = probe->uri;
    probe->canonical_filename = probe->uri;
    probe->path_info = NULL;
    probe->content_type = NULL;
    probe->content_encoding = NULL;
    probe->content_languages = NULL;
    probe->handler = NULL;
    probe->finfo.filetype = APR_REG;
    probe->headers_out = apr_table_make(result, 2);
    probe->notes = apr_table_make(result, 2);
    (void)ap_run_type_checker(probe);
    return probe->content_type;
}
