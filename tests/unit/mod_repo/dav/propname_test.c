/* SPDX-License-Identifier: Apache-2.0 */
/* Contract of mod_repo/dav/propname.h. */
/* link: mod_repo/dav/propname.o mod_repo/http/xml_fragment.o */
/* link: mod_repo/http/body.o mod_repo/http/xml.o mod_repo/http/output.o */

#include "mod_repo/dav/propname.h"

#include <string.h>

#include "mod_repo/http/xml.h"
#include "tests/support/httpd.h"
#include "tests/support/unit.h"

static const char *encode(void **state, const char *ns, const char *name)
{
    return repo_propname_encode(ns, name, unit_pool(state));
}

static bool decodes(void **state, const char *own)
{
    const char *ns, *name;

    return repo_propname_decode(&ns, &name, own, unit_pool(state));
}

static void names_of_subversion_are_its_own(void **state)
{
    assert_string_equal(encode(state, REPO_NS_PROP_SVN, "mime-type"),
                        "svn:mime-type");
    assert_string_equal(encode(state, REPO_NS_PROP_CUSTOM, "a:b"), "a:b");
}

static void a_foreign_name_is_written_by_its_bytes(void **state)
{
    assert_string_equal(encode(state, "http://example.com/ns", "author"),
                        "webdav:http_3A_2F_2Fexample.com_2Fns:author");
    assert_string_equal(encode(state, "", "a_b"), "webdav::a_5Fb");
    assert_string_equal(encode(state, "DAV:", "\xc3\xa4-1.2"),
                        "webdav:DAV_3A:_C3_A4-1.2");
}

static void a_name_that_cannot_be_shown_is_none(void **state)
{
    assert_null(encode(state, "urn:x", ""));
    assert_null(encode(state, "a\"b", "x"));
    assert_null(encode(state, "a<b", "x"));
    assert_null(encode(state, "a&b", "x"));
    assert_null(encode(state, "a\xff", "x"));
}

static void what_was_encoded_comes_back(void **state)
{
    static const char *const names[][2] = {
        { "http://example.com/ns", "author" },
        { "", "a_b" },
        { "DAV:", "\xc3\xa4-1.2" },
        { "urn:schemas-microsoft-com:", "Win32LastModifiedTime" },
    };
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *ns, *name;

        assert_true(repo_propname_decode(
            &ns, &name, encode(state, names[i][0], names[i][1]),
            unit_pool(state)));
        assert_string_equal(ns, names[i][0]);
        assert_string_equal(name, names[i][1]);
    }
}

static void a_name_that_nobody_encoded_stays_what_it_is(void **state)
{
    assert_false(decodes(state, "color"));
    assert_false(decodes(state, "webdav:x"));
    assert_false(decodes(state, "webdav:x:"));
    assert_false(decodes(state, "webdav:a/b:x"));
    assert_false(decodes(state, "webdav:_3a:x"));
    assert_false(decodes(state, "webdav:_4:x"));
    assert_false(decodes(state, "webdav:_00:x"));
    assert_false(decodes(state, "webdav:_41:x"));
    assert_false(decodes(state, "webdav:_22:x"));
    assert_false(decodes(state, "webdav:x:y:z"));
}

static void a_name_that_is_no_tag_stays_what_it_is(void **state)
{
    assert_false(decodes(state, "webdav:x:1a"));
    assert_false(decodes(state, "webdav:x:a_20b"));
    assert_false(decodes(state, "webdav:x:a_3Ab"));
    assert_false(decodes(state, "webdav:x:_FF"));
    assert_true(decodes(state, "webdav:x:a1"));
}

static void a_language_is_told_before_the_value(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t value;
    apr_size_t skip;

    assert_string_equal(repo_propname_value("a", NULL, pool), "a");
    assert_string_equal(repo_propname_value("a", "en<", pool), "a");
    value.data = repo_propname_value("a", "en-GB", pool);
    assert_string_equal(value.data, "<?lang en-GB?>a");
    value.len = strlen(value.data);
    assert_string_equal(repo_propname_lang(&skip, &value, pool), "en-GB");
    assert_string_equal(value.data + skip, "a");
}

static void a_value_without_a_language_is_all_value(void **state)
{
    static const char *const values[] = { "", "a", "<?lang ?>a", "<?lang en?",
                                          "<?lang e n?>" };
    size_t i;

    for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        fs_bytes_t value = { values[i], strlen(values[i]) };
        apr_size_t skip = 9;

        assert_null(repo_propname_lang(&skip, &value, unit_pool(state)));
        assert_int_equal(skip, 0);
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(names_of_subversion_are_its_own),
    UNIT_TEST(a_foreign_name_is_written_by_its_bytes),
    UNIT_TEST(a_name_that_cannot_be_shown_is_none),
    UNIT_TEST(what_was_encoded_comes_back),
    UNIT_TEST(a_name_that_nobody_encoded_stays_what_it_is),
    UNIT_TEST(a_name_that_is_no_tag_stays_what_it_is),
    UNIT_TEST(a_language_is_told_before_the_value),
    UNIT_TEST(a_value_without_a_language_is_all_value),
};

UNIT_MAIN(tests)
