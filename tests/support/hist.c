/* SPDX-License-Identifier: Apache-2.0 */
/* A repository with a rich history, and transcripts of answers about it. */

#include "tests/support/hist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_strings.h>

#include "tests/support/repo.h"

static apr_pool_t *group_pool;
static fs_repo_t *group_repo;

fs_repo_t *fs_test_open(const char *path, bool cached, apr_pool_t *pool)
{
    const cache_options_t options = { .backend = "process" };
    cache_t *cache = NULL;
    fs_repo_t *repo;
    fs_error_t *err;

    if (cached && cache_create(&cache, &options, pool) != APR_SUCCESS) {
        fprintf(stderr, "cannot make a cache\n");
        exit(1);
    }
    err = fs_repo_open(&repo, path, NULL, cache, pool);
    if (err) {
        fprintf(stderr, "cannot open %s: %s\n", path,
                fs_error_describe(err, pool));
        exit(1);
    }
    return repo;
}

int fs_test_hist_setup(void **state)
{
    (void)state;
    if (apr_initialize() != APR_SUCCESS ||
        apr_pool_create(&group_pool, NULL) != APR_SUCCESS)
        return -1;
    group_repo = fs_test_open(
        fs_test_repo_load("tests/data/history/hist.dump", group_pool), false,
        group_pool);
    return 0;
}

int fs_test_hist_teardown(void **state)
{
    (void)state;
    apr_pool_destroy(group_pool);
    apr_terminate();
    return 0;
}

fs_repo_t *fs_test_hist(void)
{
    return group_repo;
}

const char *fs_test_split_at(fs_rev_t *rev, const char *word, apr_pool_t *pool)
{
    const char *at = strrchr(word, '@');

    *rev = at ? apr_atoi64(at + 1) : FS_INVALID_REV;
    return at ? apr_pstrmemdup(pool, word, (apr_size_t)(at - word)) : word;
}

/* ---- transcripts ---- */

static char *read_file(const char *path, apr_pool_t *pool)
{
    apr_file_t *file;
    apr_finfo_t info;
    apr_size_t len;
    char *text;

    if (apr_file_open(&file, path, APR_FOPEN_READ, 0, pool) ||
        apr_file_info_get(&info, APR_FINFO_SIZE, file)) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    text = apr_pcalloc(pool, (apr_size_t)info.size + 1);
    if (apr_file_read_full(file, text, (apr_size_t)info.size, &len)) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    apr_file_close(file);
    return text;
}

static apr_array_header_t *split(const char *text, const char *separators,
                                 apr_pool_t *pool)
{
    apr_array_header_t *parts = apr_array_make(pool, 16, sizeof(const char *));
    char *copy = apr_pstrdup(pool, text);
    char *last;
    char *part;

    for (part = apr_strtok(copy, separators, &last); part;
         part = apr_strtok(NULL, separators, &last))
        APR_ARRAY_PUSH(parts, const char *) = part;
    return parts;
}

static const char *question_of(const char *line, bool marked)
{
    const char *colon = strstr(line, ": ");
    const char *blank;

    if (!marked)
        return line;
    if (colon)
        return colon + 2;
    blank = strchr(line + 2, ' ');
    return blank ? blank + 1 : "";
}

static void ask(fs_buffer_t *out, const char *question, fs_repo_t *repo,
                fs_test_answer_fn answer, apr_pool_t *pool)
{
    fs_error_t *err = answer(out, repo, split(question, " ", pool), pool);

    if (!err)
        return;
    fs_buffer_printf(out, "ERROR E%06d\n", (int)err->code);
    fs_error_clear(err);
}

/* Messages are ours: of an expected error only the number counts. */
static const char *cut_error(const char *line, apr_pool_t *pool)
{
    const char *second;

    if (strncmp(line, "ERROR ", 6) != 0)
        return line;
    second = strchr(line + 6, ' ');
    return second ? apr_pstrmemdup(pool, line, (apr_size_t)(second - line))
                  : line;
}

static const char *first_difference(const apr_array_header_t *expected,
                                    const apr_array_header_t *found,
                                    apr_pool_t *pool)
{
    int i;

    for (i = 0; i < expected->nelts || i < found->nelts; i++) {
        const char *want =
            i < expected->nelts
                ? cut_error(APR_ARRAY_IDX(expected, i, const char *), pool)
                : "(end)";
        const char *got =
            i < found->nelts ? APR_ARRAY_IDX(found, i, const char *) : "(end)";

        if (strcmp(want, got) != 0)
            return apr_psprintf(pool, "line %d: \"%s\", \"%s\" was expected",
                                i + 1, got, want);
    }
    return NULL;
}

const char *fs_test_transcript(const char *name, bool marked, fs_repo_t *repo,
                               fs_test_answer_fn answer, apr_pool_t *pool)
{
    const char *path = fs_test_source(
        apr_pstrcat(pool, "tests/data/history/", name, NULL), pool);
    apr_array_header_t *lines = split(read_file(path, pool), "\n", pool);
    fs_buffer_t *out = fs_buffer_create(4096, pool);
    int i;

    for (i = 0; i < lines->nelts; i++) {
        const char *line = APR_ARRAY_IDX(lines, i, const char *);
        bool hash = line[0] == '#';

        if (hash)
            fs_buffer_printf(out, "%s\n", line);
        if (hash == marked)
            ask(out, question_of(line, marked), repo, answer, pool);
    }
    fs_buffer_append(out, "", 1);
    return first_difference(lines, split(out->data, "\n", pool), pool);
}
