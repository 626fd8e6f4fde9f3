/* SPDX-License-Identifier: Apache-2.0 */
/* Paths inside a repository, and the check for UTF-8. */

#include "libfs/fs_path.h"

#include <string.h>

#include <apr_strings.h>

/* Whether the segments of `path` are fine; "" has none. */
static bool segments_are_canonical(const char *path)
{
    for (;;) {
        apr_size_t len = strcspn(path, "/");

        if (len == 0 || (len == 1 && path[0] == '.') ||
            (len == 2 && path[0] == '.' && path[1] == '.'))
            return false;
        if (!path[len])
            return true;
        path += len + 1;
    }
}

bool fs_path_is_relpath(const char *path)
{
    return !path[0] || segments_are_canonical(path);
}

bool fs_path_is_canonical(const char *path)
{
    return path[0] == '/' && fs_path_is_relpath(path + 1);
}

/* Whether fs_path_canonical() has nothing to do. */
static bool is_as_wanted(const char *path)
{
    const char *p;

    if (path[0] != '/')
        return false;
    if (!path[1])
        return true;
    for (p = path; *p; p++)
        if (*p == '/' &&
            (p[1] == '/' || !p[1] || (p[1] == '.' && (p[2] == '/' || !p[2]))))
            return false;
    return true;
}

const char *fs_path_canonical(const char *path, apr_pool_t *result)
{
    char *out;
    char *end;

    if (is_as_wanted(path))
        return path;

    out = end = apr_palloc(result, strlen(path) + 2);
    while (*path) {
        apr_size_t len = strcspn(path, "/");

        if (len && !(len == 1 && path[0] == '.')) {
            *end++ = '/';
            memcpy(end, path, len);
            end += len;
        }
        path += len;
        path += strspn(path, "/");
    }
    if (end == out)
        *end++ = '/';
    *end = '\0';
    return out;
}

/* Bytes of the sequence at `p`, 0 if it is not valid UTF-8. */
static apr_size_t sequence_length(const unsigned char *p, apr_size_t left)
{
    unsigned int low = 0x80;
    unsigned int high = 0xbf;
    apr_size_t len;
    apr_size_t i;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] == 0xe0)
        low = 0xa0; /* shorter forms exist */
    else if (p[0] == 0xed)
        high = 0x9f; /* surrogates */
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f; /* above U+10FFFF */

    if (len > left || p[1] < low || p[1] > high)
        return 0;
    for (i = 2; i < len; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

bool fs_utf8_is_valid(const char *data, apr_size_t len)
{
    const unsigned char *p = (const unsigned char *)data;
    const unsigned char *end = p + len;

    while (p < end) {
        apr_uint64_t eight;
        apr_size_t step;

        if (end - p >= 8) {
            memcpy(&eight, p, 8);
            if (!(eight & APR_UINT64_C(0x8080808080808080))) {
                p += 8;
                continue;
            }
        }
        step = sequence_length(p, (apr_size_t)(end - p));
        if (!step)
            return false;
        p += step;
    }
    return true;
}

/* The path with control bytes as \ooo, for messages; cut when too long. */
static const char *printable(char *buf, apr_size_t size, const char *path)
{
    apr_size_t used = 0;

    for (; *path && used + 5 < size; path++) {
        unsigned char c = (unsigned char)*path;

        if (c < 0x20 || c >= 0x7f)
            used +=
                (apr_size_t)apr_snprintf(buf + used, size - used, "\\%03o", c);
        else
            buf[used++] = *path;
    }
    buf[used] = '\0';
    return buf;
}

fs_error_t *fs_path_check(const char *path)
{
    char shown[512];
    const char *p;

    if (!fs_utf8_is_valid(path, strlen(path)))
        return FS_ERROR(FS_ERR_PATH_SYNTAX, "path '%s' is not valid UTF-8",
                        printable(shown, sizeof(shown), path));
    for (p = path; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return FS_ERROR(
                FS_ERR_PATH_SYNTAX, "control character 0x%02x in path '%s'",
                (unsigned int)*p, printable(shown, sizeof(shown), path));
    if (!fs_path_is_canonical(path))
        return FS_ERROR(FS_ERR_PATH_SYNTAX,
                        "path '%s' has an empty, '.' or '..' segment", path);
    return NULL;
}

const char *fs_path_join(const char *base, const char *relpath,
                         apr_pool_t *result)
{
    apr_size_t base_len = strlen(base);
    apr_size_t len = strlen(relpath);
    bool slash = base_len && base[base_len - 1] != '/';
    char *out;

    if (!len)
        return apr_pstrmemdup(result, base, base_len);
    if (!base_len)
        return apr_pstrmemdup(result, relpath, len);

    out = apr_palloc(result, base_len + len + 2);
    memcpy(out, base, base_len);
    if (slash)
        out[base_len++] = '/';
    memcpy(out + base_len, relpath, len + 1);
    return out;
}

const char *fs_path_parent(const char *path, apr_pool_t *result)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return "";
    if (slash == path)
        return "/";
    return apr_pstrmemdup(result, path, (apr_size_t)(slash - path));
}

const char *fs_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *fs_path_below(const char *parent, const char *path)
{
    apr_size_t len = strlen(parent);

    if (strncmp(parent, path, len) != 0)
        return NULL;
    if (!path[len])
        return path + len;
    if (len == 0 || (len == 1 && parent[0] == '/'))
        return path + len;
    return path[len] == '/' ? path + len + 1 : NULL;
}

bool fs_path_is_within(const char *parent, const char *path)
{
    return fs_path_below(parent, path) != NULL;
}

/* The end sorts before '/', and that before every other byte. */
static int rank(unsigned char c)
{
    return c == '\0' ? 0 : c == '/' ? 1 : c + 1;
}

int fs_path_compare(const char *a, const char *b)
{
    const unsigned char *p = (const unsigned char *)a;
    const unsigned char *q = (const unsigned char *)b;

    while (*p && *p == *q) {
        p++;
        q++;
    }
    return rank(*p) - rank(*q);
}

apr_array_header_t *fs_path_segments(const char *path, apr_pool_t *result)
{
    apr_array_header_t *out = apr_array_make(result, 8, sizeof(char *));

    path += strspn(path, "/");
    while (*path) {
        apr_size_t len = strcspn(path, "/");

        APR_ARRAY_PUSH(out, const char *) = apr_pstrmemdup(result, path, len);
        path += len;
        path += strspn(path, "/");
    }
    return out;
}
