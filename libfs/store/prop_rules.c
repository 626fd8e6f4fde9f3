/* SPDX-License-Identifier: Apache-2.0 */
/* Which properties may be set, and to what. */

#include "libfs/store/prop_rules.h"

#include <string.h>

#include "libfs/fs_path.h"
#include "libfs/fs_time.h"

static bool begins(const char *name, const char *prefix)
{
    return !strncmp(name, prefix, strlen(prefix));
}

/* The search ends at a NUL, as it does in the stock tools. */
static bool has_cr(const fs_bytes_t *value)
{
    const char *nul = memchr(value->data, '\0', value->len);
    apr_size_t len = nul ? (apr_size_t)(nul - value->data) : value->len;

    return memchr(value->data, '\r', len) != NULL;
}

static fs_error_t *bad_value(fs_error_t *cause, const char *name)
{
    return cause ? FS_WRAP_AS(cause, FS_ERR_BAD_PROPERTY_VALUE,
                              "property '%s' cannot have this value", name)
                 : NULL;
}

static fs_error_t *check_date(const fs_bytes_t *value)
{
    apr_time_t when;

    return fs_time_parse(&when, value->data, value->len);
}

fs_error_t *fs_prop_rules_check(const char *name, const fs_bytes_t *value)
{
    if (!value || !begins(name, "svn:"))
        return NULL;
    if (begins(name, "svn:wc:") || begins(name, "svn:entry:"))
        return FS_ERROR(FS_ERR_BAD_ARGS,
                        "property '%s' is one that clients keep for "
                        "themselves, it cannot be stored",
                        name);
    if (!fs_utf8_is_valid(value->data, value->len))
        return FS_ERROR(FS_ERR_BAD_PROPERTY_VALUE,
                        "property '%s' must have a value in UTF-8", name);
    if (value->len && has_cr(value))
        return bad_value(FS_ERROR(FS_ERR_BAD_LINE_ENDING,
                                  "lines must end with LF, a CR was found"),
                         name);
    if (!strcmp(name, "svn:date"))
        return bad_value(check_date(value), name);
    return NULL;
}
