/* SPDX-License-Identifier: Apache-2.0 */
/* Request paths and what they name; all special URLs are in one table. */

#include "mod_repo/uri/uri.h"

#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "libfs/fs_path.h"

/** What follows the word of a special URL. */
typedef enum shape_t {
    SHAPE_PATH,      /* public: the path itself */
    SHAPE_NOTHING,   /* me */
    SHAPE_DEFAULT,   /* vcc: the word "default" */
    SHAPE_REV,       /* rev/N */
    SHAPE_REV_PATH,  /* rvr/N/path */
    SHAPE_NAME,      /* txn/NAME */
    SHAPE_NAME_PATH, /* txr/NAME/path */
    SHAPE_NAME_REV   /* wbl/NAME/N */
} shape_t;

/* In the order of repo_uri_kind_t. */
static const struct {
    const char *word;
    shape_t shape;
} special_uris[REPO_URI_KIND_COUNT] = {
    { "", SHAPE_PATH },          /* REPO_URI_PUBLIC */
    { "me", SHAPE_NOTHING },     /* REPO_URI_ME */
    { "rev", SHAPE_REV },        /* REPO_URI_REV */
    { "rvr", SHAPE_REV_PATH },   /* REPO_URI_RVR */
    { "txn", SHAPE_NAME },       /* REPO_URI_TXN */
    { "txr", SHAPE_NAME_PATH },  /* REPO_URI_TXR */
    { "vtxn", SHAPE_NAME },      /* REPO_URI_VTXN */
    { "vtxr", SHAPE_NAME_PATH }, /* REPO_URI_VTXR */
    { "vcc", SHAPE_DEFAULT },    /* REPO_URI_VCC */
    { "bln", SHAPE_REV },        /* REPO_URI_BLN */
    { "bc", SHAPE_REV_PATH },    /* REPO_URI_BC */
    { "ver", SHAPE_REV_PATH },   /* REPO_URI_VER */
    { "act", SHAPE_NAME },       /* REPO_URI_ACT */
    { "wrk", SHAPE_NAME_PATH },  /* REPO_URI_WRK */
    { "wbl", SHAPE_NAME_REV },   /* REPO_URI_WBL */
};

bool repo_uri_has_path(repo_uri_kind_t kind)
{
    shape_t shape = special_uris[kind].shape;

    return shape == SHAPE_PATH || shape == SHAPE_REV_PATH ||
           shape == SHAPE_NAME_PATH;
}

bool repo_uri_is_tree(repo_uri_kind_t kind)
{
    shape_t shape = special_uris[kind].shape;

    return shape == SHAPE_PATH || shape == SHAPE_REV_PATH;
}

const char *repo_uri_word(repo_uri_kind_t kind)
{
    return special_uris[kind].word;
}

bool repo_uri_parse_rev(fs_rev_t *rev, const char *text)
{
    fs_rev_t value = 0;

    if (!*text || strlen(text) > 18) /* far below the type's limit */
        return false;
    for (; *text; text++) {
        if (!apr_isdigit(*text))
            return false;
        value = value * 10 + (*text - '0');
    }
    *rev = value;
    return true;
}

/* ---- taking apart ---- */

