/* SPDX-License-Identifier: Apache-2.0 */
/* Paths in a repository. An input is two of them with a NUL between. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"

FUZZ_WITH_APR

static void take_path(const char *path, apr_pool_t *pool)
{
    const char *canonical = fs_path_canonical(path, pool);
    const char *parent = fs_path_parent(canonical, pool);
    const char *name = fs_path_name(canonical);

    if (strcmp(fs_path_canonical(canonical, pool), canonical) != 0)
        abort();
    if (!fs_path_is_within(parent, canonical))
        abort();
    if (*name && strcmp(fs_path_join(parent, name, pool), canonical) != 0)
        abort();
    if (fs_path_is_canonical(path) && strcmp(path, canonical) != 0)
        abort();
    (void)fs_path_segments(canonical, pool);
    fs_error_clear(fs_path_check(canonical));
}

static void compare(const char *one, const char *two, apr_pool_t *pool)
{
    const char *a = fs_path_canonical(one, pool);
    const char *b = fs_path_canonical(two, pool);
    const char *below = fs_path_below(a, b);
    int order = fs_path_compare(a, b), other = fs_path_compare(b, a);

    if ((order < 0) != (other > 0) || (order == 0) != (strcmp(a, b) == 0))
        abort();
    if (below && strcmp(fs_path_join(a, below, pool), b) != 0)
        abort();
    if (below && order > 0)
        abort();
    (void)fs_path_is_relpath(one);
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    const char *one = apr_pstrmemdup(pool, data, len);
    apr_size_t first = strlen(one);
    const char *two = first < len ? one + first + 1 : one;

    take_path(one, pool);
    take_path(two, pool);
    compare(one, two, pool);
    (void)fs_utf8_is_valid(data, len);
}

FUZZ_EACH(try_input)
