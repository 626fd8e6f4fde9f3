/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The repository of tests/data/history, in which eleven revisions copy,
 * replace, rename, delete and bring back, and transcripts of what the stock
 * libraries answered about it.
 */

#ifndef TESTS_SUPPORT_HIST_H
#define TESTS_SUPPORT_HIST_H

#include <apr_tables.h>

#include "libfs/base/buffer.h"
#include "libfs/fs_repo.h"

/** Group set-up and tear-down that make the repository once. */
int fs_test_hist_setup(void **state);
int fs_test_hist_teardown(void **state);

/** The repository of the group. */
fs_repo_t *fs_test_hist(void);

/** Open a repository or end the program. @param cached  with a cache */
fs_repo_t *fs_test_open(const char *path, bool cached, apr_pool_t *pool);

/**
 * Answers one question of a transcript: appends lines to `answer`, or returns
 * an error, which is noted as "ERROR E160013".
 */
typedef fs_error_t *(*fs_test_answer_fn)(fs_buffer_t *answer, fs_repo_t *repo,
                                         const apr_array_header_t *words,
                                         apr_pool_t *pool);

/**
 * Ask all questions of tests/data/history/`name` and compare the answers.
 *
 * With `marked`, questions are the lines that begin with '#', and the expected
 * answer follows; words are what stands behind ": ", else behind the first
 * word. Without, each line is a question and its answer; words are all of it.
 *
 * @return NULL, or what differs first
 */
const char *fs_test_transcript(const char *name, bool marked, fs_repo_t *repo,
                               fs_test_answer_fn answer, apr_pool_t *pool);

/** "/a/b@12" as its parts. */
const char *fs_test_split_at(fs_rev_t *rev, const char *word, apr_pool_t *pool);

#endif
