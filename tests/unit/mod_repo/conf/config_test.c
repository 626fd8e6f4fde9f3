/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/conf/config.h. */
/* link: mod_repo/conf/config.o */

#include "mod_repo/conf/config.h"

#include "tests/support/unit.h"

/* Settings hang on it. */
module repo_core_module;

static repo_config_t *config(void **state)
{
    return repo_config_create_dir(unit_pool(state), NULL);
}

static void an_empty_location_has_the_defaults(void **state)
{
    repo_config_t *c = config(state);

    assert_true(repo_config_v2(c));
    assert_true(repo_config_path_authz(c));
    assert_false(repo_config_list_parent(c));
    assert_int_equal(repo_config_bulk(c), REPO_BULK_ON);
}

static void limits_have_defaults_and_can_be_set(void **state)
{
    repo_config_t *c = config(state);
    repo_limits_t limits;

    repo_config_limits(&limits, c);
    assert_int_equal(limits.report_body, 268435456);
    assert_int_equal(limits.report_entries, 2000000);
    assert_int_equal(limits.report_paths, 4096);
    assert_int_equal(limits.xml_body, 16777216);
    assert_int_equal(limits.xml_depth, 64);
    assert_int_equal(limits.xml_attributes, 32);
    assert_int_equal(limits.xml_namespaces, 64);
    assert_int_equal(limits.xml_text, 65536);
    assert_int_equal(limits.xml_items, 65536);
    assert_int_equal(limits.report_text, 1048576);
    assert_int_equal(limits.prop_names, 256);
    assert_int_equal(limits.post_body, 16777216);
    c->limits.xml_depth = 7;
    repo_config_limits(&limits, c);
    assert_int_equal(limits.xml_depth, 7);
    assert_int_equal(limits.xml_attributes, 32);
}

static void a_hook_may_run_for_an_hour(void **state)
{
    assert_true(repo_config_hook_timeout(config(state)) ==
                APR_INT64_C(3600000000));
}

static void a_limit_knows_its_directive(void **state)
{
    (void)state;
    assert_string_equal(REPO_LIMIT_NAME(report_body), "RepoLimitReportBody");
    assert_string_equal(REPO_LIMIT_NAME(prop_names), "RepoLimitPropertyNames");
}

static void an_inner_section_inherits_what_it_does_not_set(void **state)
{
    repo_config_t *outer = config(state), *inner = config(state), *merged;

    outer->base = "/repo";
    outer->path = "/srv/repo";
    outer->name = "outer";
    outer->bulk = REPO_BULK_OFF;
    outer->limits.xml_depth = 5;
    outer->activities_db = "/srv/activities";
    outer->hooks_env = "env";
    outer->hook_timeout = 7;
    inner->name = "inner";
    inner->limits.xml_text = 9;
    merged = repo_config_merge_dir(unit_pool(state), outer, inner);
    assert_string_equal(merged->base, "/repo");
    assert_string_equal(merged->path, "/srv/repo");
    assert_string_equal(merged->name, "inner");
    assert_int_equal(merged->bulk, REPO_BULK_OFF);
    assert_int_equal(merged->limits.xml_depth, 5);
    assert_int_equal(merged->limits.xml_text, 9);
    assert_string_equal(merged->activities_db, "/srv/activities");
    assert_string_equal(merged->hooks_env, "env");
    assert_int_equal(repo_config_hook_timeout(merged), 7000000);
}

static void an_inner_repository_replaces_the_outer_one(void **state)
{
    repo_config_t *outer = config(state), *inner = config(state), *merged;

    outer->base = "/svn";
    outer->parent = "/srv/all";
    inner->base = "/svn/one";
    inner->path = "/srv/one";
    merged = repo_config_merge_dir(unit_pool(state), outer, inner);
    assert_string_equal(merged->base, "/svn/one");
    assert_string_equal(merged->path, "/srv/one");
    assert_null(merged->parent);
}

static void options_of_both_sections_count(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    repo_config_t *outer = config(state), *inner = config(state), *merged;

    outer->options = apr_hash_make(pool);
    inner->options = apr_hash_make(pool);
    apr_hash_set(outer->options, "a", APR_HASH_KEY_STRING, "1");
    apr_hash_set(outer->options, "b", APR_HASH_KEY_STRING, "1");
    apr_hash_set(inner->options, "b", APR_HASH_KEY_STRING, "2");
    merged = repo_config_merge_dir(pool, outer, inner);
    assert_string_equal(apr_hash_get(merged->options, "a", APR_HASH_KEY_STRING),
                        "1");
    assert_string_equal(apr_hash_get(merged->options, "b", APR_HASH_KEY_STRING),
                        "2");
}

static void a_virtual_host_inherits_from_the_server(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    repo_server_config_t *base = repo_config_create_server(pool, NULL);
    repo_server_config_t *host = repo_config_create_server(pool, NULL);
    repo_server_config_t *merged;

    base->special = "!x";
    base->compression_level = 3;
    host->compression_level = 0;
    merged = repo_config_merge_server(pool, base, host);
    assert_string_equal(merged->special, "!x");
    assert_int_equal(merged->compression_level, 0);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(an_empty_location_has_the_defaults),
    UNIT_TEST(limits_have_defaults_and_can_be_set),
    UNIT_TEST(a_hook_may_run_for_an_hour),
    UNIT_TEST(a_limit_knows_its_directive),
    UNIT_TEST(an_inner_section_inherits_what_it_does_not_set),
    UNIT_TEST(an_inner_repository_replaces_the_outer_one),
    UNIT_TEST(options_of_both_sections_count),
    UNIT_TEST(a_virtual_host_inherits_from_the_server),
};

UNIT_MAIN(tests)
