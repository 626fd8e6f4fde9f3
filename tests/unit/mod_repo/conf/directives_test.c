/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/conf/directives.h, and the table of directives. */
/* link: mod_repo/conf/directives.o mod_repo/conf/config.o */

#include "mod_repo/conf/directives.h"

#include "mod_repo/conf/config.h"

#include "tests/support/unit.h"

module repo_core_module;

static void sizes_have_units(void **state)
{
    apr_int64_t value = 0;

    (void)state;
    assert_null(repo_directives_parse_size(&value, "17", 1));
    assert_int_equal(value, 17);
    assert_null(repo_directives_parse_size(&value, "2k", 1));
    assert_int_equal(value, 2048);
    assert_null(repo_directives_parse_size(&value, "3M", 1));
    assert_int_equal(value, 3145728);
    assert_null(repo_directives_parse_size(&value, "1G", 1));
    assert_int_equal(value, 1073741824);
}

static void what_is_no_size_is_refused_with_what_is(void **state)
{
    static const char *const rows[] = {
        "",
        "0",
        "-1",
        "x",
        "1x",
        "1KB",
        "M",
        "1 K",
        "1.5",
        "99999999999999999999",
        "9999999999999G",
    };
    apr_int64_t value = 0;
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (!repo_directives_parse_size(&value, rows[i], 1))
            fail_msg("'%s' is taken for a size", rows[i]);
    assert_string_equal(repo_directives_parse_size(&value, "1K", 0),
                        "a positive decimal number");
    assert_int_equal(value, 0);
}

static void a_special_uri_loses_its_outer_slashes(void **state)
{
    apr_pool_t *pool = unit_pool(state);

    assert_string_equal(repo_directives_special("!svn", pool), "!svn");
    assert_string_equal(repo_directives_special("/a//b/", pool), "a/b");
    assert_null(repo_directives_special("/", pool));
    assert_null(repo_directives_special("", pool));
    assert_null(repo_directives_special("a/../b", pool));
}

static const command_rec *find(const char *name)
{
    const command_rec *command;

    for (command = repo_directives; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    fail_msg("there is no directive %s", name);
    return NULL;
}

/* The names that existing configurations use. */
static void every_old_name_is_known(void **state)
{
    static const char *const names[] = {
        "SVNPath",
        "SVNParentPath",
        "SVNListParentPath",
        "SVNSpecialURI",
        "SVNReposName",
        "SVNIndexXSLT",
        "SVNAutoversioning",
        "SVNPathAuthz",
        "SVNAllowBulkUpdates",
        "SVNAdvertiseV2Protocol",
        "SVNMasterURI",
        "SVNMasterVersion",
        "SVNActivitiesDB",
        "SVNHooksEnv",
        "SVNInMemoryCacheSize",
        "SVNCompressionLevel",
        "SVNCacheTextDeltas",
        "SVNCacheFullTexts",
        "SVNCacheRevProps",
        "SVNCacheNodeProps",
        "SVNBlockRead",
        "SVNUseUTF8",
        "AuthzSVNAccessFile",
        "AuthzSVNReposRelativeAccessFile",
        "AuthzSVNGroupsFile",
        "AuthzSVNAuthoritative",
        "AuthzSVNAnonymous",
        "AuthzSVNNoAuthWhenAnonymousAllowed",
        "AuthzForceUsernameCase",
        "DontDoThatConfigFile",
        "DontDoThatDisallowReplay",
    };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_non_null(find(names[i]));
}

static void both_names_of_a_directive_do_the_same(void **state)
{
    (void)state;
    assert_ptr_equal(find("RepoPath")->AP_NO_ARGS, find("SVNPath")->AP_NO_ARGS);
    assert_int_equal(find("RepoPath")->req_override,
                     find("SVNPath")->req_override);
    assert_ptr_equal(find("RepoAuthzAccessFile")->cmd_data,
                     find("AuthzSVNAccessFile")->cmd_data);
}

static void every_limit_has_a_directive(void **state)
{
    const repo_limit_t *limit;

    (void)state;
    for (limit = repo_limits; limit->directive; limit++)
        assert_non_null(find(limit->directive));
}

/* ---- setting ---- */

static repo_config_t location;

static const char *set(const char *name, const char *value, void **state)
{
    cmd_parms cmd = { 0 };

    cmd.pool = cmd.temp_pool = unit_pool(state);
    cmd.path = (char *)(apr_uintptr_t) "/repo";
    cmd.cmd = find(name);
    cmd.info = cmd.cmd->cmd_data;
    return cmd.cmd->AP_TAKE1(&cmd, &location, value);
}

static void a_wrong_value_is_named_with_what_is_right(void **state)
{
    location = (repo_config_t){ 0 };
    assert_string_equal(
        set("SVNAllowBulkUpdates", "maybe", state),
        "SVNAllowBulkUpdates: 'maybe' is not valid, it must be on, off or "
        "prefer");
    assert_string_equal(
        set("RepoLimitXMLDepth", "1K", state),
        "RepoLimitXMLDepth: '1K' is not valid, it must be a positive decimal "
        "number");
    assert_null(set("RepoLimitReportBody", "1K", state));
    assert_int_equal(location.limits.report_body, 1024);
}

static void a_location_has_one_kind_of_repository(void **state)
{
    location = (repo_config_t){ 0 };
    assert_null(set("SVNPath", "/srv/r", state));
    assert_string_equal(location.path, "/srv/r");
    assert_string_equal(location.base, "/repo");
    assert_non_null(set("RepoParentPath", "/srv", state));
}

static void what_is_not_built_is_refused(void **state)
{
    location = (repo_config_t){ 0 };
    assert_string_equal(
        set("AuthzSVNAccessFile", "/x", state),
        "AuthzSVNAccessFile: '/x' needs path authorization of our own, which "
        "this version of mod_repo does not have");
    assert_non_null(set("RepoPathAuthz", "short_circuit", state));
    assert_null(location.refused);
}

static void beside_its_owner_an_old_name_is_refused_at_the_request(void **state)
{
    static const command_rec commands[] = {
        { NULL, { NULL }, NULL, 0, RAW_ARGS, NULL }
    };
    static module owner = { 0 };

    location = (repo_config_t){ 0 };
    owner.name = "mod_authz_svn.c";
    owner.cmds = commands;
    ap_top_module = &owner;
    assert_null(set("AuthzSVNAccessFile", "/x", state));
    assert_non_null(strstr(location.refused, "AuthzSVNAccessFile"));
    assert_non_null(set("RepoAuthzAccessFile", "/x", state));
    ap_top_module = NULL;
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(sizes_have_units),
    UNIT_TEST(what_is_no_size_is_refused_with_what_is),
    UNIT_TEST(a_special_uri_loses_its_outer_slashes),
    UNIT_TEST(every_old_name_is_known),
    UNIT_TEST(both_names_of_a_directive_do_the_same),
    UNIT_TEST(every_limit_has_a_directive),
    UNIT_TEST(a_wrong_value_is_named_with_what_is_right),
    UNIT_TEST(a_location_has_one_kind_of_repository),
    UNIT_TEST(what_is_not_built_is_refused),
    UNIT_TEST(beside_its_owner_an_old_name_is_refused_at_the_request),
};

UNIT_MAIN(tests)
