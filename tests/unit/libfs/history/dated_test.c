/* SPDX-License-Identifier: Apache-2.0 */
/* Proves dated revisions of libfs/fs_history.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_history.h"
#include "libfs/fs_time.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"

/* words: DATE ... */
static fs_error_t *answer_date(fs_buffer_t *answer, fs_repo_t *repo,
                               const apr_array_header_t *words,
                               apr_pool_t *pool)
{
    const char *date = APR_ARRAY_IDX(words, 0, const char *);
    apr_time_t time;
    fs_rev_t rev;

    FS_TRY(fs_time_parse(&time, date, strlen(date)));
    FS_TRY(fs_dated_rev(&rev, repo, time, pool));
    fs_buffer_printf(answer, "%s -> r%" FS_REV_FMT "\n", date, rev);
    return NULL;
}

static void dates_find_what_the_stock_libraries_find(void **state)
{
    const char *difference = fs_test_transcript(
        "dated.txt", false, fs_test_hist(), answer_date, unit_pool(state));

    if (difference)
        fail_msg("%s", difference);
}

static void a_revision_without_date_on_the_way_is_an_error(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = fs_test_repo_load("tests/data/history/hist.dump", pool);
    const char *argv[] = { "svnadmin", "delrevprop", path, "-r",
                           "5",        "svn:date",   NULL };
    fs_rev_t rev;

    fs_test_must_run(NULL, NULL, argv, pool);
    assert_fs_error_says(
        fs_dated_rev(&rev, fs_test_open(path, false, pool), 0, pool),
        FS_ERR_GENERAL, "revision 5 has no date");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(dates_find_what_the_stock_libraries_find),
    UNIT_TEST(a_revision_without_date_on_the_way_is_an_error),
};

int main(void)
{
    return cmocka_run_group_tests_name(__FILE__, tests, fs_test_hist_setup,
                                       fs_test_hist_teardown);
}
