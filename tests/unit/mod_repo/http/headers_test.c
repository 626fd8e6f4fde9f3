/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/http/headers.h. */
/* link: mod_repo/http/headers.o */

#include "mod_repo/http/headers.h"

#include "tests/support/httpd.h"
#include "tests/support/unit.h"

static void the_version_follows_the_highest_q(void **state)
{
    (void)state;
    assert_int_equal(repo_headers_svndiff_version(
                         "gzip,svndiff2;q=0.9,svndiff1;q=0.8,svndiff;q=0.7", 5),
                     2);
    assert_int_equal(repo_headers_svndiff_version(
                         "gzip,svndiff1;q=0.9,svndiff2;q=0.8,svndiff;q=0.7", 5),
                     1);
}

static void the_first_of_equals_wins(void **state)
{
    (void)state;
    assert_int_equal(repo_headers_svndiff_version("svndiff1, svndiff2", 5), 1);
    assert_int_equal(repo_headers_svndiff_version("svndiff2, svndiff1", 5), 2);
}

static void a_plain_svndiff_never_wins_over_a_number(void **state)
{
    (void)state;
    assert_int_equal(
        repo_headers_svndiff_version("svndiff;q=1.0, svndiff1;q=0.1", 5), 1);
    assert_int_equal(repo_headers_svndiff_version("svndiff1;q=0", 5), 1);
}

static void without_a_number_it_is_version_0(void **state)
{
    (void)state;
    assert_int_equal(repo_headers_svndiff_version(NULL, 5), 0);
    assert_int_equal(repo_headers_svndiff_version("", 5), 0);
    assert_int_equal(repo_headers_svndiff_version("svndiff", 5), 0);
    assert_int_equal(repo_headers_svndiff_version("gzip, svndiff9", 5), 0);
    assert_int_equal(repo_headers_svndiff_version("svndiff12", 5), 0);
}

static void the_level_decides_at_its_low_end(void **state)
{
    (void)state;
    assert_int_equal(repo_headers_svndiff_version("svndiff1,svndiff2", 0), 0);
    assert_int_equal(
        repo_headers_svndiff_version("svndiff1;q=0.9,svndiff2;q=0.1", 1), 2);
    assert_int_equal(repo_headers_svndiff_version("svndiff1", 1), 1);
}

static void subversion_clients_are_known_by_their_agent(void **state)
{
    request_rec *r = &httpd_request(unit_pool(state))->r;

    assert_false(repo_headers_is_svn(r));
    apr_table_set(r->headers_in, "User-Agent", "Mozilla SVN/1.14");
    assert_false(repo_headers_is_svn(r));
    apr_table_set(r->headers_in, "User-Agent", "SVN/1.10.3 SVNKit/1.10.3");
    assert_true(repo_headers_is_svn(r));
}

static void capabilities_are_whole_words(void **state)
{
    request_rec *r = &httpd_request(unit_pool(state))->r;

    assert_false(repo_headers_has_capability(r, "mergeinfo"));
    apr_table_set(r->headers_in, "DAV",
                  "http://subversion.tigris.org/xmlns/dav/svn/depth, "
                  "http://subversion.tigris.org/xmlns/dav/svn/mergeinfo2, "
                  "http://subversion.tigris.org/xmlns/dav/svn/log-revprops");
    assert_true(repo_headers_has_capability(r, "depth"));
    assert_true(repo_headers_has_capability(r, "log-revprops"));
    assert_false(repo_headers_has_capability(r, "mergeinfo"));
}

static void options_are_whole_words(void **state)
{
    request_rec *r = &httpd_request(unit_pool(state))->r;

    assert_false(repo_headers_has_option(r, "lock-steal"));
    apr_table_set(r->headers_in, "X-SVN-Options",
                  " keep-locks lock-stealing,  no-merge-response");
    assert_true(repo_headers_has_option(r, "keep-locks"));
    assert_true(repo_headers_has_option(r, "no-merge-response"));
    assert_false(repo_headers_has_option(r, "lock-steal"));
    assert_false(repo_headers_has_option(r, "merge-response"));
}

static void query_arguments_are_found_by_name(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    request_rec *r = &httpd_request(pool)->r;
    char args[] = "pp=1&p=20&r=&kw=1";

    assert_null(repo_headers_query(r, "p", pool));
    r->args = args;
    assert_string_equal(repo_headers_query(r, "p", pool), "20");
    assert_string_equal(repo_headers_query(r, "r", pool), "");
    assert_string_equal(repo_headers_query(r, "kw", pool), "1");
    assert_null(repo_headers_query(r, "k", pool));
}

static void of_several_query_arguments_the_last_counts(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    request_rec *r = &httpd_request(pool)->r;
    char args[] = "p=1&&P=2&r=3&R=";

    r->args = args;
    assert_string_equal(repo_headers_query(r, "p", pool), "2");
    assert_string_equal(repo_headers_query(r, "r", pool), "");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(the_version_follows_the_highest_q),
    UNIT_TEST(the_first_of_equals_wins),
    UNIT_TEST(a_plain_svndiff_never_wins_over_a_number),
    UNIT_TEST(without_a_number_it_is_version_0),
    UNIT_TEST(the_level_decides_at_its_low_end),
    UNIT_TEST(subversion_clients_are_known_by_their_agent),
    UNIT_TEST(capabilities_are_whole_words),
    UNIT_TEST(options_are_whole_words),
    UNIT_TEST(query_arguments_are_found_by_name),
    UNIT_TEST(of_several_query_arguments_the_last_counts),
};

UNIT_MAIN(tests)
