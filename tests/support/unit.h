/* SPDX-License-Identifier: Apache-2.0 */
/* What unit tests share: cmocka, a pool for each test, asserts on errors. */

#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

/* cmocka.h wants these four first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "libfs/fs_error.h"

/** Group set-up: APR. Used by UNIT_MAIN. */
int unit_group_setup(void **state);

/** Group tear-down. Used by UNIT_MAIN. */
int unit_group_teardown(void **state);

/** Test set-up: `*state` becomes a fresh pool. */
int unit_setup(void **state);

/** Test tear-down: destroys the pool, with whatever the test left in it. */
int unit_teardown(void **state);

/** The test's pool: `apr_pool_t *pool = unit_pool(state);`. */
apr_pool_t *unit_pool(void **state);

/**
 * A folder of the test's own, empty; removed with its content when the test
 * ends. Below $TMPDIR or /tmp.
 */
const char *unit_folder(void **state);

/** A row of the table for UNIT_MAIN: a test with a pool in `*state`. */
#define UNIT_TEST(function)                                                    \
    cmocka_unit_test_setup_teardown(function, unit_setup, unit_teardown)

/** The whole main(): run the tests of an array of struct CMUnitTest. */
#define UNIT_MAIN(tests)                                                       \
    int main(void)                                                             \
    {                                                                          \
        return cmocka_run_group_tests_name(__FILE__, tests, unit_group_setup,  \
                                           unit_group_teardown);               \
    }

/** Fail with the whole chain of messages if `expr` gives an error. */
#define assert_fs_ok(expr) unit_assert_ok((expr), #expr, __FILE__, __LINE__)

/**
 * Fail unless `expr` gives an error whose outermost level has `code`; the
 * error is cleared.
 */
#define assert_fs_error(expr, code)                                            \
    unit_assert_error((expr), (code), NULL, #expr, __FILE__, __LINE__)

/** As assert_fs_error(); the described chain must contain `text` too. */
#define assert_fs_error_says(expr, code, text)                                 \
    unit_assert_error((expr), (code), (text), #expr, __FILE__, __LINE__)

/** Fail, showing both, unless `len` bytes at `actual` are the `expected` ones.
 */
#define assert_bytes_equal(actual, len, expected, expected_len)                \
    unit_assert_bytes((actual), (len), (expected), (expected_len), __FILE__,   \
                      __LINE__)

/** Fail unless an APR call succeeded. */
#define assert_apr_ok(expr)                                                    \
    unit_assert_apr_ok((expr), #expr, __FILE__, __LINE__)

void unit_assert_ok(fs_error_t *err, const char *expr, const char *file,
                    int line);
void unit_assert_error(fs_error_t *err, fs_error_code_t code, const char *text,
                       const char *expr, const char *file, int line);
void unit_assert_bytes(const void *actual, apr_size_t len, const void *expected,
                       apr_size_t expected_len, const char *file, int line);
void unit_assert_apr_ok(apr_status_t status, const char *expr, const char *file,
                        int line);

#endif
