/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/http/skel.h. */
/* link: mod_repo/http/skel.o */

#include "mod_repo/http/skel.h"

#include <string.h>

#include "tests/support/unit.h"

static const repo_skel_t *parse(const char *text, void **state)
{
    const repo_skel_t *skel = NULL;

    assert_fs_ok(repo_skel_parse(&skel, text, strlen(text), unit_pool(state)));
    return skel;
}

static void assert_malformed(const char *text, apr_size_t len, void **state)
{
    const repo_skel_t *skel;

    assert_fs_error(repo_skel_parse(&skel, text, len, unit_pool(state)),
                    FS_ERR_STREAM_MALFORMED);
}

static void a_list_has_its_members_in_order(void **state)
{
    const repo_skel_t *list = parse("( one two\n(three)\t)", state);

    assert_true(list->is_list);
    assert_int_equal(list->members->nelts, 3);
    assert_true(repo_skel_is(repo_skel_member(list, 0), "one"));
    assert_true(repo_skel_is(repo_skel_member(list, 1), "two"));
    assert_true(
        repo_skel_is(repo_skel_member(repo_skel_member(list, 2), 0), "three"));
    assert_null(repo_skel_member(list, 3));
    assert_null(repo_skel_member(repo_skel_member(list, 0), 0));
}

static void counted_atoms_hold_any_bytes(void **state)
{
    static const char text[] = "(3 a(\0b 0  1 ))";
    const repo_skel_t *list;

    assert_fs_ok(
        repo_skel_parse(&list, text, sizeof(text) - 1, unit_pool(state)));
    assert_int_equal(list->members->nelts, 4);
    assert_int_equal(repo_skel_member(list, 0)->atom.len, 3);
    assert_memory_equal(repo_skel_member(list, 0)->atom.data, "a(\0", 3);
    assert_true(repo_skel_is(repo_skel_member(list, 1), "b"));
    assert_int_equal(repo_skel_member(list, 2)->atom.len, 0);
    assert_true(repo_skel_is(repo_skel_member(list, 3), ")"));
}

static void words_end_at_blanks_and_parentheses(void **state)
{
    const repo_skel_t *list = parse("(svn:log(a)b)", state);

    assert_true(repo_skel_is(repo_skel_member(list, 0), "svn:log"));
    assert_true(repo_skel_member(list, 1)->is_list);
    assert_true(repo_skel_is(repo_skel_member(list, 2), "b"));
    assert_false(repo_skel_is(repo_skel_member(list, 1), "a"));
    assert_false(repo_skel_is(NULL, "a"));
}

static void what_follows_the_first_skel_is_ignored(void **state)
{
    assert_int_equal(parse("() ) 9 x", state)->members->nelts, 0);
    assert_true(repo_skel_is(parse(" word rest", state), "word"));
}

static void what_is_cut_off_is_malformed(void **state)
{
    static const char whole[] = "(a (3 xyz) b)";
    apr_size_t len;

    for (len = 0; len < sizeof(whole) - 1; len++)
        assert_malformed(whole, len, state);
}

static void lengths_are_checked(void **state)
{
    assert_malformed("(4 abc)", 7, state);
    assert_malformed("99999999999999999999999999 x", 28, state);
    assert_malformed("(3abc)", 6, state);
    assert_malformed("18446744073709551616 ", 21, state);
}

static void other_characters_begin_nothing(void **state)
{
    assert_malformed(")", 1, state);
    assert_malformed("(-a)", 4, state);
    assert_malformed("(:a)", 4, state);
}

static void lists_nest_sixteen_deep(void **state)
{
    static const char deep[] = "(((((((((((((((((";

    assert_int_equal(
        parse("(((((((((((((((())))))))))))))))", state)->members->nelts, 1);
    assert_malformed(deep, sizeof(deep) - 1, state);
    assert_malformed("((((((((((((((((()))))))))))))))))", 34, state);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_list_has_its_members_in_order),
    UNIT_TEST(counted_atoms_hold_any_bytes),
    UNIT_TEST(words_end_at_blanks_and_parentheses),
    UNIT_TEST(what_follows_the_first_skel_is_ignored),
    UNIT_TEST(what_is_cut_off_is_malformed),
    UNIT_TEST(lengths_are_checked),
    UNIT_TEST(other_characters_begin_nothing),
    UNIT_TEST(lists_nest_sixteen_deep),
};

UNIT_MAIN(tests)
