/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/rep_header.h. */

#include "tests/support/unit.h"

#include "libfs/format/rep_header.h"

static void assert_round_trip(const char *text, const fs_rep_header_t *header)
{
    char buf[FS_REP_HEADER_SIZE];

    assert_int_equal(header->header_len, strlen(text));
    assert_int_equal(fs_rep_header_format(buf, header), strlen(text));
    assert_string_equal(buf, text);
}

static void plain_and_self_delta_have_no_base(void **state)
{
    fs_rep_header_t header;

    (void)state;
    assert_fs_ok(fs_rep_header_parse(&header, "PLAIN\nEND\n", 10));
    assert_int_equal(header.kind, FS_REP_PLAIN);
    assert_int_equal(header.base_rev, -1);
    assert_round_trip("PLAIN\n", &header);
    assert_fs_ok(fs_rep_header_parse(&header, "DELTA\nSVN", 9));
    assert_int_equal(header.kind, FS_REP_SELF_DELTA);
    assert_round_trip("DELTA\n", &header);
}

static void a_delta_names_its_base(void **state)
{
    fs_rep_header_t header;

    (void)state;
    assert_fs_ok(fs_rep_header_parse(&header, "DELTA 12 3456 78\nSVN", 20));
    assert_int_equal(header.kind, FS_REP_DELTA);
    assert_int_equal(header.base_rev, 12);
    assert_int_equal(header.base_item, 3456);
    assert_int_equal(header.base_length, 78);
    assert_round_trip("DELTA 12 3456 78\n", &header);
}

static void the_longest_header_fits(void **state)
{
    static const char text[] =
        "DELTA 9223372036854775807 18446744073709551615 9223372036854775807\n";
    fs_rep_header_t header;

    (void)state;
    assert_true(sizeof(text) <= FS_REP_HEADER_SIZE);
    assert_fs_ok(fs_rep_header_parse(&header, text, sizeof(text) - 1));
    assert_round_trip(text, &header);
}

static void malformed_headers_are_corrupt(void **state)
{
    static const char *const texts[] = {
        "",
        "PLAIN",
        "PLAIN \n",
        "plain\n",
        "DELTA",
        "DELTA \n",
        "DELTA 1\n",
        "DELTA 1 2\n",
        "DELTA 1 2 3",
        "DELTA 1 2 3 \n",
        "DELTA -1 2 3\n",
        "DELTA 1 2 x\n",
        "DELTA  1 2 3\n",
        "ENDREP\n",
    };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fs_rep_header_t header;

        assert_fs_error_says(
            fs_rep_header_parse(&header, texts[i], strlen(texts[i])),
            FS_ERR_CORRUPT, "malformed representation header");
    }
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(plain_and_self_delta_have_no_base),
    UNIT_TEST(a_delta_names_its_base),
    UNIT_TEST(the_longest_header_fits),
    UNIT_TEST(malformed_headers_are_corrupt),
};

UNIT_MAIN(tests)
