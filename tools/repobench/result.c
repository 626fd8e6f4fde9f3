/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what was measured, to people or to programs. */

#include "tools/repobench/result.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const double percents[] = { 50, 90, 99 };
static const char *const percent_names[] = { "p50", "p90", "p99" };
#define PERCENTS (sizeof(percents) / sizeof(percents[0]))

void bench_stats_merge(bench_stats_t *to, const bench_stats_t *from)
{
    to->operations += from->operations;
    to->items += from->items;
    to->content += from->content;
    to->requests += from->requests;
    to->resent += from->resent;
    to->connections += from->connections;
    to->received += from->received;
    to->sent += from->sent;
    bench_histogram_merge(&to->operation_us, &from->operation_us);
    bench_histogram_merge(&to->request_us, &from->request_us);
}

static double seconds(apr_time_t us)
{
    return (double)us / APR_USEC_PER_SEC;
}

static double rate(apr_uint64_t count, const bench_stats_t *stats)
{
    return stats->elapsed > 0 ? (double)count / seconds(stats->elapsed) : 0;
}

/* ---- for people ---- */

static void print_count(const char *name, apr_uint64_t count,
                        const bench_stats_t *stats)
{
    printf("%-12s %12" APR_UINT64_T_FMT "   %12.1f/s\n", name, count,
           rate(count, stats));
}

static void print_latency(const char *name, const bench_histogram_t *histogram)
{
    apr_size_t i;

    if (!histogram->count)
        return;
    printf("%-12s", name);
    for (i = 0; i < PERCENTS; i++)
        printf("  %s %.3f ms", percent_names[i],
               (double)bench_histogram_percentile(histogram, percents[i]) /
                   1000);
    printf("  max %.3f ms\n", (double)histogram->max / 1000);
}

static void print_text(const bench_command_t *command, const bench_args_t *args,
                       const bench_stats_t *stats)
{
    printf("%s %s, clients: %d, operations of each: %d\n", command->name,
           args->target, args->clients, args->repetitions);
    printf("%-12s %12.6f s\n", "elapsed", seconds(stats->elapsed));
    printf("%-12s %12.6f s\n", "own CPU", seconds(stats->cpu));
    print_count("operations", stats->operations, stats);
    print_count(command->items, stats->items, stats);
    if (stats->requests) {
        print_count("requests", stats->requests, stats);
        print_count("resent", stats->resent, stats);
        print_count("connections", stats->connections, stats);
        print_count("received", stats->received, stats);
        print_count("sent", stats->sent, stats);
    }
    print_count("content", stats->content, stats);
    if (args->latency) {
        print_latency("operation", &stats->operation_us);
        print_latency("request", &stats->request_us);
    }
}

/* ---- for programs ---- */

static void print_string(const char *text)
{
    putchar('"');
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned int)*text);
        else
            putchar(*text);
    putchar('"');
}

static void print_histogram(const char *name,
                            const bench_histogram_t *histogram)
{
    apr_size_t i;

    printf(", \"%s\": {\"count\": %" APR_UINT64_T_FMT ", \"mean\": %.6f", name,
           histogram->count,
           histogram->count
               ? (double)histogram->sum / (double)histogram->count / 1e6
               : 0.0);
    for (i = 0; i < PERCENTS; i++)
        printf(", \"%s\": %.6f", percent_names[i],
               seconds(bench_histogram_percentile(histogram, percents[i])));
    printf(", \"max\": %.6f}", seconds(histogram->max));
}

static void print_json(const bench_command_t *command, const bench_args_t *args,
                       const bench_stats_t *stats)
{
    const struct {
        const char *name;
        apr_uint64_t count;
    } counts[] = {
        { "operations", stats->operations },
        { "items", stats->items },
        { "content", stats->content },
        { "requests", stats->requests },
        { "resent", stats->resent },
        { "connections", stats->connections },
        { "received", stats->received },
        { "sent", stats->sent },
    };
    apr_size_t i;

    printf("{\"command\": \"%s\", \"target\": ", command->name);
    print_string(args->target);
    printf(", \"clients\": %d, \"repetitions\": %d, \"elapsed\": %.6f, "
           "\"cpu\": %.6f",
           args->clients, args->repetitions, seconds(stats->elapsed),
           seconds(stats->cpu));
    for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        printf(", \"%s\": %" APR_UINT64_T_FMT, counts[i].name, counts[i].count);
    print_histogram("operation", &stats->operation_us);
    print_histogram("request", &stats->request_us);
    printf("}\n");
}

bool bench_result_print(const bench_command_t *command,
                        const bench_args_t *args, const bench_stats_t *stats)
{
    if (args->json)
        print_json(command, args, stats);
    else
        print_text(command, args, stats);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    fprintf(stderr, "repobench: writing to standard output: %s\n",
            strerror(errno));
    return false;
}
