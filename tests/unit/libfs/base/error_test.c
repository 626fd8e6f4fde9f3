/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/fs_error.h. */

#ifdef FS_DEBUG
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "tests/support/unit.h"

static fs_error_t *succeed(void)
{
    return NULL;
}

static fs_error_t *fail_with_corrupt(void)
{
    return FS_ERROR(FS_ERR_CORRUPT, "footer of r%d is %d bytes, not %d", 7, 3,
                    64);
}

static fs_error_t *try_then_mark(fs_error_t *err, int *mark)
{
    FS_TRY(err);
    *mark = 1;
    return NULL;
}

#ifdef FS_DEBUG
static void a_thread_that_holds_an_error_is_found(void **state)
{
    pid_t child = fork();
    int status;

    (void)state;
    if (child == 0) {
        fs_error_t *err = fail_with_corrupt();

        fs_error_clear(err);
        fs_error_check_thread();
        err = fail_with_corrupt();
        fclose(stderr);
        fs_error_check_thread();
        _exit(err ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}
#endif

static void an_error_holds_code_message_and_place(void **state)
{
    int line = __LINE__ + 1;
    fs_error_t *err = FS_ERROR(FS_ERR_NO_SUCH_REV, "no revision %d", 12);

    (void)state;
    assert_int_equal(err->code, FS_ERR_NO_SUCH_REV);
    assert_string_equal(err->message, "no revision 12");
    assert_int_equal(err->apr_status, APR_SUCCESS);
    assert_null(err->cause);
    assert_string_equal(err->file, __FILE__);
    assert_int_equal(err->line, line);
    fs_error_clear(err);
}

static void a_long_message_is_kept_whole(void **state)
{
    char text[5001];
    fs_error_t *err;

    (void)state;
    memset(text, 'x', 5000);
    text[5000] = '\0';
    err = FS_ERROR(FS_ERR_GENERAL, "<%s>", text);
    assert_int_equal(strlen(err->message), 5002);
    assert_int_equal(err->message[5001], '>');
    fs_error_clear(err);
}

static void an_apr_status_becomes_an_io_error_with_its_reason(void **state)
{
    fs_error_t *err = FS_ERROR_APR(APR_ENOENT, "cannot open '%s'", "current");

    assert_int_equal(err->code, FS_ERR_IO);
    assert_int_equal(err->apr_status, APR_ENOENT);
    assert_string_equal(fs_error_describe(err, unit_pool(state)),
                        "cannot open 'current' (No such file or directory)");
    fs_error_clear(err);
}

static void wrapping_keeps_the_code_and_adds_a_level(void **state)
{
    fs_error_t *inner = fail_with_corrupt();
    fs_error_t *err = FS_WRAP(inner, "path '%s'", "/trunk");

    assert_int_equal(err->code, FS_ERR_CORRUPT);
    assert_ptr_equal(err->cause, inner);
    assert_string_equal(fs_error_describe(err, unit_pool(state)),
                        "path '/trunk': footer of r7 is 3 bytes, not 64");
    fs_error_clear(err);
}

static void wrapping_as_another_code_shows_the_new_one_first(void **state)
{
    fs_error_t *inner = FS_ERROR(FS_ERR_NOT_FOUND, "no such entry");
    fs_error_t *err =
        FS_WRAP_AS(inner, FS_ERR_OUT_OF_DATE, "'/a' is out of date");

    (void)state;
    assert_int_equal(err->code, FS_ERR_OUT_OF_DATE);
    assert_true(fs_error_has(err, FS_ERR_OUT_OF_DATE));
    assert_true(fs_error_has(err, FS_ERR_NOT_FOUND));
    assert_false(fs_error_has(err, FS_ERR_CORRUPT));
    fs_error_clear(err);
}

static void the_reason_of_the_deepest_level_is_described_once(void **state)
{
    fs_error_t *inner = FS_ERROR_APR(APR_EACCES, "cannot read 'uuid'");
    fs_error_t *err = FS_WRAP(inner, "cannot open the repository");

    assert_string_equal(fs_error_describe(err, unit_pool(state)),
                        "cannot open the repository: cannot read 'uuid' "
                        "(Permission denied)");
    fs_error_clear(err);
}

static void success_has_no_code_and_is_described_as_nothing(void **state)
{
    assert_false(fs_error_has(NULL, FS_ERR_CORRUPT));
    assert_string_equal(fs_error_describe(NULL, unit_pool(state)), "");
    fs_error_clear(NULL);
}

static void the_table_tells_kind_text_name_and_number(void **state)
{
    (void)state;
    assert_int_equal(FS_ERR_NO_SUCH_REV, 160006);
    assert_int_equal(fs_error_kind(FS_ERR_NO_SUCH_REV), FS_KIND_NOT_FOUND);
    assert_string_equal(fs_error_text(FS_ERR_NO_SUCH_REV), "no such revision");
    assert_string_equal(fs_error_name(FS_ERR_NO_SUCH_REV),
                        "FS_ERR_NO_SUCH_REV");
}

static void a_code_outside_the_table_counts_as_a_system_error(void **state)
{
    fs_error_code_t code = (fs_error_code_t)999999;

    (void)state;
    assert_int_equal(fs_error_kind(code), FS_KIND_IO);
    assert_string_equal(fs_error_text(code), "unknown error");
    assert_string_equal(fs_error_name(code), "unknown");
}

static void try_returns_the_error_and_goes_on_after_success(void **state)
{
    int mark = 0;

    (void)state;
    assert_fs_error(try_then_mark(fail_with_corrupt(), &mark), FS_ERR_CORRUPT);
    assert_int_equal(mark, 0);
    assert_fs_ok(try_then_mark(succeed(), &mark));
    assert_int_equal(mark, 1);
}

static const struct CMUnitTest tests[] = {
#ifdef FS_DEBUG
    UNIT_TEST(a_thread_that_holds_an_error_is_found),
#endif
    UNIT_TEST(an_error_holds_code_message_and_place),
    UNIT_TEST(a_long_message_is_kept_whole),
    UNIT_TEST(an_apr_status_becomes_an_io_error_with_its_reason),
    UNIT_TEST(wrapping_keeps_the_code_and_adds_a_level),
    UNIT_TEST(wrapping_as_another_code_shows_the_new_one_first),
    UNIT_TEST(the_reason_of_the_deepest_level_is_described_once),
    UNIT_TEST(success_has_no_code_and_is_described_as_nothing),
    UNIT_TEST(the_table_tells_kind_text_name_and_number),
    UNIT_TEST(a_code_outside_the_table_counts_as_a_system_error),
    UNIT_TEST(try_returns_the_error_and_goes_on_after_success),
};

UNIT_MAIN(tests)
