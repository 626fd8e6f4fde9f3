/* SPDX-License-Identifier: Apache-2.0 */
/* Proves tools/repobench/histogram.h. */

/* link: tools/repobench/histogram.o */
#include "tools/repobench/histogram.h"

#include <string.h>

#include "tests/support/unit.h"

static bench_histogram_t histogram, other;

static int empty(void **state)
{
    (void)state;
    memset(&histogram, 0, sizeof(histogram));
    memset(&other, 0, sizeof(other));
    return 0;
}

static void an_empty_histogram_has_percentiles_of_zero(void **state)
{
    (void)state;
    assert_int_equal(bench_histogram_percentile(&histogram, 50), 0);
    assert_int_equal(bench_histogram_percentile(&histogram, 100), 0);
}

static void short_durations_are_known_exactly(void **state)
{
    int i;

    (void)state;
    for (i = 1; i <= 50; i++)
        bench_histogram_add(&histogram, i);
    assert_int_equal(bench_histogram_percentile(&histogram, 50), 25);
    assert_int_equal(bench_histogram_percentile(&histogram, 90), 45);
    assert_int_equal(bench_histogram_percentile(&histogram, 1), 1);
    assert_int_equal(bench_histogram_percentile(&histogram, 100), 50);
    assert_int_equal(histogram.count, 50);
    assert_int_equal(histogram.sum, 1275);
}

static void long_durations_are_known_to_one_part_in_64(void **state)
{
    static const apr_time_t values[] = { 64,     100,     1000,
                                         123456, 9999999, 3600000000 };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        apr_time_t found;

        empty(NULL);
        bench_histogram_add(&histogram, values[i]);
        bench_histogram_add(&histogram, values[i] * 2);
        found = bench_histogram_percentile(&histogram, 50);
        assert_true(found >= values[i]);
        assert_true(found <= values[i] + values[i] / 64);
    }
}

static void no_percentile_exceeds_the_longest_duration(void **state)
{
    (void)state;
    bench_histogram_add(&histogram, 1000001);
    assert_int_equal(bench_histogram_percentile(&histogram, 99), 1000001);
    assert_int_equal(histogram.max, 1000001);
}

static void a_duration_beyond_the_last_bucket_is_still_counted(void **state)
{
    const apr_time_t year = (apr_time_t)366 * 86400 * 1000000;

    (void)state;
    bench_histogram_add(&histogram, year);
    assert_int_equal(histogram.count, 1);
    assert_int_equal(histogram.max, year);
    assert_true(bench_histogram_percentile(&histogram, 100) > 0);
}

static void a_negative_duration_counts_as_zero(void **state)
{
    (void)state;
    bench_histogram_add(&histogram, -5);
    assert_int_equal(histogram.count, 1);
    assert_int_equal(histogram.sum, 0);
    assert_int_equal(histogram.buckets[0], 1);
}

static void merging_adds_counts_and_keeps_the_longest(void **state)
{
    (void)state;
    bench_histogram_add(&histogram, 10);
    bench_histogram_add(&other, 20);
    bench_histogram_add(&other, 30);
    bench_histogram_merge(&histogram, &other);
    assert_int_equal(histogram.count, 3);
    assert_int_equal(histogram.sum, 60);
    assert_int_equal(histogram.max, 30);
    assert_int_equal(bench_histogram_percentile(&histogram, 50), 20);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(an_empty_histogram_has_percentiles_of_zero, empty),
    cmocka_unit_test_setup(short_durations_are_known_exactly, empty),
    cmocka_unit_test_setup(long_durations_are_known_to_one_part_in_64, empty),
    cmocka_unit_test_setup(no_percentile_exceeds_the_longest_duration, empty),
    cmocka_unit_test_setup(a_duration_beyond_the_last_bucket_is_still_counted,
                           empty),
    cmocka_unit_test_setup(a_negative_duration_counts_as_zero, empty),
    cmocka_unit_test_setup(merging_adds_counts_and_keeps_the_longest, empty),
};

UNIT_MAIN(tests)
