/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/conf_file.h. */

#include "tests/support/unit.h"

#include "libfs/format/conf_file.h"

static fs_error_t *resolve(fs_conf_t *out, const char *text, int format,
                           void **state)
{
    fs_conf_values_t *values = fs_conf_file_values(unit_pool(state));

    FS_TRY(fs_conf_file_parse(values, text, strlen(text)));
    return fs_conf_file_resolve(out, values, format);
}

static void an_empty_file_gives_the_defaults_of_format_8(void **state)
{
    fs_conf_t conf;

    assert_fs_ok(resolve(&conf, "", 8, state));
    assert_true(conf.enable_rep_sharing);
    assert_true(conf.enable_dir_deltification);
    assert_true(conf.enable_props_deltification);
    assert_int_equal(conf.max_deltification_walk, 1023);
    assert_int_equal(conf.max_linear_deltification, 16);
    assert_int_equal(conf.compression, FS_CONF_COMPRESS_LZ4);
    assert_int_equal(conf.revprop_pack_size, 16384);
    assert_false(conf.compress_packed_revprops);
    assert_int_equal(conf.block_size, 65536);
    assert_int_equal(conf.l2p_page_size, 8192);
    assert_int_equal(conf.p2l_page_size, 1048576);
    assert_false(conf.verify_before_commit);
    assert_false(conf.pack_after_commit);
}

static void old_formats_have_other_defaults(void **state)
{
    fs_conf_t conf;

    assert_fs_ok(resolve(&conf, "", 1, state));
    assert_int_equal(conf.compression, FS_CONF_COMPRESS_NONE);
    assert_false(conf.enable_rep_sharing);
    assert_false(conf.enable_dir_deltification);
    assert_fs_ok(resolve(&conf, "", 3, state));
    assert_int_equal(conf.compression, FS_CONF_COMPRESS_ZLIB);
    assert_int_equal(conf.compression_level, 5);
    assert_fs_ok(resolve(&conf, "", 7, state));
    assert_int_equal(conf.compression, FS_CONF_COMPRESS_ZLIB);
}

static void options_are_read_without_regard_to_case(void **state)
{
    fs_conf_t conf;

    assert_fs_ok(resolve(&conf,
                         "\xef\xbb\xbf# comment\n"
                         "[Rep-Sharing]\nEnable-Rep-Sharing = OFF\n"
                         "[deltification]\n  \n"
                         "max-linear-deltification: 4\n"
                         "compression =\n  zlib-9\n"
                         "unknown = value\n"
                         "  goes on\n"
                         "[packed-revprops]\r\n"
                         "compress-packed-revprops = yes\r\n"
                         "[io]\nblock-size=4\nl2p-page-size=16\n"
                         "p2l-page-size=1\n"
                         "[other]\nblock-size = 3\n"
                         "[debug]\npack-after-commit = 1",
                         8, state));
    assert_false(conf.enable_rep_sharing);
    assert_int_equal(conf.max_linear_deltification, 4);
    assert_int_equal(conf.compression, FS_CONF_COMPRESS_ZLIB);
    assert_int_equal(conf.compression_level, 9);
    assert_true(conf.compress_packed_revprops);
    assert_int_equal(conf.revprop_pack_size, 65536);
    assert_int_equal(conf.block_size, 4096);
    assert_int_equal(conf.l2p_page_size, 16);
    assert_int_equal(conf.p2l_page_size, 1024);
    assert_true(conf.pack_after_commit);
}

static void the_obsolete_level_is_brought_into_range(void **state)
{
    fs_conf_t conf;

    assert_fs_ok(
        resolve(&conf, "[deltification]\ncompression-level = 12\n", 8, state));
    assert_int_equal(conf.compression, FS_CONF_COMPRESS_ZLIB);
    assert_int_equal(conf.compression_level, 9);
    assert_fs_ok(
        resolve(&conf, "[deltification]\ncompression-level = -3\n", 8, state));
    assert_int_equal(conf.compression_level, 0);
}

static void numbers_are_brought_into_range(void **state)
{
    fs_conf_t conf;

    assert_fs_ok(resolve(&conf,
                         "[deltification]\nmax-deltification-walk = -1\n"
                         "[packed-revprops]\n"
                         "revprop-pack-size = 99999999999\n",
                         8, state));
    assert_int_equal(conf.max_deltification_walk, 0);
    assert_true(conf.revprop_pack_size == (apr_uint64_t)APR_INT32_MAX * 1024);
}

