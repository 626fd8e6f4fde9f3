/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution of durations in fixed memory, for percentiles. */

#include "tools/repobench/histogram.h"

#define PART_BITS 6 /* BENCH_HISTOGRAM_PARTS is 1 << PART_BITS */
#define BUCKETS ((BENCH_HISTOGRAM_POWERS + 1) * BENCH_HISTOGRAM_PARTS)

static int power_of(apr_uint64_t value)
{
    int power = 0;

    while (value >>= 1)
        power++;
    return power;
}

static int bucket_of(apr_uint64_t value)
{
    int shift, bucket;

    if (value < BENCH_HISTOGRAM_PARTS)
        return (int)value;
    shift = power_of(value) - PART_BITS;
    bucket = (shift + 1) * BENCH_HISTOGRAM_PARTS +
             (int)((value >> shift) & (BENCH_HISTOGRAM_PARTS - 1));
    return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/* The highest value that falls into a bucket. */
static apr_time_t bucket_top(int bucket)
{
    int shift = bucket / BENCH_HISTOGRAM_PARTS - 1;
    apr_uint64_t part = (apr_uint64_t)(bucket % BENCH_HISTOGRAM_PARTS);

    if (shift < 0)
        return (apr_time_t)part;
    return (apr_time_t)(((BENCH_HISTOGRAM_PARTS + part + 1) << shift) - 1);
}

void bench_histogram_add(bench_histogram_t *histogram, apr_time_t us)
{
    if (us < 0)
        us = 0;
    histogram->count++;
    histogram->sum += (apr_uint64_t)us;
    if (us > histogram->max)
        histogram->max = us;
    histogram->buckets[bucket_of((apr_uint64_t)us)]++;
}

void bench_histogram_merge(bench_histogram_t *to, const bench_histogram_t *from)
{
    int i;

    to->count += from->count;
    to->sum += from->sum;
    if (from->max > to->max)
        to->max = from->max;
    for (i = 0; i < BUCKETS; i++)
        to->buckets[i] += from->buckets[i];
}

apr_time_t bench_histogram_percentile(const bench_histogram_t *histogram,
                                      double percent)
{
    double wanted = (double)histogram->count * percent / 100.0;
    apr_uint64_t seen = 0;
    int i;

    for (i = 0; i < BUCKETS && histogram->count; i++) {
        apr_time_t top = bucket_top(i);

        seen += histogram->buckets[i];
        if ((double)seen >= wanted && seen)
            return top < histogram->max ? top : histogram->max;
    }
    return histogram->max;
}
