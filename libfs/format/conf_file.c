/* SPDX-License-Identifier: Apache-2.0 */
/* fsfs.conf: its syntax, its options, and what holds for a format. */

#include "libfs/format/conf_file.h"

#include <string.h>
#include <strings.h>

#include <apr_strings.h>

#include "libfs/format/ini.h"

#define KIB 1024
#define DEFAULT_LEVEL 5

/* Options by number, as in the table below. */
typedef enum option_t {
    OPT_REP_SHARING,
    OPT_DELTA_DIRS,
    OPT_DELTA_PROPS,
    OPT_WALK,
    OPT_LINEAR,
    OPT_COMPRESSION,
    OPT_LEVEL,
    OPT_PACK_SIZE,
    OPT_PACK_COMPRESS,
    OPT_BLOCK_SIZE,
    OPT_L2P_PAGE,
    OPT_P2L_PAGE,
    OPT_VERIFY,
    OPT_PACK_AFTER,
    OPTION_COUNT
} option_t;

static const struct {
    const char *section;
    const char *name;
    int format; /* lowest that has it */
} options[OPTION_COUNT] = {
    [OPT_REP_SHARING] = { "rep-sharing", "enable-rep-sharing", 4 },
    [OPT_DELTA_DIRS] = { "deltification", "enable-dir-deltification", 4 },
    [OPT_DELTA_PROPS] = { "deltification", "enable-props-deltification", 4 },
    [OPT_WALK] = { "deltification", "max-deltification-walk", 4 },
    [OPT_LINEAR] = { "deltification", "max-linear-deltification", 4 },
    [OPT_COMPRESSION] = { "deltification", "compression", 4 },
    [OPT_LEVEL] = { "deltification", "compression-level", 4 },
    [OPT_PACK_SIZE] = { "packed-revprops", "revprop-pack-size", 6 },
    [OPT_PACK_COMPRESS] = { "packed-revprops", "compress-packed-revprops", 6 },
    [OPT_BLOCK_SIZE] = { "io", "block-size", 7 },
    [OPT_L2P_PAGE] = { "io", "l2p-page-size", 7 },
    [OPT_P2L_PAGE] = { "io", "p2l-page-size", 7 },
    [OPT_VERIFY] = { "debug", "verify-before-commit", 1 },
    [OPT_PACK_AFTER] = { "debug", "pack-after-commit", 4 },
};

struct fs_conf_values_t {
    apr_pool_t *pool;
    const char *value[OPTION_COUNT]; /* NULL: not set */
};

fs_conf_values_t *fs_conf_file_values(apr_pool_t *result)
{
    fs_conf_values_t *values = apr_pcalloc(result, sizeof(*values));

    values->pool = result;
    return values;
}

/* --- syntax --------------------------------------------------------------- */

static fs_error_t *take_option(void *baton, const char *section,
                               const char *name, const char *value)
{
    fs_conf_values_t *values = baton;
    int i;

    for (i = 0; i < OPTION_COUNT; i++)
        if (strcasecmp(section, options[i].section) == 0 &&
            strcasecmp(name, options[i].name) == 0)
            values->value[i] = value;
    return NULL;
}

fs_error_t *fs_conf_file_parse(fs_conf_values_t *values, const char *data,
                               apr_size_t len)
{
    fs_bytes_t text = { data, len };

    return fs_ini_parse("fsfs.conf", text, take_option, values, values->pool);
}

static int find_name(const char *name)
{
    int i;

    for (i = 0; i < OPTION_COUNT; i++)
        if (strcasecmp(options[i].name, name) == 0)
            return i;
    return -1;
}

bool fs_conf_file_knows(const char *name)
{
    return find_name(name) >= 0;
}

void fs_conf_file_set(fs_conf_values_t *values, const char *name,
                      const char *value)
{
    int option = find_name(name);

    /* The two ways to tell the compression replace each other. */
    if (option == OPT_COMPRESSION)
        values->value[OPT_LEVEL] = NULL;
    if (option == OPT_LEVEL)
        values->value[OPT_COMPRESSION] = NULL;
    if (option >= 0)
        values->value[option] = apr_pstrdup(values->pool, value);
}

/* --- meaning -------------------------------------------------------------- */

/* The value if it is set and `format` has the option, else NULL. */
static const char *value_of(const fs_conf_values_t *values, int format,
                            option_t option)
{
    return format >= options[option].format ? values->value[option] : NULL;
}

static fs_error_t *bad_value(option_t option, const char *value,
                             const char *allowed)
{
    return FS_ERROR(FS_ERR_BAD_CONFIG, "'%s' is '%.80s', %s is expected",
                    options[option].name, value, allowed);
}

static fs_error_t *get_flag(bool *out, const fs_conf_values_t *values,
                            int format, option_t option, bool otherwise)
{
    static const char *const words[] = { "false", "true", "no", "yes",
                                         "off",   "on",   "0",  "1" };
    const char *value = value_of(values, format, option);
    unsigned int i;

    *out = otherwise;
    if (!value)
        return NULL;
    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(value, words[i]) == 0) {
            *out = i % 2;
            return NULL;
        }
    return bad_value(option, value, "true or false");
}

