/* SPDX-License-Identifier: Apache-2.0 */
/* An editor that writes down what it is told, a line a call, in the form of
 * the recorded answers in tests/data. */

#ifndef TESTS_SUPPORT_EDIT_LOG_H
#define TESTS_SUPPORT_EDIT_LOG_H

#include <apr_tables.h>

#include "libfs/fs_report.h"

typedef struct edit_log_t {
    apr_array_header_t *lines; /* of const char *, in `pool` */
    bool all_entry_props; /* else only committed-rev and lock-token are told */
    apr_pool_t *pool;
} edit_log_t;

/** Fill `log`, which is the edit baton for edit_log_editor. */
void edit_log_init(edit_log_t *log, apr_pool_t *pool);

extern const fs_editor_t edit_log_editor;

/** Add a line. */
void edit_log_add(edit_log_t *log, const char *format, ...) FS_PRINTF(2, 3);

/** The lines of a file, those that begin with '#' left out. */
apr_array_header_t *edit_log_read(const char *file, apr_pool_t *pool);

/**
 * Compare lines as sets: the order among siblings is free. Of a line that
 * begins with "ERROR" only the first number counts. Fails the test with the
 * lines that are missing and those that are too many.
 */
void edit_log_assert_same(const char *name, const apr_array_header_t *expected,
                          const apr_array_header_t *actual, bool ordered,
                          apr_pool_t *pool);

#endif
