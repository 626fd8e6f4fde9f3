/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs as text that can be compared: a line for each entry, indented by its
 * nesting, lines for its properties, and its changed paths sorted.
 */

#ifndef TESTS_SUPPORT_LOG_TEXT_H
#define TESTS_SUPPORT_LOG_TEXT_H

#include "libfs/base/buffer.h"
#include "libfs/fs_history.h"

/**
 * What fs_log() tells, as a client of it would print it: revision 0 without a
 * message is left out, and so is an end of children without an open entry.
 */
fs_error_t *fs_test_log_text(fs_buffer_t *out, fs_repo_t *repo,
                             const fs_log_options_t *options,
                             const fs_reader_t *reader, apr_pool_t *pool);

/**
 * The output of `svn log --xml` in the file `path`, in the same form; ends the
 * program if it does not parse.
 *
 * @param with_paths  false: leave out the changed paths
 */
void fs_test_log_xml_text(fs_buffer_t *out, const char *path, bool with_paths,
                          apr_pool_t *pool);

/** Options for `paths` (one string, split at blanks; empty: none) from `start`
 *  to `end`, with all revision properties and changed paths. */
fs_log_options_t *fs_test_log_options(const char *paths, fs_rev_t start,
                                      fs_rev_t end, apr_pool_t *pool);

#endif
