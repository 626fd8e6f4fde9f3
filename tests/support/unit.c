/* SPDX-License-Identifier: Apache-2.0 */
/* Set-up and asserts of unit tests. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "tests/support/repo.h"

int unit_group_setup(void **state)
{
    (void)state;
    return apr_initialize() == APR_SUCCESS ? 0 : -1;
}

int unit_group_teardown(void **state)
{
    (void)state;
    apr_terminate();
    return 0;
}

int unit_setup(void **state)
{
    apr_pool_t *pool;

    if (apr_pool_create(&pool, NULL) != APR_SUCCESS)
        return -1;
    *state = pool;
    return 0;
}

int unit_teardown(void **state)
{
    apr_pool_destroy(*state);
    return 0;
}

apr_pool_t *unit_pool(void **state)
{
    return *state;
}

const char *unit_folder(void **state)
{
    return fs_test_folder(unit_pool(state));
}

/* Describe `err` in a buffer which lives until the next call, and clear it. */
static const char *describe_and_clear(fs_error_t *err)
{
    static char text[2000];
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    apr_snprintf(text, sizeof(text), "%s: %s", fs_error_name(err->code),
                 fs_error_describe(err, pool));
    apr_pool_destroy(pool);
    fs_error_clear(err);
    return text;
}

void unit_assert_ok(fs_error_t *err, const char *expr, const char *file,
                    int line)
{
    if (!err)
        return;
    print_error("%s gave %s\n", expr, describe_and_clear(err));
    _fail(file, line);
}

void unit_assert_error(fs_error_t *err, fs_error_code_t code, const char *text,
                       const char *expr, const char *file, int line)
{
    fs_error_code_t found;
    const char *described;

    if (!err) {
        print_error("%s succeeded, %s was expected\n", expr,
                    fs_error_name(code));
        _fail(file, line);
        return;
    }
    found = err->code;
    described = describe_and_clear(err);
    if (found != code) {
        print_error("%s gave %s, %s was expected\n", expr, described,
                    fs_error_name(code));
        _fail(file, line);
    }
    if (text && !strstr(described, text)) {
        print_error("%s gave %s, \"%s\" was expected in it\n", expr, described,
                    text);
        _fail(file, line);
    }
}

/* Up to 16 bytes from `at` on, as hexadecimal numbers. */
static void print_bytes(const char *label, const unsigned char *bytes,
                        apr_size_t len, apr_size_t at)
{
    char text[16 * 3 + 1];
    apr_size_t i;

    text[0] = '\0';
    for (i = 0; i < 16 && at + i < len; i++)
        apr_snprintf(text + i * 3, 4, " %02x", bytes[at + i]);
    print_error("%s%s%s\n", label, text, at + i < len ? " ..." : "");
}

void unit_assert_bytes(const void *actual, apr_size_t len, const void *expected,
                       apr_size_t expected_len, const char *file, int line)
{
    const unsigned char *a = actual;
    const unsigned char *b = expected;
    apr_size_t at = 0;

    while (at < len && at < expected_len && a[at] == b[at])
        at++;
    if (at == len && at == expected_len)
        return;
    print_error("%" APR_SIZE_T_FMT " bytes, %" APR_SIZE_T_FMT
                " were expected; they differ at offset %" APR_SIZE_T_FMT "\n",
                len, expected_len, at);
    print_bytes("found   ", a, len, at);
    print_bytes("expected", b, expected_len, at);
    _fail(file, line);
}

void unit_assert_apr_ok(apr_status_t status, const char *expr, const char *file,
                        int line)
{
    char reason[120];

    if (status == APR_SUCCESS)
        return;
    print_error("%s gave %s\n", expr,
                apr_strerror(status, reason, sizeof(reason)));
    _fail(file, line);
}
