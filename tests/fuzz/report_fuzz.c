/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every REPORT, from its body to its answer, on a small repository. The first
 * line of an input is the URL below the repository's root, the rest the body.
 */
/* link: mod_repo/report/dispatch.o mod_repo/report/table.o */
/* link: mod_repo/report/dated_rev.o mod_repo/report/fields.o */
/* link: mod_repo/report/file_revs.o mod_repo/report/list.o */
/* link: mod_repo/report/locks.o mod_repo/report/log.o */
/* link: mod_repo/report/mergeinfo.o mod_repo/report/places.o */
/* link: mod_repo/report/replay.o mod_repo/report/update.o */
/* link: mod_repo/report/update_editor.o mod_repo/conf/config.o */
/* link: mod_repo/http/body.o mod_repo/http/output.o mod_repo/http/xml.o */
/* link: mod_repo/uri/uri.o mod_repo/request/xml_limits.o */
/* link: mod_repo/http/guard.o mod_repo/http/error.o mod_repo/http/readable.o */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "mod_repo/report/dispatch.h"
#include "tests/support/hist.h"
#include "tests/support/repo.h"
#include "tests/support/request.h"

module repo_core_module;

FUZZ_WITH_REPO(fs_test_repo_load("tests/data/history/hist.dump", kept))

static fs_error_t *answer(repo_dispatch_t *dispatch, apr_pool_t *pool)
{
    request_rec *r = dispatch->request->r;
    repo_output_t *out;
    bool exists;

    FS_TRY(repo_dispatch_read(dispatch, pool));
    FS_TRY(repo_dispatch_find_target(&exists, dispatch->request, pool));
    if (!exists)
        return NULL;
    out = repo_output_create(r, r->output_filters, pool);
    FS_TRY(
        dispatch->report->run(dispatch->baton, dispatch->request, out, pool));
    return repo_output_finish(out);
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    httpd_request_t *httpd = httpd_request(pool);
    const char *line = memchr(data, '\n', len);
    repo_dispatch_t dispatch = { 0 };

    if (!line)
        return;
    dispatch.request = fs_test_request(
        httpd, repo, apr_pstrmemdup(pool, data, (apr_size_t)(line - data)));
    if (!dispatch.request)
        return;
    httpd->body = line + 1;
    httpd->body_len = len - (apr_size_t)(line + 1 - data);
    repo_config_limits(&dispatch.limits, dispatch.request->config);
    fs_error_clear(answer(&dispatch, pool));
}

FUZZ_EACH(try_input)
