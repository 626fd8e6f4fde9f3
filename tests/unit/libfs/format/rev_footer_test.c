/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/rev_footer.h. */

#include "tests/support/unit.h"

#include "libfs/format/rev_footer.h"

/* Of a file of 880 bytes in format 8. */
static const char footer[] = "701 35f91aa64ed95b2b09e8e7eb3c23a406 "
                             "731 cf18ddbd118bb6d9ef8f5367901eb924\x49";
#define FILE_LEN 880

static void the_trailer_is_between_the_last_newlines(void **state)
{
    fs_rev_trailer_t trailer;
    char buf[FS_REV_TRAILER_SIZE];

    (void)state;
    assert_fs_ok(
        fs_rev_footer_parse_physical(&trailer, "x\n\n17 107\n", 10, 115));
    assert_int_equal(trailer.root, 17);
    assert_int_equal(trailer.changes, 107);
    assert_int_equal(fs_rev_footer_format_physical(buf, &trailer), 7);
    assert_string_equal(buf, "17 107\n");
}

static void malformed_trailers_are_corrupt(void **state)
{
    static const char *const tails[] = {
        "",
        "\n",
        "17 107\n",
        "\n17 107",
        "\n17\n",
        "\n17 \n",
        "\n17 107 1\n",
        "\n17  107\n",
        "\nx 107\n",
        "\n17 115\n",
        "\n115 17\n",
        "\n-1 17\n",
        "\n17 99999999999999999999\n",
    };
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        fs_rev_trailer_t trailer;

        assert_fs_error(fs_rev_footer_parse_physical(&trailer, tails[i],
                                                     strlen(tails[i]), 115),
                        FS_ERR_CORRUPT);
    }
}

static void the_footer_tells_where_the_indexes_are(void **state)
{
    fs_rev_footer_t out;
    char buf[FS_REV_FOOTER_SIZE];

    (void)state;
    assert_fs_ok(
        fs_rev_footer_parse(&out, footer, sizeof(footer) - 1, FILE_LEN));
    assert_int_equal(out.l2p_offset, 701);
    assert_int_equal(out.l2p_len, 30);
    assert_int_equal(out.l2p_md5[0], 0x35);
    assert_int_equal(out.p2l_offset, 731);
    assert_int_equal(out.p2l_len, 75);
    assert_int_equal(out.p2l_md5[15], 0x24);
    assert_int_equal(fs_rev_footer_format(buf, &out), sizeof(footer) - 1);
    assert_memory_equal(buf, footer, sizeof(footer) - 1);
}

static void footers_that_do_not_fit_are_corrupt(void **state)
{
    fs_rev_footer_t out;

    (void)state;
    /* The announced length, the file's length, the order of the indexes. */
    assert_fs_error(fs_rev_footer_parse(&out, footer, 0, 0), FS_ERR_CORRUPT);
    assert_fs_error(fs_rev_footer_parse(&out, "\0", 1, 1), FS_ERR_CORRUPT);
    assert_fs_error(
        fs_rev_footer_parse(&out, footer + 1, sizeof(footer) - 2, FILE_LEN),
        FS_ERR_CORRUPT);
    assert_fs_error(
        fs_rev_footer_parse(&out, footer, sizeof(footer) - 1, 730 + 74),
        FS_ERR_CORRUPT);
    assert_fs_error(
        fs_rev_footer_parse(&out,
                            "731 35f91aa64ed95b2b09e8e7eb3c23a406 "
                            "731 cf18ddbd118bb6d9ef8f5367901eb924\x49",
                            74, FILE_LEN),
        FS_ERR_CORRUPT);
    assert_fs_error(
        fs_rev_footer_parse(&out,
                            "000 35f91aa64ed95b2b09e8e7eb3c23a406 "
                            "731 cf18ddbd118bb6d9ef8f5367901eb924\x49",
                            74, FILE_LEN),
        FS_ERR_CORRUPT);
}

static void malformed_footers_are_corrupt(void **state)
{
    fs_rev_footer_t out;

    (void)state;
    assert_fs_error_says(
        fs_rev_footer_parse(&out,
                            "701 x5f91aa64ed95b2b09e8e7eb3c23a406 "
                            "731 cf18ddbd118bb6d9ef8f5367901eb924\x49",
                            74, FILE_LEN),
        FS_ERR_CORRUPT, "malformed footer");
    assert_fs_error(fs_rev_footer_parse(&out, "701 35\x06", 7, FILE_LEN),
                    FS_ERR_CORRUPT);
    assert_fs_error(
        fs_rev_footer_parse(&out,
                            "701 35f91aa64ed95b2b09e8e7eb3c23a406 "
                            "73 cf18ddbd118bb6d9ef8f5367901eb924 \x49",
                            74, FILE_LEN),
        FS_ERR_CORRUPT);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(the_trailer_is_between_the_last_newlines),
    UNIT_TEST(malformed_trailers_are_corrupt),
    UNIT_TEST(the_footer_tells_where_the_indexes_are),
    UNIT_TEST(footers_that_do_not_fit_are_corrupt),
    UNIT_TEST(malformed_footers_are_corrupt),
};

UNIT_MAIN(tests)
