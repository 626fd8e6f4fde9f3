/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/history/log_pieces.h. */

#include "tests/support/unit.h"

#include <apr_strings.h>

#include "libfs/fs_mergeinfo.h"
#include "libfs/history/log_pieces.h"

static apr_hash_t *parse(const char *text, apr_pool_t *pool)
{
    apr_hash_t *mergeinfo = NULL;

    assert_fs_ok(fs_mergeinfo_parse(&mergeinfo, text, strlen(text), pool));
    return mergeinfo;
}

/* All pieces as "FIRST-LAST PATHS;", "-" before what was taken away. */
static const char *pieces_of(const char *added, const char *deleted,
                             apr_pool_t *pool)
{
    fs_log_pieces_t *pieces =
        fs_log_pieces_open(parse(added, pool), parse(deleted, pool), pool);
    const char *text = "";
    fs_log_piece_t *piece;

    while ((piece = fs_log_pieces_next(pieces, pool)) != NULL)
        text = apr_psprintf(pool, "%s%s%d-%d %s;", text,
                            piece->subtractive ? "-" : "", (int)piece->first,
                            (int)piece->last,
                            apr_array_pstrcat(pool, piece->paths, ' '));
    return text;
}

static void nothing_has_no_pieces(void **state)
{
    assert_string_equal(pieces_of("", "", unit_pool(state)), "");
}

static void ranges_of_one_path_come_from_the_last_to_the_first(void **state)
{
    assert_string_equal(pieces_of("/a:1-3,7,9-12", "", unit_pool(state)),
                        "9-12 /a;7-7 /a;1-3 /a;");
}

static void touching_ranges_with_different_marks_stay_apart(void **state)
{
    assert_string_equal(pieces_of("/a:1-3*,4-5", "", unit_pool(state)),
                        "4-5 /a;1-3 /a;");
}

static void each_piece_has_one_set_of_paths(void **state)
{
    assert_string_equal(
        pieces_of("/a:1-10\n/b:4-6\n/c:6-12", "", unit_pool(state)),
        "11-12 /c;7-10 /a /c;6-6 /a /b /c;4-5 /a /b;1-3 /a;");
}

static void equal_ranges_make_one_piece(void **state)
{
    assert_string_equal(pieces_of("/b:2-5\n/a:2-5", "", unit_pool(state)),
                        "2-5 /a /b;");
}

static void added_and_deleted_ones_are_cut_apart_and_mixed(void **state)
{
    assert_string_equal(pieces_of("/a:1-4,8", "/a:3-6,8", unit_pool(state)),
                        "-8-8 /a;8-8 /a;-3-6 /a;1-4 /a;");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(nothing_has_no_pieces),
    UNIT_TEST(ranges_of_one_path_come_from_the_last_to_the_first),
    UNIT_TEST(touching_ranges_with_different_marks_stay_apart),
    UNIT_TEST(each_piece_has_one_set_of_paths),
    UNIT_TEST(equal_ranges_make_one_piece),
    UNIT_TEST(added_and_deleted_ones_are_cut_apart_and_mixed),
};

UNIT_MAIN(tests)
