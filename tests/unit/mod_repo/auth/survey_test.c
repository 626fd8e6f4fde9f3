/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/auth/survey.h. */
/* link: mod_repo/auth/survey.o */

#include "mod_repo/auth/survey.h"

#include "tests/support/httpd.h"
#include "tests/support/unit.h"

/* A configuration with <Location /repo> DAV repo </Location>, and `extra`
 * behind it. */
static bool is_uniform_with(const char *name, const char *args, void **state)
{
    ap_directive_t dav = { 0 }, location = { 0 }, extra = { 0 };

    dav.directive = "DAV";
    dav.args = "repo";
    location.directive = "<Location";
    location.args = "/repo>";
    location.first_child = &dav;
    extra.directive = name;
    extra.args = args;
    if (name)
        location.next = &extra;
    repo_survey_take(&location, unit_pool(state));
    return repo_survey_is_uniform();
}

static void a_plain_location_is_uniform(void **state)
{
    assert_true(is_uniform_with(NULL, NULL, state));
    assert_null(repo_survey_reason());
    assert_true(is_uniform_with("Require", "valid-user", state));
    assert_true(is_uniform_with("RewriteEngine", "off", state));
    assert_true(is_uniform_with("Allow", "from all", state));
    assert_true(is_uniform_with("<Location", "/repo>", state));
    assert_true(is_uniform_with("<Location", "/repository>", state));
    assert_true(is_uniform_with("<Location", "/other/repo/x>", state));
}

static void sections_that_match_parts_of_it_are_not(void **state)
{
    assert_false(is_uniform_with("<LocationMatch", "/secret>", state));
    assert_false(is_uniform_with("<If", "\"%{REQUEST_URI} =~ /x/\">", state));
    assert_false(is_uniform_with("<Location", "/repo/trunk>", state));
    assert_false(is_uniform_with("<Location", "\"/repo/trunk\">", state));
    assert_false(is_uniform_with("<Location", "'/repo/trunk'>", state));
    assert_false(is_uniform_with("<Location", "  /repo/trunk  >", state));
    assert_false(is_uniform_with("<Location", "/*/trunk>", state));
    assert_false(is_uniform_with("<Location", "\"~\" secret>", state));
    assert_false(is_uniform_with("<Location", "~ \"/tr\">", state));
    assert_string_equal(repo_survey_reason(),
                        "a pattern in <Location ~ \"/tr\">");
}

static void a_location_is_read_as_httpd_reads_it(void **state)
{
    static const char *const outer[] = { "\"/my repo\">", "'/my repo/' >" };
    ap_directive_t dav = { 0 }, location = { 0 }, inner = { 0 };
    size_t i;

    dav.directive = "DAV";
    dav.args = "repo";
    location.directive = inner.directive = "<Location";
    location.first_child = &dav;
    for (i = 0; i < 2; i++) {
        location.args = outer[i];
        location.next = NULL;
        repo_survey_take(&location, unit_pool(state));
        assert_true(repo_survey_is_uniform());
        inner.args = "\"/my repo/secret\">";
        location.next = &inner;
        repo_survey_take(&location, unit_pool(state));
        assert_false(repo_survey_is_uniform());
        inner.args = "\"/my\">";
        repo_survey_take(&location, unit_pool(state));
        assert_true(repo_survey_is_uniform());
    }
}

static void conditions_on_the_url_are_not(void **state)
{
    assert_false(
        is_uniform_with("Require", "expr %{REQUEST_URI} =~ /x/", state));
    assert_false(is_uniform_with("Require", "not env HIDDEN", state));
    assert_false(is_uniform_with("Require", "user %{ENV:X}", state));
    assert_false(is_uniform_with("Require", "lua-secret x", state));
    assert_true(is_uniform_with("Require", "not ip 10.1", state));
    assert_false(is_uniform_with("Deny", "from env=HIDDEN", state));
    assert_false(is_uniform_with("RewriteEngine", "on", state));
    assert_false(is_uniform_with("Redirect", "gone /repo/x", state));
    assert_false(is_uniform_with("RedirectMatch", "/x /y", state));
    assert_true(is_uniform_with("Redirect", "permanent / https://h/", state));
    assert_true(is_uniform_with("Redirect", "/other/x https://h/", state));
    assert_false(is_uniform_with("SSLRequire", "x", state));
}

static void reading_methods_must_be_treated_alike(void **state)
{
    assert_true(
        is_uniform_with("<LimitExcept", "GET PROPFIND OPTIONS REPORT>", state));
    assert_true(is_uniform_with("<Limit", "PUT DELETE>", state));
    assert_false(is_uniform_with("<Limit", "GET>", state));
    assert_false(is_uniform_with("<LimitExcept", "GET PROPFIND>", state));
}

static void modules_that_are_not_known_are_not(void **state)
{
    httpd_hook_owner = "mod_authz_core.c";
    assert_true(is_uniform_with(NULL, NULL, state));
    httpd_hook_owner = "mod_authz_svn.c";
    assert_false(is_uniform_with(NULL, NULL, state));
    assert_string_equal(repo_survey_reason(), "the module mod_authz_svn.c");
    httpd_hook_owner = NULL;
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_plain_location_is_uniform),
    UNIT_TEST(sections_that_match_parts_of_it_are_not),
    UNIT_TEST(a_location_is_read_as_httpd_reads_it),
    UNIT_TEST(conditions_on_the_url_are_not),
    UNIT_TEST(reading_methods_must_be_treated_alike),
    UNIT_TEST(modules_that_are_not_known_are_not),
};

UNIT_MAIN(tests)