/* A whole number; stock programs take any, so it is brought into range. */
static fs_error_t *get_number(apr_uint64_t *out, const fs_conf_values_t *values,
                              int format, option_t option,
                              apr_uint64_t otherwise)
{
    const char *value = value_of(values, format, option);
    apr_int64_t number;
    char *end;

    *out = otherwise;
    if (!value)
        return NULL;
    number = apr_strtoi64(value, &end, 10);
    if (end == value || *end)
        return bad_value(option, value, "a number");
    if (number < 0)
        number = 0;
    *out = number > APR_INT32_MAX ? APR_INT32_MAX : (apr_uint64_t)number;
    return NULL;
}

static fs_error_t *get_power(apr_uint64_t *out, const fs_conf_values_t *values,
                             int format, option_t option,
                             apr_uint64_t otherwise)
{
    FS_TRY(get_number(out, values, format, option, otherwise));
    if (!*out || (*out & (*out - 1)))
        return bad_value(option, values->value[option], "a power of two");
    return NULL;
}

static fs_error_t *compression_from_name(fs_conf_t *out, const char *value,
                                         int format)
{
    if (strcasecmp(value, "none") == 0) {
        out->compression = FS_CONF_COMPRESS_NONE;
    } else if (strcasecmp(value, "lz4") == 0 && format >= 8) {
        out->compression = FS_CONF_COMPRESS_LZ4;
    } else if (strcasecmp(value, "zlib") == 0) {
        out->compression = FS_CONF_COMPRESS_ZLIB;
    } else if (strncasecmp(value, "zlib-", 5) == 0 && value[5] >= '1' &&
               value[5] <= '9' && !value[6]) {
        out->compression = FS_CONF_COMPRESS_ZLIB;
        out->compression_level = value[5] - '0';
    } else {
        return bad_value(OPT_COMPRESSION, value,
                         format >= 8 ? "none, lz4, zlib or zlib-1 to zlib-9"
                                     : "none, zlib or zlib-1 to zlib-9 "
                                       "(lz4 needs format 8)");
    }
    return NULL;
}

/* The obsolete way to tell it: a number, brought into range. */
static fs_error_t *compression_from_level(fs_conf_t *out, const char *value)
{
    char *end;
    apr_int64_t level = apr_strtoi64(value, &end, 10);

    if (end == value || *end)
        return bad_value(OPT_LEVEL, value, "a number from 0 to 9");
    out->compression = FS_CONF_COMPRESS_ZLIB;
    out->compression_level = level < 0 ? 0 : level > 9 ? 9 : (int)level;
    return NULL;
}

static fs_error_t *get_compression(fs_conf_t *out,
                                   const fs_conf_values_t *values, int format)
{
    const char *name = value_of(values, format, OPT_COMPRESSION);
    const char *level = value_of(values, format, OPT_LEVEL);

    out->compression_level = DEFAULT_LEVEL;
    if (name && level)
        return FS_ERROR(FS_ERR_BAD_CONFIG, "'compression' and "
                                           "'compression-level' are both set");
    if (name)
        return compression_from_name(out, name, format);
    if (level)
        return compression_from_level(out, level);
    out->compression = format >= 8   ? FS_CONF_COMPRESS_LZ4
                       : format >= 2 ? FS_CONF_COMPRESS_ZLIB
                                     : FS_CONF_COMPRESS_NONE;
    return NULL;
}

static fs_error_t *get_deltification(fs_conf_t *out, const fs_conf_values_t *v,
                                     int format)
{
    FS_TRY(get_flag(&out->enable_rep_sharing, v, format, OPT_REP_SHARING,
                    format >= 4));
    FS_TRY(get_flag(&out->enable_dir_deltification, v, format, OPT_DELTA_DIRS,
                    format >= 4));
    FS_TRY(get_flag(&out->enable_props_deltification, v, format,
                    OPT_DELTA_PROPS, format >= 4));
    FS_TRY(get_number(&out->max_deltification_walk, v, format, OPT_WALK, 1023));
    return get_number(&out->max_linear_deltification, v, format, OPT_LINEAR,
                      16);
}

static fs_error_t *get_sizes(fs_conf_t *out, const fs_conf_values_t *v,
                             int format)
{
    FS_TRY(get_flag(&out->compress_packed_revprops, v, format,
                    OPT_PACK_COMPRESS, false));
    FS_TRY(get_number(&out->revprop_pack_size, v, format, OPT_PACK_SIZE,
                      out->compress_packed_revprops ? 64 : 16));
    FS_TRY(get_power(&out->block_size, v, format, OPT_BLOCK_SIZE, 64));
    FS_TRY(get_power(&out->l2p_page_size, v, format, OPT_L2P_PAGE, 8192));
    FS_TRY(get_power(&out->p2l_page_size, v, format, OPT_P2L_PAGE, 1024));
    out->revprop_pack_size *= KIB;
    out->block_size *= KIB;
    out->p2l_page_size *= KIB;
    return NULL;
}

fs_error_t *fs_conf_file_resolve(fs_conf_t *out, const fs_conf_values_t *values,
                                 int format)
{
    FS_TRY(get_deltification(out, values, format));
    FS_TRY(get_compression(out, values, format));
    FS_TRY(get_sizes(out, values, format));
    FS_TRY(get_flag(&out->verify_before_commit, values, format, OPT_VERIFY,
                    false));
    return get_flag(&out->pack_after_commit, values, format, OPT_PACK_AFTER,
                    false);
}
