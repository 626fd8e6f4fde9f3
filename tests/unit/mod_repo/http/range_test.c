/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/http/range.h. */
/* link: mod_repo/http/range.o */

#include "mod_repo/http/range.h"

#include "tests/support/unit.h"

static apr_array_header_t *ranges;

static repo_range_status_t parse(const char *value, apr_uint64_t size,
                                 void **state)
{
    return repo_range_parse(&ranges, value, size, unit_pool(state));
}

static void assert_range(int i, apr_uint64_t start, apr_uint64_t len)
{
    assert_true(i < ranges->nelts);
    assert_int_equal(APR_ARRAY_IDX(ranges, i, repo_range_t).start, start);
    assert_int_equal(APR_ARRAY_IDX(ranges, i, repo_range_t).len, len);
}

static void the_three_forms_are_understood(void **state)
{
    assert_int_equal(parse("bytes=2-4", 10, state), REPO_RANGE_PARTIAL);
    assert_range(0, 2, 3);
    assert_int_equal(parse("bytes=7-", 10, state), REPO_RANGE_PARTIAL);
    assert_range(0, 7, 3);
    assert_int_equal(parse("bytes=-4", 10, state), REPO_RANGE_PARTIAL);
    assert_range(0, 6, 4);
}

static void an_end_behind_the_text_is_cut(void **state)
{
    assert_int_equal(parse("bytes=8-99", 10, state), REPO_RANGE_PARTIAL);
    assert_range(0, 8, 2);
    assert_int_equal(parse("bytes=9-18446744073709551610", 10, state),
                     REPO_RANGE_IGNORE); /* no number we count with */
}

static void several_ranges_keep_their_order(void **state)
{
    assert_int_equal(parse("bytes=5-6 , 0-1,\t-1", 10, state),
                     REPO_RANGE_PARTIAL);
    assert_int_equal(ranges->nelts, 3);
    assert_range(0, 5, 2);
    assert_range(1, 0, 2);
    assert_range(2, 9, 1);
}

static void ranges_behind_the_end_are_left_out(void **state)
{
    assert_int_equal(parse("bytes=20-30,1-2", 10, state), REPO_RANGE_PARTIAL);
    assert_int_equal(ranges->nelts, 1);
    assert_range(0, 1, 2);
    assert_int_equal(parse("bytes=10-", 10, state), REPO_RANGE_UNSATISFIABLE);
    assert_int_equal(parse("bytes=-0", 10, state), REPO_RANGE_UNSATISFIABLE);
    assert_int_equal(parse("bytes=0-", 0, state), REPO_RANGE_UNSATISFIABLE);
}

static void the_whole_text_is_a_range_too(void **state)
{
    assert_int_equal(parse("bytes=0-", 10, state), REPO_RANGE_PARTIAL);
    assert_range(0, 0, 10);
    assert_int_equal(parse("bytes=-99", 10, state), REPO_RANGE_PARTIAL);
    assert_range(0, 0, 10);
}

static void more_bytes_than_there_are_is_absurd(void **state)
{
    assert_int_equal(parse("bytes=0-8,0-8", 10, state), REPO_RANGE_IGNORE);
    assert_int_equal(parse("bytes=0-4,5-9", 10, state), REPO_RANGE_PARTIAL);
}

static void malformed_values_are_ignored(void **state)
{
    static const char *const rows[] = {
        "lines=1-2",
        "bytes=",
        "bytes=a-b",
        "bytes=1",
        "bytes=4-2",
        "bytes=1-2x",
        "bytes=1-2,",
        "bytes=,1-2",
        "bytes=--1",
        "bytes 1-2",
        "bytes=99999999999999999999-",
    };
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (parse(rows[i], 10, state) != REPO_RANGE_IGNORE)
            fail_msg("'%s' is not ignored", rows[i]);
}

static void too_many_ranges_are_ignored(void **state)
{
    char value[16 + 2 * 4 * (REPO_RANGE_MAX + 1)] = "bytes=0-0";
    int i;

    for (i = 1; i < REPO_RANGE_MAX; i++)
        strcat(value, ",0-0");
    assert_int_equal(parse(value, 100000, state), REPO_RANGE_PARTIAL);
    strcat(value, ",0-0");
    assert_int_equal(parse(value, 100000, state), REPO_RANGE_IGNORE);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(the_three_forms_are_understood),
    UNIT_TEST(an_end_behind_the_text_is_cut),
    UNIT_TEST(several_ranges_keep_their_order),
    UNIT_TEST(ranges_behind_the_end_are_left_out),
    UNIT_TEST(the_whole_text_is_a_range_too),
    UNIT_TEST(more_bytes_than_there_are_is_absurd),
    UNIT_TEST(malformed_values_are_ignored),
    UNIT_TEST(too_many_ranges_are_ignored),
};

UNIT_MAIN(tests)
