/* SPDX-License-Identifier: Apache-2.0 */
/* Request headers and the query of a URL. */
/* link: mod_repo/http/headers.o */

#include "tests/support/fuzz.h"

#include <stdlib.h>

#include <apr_strings.h>

#include "mod_repo/http/headers.h"
#include "tests/support/httpd.h"

FUZZ_WITH_APR

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    request_rec *r = &httpd_request(pool)->r;
    char *text = apr_pstrmemdup(pool, data, len);
    int level;

    for (level = 0; level < 3; level++) {
        int version = repo_headers_svndiff_version(text, level);

        if (version < 0 || version > 2 || (level == 0 && version))
            abort();
    }
    apr_table_setn(r->headers_in, "DAV", text);
    apr_table_setn(r->headers_in, "User-Agent", text);
    (void)repo_headers_has_capability(r, "mergeinfo");
    (void)repo_headers_is_svn(r);
    r->args = text;
    (void)repo_headers_query(r, "p", pool);
    (void)repo_headers_query(r, "kw", pool);
}

FUZZ_EACH(try_input)
