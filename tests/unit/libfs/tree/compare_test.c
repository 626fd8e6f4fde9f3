/* SPDX-License-Identifier: Apache-2.0 */
/* Proves comparisons and properties of libfs/fs_tree.h. */

#include "tests/support/unit.h"

#include "libfs/fs_tree.h"
#include "tests/support/hist.h"

static const fs_node_t *find(const char *place, apr_pool_t *pool)
{
    const fs_node_t *node;
    fs_root_t *root;
    fs_rev_t rev;
    const char *path = fs_test_split_at(&rev, place, pool);

    assert_fs_ok(fs_root_open(&root, fs_test_hist(), rev, pool));
    assert_fs_ok(fs_node_need(&node, root, path, pool));
    return node;
}

/* words: PATH@REV "vs" PATH@REV: ... */
static fs_error_t *answer_relation(fs_buffer_t *answer, fs_repo_t *repo,
                                   const apr_array_header_t *words,
                                   apr_pool_t *pool)
{
    static const char *const names[] = { "unchanged", "common-ancestor",
                                         "unrelated" };
    const char *a = APR_ARRAY_IDX(words, 0, const char *);
    const char *b = APR_ARRAY_IDX(words, 2, const char *);

    (void)repo;
    fs_buffer_printf(answer, "%s vs %s %s\n", a, b,
                     names[fs_node_relation(find(a, pool), find(b, pool))]);
    return NULL;
}

static void relations_are_those_of_the_stock_libraries(void **state)
{
    const char *difference =
        fs_test_transcript("relations.txt", false, fs_test_hist(),
                           answer_relation, unit_pool(state));

    if (difference)
        fail_msg("%s", difference);
}

static void properties_are_read(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *node = find("/trunk/A@2", pool);
    const fs_bytes_t *value;
    apr_hash_t *props;

    assert_true(fs_node_has_props(node));
    assert_fs_ok(fs_node_props(&props, node, pool));
    assert_int_equal(apr_hash_count(props), 1);
    assert_fs_ok(fs_node_prop(&value, node, "color", pool));
    assert_bytes_equal(value->data, value->len, "red", 3);
    assert_fs_ok(fs_node_prop(&value, node, "colour", pool));
    assert_null(value);
}

static void a_node_without_properties_has_an_empty_list(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *node = find("/trunk/A@1", pool);
    apr_hash_t *props;

    assert_false(fs_node_has_props(node));
    assert_fs_ok(fs_node_props(&props, node, pool));
    assert_int_equal(apr_hash_count(props), 0);
}

static void property_lists_differ_by_value(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    bool differ;

    assert_fs_ok(fs_node_props_differ(&differ, find("/trunk/A@1", pool),
                                      find("/trunk/A@2", pool), pool));
    assert_true(differ);
    assert_fs_ok(fs_node_props_differ(&differ, find("/trunk/A@2", pool),
                                      find("/trunk/A@5", pool), pool));
    assert_false(differ);
    assert_fs_ok(fs_node_props_differ(&differ, find("/trunk/A@8", pool),
                                      find("/trunk/C@9", pool), pool));
    assert_true(differ);
}

static void what_was_not_set_anew_is_not_touched(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const fs_node_t *before = find("/trunk/new@5", pool);
    const fs_node_t *after = find("/trunk/new@6", pool);

    assert_false(fs_node_text_touched(before, after));
    assert_true(fs_node_props_touched(before, after));
    assert_true(fs_node_text_touched(find("/trunk/A/f@1", pool),
                                     find("/trunk/A/f@2", pool)));
}

static void set_value(apr_hash_t *list, const char *name, const char *value,
                      apr_pool_t *pool)
{
    fs_bytes_t *bytes = apr_palloc(pool, sizeof(*bytes));

    bytes->data = value;
    bytes->len = strlen(value);
    apr_hash_set(list, name, APR_HASH_KEY_STRING, bytes);
}

static void a_difference_tells_gone_new_and_other_values_by_name(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *from = apr_hash_make(pool);
    apr_hash_t *to = apr_hash_make(pool);
    const fs_prop_change_t *changes;
    apr_array_header_t *diff;

    set_value(from, "gone", "1", pool);
    set_value(from, "same", "2", pool);
    set_value(from, "other", "3", pool);
    set_value(to, "same", "2", pool);
    set_value(to, "other", "33", pool);
    set_value(to, "fresh", "", pool);
    diff = fs_prop_diff(from, to, pool);
    changes = (const fs_prop_change_t *)diff->elts;
    assert_int_equal(diff->nelts, 3);
    assert_string_equal(changes[0].name, "fresh");
    assert_int_equal(changes[0].value->len, 0);
    assert_string_equal(changes[1].name, "gone");
    assert_null(changes[1].value);
    assert_string_equal(changes[2].name, "other");
    assert_bytes_equal(changes[2].value->data, changes[2].value->len, "33", 2);
}

static void a_missing_list_counts_as_an_empty_one(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    apr_hash_t *list = apr_hash_make(pool);
    apr_array_header_t *diff;

    set_value(list, "a", "1", pool);
    diff = fs_prop_diff(NULL, list, pool);
    assert_int_equal(diff->nelts, 1);
    assert_non_null(APR_ARRAY_IDX(diff, 0, fs_prop_change_t).value);
    diff = fs_prop_diff(list, NULL, pool);
    assert_int_equal(diff->nelts, 1);
    assert_null(APR_ARRAY_IDX(diff, 0, fs_prop_change_t).value);
    assert_int_equal(fs_prop_diff(NULL, NULL, pool)->nelts, 0);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(relations_are_those_of_the_stock_libraries),
    UNIT_TEST(properties_are_read),
    UNIT_TEST(a_node_without_properties_has_an_empty_list),
    UNIT_TEST(property_lists_differ_by_value),
    UNIT_TEST(what_was_not_set_anew_is_not_touched),
    UNIT_TEST(a_difference_tells_gone_new_and_other_values_by_name),
    UNIT_TEST(a_missing_list_counts_as_an_empty_one),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
