/* SPDX-License-Identifier: Apache-2.0 */
/* What a process keeps between requests: the cache, the open repositories. */

#ifndef MOD_REPO_REQUEST_PROCESS_H
#define MOD_REPO_REQUEST_PROCESS_H

#include "libfs/fs_repo.h"

/** Made in the parent before the children exist; kept until they end. */
void repo_process_set_cache(cache_t *cache);
cache_t *repo_process_cache(void);

/** Made in each child; NULL before. */
void repo_process_set_repos(fs_repo_set_t *repos);
fs_repo_set_t *repo_process_repos(void);

/** Counters for the status page, of this process. Threads: any. */
typedef enum repo_counter_t {
    REPO_COUNT_REQUESTS, /* that named a repository */
    REPO_COUNT_REPORTS,  /* REPORT requests among them */
    REPO_COUNTERS
} repo_counter_t;
void repo_process_count(repo_counter_t counter);
apr_uint32_t repo_process_counted(repo_counter_t counter);
const char *repo_process_counter_label(repo_counter_t counter);

#endif
