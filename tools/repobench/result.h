/* SPDX-License-Identifier: Apache-2.0 */
/* Tells what was measured, to people or to programs. */

#ifndef TOOLS_REPOBENCH_RESULT_H
#define TOOLS_REPOBENCH_RESULT_H

#include "tools/repobench/bench.h"

/**
 * Write the result to standard output: a table, or with args->json one object
 * on one line, whose durations are in seconds and sizes in bytes.
 * Returns false, and complains, if writing failed.
 */
bool bench_result_print(const bench_command_t *command,
                        const bench_args_t *args, const bench_stats_t *stats);

#endif
