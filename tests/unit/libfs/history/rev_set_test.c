/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/history/rev_set.h. */

#include "tests/support/unit.h"

#include "libfs/history/rev_set.h"

static void assert_range(const fs_rev_set_t *set, fs_rev_t rev, fs_rev_t first,
                         fs_rev_t last)
{
    const fs_rev_range_t *range = fs_rev_set_find(set, rev);

    assert_non_null(range);
    assert_int_equal(range->first, first);
    assert_int_equal(range->last, last);
}

static void an_empty_set_has_no_revision(void **state)
{
    assert_null(fs_rev_set_find(NULL, 3));
    assert_null(fs_rev_set_find(fs_rev_set_create(unit_pool(state)), 0));
}

static void ranges_that_touch_or_overlap_are_joined(void **state)
{
    fs_rev_set_t *set = fs_rev_set_create(unit_pool(state));

    fs_rev_set_add(set, 10, 12);
    fs_rev_set_add(set, 2, 3);
    fs_rev_set_add(set, 13, 13);
    assert_range(set, 11, 10, 13);
    fs_rev_set_add(set, 9, 9);
    assert_range(set, 13, 9, 13);
    fs_rev_set_add(set, 5, 6);
    assert_range(set, 5, 5, 6);
    assert_null(fs_rev_set_find(set, 4));
    assert_null(fs_rev_set_find(set, 7));
    fs_rev_set_add(set, 3, 20);
    assert_range(set, 2, 2, 20);
    assert_null(fs_rev_set_find(set, 1));
    assert_null(fs_rev_set_find(set, 21));
}

static void a_part_of_what_is_there_changes_nothing(void **state)
{
    fs_rev_set_t *set = fs_rev_set_create(unit_pool(state));

    fs_rev_set_add(set, 0, 9);
    fs_rev_set_add(set, 3, 4);
    fs_rev_set_add(set, 0, 0);
    fs_rev_set_add(set, 9, 9);
    assert_range(set, 0, 0, 9);
    assert_null(fs_rev_set_find(set, 10));
}

static void random_sets_agree_with_a_table_of_flags(void **state)
{
    bool flags[200] = { false };
    fs_rev_set_t *set = fs_rev_set_create(unit_pool(state));
    unsigned int seed = 7;
    int round, rev;

    for (round = 0; round < 60; round++) {
        int first, last;

        seed = seed * 1103515245U + 12345U;
        first = (int)(seed >> 16) % 190;
        last = first + (int)(seed >> 8) % 8;
        fs_rev_set_add(set, first, last);
        for (rev = first; rev <= last; rev++)
            flags[rev] = true;
        for (rev = 0; rev < 200; rev++)
            assert_int_equal(fs_rev_set_find(set, rev) != NULL, flags[rev]);
    }
}

static void a_path_has_one_set(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *sets = apr_hash_make(pool);
    char path[] = "/a";

    fs_rev_set_add(fs_rev_set_of(sets, path, pool), 1, 1);
    path[1] = 'b';
    fs_rev_set_add(fs_rev_set_of(sets, path, pool), 2, 2);
    assert_int_equal(apr_hash_count(sets), 2);
    assert_range(fs_rev_set_of(sets, "/a", pool), 1, 1, 1);
    assert_null(fs_rev_set_find(fs_rev_set_of(sets, "/a", pool), 2));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(an_empty_set_has_no_revision),
    UNIT_TEST(ranges_that_touch_or_overlap_are_joined),
    UNIT_TEST(a_part_of_what_is_there_changes_nothing),
    UNIT_TEST(random_sets_agree_with_a_table_of_flags),
    UNIT_TEST(a_path_has_one_set),
};

UNIT_MAIN(tests)
