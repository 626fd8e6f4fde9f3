/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keywords in the text of a file. The first line of an input is the value of
 * svn:keywords, the rest the text.
 */
/* link: mod_repo/web/keywords.o mod_repo/uri/uri.o */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "mod_repo/web/keywords.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"
#include "tests/support/request.h"

FUZZ_WITH_REPO(fs_test_repo_unpack("tests/data/fsfs/f8.tar.gz", "f8", kept))

static fs_error_t *expand(const char *names, const char *text, apr_size_t len,
                          apr_pool_t *pool)
{
    repo_request_t *request = fs_test_request(httpd_request(pool), repo, "/");
    const fs_node_t *node;
    fs_stream_t *expanded;
    fs_bytes_t all;
    fs_root_t *root;
    fs_rev_t rev;

    FS_TRY(fs_repo_youngest(&rev, repo, pool));
    FS_TRY(fs_root_open(&root, repo, rev, pool));
    FS_TRY(fs_node_find(&node, root, "/", pool));
    FS_TRY(repo_keywords_expand(&expanded,
                                fs_stream_from_bytes(text, len, pool), names,
                                node, request, pool));
    FS_TRY(fs_stream_slurp(&all, expanded, 300 * len + 1, pool));
    if (strcspn(names, " \t\v\n\b\r\f") == strlen(names) && !*names &&
        (all.len != len || memcmp(all.data, text, len) != 0))
        abort(); /* without keywords nothing changes */
    return fs_stream_close(expanded);
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    const char *line = memchr(data, '\n', len);
    fs_error_t *err;

    if (!line)
        return;
    err = expand(apr_pstrmemdup(pool, data, (apr_size_t)(line - data)),
                 line + 1, len - (apr_size_t)(line + 1 - data), pool);
    if (err)
        abort();
}

FUZZ_EACH(try_input)
