/* SPDX-License-Identifier: Apache-2.0 */
/*
 * db/fsfs.conf (formats 4-8): "[section]", "name = value", lines that begin
 * with '#' are comments, lines that begin with white space continue the value.
 * Names compare without case; unknown ones are ignored.
 * Source: docs/format/format-file.md, "fsfs.conf".
 */

#ifndef LIBFS_FORMAT_CONF_FILE_H
#define LIBFS_FORMAT_CONF_FILE_H

#include <apr_pools.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

typedef enum fs_conf_compression_t {
    FS_CONF_COMPRESS_NONE, /* svndiff 0 */
    FS_CONF_COMPRESS_ZLIB, /* svndiff 1 */
    FS_CONF_COMPRESS_LZ4   /* svndiff 2 */
} fs_conf_compression_t;

/** What is in force for a filesystem; sizes in bytes where not said. */
typedef struct fs_conf_t {
    bool enable_rep_sharing;
    bool enable_dir_deltification;
    bool enable_props_deltification;
    apr_uint64_t max_deltification_walk;
    apr_uint64_t max_linear_deltification;
    fs_conf_compression_t compression;
    int compression_level;          /* zlib level 0 to 9 (ZLIB only) */
    apr_uint64_t revprop_pack_size; /* bytes */
    bool compress_packed_revprops;
    apr_uint64_t block_size;    /* bytes, power of two */
    apr_uint64_t l2p_page_size; /* entries, power of two */
    apr_uint64_t p2l_page_size; /* bytes, power of two */
    bool verify_before_commit;
    bool pack_after_commit;
} fs_conf_t;

/** Values as they are collected, before they are checked together. */
typedef struct fs_conf_values_t fs_conf_values_t;

/** Begin with nothing set; lives in `result`. */
fs_conf_values_t *fs_conf_file_values(apr_pool_t *result);

/**
 * Take the values of a file.
 * Errors: FS_ERR_BAD_CONFIG, a line is malformed (the message has its number).
 */
fs_error_t *fs_conf_file_parse(fs_conf_values_t *values, const char *data,
                               apr_size_t len) FS_MUST_CHECK;

/** Whether `name` is an option of fsfs.conf. */
bool fs_conf_file_knows(const char *name);

/**
 * Set one option from elsewhere; what was set before is replaced. Unknown
 * names are ignored.
 */
void fs_conf_file_set(fs_conf_values_t *values, const char *name,
                      const char *value);

/**
 * Check all values and fill `*out` with what holds for `format` (1 to 8);
 * options that the format does not have are ignored, absent ones have their
 * defaults.
 * Errors: FS_ERR_BAD_CONFIG, names the option, the value and what is allowed.
 */
fs_error_t *fs_conf_file_resolve(fs_conf_t *out, const fs_conf_values_t *values,
                                 int format) FS_MUST_CHECK;

#endif
