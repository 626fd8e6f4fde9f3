/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/http/guard.h. */
/* link: mod_repo/http/guard.o mod_repo/http/body.o mod_repo/http/error.o mod_repo/http/readable.o */

#include "mod_repo/http/guard.h"

#include <apr_buckets.h>

#include "tests/support/httpd.h"
#include "tests/support/unit.h"

static const repo_body_limits_t limits = { .bytes = 100, .depth = 3 };

/* Read all of `body` through the guard in pieces of five bytes. */
static apr_status_t pass(httpd_request_t *httpd, int method, const char *body)
{
    apr_pool_t *pool = httpd->r.pool;
    apr_bucket_brigade *brigade =
        apr_brigade_create(pool, httpd->c.bucket_alloc);
    apr_status_t status = APR_SUCCESS;
    bool ended = false;

    repo_guard_register();
    httpd->r.method_number = method;
    httpd->body = body;
    httpd->body_len = body ? strlen(body) : 0;
    httpd->piece = 5;
    repo_guard_insert(&httpd->r, &limits, 2);
    while (status == APR_SUCCESS && !ended) {
        status = ap_get_brigade(httpd->r.input_filters, brigade,
                                AP_MODE_READBYTES, APR_BLOCK_READ, 100);
        ended = !APR_BRIGADE_EMPTY(brigade) &&
                APR_BUCKET_IS_EOS(APR_BRIGADE_LAST(brigade));
        if (status != APR_SUCCESS)
            assert_true(APR_BRIGADE_EMPTY(brigade));
        apr_brigade_cleanup(brigade);
    }
    return status;
}

static apr_status_t pass_new(void **state, int method, const char *body)
{
    return pass(httpd_request(unit_pool(state)), method, body);
}

static void a_body_within_its_limits_passes(void **state)
{
    assert_int_equal(pass_new(state, M_OPTIONS, "<a><b><c/></b></a>"), 0);
    assert_int_equal(pass_new(state, M_OPTIONS, ""), 0);
}

static void reading_ends_at_what_is_not_allowed(void **state)
{
    static const char *const rows[] = {
        "<a><b><c><d/></c></b></a>",
        "<!DOCTYPE a><a/>",
        "<a></b>",
        "<a>",
        ("<a>                                                               "
         "                                     </a>"),
    };
    int i;

    for (i = 0; i < 5; i++)
        assert_int_equal(pass_new(state, M_OPTIONS, rows[i]), AP_FILTER_ERROR);
}

static void a_failure_below_is_answered_once(void **state)
{
    assert_int_equal(pass_new(state, M_OPTIONS, NULL), AP_FILTER_ERROR);
}

static void names_of_a_propfind_are_counted(void **state)
{
    static const char three[] = "<a><b><c/><d/><e/></b></a>";

    assert_int_equal(pass_new(state, M_PROPFIND, "<a><b><c/><d/></b></a>"), 0);
    assert_int_equal(pass_new(state, M_PROPFIND, three), AP_FILTER_ERROR);
    assert_int_equal(pass_new(state, M_OPTIONS, three), 0);
}

static void a_propfind_for_names_is_noted(void **state)
{
    httpd_request_t *httpd = httpd_request(unit_pool(state));

    assert_false(repo_guard_wants_names(&httpd->r));
    assert_int_equal(pass(httpd, M_PROPFIND, "<a><propname/></a>"), 0);
    assert_true(repo_guard_wants_names(&httpd->r));
}

static void limits_of_httpd_are_raised_where_they_are_unset(void **state)
{
    httpd_request_t *httpd = httpd_request(unit_pool(state));
    const core_dir_config *core;

    httpd->core.limit_req_body = 1000;
    repo_guard_raise_limits(&httpd->r);
    core = ap_get_core_module_config(httpd->r.per_dir_config);
    assert_int_equal(core->limit_xml_body, 0);
    assert_int_equal(core->limit_req_body, 1000);
    repo_guard_take_over(&httpd->r);
    core = ap_get_core_module_config(httpd->r.per_dir_config);
    assert_int_equal(core->limit_req_body, 0);
    assert_int_equal(httpd->core.limit_req_body, 1000);
}

