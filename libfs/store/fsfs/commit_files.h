/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a new revision, brought into their places so that a loss of
 * power leaves all of it or nothing. Left-overs of dead committers are
 * replaced.
 *
 * Source: docs/format/durability.md.
 */

#ifndef LIBFS_STORE_FSFS_COMMIT_FILES_H
#define LIBFS_STORE_FSFS_COMMIT_FILES_H

#include "libfs/format/format_file.h"
#include "libfs/store/fsfs/handle.h"

/** A revision that is complete but for its place. */
typedef struct fs_commit_files_t {
    fs_fsfs_t *fsfs;
    fs_rev_t rev;
    int fd;                     /* the revision file, open for writing */
    const char *path;           /* its name until now, relative to db/ */
    fs_bytes_t revprops;        /* hash dump */
    fs_format_current_t before; /* db/current as it is */
    fs_format_current_t after;  /* as it is with the revision */
    bool failed;                /* the disk failed: `fd` is not to be used */
} fs_commit_files_t;

/**
 * Publish it; the write lock is held. After an error the revision is not to be
 * seen, and its file, unless `failed` is set, is at `path` again.
 *
 * Errors: FS_ERR_IO.
 * Cost:   with `nosync` no sync; else five in three rounds, one more where
 *         folders cannot be flushed together or a shard begins.
 */
fs_error_t *fs_commit_files_publish(fs_commit_files_t *files,
                                    apr_pool_t *scratch) FS_MUST_CHECK;

#endif
