/* SPDX-License-Identifier: Apache-2.0 */
/* Proves mod_repo/http/readable.h. */
/* link: mod_repo/http/readable.o */

#include "mod_repo/http/readable.h"

#include "tests/support/unit.h"

static void what_can_be_read_stays_as_it_is(void **state)
{
    assert_string_equal(repo_readable("a\tb\n<&> \xc3\xa4", unit_pool(state)),
                        "a\tb\n<&> \xc3\xa4");
}

static void control_characters_become_question_marks(void **state)
{
    assert_string_equal(repo_readable("a\x01\rb\x7f", unit_pool(state)),
                        "a??b?");
}

static void what_is_not_utf8_has_no_high_bytes(void **state)
{
    assert_string_equal(repo_readable("\xe4 \xc3\xa4", unit_pool(state)),
                        "? ??");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(what_can_be_read_stays_as_it_is),
    UNIT_TEST(control_characters_become_question_marks),
    UNIT_TEST(what_is_not_utf8_has_no_high_bytes),
};

UNIT_MAIN(tests)
