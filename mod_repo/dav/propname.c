/* SPDX-License-Identifier: Apache-2.0 */
/* Names of WebDAV properties as names of properties in the repository. */

#include "mod_repo/dav/propname.h"

#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "mod_repo/http/xml.h"
#include "mod_repo/http/xml_fragment.h"

#define FOREIGN "webdav:"

static bool is_plain(char c)
{
    return (unsigned char)c < 0x80 && (apr_isalnum(c) || c == '.' || c == '-');
}

/* Write the escaped form of `text`; returns its end. */
static char *escape(char *to, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";

    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;

        if (is_plain(*text)) {
            *to++ = *text;
            continue;
        }
        *to++ = '_';
        *to++ = digits[byte >> 4];
        *to++ = digits[byte & 15];
    }
    return to;
}

/* May it stand in an attribute as it is? */
static bool is_namespace(const char *ns)
{
    const unsigned char *p = (const unsigned char *)ns;

    if (!fs_utf8_is_valid(ns, strlen(ns)))
        return false;
    for (; *p; p++)
        if (*p < ' ' || *p == 0x7f || strchr("<>&\"", *p))
            return false;
    return true;
}

const char *repo_propname_encode(const char *ns, const char *name,
                                 apr_pool_t *result)
{
    char *own, *end;

    if (!*name)
        return NULL;
    if (strcmp(ns, REPO_NS_PROP_SVN) == 0)
        return apr_pstrcat(result, "svn:", name, NULL);
    if (strcmp(ns, REPO_NS_PROP_CUSTOM) == 0)
        return apr_pstrdup(result, name);
    if (!is_namespace(ns))
        return NULL;
    own = apr_palloc(result,
                     sizeof(FOREIGN) + 3 * (strlen(ns) + strlen(name)) + 1);
    memcpy(own, FOREIGN, sizeof(FOREIGN) - 1);
    end = escape(own + sizeof(FOREIGN) - 1, ns);
    *end++ = ':';
    *escape(end, name) = '\0';
    return own;
}

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The text that `len` bytes of an escaped form stand for, NULL if they are
 * none. */
static const char *unescape(const char *form, apr_size_t len,
                            apr_pool_t *result)
{
    char *text = apr_palloc(result, len + 1), *to = text;
    const char *end = form + len;

    for (; form < end; form++) {
        if (is_plain(*form)) {
            *to++ = *form;
            continue;
        }
        if (*form != '_' || end - form < 3 || digit_value(form[1]) < 0 ||
            digit_value(form[2]) < 0)
            return NULL;
        *to = (char)(digit_value(form[1]) * 16 + digit_value(form[2]));
        if (*to == '\0' || is_plain(*to))
            return NULL; /* it is not written so */
        to++;
        form += 2;
    }
    *to = '\0';
    return text;
}

/* Is it the name of an element, without a prefix? */
static bool is_tag(const char *name, apr_pool_t *scratch)
{
    const char *element;

    if (strpbrk(name, ":<>&/=\"' \t\r\n") || !*name)
        return false;
    element = apr_pstrcat(scratch, "<", name, "/>", NULL);
    return repo_xml_is_fragment(element, strlen(element), scratch);
}

bool repo_propname_decode(const char **ns, const char **name, const char *own,
                          apr_pool_t *result)
{
    const char *colon;

    if (strncmp(own, FOREIGN, sizeof(FOREIGN) - 1) != 0)
        return false;
    own += sizeof(FOREIGN) - 1;
    colon = strchr(own, ':');
    if (!colon)
        return false;
    *ns = unescape(own, (apr_size_t)(colon - own), result);
    *name = unescape(colon + 1, strlen(colon + 1), result);
    return *ns && *name && is_namespace(*ns) && is_tag(*name, result) &&
           strcmp(*ns, REPO_NS_PROP_SVN) != 0 &&
           strcmp(*ns, REPO_NS_PROP_CUSTOM) != 0;
}

/* ---- the language of a value ---- */

#define LANG_BEFORE "<?lang "
#define LANG_AFTER "?>"

/* Number of characters of a tag of a language ("en-GB") at `text`. */
static apr_size_t lang_length(const char *text, apr_size_t len)
{
    apr_size_t i = 0;

    while (i < len && (unsigned char)text[i] < 0x80 &&
           (apr_isalnum(text[i]) || text[i] == '-'))
        i++;
    return i;
}

const char *repo_propname_value(const char *inner, const char *lang,
                                apr_pool_t *result)
{
    if (!lang || !*lang || lang_length(lang, strlen(lang)) != strlen(lang))
        return inner;
    return apr_pstrcat(result, LANG_BEFORE, lang, LANG_AFTER, inner, NULL);
}

const char *repo_propname_lang(apr_size_t *skip, const fs_bytes_t *value,
                               apr_pool_t *result)
{
    const apr_size_t before = sizeof(LANG_BEFORE) - 1;
    const apr_size_t after = sizeof(LANG_AFTER) - 1;
    apr_size_t len;

    *skip = 0;
    if (value->len < before || memcmp(value->data, LANG_BEFORE, before) != 0)
        return NULL;
    len = lang_length(value->data + before, value->len - before);
    if (len == 0 || value->len < before + len + after ||
        memcmp(value->data + before + len, LANG_AFTER, after) != 0)
        return NULL;
    *skip = before + len + after;
    return apr_pstrmemdup(result, value->data + before, len);
}
