/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/durable.h. */

#include "libfs/store/fsfs/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/store/fsfs/disk_file.h"
#include "tests/support/repo.h"
#include "tests/support/syncs.h"
#include "tests/support/unit.h"

static const fs_bytes_t first = { "first\n", 6 };
static const fs_bytes_t second = { "second\n", 7 };

/* A folder of the test's own with a folder `in` in it. */
static fs_durable_t make_place(apr_pool_t *pool)
{
    const char *path = fs_test_folder(pool);
    fs_durable_t where = { open(path, O_PATH | O_DIRECTORY), false };

    assert_true(where.folder >= 0);
    assert_int_equal(mkdirat(where.folder, "in", 0777), 0);
    fs_test_syncs_reset();
    return where;
}

static void assert_file(const fs_durable_t *where, const char *path,
                        const char *text, apr_pool_t *pool)
{
    fs_bytes_t bytes;

    assert_fs_ok(
        fs_disk_file_read(&bytes, NULL, where->folder, path, 100, pool));
    if (!text) {
        assert_null(bytes.data);
        return;
    }
    assert_non_null(bytes.data);
    assert_string_equal(bytes.data, text);
}

static int mode_of(const fs_durable_t *where, const char *path)
{
    struct stat info;

    assert_int_equal(fstatat(where->folder, path, &info, 0), 0);
    return info.st_mode & 07777;
}

static void a_file_is_made_and_replaced_with_two_syncs_each(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_durable_t where = make_place(pool);

    assert_fs_ok(fs_durable_replace(&where, "in/a", NULL, first, pool));
    assert_int_equal(fs_test_syncs.syncs, 2);
    assert_file(&where, "in/a", "first\n", pool);
    assert_fs_ok(fs_durable_replace(&where, "in/a", NULL, second, pool));
    assert_int_equal(fs_test_syncs.syncs, 4);
    assert_file(&where, "in/a", "second\n", pool);
    assert_file(&where, "in/a.tmp", NULL, pool);
    assert_fs_ok(fs_durable_replace(&where, "top", NULL, first, pool));
    assert_file(&where, "top", "first\n", pool);
    close(where.folder);
}

static void nosync_waits_for_nothing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_durable_t where = make_place(pool);

    where.nosync = true;
    assert_fs_ok(fs_durable_replace(&where, "in/a", NULL, first, pool));
    assert_int_equal(fs_test_syncs.syncs, 0);
    assert_file(&where, "in/a", "first\n", pool);
    close(where.folder);
}

static void permissions_come_from_the_model_then_from_the_file(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_durable_t where = make_place(pool);

    assert_fs_ok(fs_durable_write(&where, "like", NULL, first, pool));
    assert_int_equal(fchmodat(where.folder, "like", 0444, 0), 0);
    assert_fs_ok(fs_durable_write(&where, "in/a", "like", first, pool));
    assert_int_equal(mode_of(&where, "in/a"), 0444);
    assert_fs_ok(fs_durable_write(&where, "in/a", NULL, second, pool));
    assert_int_equal(mode_of(&where, "in/a"), 0444);
    assert_int_equal(fchmodat(where.folder, "in/a", 0660, 0), 0);
    assert_fs_ok(fs_durable_write(&where, "in/a", "missing", second, pool));
    assert_int_equal(mode_of(&where, "in/a"), 0660);
    close(where.folder);
}

static void what_a_dead_writer_left_is_overwritten(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_durable_t where = make_place(pool);

    assert_fs_ok(fs_durable_write(&where, "in/a.tmp", NULL, second, pool));
    assert_int_equal(fchmodat(where.folder, "in/a.tmp", 0, 0), 0);
    assert_fs_ok(fs_durable_write(&where, "in/a", NULL, first, pool));
    assert_file(&where, "in/a", "first\n", pool);
    assert_file(&where, "in/a.tmp", NULL, pool);
    close(where.folder);
}

static void a_sync_that_fails_leaves_the_old_file(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_durable_t where = make_place(pool);

    assert_fs_ok(fs_durable_replace(&where, "in/a", NULL, first, pool));
    fs_test_syncs_fail(1, EIO);
    assert_fs_error_says(fs_durable_replace(&where, "in/a", NULL, second, pool),
                         FS_ERR_IO, "cannot sync 'in/a'");
    assert_int_equal(fs_test_syncs.syncs, 1);
    assert_file(&where, "in/a", "first\n", pool);
    assert_file(&where, "in/a.tmp", NULL, pool);
    fs_test_syncs_fail(2, EIO);
    assert_fs_error_says(fs_durable_replace(&where, "in/a", NULL, second, pool),
                         FS_ERR_IO, "cannot sync 'in/'");
    fs_test_syncs_fail(1, EINTR);
    assert_fs_ok(fs_durable_replace(&where, "in/a", NULL, second, pool));
    assert_int_equal(fs_test_syncs.syncs, 3);
    close(where.folder);
}

static void a_missing_folder_is_an_error(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_durable_t where = make_place(pool);

    assert_fs_error_says(fs_durable_replace(&where, "no/a", NULL, first, pool),
                         FS_ERR_IO, "no/a.tmp");
    assert_fs_error_says(fs_durable_sync_folder(&where, "no/a", pool),
                         FS_ERR_IO, "no/");
    assert_int_equal(mkdirat(where.folder, "in/d", 0777), 0);
    assert_fs_error_says(fs_durable_replace(&where, "in/d", NULL, first, pool),
                         FS_ERR_IO, "cannot rename");
    assert_file(&where, "in/d.tmp", NULL, pool);
    close(where.folder);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(a_file_is_made_and_replaced_with_two_syncs_each),
    UNIT_TEST(nosync_waits_for_nothing),
    UNIT_TEST(permissions_come_from_the_model_then_from_the_file),
    UNIT_TEST(what_a_dead_writer_left_is_overwritten),
    UNIT_TEST(a_sync_that_fails_leaves_the_old_file),
    UNIT_TEST(a_missing_folder_is_an_error),
};

UNIT_MAIN(tests)