static void tokens_in_a_delete_are_kept(void **state)
{
    httpd_request_t *httpd = httpd_request(unit_pool(state));
    apr_hash_t *tokens;

    assert_null(repo_guard_tokens(&httpd->r));
    assert_int_equal(pass(httpd, M_DELETE,
                          "<a><lock-token>t:1</lock-token><lock><lock-token>t:2"
                          "</lock-token></lock></a>"),
                     0);
    tokens = repo_guard_tokens(&httpd->r);
    assert_int_equal(apr_hash_count(tokens), 2);
    assert_non_null(apr_hash_get(tokens, "t:1", APR_HASH_KEY_STRING));
    assert_non_null(apr_hash_get(tokens, "t:2", APR_HASH_KEY_STRING));
}

static void a_limit_of_the_administrator_is_handed_over(void **state)
{
    httpd_request_t *httpd = httpd_request(unit_pool(state));
    const core_dir_config *core;

    httpd->core.limit_req_body = -1;
    assert_int_equal(repo_guard_own_limit(&httpd->r), 0);
    httpd->core.limit_req_body = 1000;
    assert_int_equal(repo_guard_own_limit(&httpd->r), 1000);
    core = ap_get_core_module_config(httpd->r.per_dir_config);
    assert_int_equal(core->limit_req_body, 0);
    assert_int_equal(httpd->core.limit_req_body, 1000);
}

static void a_body_that_is_not_wanted_ends_at_once(void **state)
{
    httpd_request_t *httpd = httpd_request(unit_pool(state));
    apr_bucket_brigade *brigade =
        apr_brigade_create(httpd->r.pool, httpd->c.bucket_alloc);

    repo_guard_register();
    httpd->body = "left";
    httpd->body_len = 4;
    repo_guard_end_body(&httpd->r);
    assert_int_equal(ap_get_brigade(httpd->r.input_filters, brigade,
                                    AP_MODE_READBYTES, APR_BLOCK_READ, 100),
                     0);
    assert_true(APR_BUCKET_IS_EOS(APR_BRIGADE_FIRST(brigade)));
    assert_int_equal(httpd->c.keepalive, AP_CONN_CLOSE);
}

static void a_short_body_is_no_reason_to_end_a_connection(void **state)
{
    httpd_request_t *httpd = httpd_request(unit_pool(state));

    httpd->c.keepalive = AP_CONN_KEEPALIVE;
    repo_guard_leave_body(&httpd->r);
    apr_table_setn(httpd->r.headers_in, "Content-Length", "65536");
    repo_guard_leave_body(&httpd->r);
    assert_int_equal(httpd->c.keepalive, AP_CONN_KEEPALIVE);
    apr_table_setn(httpd->r.headers_in, "Content-Length", "65537");
    repo_guard_leave_body(&httpd->r);
    assert_int_equal(httpd->c.keepalive, AP_CONN_CLOSE);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_body_within_its_limits_passes),
    UNIT_TEST(reading_ends_at_what_is_not_allowed),
    UNIT_TEST(a_failure_below_is_answered_once),
    UNIT_TEST(names_of_a_propfind_are_counted),
    UNIT_TEST(a_propfind_for_names_is_noted),
    UNIT_TEST(limits_of_httpd_are_raised_where_they_are_unset),
    UNIT_TEST(tokens_in_a_delete_are_kept),
    UNIT_TEST(a_limit_of_the_administrator_is_handed_over),
    UNIT_TEST(a_body_that_is_not_wanted_ends_at_once),
    UNIT_TEST(a_short_body_is_no_reason_to_end_a_connection),
};

UNIT_MAIN(tests)
