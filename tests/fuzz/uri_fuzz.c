/* SPDX-License-Identifier: Apache-2.0 */
/* URLs of requests, in bodies and in headers. */
/* link: mod_repo/uri/uri.o */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"
#include "mod_repo/uri/uri.h"

FUZZ_WITH_APR

static void must_be_below(const char *path)
{
    if (path && !fs_path_is_canonical(path))
        abort();
}

/* What was parsed is built and parsed again. */
static void build_again(const repo_uri_t *uri, apr_pool_t *pool)
{
    repo_uri_t again;
    const char *url =
        repo_uri_build(uri->kind, "/repo", "!svn", uri->rev, uri->path, pool);
    const char *path = repo_uri_decode(url, pool);

    if (!repo_uri_is_tree(uri->kind))
        return;
    if (!path || strncmp(path, "/repo", 5) != 0 ||
        !repo_uri_parse(&again, path + 5, "!svn", pool) ||
        again.kind != uri->kind || again.rev != uri->rev ||
        strcmp(again.path, uri->path) != 0)
        abort();
}

static void take_path(const char *path, bool is_parent, apr_pool_t *pool)
{
    const char *root, *name, *below;
    repo_uri_t uri;

    if (!repo_uri_split(&root, &name, &below, "/svn", path, is_parent, pool))
        return;
    if (repo_uri_parse(&uri, below, "!svn", pool)) {
        if (repo_uri_has_path(uri.kind) != (uri.path != NULL))
            abort();
        must_be_below(uri.path);
        build_again(&uri, pool);
    }
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    const char *text = apr_pstrmemdup(pool, data, len);
    const char *encoded = repo_uri_encode(text, pool);
    const char *decoded;
    fs_rev_t rev;

    take_path(text, false, pool);
    take_path(text, true, pool);
    (void)repo_uri_decode(text, pool);
    must_be_below(repo_uri_fspath(text, "/svn/repo", pool));
    must_be_below(repo_uri_fspath(text, "", pool));
    if (repo_uri_parse_rev(&rev, text) && rev < 0)
        abort();
    if (*text != '/' || text[1] == '/')
        return;
    decoded = repo_uri_decode(encoded, pool);
    if (!decoded || strcmp(decoded, text) != 0)
        abort();
}

FUZZ_EACH(try_input)
