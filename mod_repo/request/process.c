/* SPDX-License-Identifier: Apache-2.0 */
/* What a process keeps between requests. */

#include "mod_repo/request/process.h"

#include <apr_atomic.h>

static cache_t *process_cache;
static fs_repo_set_t *process_repos;
static apr_uint32_t counters[REPO_COUNTERS];

static const char *const labels[REPO_COUNTERS] = {
    [REPO_COUNT_REQUESTS] = "requests",
    [REPO_COUNT_REPORTS] = "reports",
};

void repo_process_set_cache(cache_t *cache)
{
    process_cache = cache;
}

cache_t *repo_process_cache(void)
{
    return process_cache;
}

void repo_process_set_repos(fs_repo_set_t *repos)
{
    process_repos = repos;
}

fs_repo_set_t *repo_process_repos(void)
{
    return process_repos;
}

void repo_process_count(repo_counter_t counter)
{
    apr_atomic_inc32(&counters[counter]);
}

apr_uint32_t repo_process_counted(repo_counter_t counter)
{
    return apr_atomic_read32(&counters[counter]);
}

const char *repo_process_counter_label(repo_counter_t counter)
{
    return labels[counter];
}