static void options_that_a_format_lacks_are_ignored(void **state)
{
    fs_conf_t conf;

    assert_fs_ok(resolve(&conf,
                         "[deltification]\ncompression = rubbish\n"
                         "[io]\nblock-size = 3\n",
                         3, state));
    assert_int_equal(conf.block_size, 65536);
    assert_fs_ok(resolve(&conf, "[io]\nblock-size = 3\n", 6, state));
}

static void wrong_values_are_refused_with_what_is_allowed(void **state)
{
    static const char *const rows[][2] = {
        { "[rep-sharing]\nenable-rep-sharing = maybe\n",
          "'enable-rep-sharing' is 'maybe', true or false is expected" },
        { "[deltification]\nmax-deltification-walk = 1k\n",
          "a number is expected" },
        { "[deltification]\ncompression = zlib-0\n", "zlib-1 to zlib-9" },
        { "[deltification]\ncompression = lzma\n", "none, lz4, zlib" },
        { "[deltification]\ncompression-level = x\n", "from 0 to 9" },
        { "[deltification]\ncompression = lz4\ncompression-level = 5\n",
          "both set" },
        { "[io]\nblock-size = 3\n", "'block-size' is '3', a power of two" },
        { "[io]\nl2p-page-size = 0\n", "a power of two" },
    };
    apr_size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fs_conf_t conf;

        assert_fs_error_says(resolve(&conf, rows[i][0], 8, state),
                             FS_ERR_BAD_CONFIG, rows[i][1]);
    }
}

static void lz4_needs_format_8(void **state)
{
    fs_conf_t conf;

    assert_fs_error_says(
        resolve(&conf, "[deltification]\ncompression = lz4\n", 7, state),
        FS_ERR_BAD_CONFIG, "lz4 needs format 8");
}

static void malformed_lines_are_refused_by_number(void **state)
{
    fs_conf_t conf;

    assert_fs_error_says(resolve(&conf, "# x\n[io\n", 8, state),
                         FS_ERR_BAD_CONFIG, "line 2: a section needs a ']'");
    assert_fs_error_says(resolve(&conf, "[io]\n\nblock-size\n", 8, state),
                         FS_ERR_BAD_CONFIG, "line 3: 'name = value'");
    assert_fs_error_says(resolve(&conf, "block-size = 4\n", 8, state),
                         FS_ERR_BAD_CONFIG, "line 1: a section has to come");
}

static void options_from_elsewhere_replace_those_of_the_file(void **state)
{
    static const char text[] = "[deltification]\ncompression-level = 3\n";
    fs_conf_values_t *values = fs_conf_file_values(unit_pool(state));
    fs_conf_t conf;

    assert_fs_ok(fs_conf_file_parse(values, text, sizeof(text) - 1));
    fs_conf_file_set(values, "Compression", "none");
    fs_conf_file_set(values, "nosync", "true");
    assert_fs_ok(fs_conf_file_resolve(&conf, values, 8));
    assert_int_equal(conf.compression, FS_CONF_COMPRESS_NONE);
    fs_conf_file_set(values, "compression-level", "7");
    assert_fs_ok(fs_conf_file_resolve(&conf, values, 8));
    assert_int_equal(conf.compression_level, 7);
    assert_true(fs_conf_file_knows("block-size"));
    assert_false(fs_conf_file_knows("nosync"));
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(an_empty_file_gives_the_defaults_of_format_8),
    UNIT_TEST(old_formats_have_other_defaults),
    UNIT_TEST(options_are_read_without_regard_to_case),
    UNIT_TEST(the_obsolete_level_is_brought_into_range),
    UNIT_TEST(numbers_are_brought_into_range),
    UNIT_TEST(options_that_a_format_lacks_are_ignored),
    UNIT_TEST(wrong_values_are_refused_with_what_is_allowed),
    UNIT_TEST(lz4_needs_format_8),
    UNIT_TEST(malformed_lines_are_refused_by_number),
    UNIT_TEST(options_from_elsewhere_replace_those_of_the_file),
};

UNIT_MAIN(tests)
