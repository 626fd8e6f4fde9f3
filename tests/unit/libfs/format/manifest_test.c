/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/format/manifest.h. */

#include "tests/support/unit.h"

#include "libfs/format/manifest.h"

static void each_line_is_an_offset(void **state)
{
    fs_buffer_t *out = fs_buffer_create(0, unit_pool(state));
    apr_uint64_t offsets[3];

    assert_fs_ok(fs_manifest_parse(offsets, 3, "0\n115\n2048\n", 11, 3000));
    assert_int_equal(offsets[0], 0);
    assert_int_equal(offsets[1], 115);
    assert_int_equal(offsets[2], 2048);
    fs_manifest_format(out, offsets, 3);
    assert_bytes_equal(out->data, out->len, "0\n115\n2048\n", 11);
}

static void malformed_manifests_are_corrupt(void **state)
{
    static const char *const texts[] = {
        "",
        "0\n115\n",
        "0\n115\n2048",
        "1\n115\n2048\n",
        "0\n115\n115\n",
        "0\n115\n114\n",
        "0\n115\n3000\n",
        "0\n115\n2048\n2999\n",
        "0\nx\n2048\n",
        "0\n 115\n2048\n",
        "0\n115 \n2048\n",
        "0\n99999999999999999999\n2048\n",
    };
    apr_uint64_t offsets[3];
    apr_size_t i;

    (void)state;
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_fs_error(
            fs_manifest_parse(offsets, 3, texts[i], strlen(texts[i]), 3000),
            FS_ERR_CORRUPT);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(each_line_is_an_offset),
    UNIT_TEST(malformed_manifests_are_corrupt),
};

UNIT_MAIN(tests)
