/* SPDX-License-Identifier: Apache-2.0 */
/* Proves locations, segments and deletions of libfs/fs_history.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "libfs/fs_path.h"
#include "tests/support/hist.h"

static const char *word(const apr_array_header_t *words, int i)
{
    return APR_ARRAY_IDX(words, i, const char *);
}

static void check(const char *name, bool marked, fs_test_answer_fn answer,
                  void **state)
{
    const char *difference = fs_test_transcript(name, marked, fs_test_hist(),
                                                answer, unit_pool(state));

    if (difference)
        fail_msg("%s", difference);
}

/* A reader that may not see one path and what is below it. */
static fs_error_t *hide(bool *allowed, fs_rev_t rev, const char *path,
                        void *baton, apr_pool_t *scratch)
{
    (void)rev;
    (void)scratch;
    *allowed = !fs_path_is_within(baton, path);
    return NULL;
}

/* words: PATH PEG REV... */
static fs_error_t *answer_locations(fs_buffer_t *answer, fs_repo_t *repo,
                                    const apr_array_header_t *words,
                                    apr_pool_t *pool)
{
    int count = words->nelts - 2;
    fs_rev_t *revs = apr_palloc(pool, (apr_size_t)count * sizeof(*revs));
    apr_array_header_t *locations;
    int i;

    for (i = 0; i < count; i++)
        revs[i] = apr_atoi64(word(words, i + 2));
    FS_TRY(fs_locations(&locations, repo, word(words, 0),
                        apr_atoi64(word(words, 1)), revs, count, NULL, pool));
    for (i = 0; i < count; i++) {
        const char *path = APR_ARRAY_IDX(locations, i, const char *);

        fs_buffer_printf(answer, "r%" FS_REV_FMT " %s\n", revs[i],
                         path ? path : "(none)");
    }
    return NULL;
}

static void locations_are_those_of_the_stock_libraries(void **state)
{
    check("locations.txt", true, answer_locations, state);
}

static void a_hidden_peg_is_refused(void **state)
{
    const fs_reader_t reader = { hide, (void *)"/trunk/A" };
    const fs_rev_t revs[] = { 1 };
    apr_array_header_t *locations;

    assert_fs_error(fs_locations(&locations, fs_test_hist(), "/trunk/A/f2", 11,
                                 revs, 1, &reader, unit_pool(state)),
                    FS_ERR_UNREADABLE);
    assert_fs_error(fs_locations(&locations, fs_test_hist(), "/trunk/A/none",
                                 11, revs, 1, &reader, unit_pool(state)),
                    FS_ERR_UNREADABLE);
}

static void locations_end_where_the_source_of_a_copy_is_hidden(void **state)
{
    const fs_reader_t reader = { hide, (void *)"/trunk/A/f" };
    const fs_rev_t revs[] = { 1, 11, 5, 4 };
    apr_array_header_t *locations;
    const char **paths;

    assert_fs_ok(fs_locations(&locations, fs_test_hist(), "/trunk/A/f2", 11,
                              revs, 4, &reader, unit_pool(state)));
    paths = (const char **)locations->elts;
    assert_int_equal(locations->nelts, 4);
    assert_null(paths[0]);
    assert_string_equal(paths[1], "/trunk/A/f2");
    assert_string_equal(paths[2], "/trunk/A/f2");
    assert_null(paths[3]);
}

static void a_missing_peg_is_not_found(void **state)
{
    const fs_rev_t revs[] = { 3 };
    apr_array_header_t *locations;

    assert_fs_error(fs_locations(&locations, fs_test_hist(), "/trunk/A/f2", 4,
                                 revs, 1, NULL, unit_pool(state)),
                    FS_ERR_NOT_FOUND);
}

static fs_error_t *print_segment(void *baton, const fs_segment_t *segment,
                                 apr_pool_t *scratch)
{
    (void)scratch;
    fs_buffer_printf(baton, "segment %" FS_REV_FMT "-%" FS_REV_FMT " %s\n",
                     segment->start, segment->end,
                     segment->path ? segment->path : "(gap)");
    return NULL;
}

