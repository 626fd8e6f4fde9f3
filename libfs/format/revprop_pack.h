/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed revision properties (formats 6-8). A shard's folder has a `manifest`,
 * one line a revision with the name of the pack file that has it,
 *
 *     <first revision of the file> "." <tag> "\n"
 *
 * (shard 0 has no line for revision 0), and those pack files:
 *
 *     N                       big-endian base 128
 *     N bytes, or a zlib stream that gives N bytes
 *
 * whose N bytes are
 *
 *     <first revision> "\n" <count> "\n"
 *     <size> "\n"             for each revision: bytes of its hash dump
 *     "\n"
 *     <hash dump>             for each revision
 *
 * Source: docs/format/packing.md, "Revision properties".
 */

#ifndef LIBFS_FORMAT_REVPROP_PACK_H
#define LIBFS_FORMAT_REVPROP_PACK_H

#include <apr_pools.h>

#include "libfs/base/buffer.h"
#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Name of a pack file. */
typedef struct fs_revprop_pack_name_t {
    fs_rev_t first_rev;
    apr_uint64_t tag;
} fs_revprop_pack_name_t;

/** Room for a formatted name, final NUL included. */
#define FS_REVPROP_PACK_NAME_SIZE 48

/** Most bytes that a pack file may expand to. */
#define FS_REVPROP_PACK_MAX ((apr_size_t)1 << 30)

/** Revisions [first_rev, first_rev + count) that a shard's manifest lists. */
typedef struct fs_revprop_shard_t {
    fs_rev_t first_rev; /* 1 in shard 0 */
    apr_uint64_t count;
} fs_revprop_shard_t;

/** What shard number `shard` with `shard_size` revisions lists. */
fs_revprop_shard_t fs_revprop_pack_shard(apr_uint64_t shard,
                                         apr_uint64_t shard_size);

/** Write `name` with a final NUL; returns the length without it. */
apr_size_t fs_revprop_pack_name(char buf[FS_REVPROP_PACK_NAME_SIZE],
                                const fs_revprop_pack_name_t *name);

/**
 * Which pack file holds revision `rev`, from the bytes of the manifest.
 * `*first` and `*last` are the revisions around `rev` whose lines say the same;
 * both pointers may be NULL.
 * Errors: FS_ERR_CORRUPT; also if `rev` is not one that the shard lists.
 * Cost:   a pass over the lines up to it.
 */
fs_error_t *fs_revprop_pack_manifest_find(fs_revprop_pack_name_t *out,
                                          fs_rev_t *first, fs_rev_t *last,
                                          const char *data, apr_size_t len,
                                          const fs_revprop_shard_t *shard,
                                          fs_rev_t rev) FS_MUST_CHECK;

/**
 * Parse all of the manifest into `names`, which has room for `shard->count`.
 * Errors: FS_ERR_CORRUPT; also for more or fewer lines.
 */
fs_error_t *fs_revprop_pack_manifest_parse(
    fs_revprop_pack_name_t *names, const char *data, apr_size_t len,
    const fs_revprop_shard_t *shard) FS_MUST_CHECK;

/** Append one line of a manifest. */
void fs_revprop_pack_manifest_format(fs_buffer_t *out,
                                     const fs_revprop_pack_name_t *name);

/** An expanded pack file. */
typedef struct fs_revprop_pack_t {
    fs_rev_t first_rev;
    apr_uint64_t count;  /* >= 1 */
    fs_bytes_t *entries; /* hash dump of each revision, in the expanded bytes */
} fs_revprop_pack_t;

/**
 * Expand and parse a pack file of `len` bytes.
 * @param result  gets the array and, if the file is compressed, the expanded
 *                bytes; else entries point into `data`, which must stay
 * Errors: FS_ERR_CORRUPT; also for revisions outside of `shard`.
 */
fs_error_t *fs_revprop_pack_parse(fs_revprop_pack_t *out, const char *data,
                                  apr_size_t len,
                                  const fs_revprop_shard_t *shard,
                                  apr_pool_t *result) FS_MUST_CHECK;

/**
 * The hash dump of revision `rev`.
 * Errors: FS_ERR_CORRUPT, the pack does not have it.
 */
fs_error_t *fs_revprop_pack_get(fs_bytes_t *out, const fs_revprop_pack_t *pack,
                                fs_rev_t rev) FS_MUST_CHECK;

/**
 * Append a pack file with `pack`.
 * @param level  zlib level 1 to 9, or 0: verbatim
 * Errors: FS_ERR_GENERAL, zlib fails.
 */
fs_error_t *fs_revprop_pack_format(fs_buffer_t *out,
                                   const fs_revprop_pack_t *pack, int level,
                                   apr_pool_t *scratch) FS_MUST_CHECK;

#endif
