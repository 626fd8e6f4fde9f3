/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/changes_pack.h. */

#include "libfs/store/fsfs/changes_pack.h"

#include <apr_strings.h>

#include "tests/support/unit.h"

static const char list[] =
    "_0.0.t1-1 add-dir false false false /trunk\n\n"
    "_1.0.t1-1 add-file true true /trunk/a file\n\n"
    "2-1.0.r7/2 modify true false true /trunk/b\n\n"
    "_3.0.t1-1 replace-file false false false /trunk/c\n300 /branches/x/c\n"
    "4-1.0.r7/4 delete-dir false false /z\n\n"
    "\n";

static const char told[] = "A dir - - 0 /trunk\n"
                           "A file t p 2 /trunk/a file\n"
                           "M unknown t - 1 /trunk/b\n"
                           "R file - - 0 /trunk/c <- /branches/x/c@300\n"
                           "D dir - - 2 /z\n";

static fs_error_t *note(void *baton, const fs_store_change_t *change,
                        apr_pool_t *scratch)
{
    static const char *const kinds[] = { "none", "file", "dir", "unknown" };
    fs_buffer_t *out = baton;

    (void)scratch;
    fs_buffer_printf(out, "%c %s %c %c %d %s", change->action,
                     kinds[change->kind], change->text_mod ? 't' : '-',
                     change->prop_mod ? 'p' : '-', change->mergeinfo_mod,
                     change->path);
    if (change->copyfrom_path)
        fs_buffer_printf(out, " <- %s@%" FS_REV_FMT, change->copyfrom_path,
                         change->copyfrom_rev);
    else
        assert_int_equal(change->copyfrom_rev, FS_INVALID_REV);
    fs_buffer_puts(out, "\n");
    return NULL;
}

static fs_bytes_t pack(const char *text, apr_pool_t *pool)
{
    fs_buffer_t *packed = fs_buffer_create(16, pool);
    fs_bytes_t bytes = { text, strlen(text) };

    assert_fs_ok(fs_changes_pack(packed, &bytes));
    return fs_buffer_bytes(packed);
}

static void what_is_packed_is_told_as_it_was(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t packed = pack(list, pool);
    fs_buffer_t *out = fs_buffer_create(16, pool);

    assert_fs_ok(fs_changes_unpack(&packed, note, out, pool));
    assert_bytes_equal(out->data, out->len, told, strlen(told));
    assert_true(packed.len < strlen(list) / 3);
}

static void no_changes_are_no_bytes(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t packed = pack("\n", pool);
    fs_buffer_t *out = fs_buffer_create(16, pool);

    assert_int_equal(packed.len, 0);
    assert_fs_ok(fs_changes_unpack(&packed, note, out, pool));
    assert_int_equal(out->len, 0);
}

static void a_damaged_list_is_refused(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *packed = fs_buffer_create(16, pool);
    fs_bytes_t cut = { list, 60 };
    fs_bytes_t reset = { "reset reset false false /a\n\n\n", 29 };

    assert_fs_error_says(fs_changes_pack(packed, &cut), FS_ERR_CORRUPT, "");
    assert_fs_error_says(fs_changes_pack(packed, &reset), FS_ERR_CORRUPT,
                         "taken back");
}

/* Whatever part is left: an error, or the changes that are there. */
static void a_cut_form_never_reads_beyond_its_end(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t packed = pack(list, pool);
    apr_size_t len;
    int errors = 0;

    for (len = 0; len < packed.len; len++) {
        fs_bytes_t part = { apr_pmemdup(pool, packed.data, len + 1), len };
        fs_buffer_t *out = fs_buffer_create(16, pool);
        fs_error_t *err = fs_changes_unpack(&part, note, out, pool);

        errors += err != NULL;
        fs_error_clear(err);
        assert_memory_equal(out->data, told, out->len);
    }
    assert_int_equal(errors, packed.len - 5);
}

static void a_path_cannot_share_more_than_there_was(void **state)
{
    static const char bad[] = { 0x04, 0, 5, 1, 'x' };
    apr_pool_t *pool = unit_pool(state);
    fs_buffer_t *out = fs_buffer_create(16, pool);
    fs_bytes_t packed = { bad, sizeof(bad) };

    assert_fs_error_says(fs_changes_unpack(&packed, note, out, pool),
                         FS_ERR_CORRUPT, "shares more");
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(what_is_packed_is_told_as_it_was),
    UNIT_TEST(no_changes_are_no_bytes),
    UNIT_TEST(a_damaged_list_is_refused),
    UNIT_TEST(a_cut_form_never_reads_beyond_its_end),
    UNIT_TEST(a_path_cannot_share_more_than_there_was),
};

UNIT_MAIN(tests)
