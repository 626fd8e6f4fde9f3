/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths inside a repository. An "fspath" begins with '/', has no empty, "."
 * or ".." segment and no trailing '/' (but the root, "/"); a "relpath" is the
 * same without the leading '/', the root being "". Bytes are compared as they
 * are: there is no Unicode normalisation.
 */

#ifndef LIBFS_FS_PATH_H
#define LIBFS_FS_PATH_H

#include <apr_tables.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Whether `path` is a canonical fspath. Any string may be asked about. */
bool fs_path_is_canonical(const char *path);

/** Whether `path` is a canonical relpath. */
bool fs_path_is_relpath(const char *path);

/**
 * `path` made a canonical fspath: a leading '/' is added, repeated and
 * trailing '/' are dropped, "." segments too; ".." segments are kept (they are
 * refused by fs_path_check()). May return `path` itself.
 */
const char *fs_path_canonical(const char *path, apr_pool_t *result);

/**
 * May a node be created at the fspath `path`?
 * Errors: FS_ERR_PATH_SYNTAX: not UTF-8 (overlong forms, surrogates and
 * values above U+10FFFF included), a "." or ".." segment, a control byte
 * (0x00-0x1F, 0x7F).
 */
fs_error_t *fs_path_check(const char *path) FS_MUST_CHECK;

/** `base` with `relpath` appended; either may be empty or the root. */
const char *fs_path_join(const char *base, const char *relpath,
                         apr_pool_t *result);

/** The parent of an fspath ("/" of "/"). */
const char *fs_path_parent(const char *path, apr_pool_t *result);

/** The last segment, a pointer into `path` ("" for the root). */
const char *fs_path_name(const char *path);

/**
 * What follows `parent` in `path` (both fspaths, or both relpaths), as a
 * relpath that points into `path`; "" if they are equal, NULL if `path` is
 * neither `parent` nor below it.
 */
const char *fs_path_below(const char *parent, const char *path);

/** Whether `path` is `parent` or below it. */
bool fs_path_is_within(const char *parent, const char *path);

/**
 * Order of paths: segment by segment, '/' before every other byte, so that a
 * parent comes right before its children. As strcmp().
 */
int fs_path_compare(const char *a, const char *b);

/** The segments of a path as an array of `const char *`; empty for the root. */
apr_array_header_t *fs_path_segments(const char *path, apr_pool_t *result);

/** Whether `len` bytes at `data` are valid UTF-8 (as in fs_path_check()). */
bool fs_utf8_is_valid(const char *data, apr_size_t len);

#endif
