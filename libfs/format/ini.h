/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of "[section]" and "name = value" lines (':' does for '='). Lines that
 * begin with '#' are comments; lines that begin with white space continue the
 * value before, a blank stands for the line break; an empty line ends it. A
 * byte order mark is passed over. What follows a section's ']' is ignored.
 * Source: observed behaviour of the stock tools.
 */

#ifndef LIBFS_FORMAT_INI_H
#define LIBFS_FORMAT_INI_H

#include <apr_pools.h>

#include "libfs/fs_error.h"
#include "libfs/fs_types.h"

/** Receives an option with its whole value, in the order of the file; strings
 *  last as long as the pool given to fs_ini_parse(). */
typedef fs_error_t *(*fs_ini_fn)(void *baton, const char *section,
                                 const char *name, const char *value);

/**
 * Tell the options of a file.
 *
 * @param label  of the file in messages: "hooks-env"
 * Errors: FS_ERR_BAD_CONFIG, a line is malformed: the message begins with the
 *         label and the line's number; those of `receive`.
 * Memory: less than twice that of the file.
 */
fs_error_t *fs_ini_parse(const char *label, fs_bytes_t text, fs_ini_fn receive,
                         void *baton, apr_pool_t *result) FS_MUST_CHECK;

#endif