/* `path` without empty and "." segments; may be `path` itself. */
static const char *drop_segments(const char *path, apr_pool_t *result)
{
    const char *in;
    char *copy, *out;

    if (!strstr(path, "//") && !strstr(path, "/."))
        return path;
    copy = out = apr_palloc(result, strlen(path) + 1);
    for (in = path; *in; in++) {
        if (in[0] == '/' && in[1] == '/')
            continue;
        if (in[0] == '/' && in[1] == '.' && (in[2] == '/' || !in[2])) {
            in++;
            if (in[1] == '/')
                continue;
            *out++ = '/';
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
    return copy;
}

bool repo_uri_split(const char **root, const char **name, const char **below,
                    const char *location, const char *path, bool is_parent,
                    apr_pool_t *result)
{
    apr_size_t len = strlen(location);
    const char *rest, *end;

    while (len > 0 && location[len - 1] == '/')
        len--;
    path = drop_segments(path, result);
    if (strncmp(path, location, len) != 0)
        return false;
    rest = path + len;
    if (*rest && *rest != '/')
        return false;

    *name = NULL;
    if (is_parent) {
        const char *segment = *rest ? rest + 1 : rest;

        end = strchr(segment, '/');
        if (!end)
            end = segment + strlen(segment);
        *name = apr_pstrmemdup(result, segment, (apr_size_t)(end - segment));
        if (**name) {
            rest = end;
            len = (apr_size_t)(end - path);
        }
    }
    *root = apr_pstrmemdup(result, path, len);
    *below = rest;
    return true;
}

/* Cut the first segment off `*rest`; "" when there is none. */
static const char *cut_segment(const char **rest, apr_pool_t *result)
{
    const char *start = *rest, *end;

    while (*start == '/')
        start++;
    end = strchr(start, '/');
    if (!end)
        end = start + strlen(start);
    *rest = end;
    return apr_pstrmemdup(result, start, (apr_size_t)(end - start));
}

/* Set the fspath; false if no repository can have it. */
static bool set_path(repo_uri_t *uri, const char *path, apr_pool_t *result)
{
    uri->path = fs_path_canonical(path, result);
    return fs_path_is_canonical(uri->path);
}

static bool is_end(const char *rest)
{
    return strcmp(rest, "") == 0 || strcmp(rest, "/") == 0;
}

static bool parse_shape(repo_uri_t *uri, const char *rest, apr_pool_t *result)
{
    switch (special_uris[uri->kind].shape) {
    case SHAPE_PATH:
        return set_path(uri, rest, result);
    case SHAPE_NOTHING:
        return is_end(rest);
    case SHAPE_DEFAULT:
        return strcmp(cut_segment(&rest, result), "default") == 0 &&
               is_end(rest);
    case SHAPE_REV:
        return repo_uri_parse_rev(&uri->rev, cut_segment(&rest, result)) &&
               is_end(rest);
    case SHAPE_REV_PATH:
        return repo_uri_parse_rev(&uri->rev, cut_segment(&rest, result)) &&
               set_path(uri, rest, result);
    case SHAPE_NAME:
        uri->name = cut_segment(&rest, result);
        return *uri->name && is_end(rest);
    case SHAPE_NAME_PATH:
        uri->name = cut_segment(&rest, result);
        return *uri->name && set_path(uri, rest, result);
    case SHAPE_NAME_REV:
        uri->name = cut_segment(&rest, result);
        return *uri->name &&
               repo_uri_parse_rev(&uri->rev, cut_segment(&rest, result)) &&
               is_end(rest);
    }
    return false;
}

/* What follows the special prefix, or NULL if `below` does not begin so. */
static const char *below_special(const char *below, const char *special)
{
    apr_size_t len = strlen(special);

    while (*below == '/')
        below++;
    if (strncmp(below, special, len) != 0 ||
        (below[len] != '\0' && below[len] != '/'))
        return NULL;
    return below + len;
}

bool repo_uri_parse(repo_uri_t *uri, const char *below, const char *special,
                    apr_pool_t *result)
{
    const char *rest, *word;
    apr_size_t len;
    int kind;

    below = drop_segments(below, result);
    len = strlen(below);
    *uri = (repo_uri_t){ .kind = REPO_URI_PUBLIC, .rev = FS_INVALID_REV };
    uri->slash = len > 0 && below[len - 1] == '/';

    rest = below_special(below, special);
    if (!rest)
        return parse_shape(uri, below, result);

    word = cut_segment(&rest, result);
    for (kind = REPO_URI_PUBLIC + 1; kind < REPO_URI_KIND_COUNT; kind++)
        if (strcmp(special_uris[kind].word, word) == 0) {
            uri->kind = (repo_uri_kind_t)kind;
            return parse_shape(uri, rest, result);
        }
    return false;
}

/* ---- escaping ---- */

/* 1: the byte may stand in a path of a URL as it is. */
static const unsigned char literal_in_path[256] = {
    ['!'] = 1, ['$'] = 1, ['&'] = 1, ['\''] = 1, ['('] = 1, [')'] = 1,
    ['*'] = 1, ['+'] = 1, [','] = 1, ['-'] = 1,  ['.'] = 1, ['/'] = 1,
    [':'] = 1, ['='] = 1, ['@'] = 1, ['_'] = 1,  ['~'] = 1, ['0'] = 1,
    ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1,  ['5'] = 1, ['6'] = 1,
    ['7'] = 1, ['8'] = 1, ['9'] = 1, ['A'] = 1,  ['B'] = 1, ['C'] = 1,
    ['D'] = 1, ['E'] = 1, ['F'] = 1, ['G'] = 1,  ['H'] = 1, ['I'] = 1,
    ['J'] = 1, ['K'] = 1, ['L'] = 1, ['M'] = 1,  ['N'] = 1, ['O'] = 1,
    ['P'] = 1, ['Q'] = 1, ['R'] = 1, ['S'] = 1,  ['T'] = 1, ['U'] = 1,
    ['V'] = 1, ['W'] = 1, ['X'] = 1, ['Y'] = 1,  ['Z'] = 1, ['a'] = 1,
    ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1,  ['f'] = 1, ['g'] = 1,
    ['h'] = 1, ['i'] = 1, ['j'] = 1, ['k'] = 1,  ['l'] = 1, ['m'] = 1,
    ['n'] = 1, ['o'] = 1, ['p'] = 1, ['q'] = 1,  ['r'] = 1, ['s'] = 1,
    ['t'] = 1, ['u'] = 1, ['v'] = 1, ['w'] = 1,  ['x'] = 1, ['y'] = 1,
    ['z'] = 1,
};

const char *repo_uri_encode(const char *path, apr_pool_t *result)
{
    static const char digits[] = "0123456789ABCDEF";
    const unsigned char *in;
    apr_size_t escapes = 0;
    char *encoded, *out;

    for (in = (const unsigned char *)path; *in; in++)
        escapes += !literal_in_path[*in];
    if (escapes == 0)
        return path;

    encoded = out =
        apr_palloc(result, (apr_size_t)(in - (const unsigned char *)path) +
                               2 * escapes + 1);
    for (in = (const unsigned char *)path; *in; in++) {
        if (literal_in_path[*in]) {
            *out++ = (char)*in;
        } else {
            *out++ = '%';
            *out++ = digits[*in >> 4];
            *out++ = digits[*in & 15];
        }
    }
    *out = '\0';
    return encoded;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

/* Where the path of a URL begins: behind scheme and host. */
static const char *path_of_url(const char *url)
{
    const char *p = url;

    while (apr_isalnum(*p) || *p == '+' || *p == '-' || *p == '.')
        p++;
    if (p > url && strncmp(p, "://", 3) == 0)
        return strchr(p + 3, '/');
    return *url == '/' ? url : NULL;
}

const char *repo_uri_decode(const char *url, apr_pool_t *result)
{
    const char *in = path_of_url(url);
    char *decoded, *out;

    if (!in)
        return NULL;
    decoded = out = apr_palloc(result, strlen(in) + 1);
    for (; *in && *in != '?' && *in != '#'; in++) {
        if (*in != '%') {
            *out++ = *in;
        } else {
            int high = hex_digit(in[1]);
            int low = high < 0 ? -1 : hex_digit(in[2]);
            char byte = (char)(high * 16 + low);

            if (low < 0 || byte == '\0' || byte == '/')
                return NULL;
            *out++ = byte;
            in += 2;
        }
    }
    *out = '\0';
    return decoded;
}

const char *repo_uri_fspath(const char *url, const char *root,
                            apr_pool_t *result)
{
    apr_size_t len = strlen(root);
    const char *path = repo_uri_decode(url, result);

    if (!path)
        return NULL;
    path = drop_segments(path, result);
    if (strncmp(path, root, len) != 0 ||
        (path[len] != '\0' && path[len] != '/'))
        return NULL;
    path = fs_path_canonical(path + len, result);
    return fs_path_is_canonical(path) ? path : NULL;
}

/* ---- building ---- */

const char *repo_uri_build(repo_uri_kind_t kind, const char *root,
                           const char *special, fs_rev_t rev, const char *path,
                           apr_pool_t *result)
{
    const char *stub;

    root = repo_uri_encode(root, result);
    if (kind == REPO_URI_PUBLIC)
        return apr_pstrcat(result, root, repo_uri_encode(path, result), NULL);
    stub = apr_pstrcat(result, root, "/", repo_uri_encode(special, result), "/",
                       special_uris[kind].word, NULL);

    switch (special_uris[kind].shape) {
    case SHAPE_DEFAULT:
        return apr_pstrcat(result, stub, "/default", NULL);
    case SHAPE_REV:
        if (!FS_IS_REV(rev))
            return stub;
        return apr_psprintf(result, "%s/%" FS_REV_FMT, stub, rev);
    case SHAPE_REV_PATH:
        if (!FS_IS_REV(rev))
            return stub;
        return apr_psprintf(result, "%s/%" FS_REV_FMT "%s", stub, rev,
                            path ? repo_uri_encode(path, result) : "/");
    case SHAPE_NAME:
        if (!path)
            return stub;
        return apr_pstrcat(result, stub, "/", repo_uri_encode(path, result),
                           NULL);
    default:
        return stub;
    }
}
