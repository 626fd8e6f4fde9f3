/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/http/error.h: the table of docs/errors.md. */
/* link: mod_repo/http/error.o mod_repo/http/readable.o */

#include "mod_repo/http/error.h"

#include "tests/support/httpd.h"
#include "tests/support/unit.h"

static int status_of(fs_error_code_t code, int fallback)
{
    fs_error_t *err = FS_ERROR(code, "text");
    int status = repo_error_status(err, fallback);

    fs_error_clear(err);
    return status;
}

static void kinds_have_their_status(void **state)
{
    (void)state;
    assert_int_equal(status_of(FS_ERR_NOT_FOUND, 0), 404);
    assert_int_equal(status_of(FS_ERR_NO_SUCH_REV, 0), 404);
    assert_int_equal(status_of(FS_ERR_NOT_DIR, 0), 400);
    assert_int_equal(status_of(FS_ERR_OUT_OF_DATE, 0), 409);
    assert_int_equal(status_of(FS_ERR_UNREADABLE, 0), 403);
    assert_int_equal(status_of(FS_ERR_UNSUPPORTED, 0), 501);
    assert_int_equal(status_of(FS_ERR_CORRUPT, 0), 500);
    assert_int_equal(status_of(FS_ERR_IO, 0), 500);
    assert_int_equal(status_of(FS_ERR_BUSY, 0), 503);
    assert_int_equal(status_of(FS_ERR_TOO_LARGE, 0), 413);
    assert_int_equal(status_of(FS_ERR_XML_MALFORMED, 0), 400);
}

static void a_fallback_replaces_what_the_client_did_wrong(void **state)
{
    (void)state;
    assert_int_equal(status_of(FS_ERR_UNREADABLE, 400), 400);
    assert_int_equal(status_of(FS_ERR_BAD_ARGS, 404), 404);
    assert_int_equal(status_of(FS_ERR_NOT_FOUND, 400), 404);
    assert_int_equal(status_of(FS_ERR_CORRUPT, 400), 500);
    assert_int_equal(status_of(FS_ERR_TOO_LARGE, 400), 413);
}

static void a_repository_we_cannot_serve_is_our_failure(void **state)
{
    (void)state;
    assert_int_equal(status_of(FS_ERR_UNSUPPORTED_FORMAT, 0), 500);
    assert_int_equal(status_of(FS_ERR_UNSUPPORTED_REPO, 400), 500);
}

static void the_body_carries_number_and_all_messages(void **state)
{
    httpd_request_t *request = httpd_request(unit_pool(state));
    fs_error_t *cause = FS_ERROR(FS_ERR_CORRUPT, "deep");
    dav_error *err = repo_error_convert(
        &request->r, FS_WRAP_AS(cause, FS_ERR_NOT_FOUND, "outer"), 0);

    assert_int_equal(err->status, 404);
    assert_int_equal(err->error_id, 160013);
    assert_string_equal(err->desc, "outer: deep");
    assert_string_equal(err->namespace, "svn:");
    assert_string_equal(err->tagname, "error");
    assert_null(err->prev);
}

static void paths_of_the_host_stay_in_the_log(void **state)
{
    httpd_request_t *request = httpd_request(unit_pool(state));
    dav_error *err;

    request->r.method = "GET";
    request->r.uri = (char *)(apr_uintptr_t) "/repo/a";
    err = repo_error_convert(&request->r,
                             FS_ERROR_APR(APR_ENOENT, "cannot open /srv/x"), 0);
    assert_int_equal(err->status, 500);
    assert_string_equal(err->desc, "input/output error");
    assert_null(err->prev->tagname);
    assert_string_equal(err->prev->desc, "GET /repo/a: cannot open /srv/x");
    assert_int_equal(err->prev->aprerr, APR_ENOENT);
}

static void control_bytes_do_not_reach_the_body(void **state)
{
    httpd_request_t *request = httpd_request(unit_pool(state));
    dav_error *err = repo_error_convert(
        &request->r, FS_ERROR(FS_ERR_NOT_FOUND, "a\x01\x7f\rb"), 0);

    assert_string_equal(err->desc, "a"
                                   "???"
                                   "b");
}

static void bytes_that_are_not_utf8_do_not_reach_the_body(void **state)
{
    httpd_request_t *request = httpd_request(unit_pool(state));
    dav_error *err = repo_error_convert(
        &request->r, FS_ERROR(FS_ERR_NOT_FOUND, "a\xff\xe4z"), 0);

    assert_string_equal(err->desc, "a??z");
    err = repo_error_convert(&request->r,
                             FS_ERROR(FS_ERR_NOT_FOUND, "a\xc3\xa4"), 0);
    assert_string_equal(err->desc, "a\xc3\xa4");
}

/* It may have closed one direction only, so it gets a status. */
static void a_client_that_is_gone_gets_a_bare_status(void **state)
{
    httpd_request_t *request = httpd_request(unit_pool(state));

    assert_int_equal(
        repo_error_send(&request->r, FS_ERROR(FS_ERR_CANCELLED, "gone"), 0),
        400);
    assert_int_equal(request->sent_len, 0);
    assert_int_equal(request->c.keepalive, AP_CONN_CLOSE);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(kinds_have_their_status),
    UNIT_TEST(a_fallback_replaces_what_the_client_did_wrong),
    UNIT_TEST(a_repository_we_cannot_serve_is_our_failure),
    UNIT_TEST(the_body_carries_number_and_all_messages),
    UNIT_TEST(paths_of_the_host_stay_in_the_log),
    UNIT_TEST(control_bytes_do_not_reach_the_body),
    UNIT_TEST(bytes_that_are_not_utf8_do_not_reach_the_body),
    UNIT_TEST(a_client_that_is_gone_gets_a_bare_status),
};

UNIT_MAIN(tests)
