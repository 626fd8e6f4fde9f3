/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/hook/env.h. */

#include "libfs/hook/env.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <apr_strings.h>

#include "tests/support/repo.h"
#include "tests/support/unit.h"

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The environment of a hook, sorted, each variable in '<' and '>'. */
static fs_error_t *describe(const char **out, const char *text,
                            const char *hook, apr_pool_t *pool)
{
    fs_bytes_t bytes = { text, strlen(text) };
    const char *const *vector;
    fs_env_t *env;
    const char **sorted;
    int count = 0, i;

    FS_TRY(fs_env_parse(&env, bytes, pool));
    FS_TRY(fs_env_of_hook(&vector, env, hook, pool));
    while (vector[count])
        count++;
    sorted =
        apr_pmemdup(pool, vector, (apr_size_t)(count + 1) * sizeof(*vector));
    qsort(sorted, (size_t)count, sizeof(*sorted), compare);
    *out = "";
    for (i = 0; i < count; i++)
        *out = apr_pstrcat(pool, *out, "<", sorted[i], ">", NULL);
    return NULL;
}

static void assert_env(const char *text, const char *hook, const char *expected,
                       void **state)
{
    const char *found = NULL;

    assert_fs_ok(describe(&found, text, hook, unit_pool(state)));
    assert_string_equal(found, expected);
}

static void a_hook_without_a_section_gets_the_default(void **state)
{
    assert_env("[default]\nPATH=/bin\nPath=x\nE=\n", "pre-commit",
               "<E=><PATH=/bin><Path=x>", state);
}

static void a_section_of_its_own_replaces_the_default(void **state)
{
    assert_env("[default]\nA=1\n[pre-commit]\nB=%(A)s\n[default]\nC=1\n",
               "pre-commit", "<B=%(A)s>", state);
    assert_env("[default]\nA=1\n[pre-commit]\nB=2\n[default]\nA=3\n",
               "post-commit", "<A=3>", state);
}

static void names_of_sections_count_with_their_case(void **state)
{
    assert_env("[Pre-Commit]\nB=1\n[DEFAULT]\nA=1\n", "pre-commit", "", state);
}

static void a_nameless_variable_is_none(void **state)
{
    assert_env("[default]\n=x\nA=1\n", "pre-commit", "<A=1>", state);
}

static void references_are_filled_in(void **state)
{
    assert_env("[default]\nA=%(B)s-%(C)s\nB=x%(C)s\nC=100%\n"
               "D=%(none)s %(C\nE=%%(C)s\n",
               "x", "<A=x100%-100%><B=x100%><C=100%><D=%(none)s %(C><E=%100%>",
               state);
}

static void a_reference_to_itself_is_empty_in_the_end(void **state)
{
    assert_env("[default]\nA=%(B)s\nB=%(A)s\n", "x", "<A=><B=>", state);
}

static void values_that_would_grow_without_bound_are_refused(void **state)
{
    static const char text[] =
        "[default]\nA=0123456789%(B)s%(B)s\nB=%(C)s%(C)s%(C)s\n"
        "C=%(D)s%(D)s%(D)s%(D)s\nD=%(E)s%(E)s%(E)s%(E)s%(E)s%(E)s\n"
        "E=%(F)s%(F)s%(F)s%(F)s%(F)s%(F)s%(F)s\nF=x\n";
    const char *found;

    assert_fs_error_says(describe(&found, text, "x", unit_pool(state)),
                         FS_ERR_BAD_CONFIG, "refers to others until");
}

static void a_malformed_file_is_refused_by_line(void **state)
{
    const char *found;

    assert_fs_error_says(
        describe(&found, "[default]\nA=1\noops\n", "x", unit_pool(state)),
        FS_ERR_BAD_CONFIG, "hooks-env line 3:");
}

static void a_missing_file_is_an_empty_one(void **state)
{
    const char *const *vector;
    fs_env_t *env;
    apr_pool_t *pool = unit_pool(state);

    assert_fs_ok(fs_env_read(
        &env, apr_pstrcat(pool, unit_folder(state), "/none", NULL), pool));
    assert_fs_ok(fs_env_of_hook(&vector, env, "pre-commit", pool));
    assert_null(vector[0]);
}

static void a_file_is_read_whole_or_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_size_t len = 1024 * 1024;
    char *text = apr_palloc(pool, len + 1);
    const char *const *vector;
    fs_env_t *env;

    memset(text, '#', len + 1);
    memcpy(text + len - 16, "\n[default]\nA=123", 16);
    assert_fs_ok(fs_env_read(&env, fs_test_file(text, len, pool), pool));
    assert_fs_ok(fs_env_of_hook(&vector, env, "pre-commit", pool));
    assert_string_equal(vector[0], "A=123");
    assert_fs_error_says(
        fs_env_read(&env, fs_test_file(text, len + 1, pool), pool),
        FS_ERR_BAD_CONFIG, "longer than 1048576 bytes");
}

static void what_cannot_be_read_is_an_error_of_the_system(void **state)
{
    fs_env_t *env;

    assert_fs_error(fs_env_read(&env, unit_folder(state), unit_pool(state)),
                    FS_ERR_IO);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_hook_without_a_section_gets_the_default),
    UNIT_TEST(a_section_of_its_own_replaces_the_default),
    UNIT_TEST(names_of_sections_count_with_their_case),
    UNIT_TEST(a_nameless_variable_is_none),
    UNIT_TEST(references_are_filled_in),
    UNIT_TEST(a_reference_to_itself_is_empty_in_the_end),
    UNIT_TEST(values_that_would_grow_without_bound_are_refused),
    UNIT_TEST(a_malformed_file_is_refused_by_line),
    UNIT_TEST(a_missing_file_is_an_empty_one),
    UNIT_TEST(a_file_is_read_whole_or_refused),
    UNIT_TEST(what_cannot_be_read_is_an_error_of_the_system),
};

UNIT_MAIN(tests)
