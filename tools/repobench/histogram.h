/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution of durations in fixed memory, for percentiles. */

#ifndef TOOLS_REPOBENCH_HISTOGRAM_H
#define TOOLS_REPOBENCH_HISTOGRAM_H

#include <apr.h>
#include <apr_time.h>

/*
 * Buckets: values below 64 us have one each; above, each power of two is cut
 * into 64 parts, so that a value is known to 1/64 of itself.
 */
#define BENCH_HISTOGRAM_PARTS 64
#define BENCH_HISTOGRAM_POWERS 34 /* up to 2^40 us, twelve days */

/** Zero bytes are an empty histogram. Belongs to one thread. */
typedef struct bench_histogram_t {
    apr_uint64_t count;
    apr_uint64_t sum; /* us */
    apr_time_t max;   /* us */
    apr_uint64_t buckets[(BENCH_HISTOGRAM_POWERS + 1) * BENCH_HISTOGRAM_PARTS];
} bench_histogram_t;

/** Count one duration in microseconds; negative ones count as 0. */
void bench_histogram_add(bench_histogram_t *histogram, apr_time_t us);

/** Add the counts of `from` to `to`. */
void bench_histogram_merge(bench_histogram_t *to,
                           const bench_histogram_t *from);

/**
 * The duration that `percent` of all do not exceed, in microseconds; at most
 * 1/64 too high, never above the longest one; 0 if there is none.
 * @param percent  0 < percent <= 100
 */
apr_time_t bench_histogram_percentile(const bench_histogram_t *histogram,
                                      double percent);

#endif