/* words: PATH PEG START END */
static fs_error_t *answer_segments(fs_buffer_t *answer, fs_repo_t *repo,
                                   const apr_array_header_t *words,
                                   apr_pool_t *pool)
{
    return fs_location_segments(
        repo, word(words, 0), apr_atoi64(word(words, 1)),
        apr_atoi64(word(words, 2)), apr_atoi64(word(words, 3)), NULL,
        print_segment, answer, pool);
}

static void segments_are_those_of_the_stock_libraries(void **state)
{
    check("segments.txt", true, answer_segments, state);
}

static void segments_without_numbers_go_from_the_youngest_to_the_first(
    void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(64, pool);

    assert_fs_ok(fs_location_segments(fs_test_hist(), "/trunk/C", -1, -1, -1,
                                      NULL, print_segment, out, pool));
    assert_bytes_equal(out->data, out->len,
                       "segment 9-11 trunk/C\nsegment 1-8 trunk/A\n", 41);
}

static void segments_end_where_one_is_hidden(void **state)
{
    const fs_reader_t reader = { hide, (void *)"/trunk/A" };
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(64, pool);

    assert_fs_ok(fs_location_segments(fs_test_hist(), "/branches/b1/A/f", 11,
                                      11, 0, &reader, print_segment, out,
                                      pool));
    assert_bytes_equal(out->data, out->len,
                       "segment 11-11 branches/b1/A/f\n"
                       "segment 10-10 (gap)\n"
                       "segment 3-9 branches/b1/A/f\n",
                       78);
}

static void segments_of_a_hidden_path_are_none_whether_it_exists_or_not(
    void **state)
{
    const fs_reader_t reader = { hide, (void *)"/trunk/A" };
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(64, pool);

    assert_fs_ok(fs_location_segments(fs_test_hist(), "/trunk/A", 11, 11, 0,
                                      &reader, print_segment, out, pool));
    assert_fs_ok(fs_location_segments(fs_test_hist(), "/trunk/A/none", 11, 11,
                                      0, &reader, print_segment, out, pool));
    assert_int_equal(out->len, 0);
}

static void segments_refuse_revisions_in_the_wrong_order(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(64, pool);

    assert_fs_error(fs_location_segments(fs_test_hist(), "/trunk", 12, 11, 0,
                                         NULL, print_segment, out, pool),
                    FS_ERR_NO_SUCH_REV);
    assert_fs_error(fs_location_segments(fs_test_hist(), "/trunk", 5, 6, 0,
                                         NULL, print_segment, out, pool),
                    FS_ERR_NO_SUCH_REV);
    assert_fs_error(fs_location_segments(fs_test_hist(), "/trunk", 5, 3, 4,
                                         NULL, print_segment, out, pool),
                    FS_ERR_NO_SUCH_REV);
}

/* words: "deleted-rev" PATH START-END: ... */
static fs_error_t *answer_deleted(fs_buffer_t *answer, fs_repo_t *repo,
                                  const apr_array_header_t *words,
                                  apr_pool_t *pool)
{
    const char *range = word(words, 2);
    fs_rev_t deleted;

    FS_TRY(fs_deleted_rev(&deleted, repo, word(words, 1), apr_atoi64(range),
                          apr_atoi64(strchr(range, '-') + 1), pool));
    fs_buffer_printf(answer, "deleted-rev %s %s %" FS_REV_FMT "\n",
                     word(words, 1), range, deleted);
    return NULL;
}

static void deletions_are_those_of_the_stock_libraries(void **state)
{
    check("deleted-rev.txt", false, answer_deleted, state);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(locations_are_those_of_the_stock_libraries),
    UNIT_TEST(a_hidden_peg_is_refused),
    UNIT_TEST(locations_end_where_the_source_of_a_copy_is_hidden),
    UNIT_TEST(a_missing_peg_is_not_found),
    UNIT_TEST(segments_are_those_of_the_stock_libraries),
    UNIT_TEST(segments_without_numbers_go_from_the_youngest_to_the_first),
    UNIT_TEST(segments_end_where_one_is_hidden),
    UNIT_TEST(segments_of_a_hidden_path_are_none_whether_it_exists_or_not),
    UNIT_TEST(segments_refuse_revisions_in_the_wrong_order),
    UNIT_TEST(deletions_are_those_of_the_stock_libraries),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
