/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/sync_round.h. */

#include "libfs/store/fsfs/sync_round.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <apr_strings.h>

#include "tests/support/syncs.h"
#include "tests/support/unit.h"

/* Open `count` files, or folders. */
static void open_all(fs_sync_file_t *files, int count, bool folders,
                     void **state)
{
    const char *path = unit_folder(state);
    int i;

    for (i = 0; i < count; i++) {
        files[i].name =
            folders ? path : apr_psprintf(unit_pool(state), "%s/%d", path, i);
        files[i].fd =
            open(files[i].name,
                 folders ? O_RDONLY | O_DIRECTORY : O_RDWR | O_CREAT, 0666);
        assert_true(files[i].fd >= 0);
    }
    fs_test_syncs_reset();
}

static void close_all(fs_sync_file_t *files, int count)
{
    while (count)
        assert_int_equal(close(files[--count].fd), 0);
}

static void every_file_of_a_round_is_synced_once(void **state)
{
    fs_sync_file_t files[FS_SYNC_ROUND_MAX];

    open_all(files, FS_SYNC_ROUND_MAX, false, state);
    assert_fs_ok(fs_sync_round(files, FS_SYNC_ROUND_MAX));
    assert_string_equal(fs_test_syncs.log, "ssssssss");
    close_all(files, FS_SYNC_ROUND_MAX);
}

static void a_failure_names_a_file_and_is_not_tried_again(void **state)
{
    fs_sync_file_t files[3];
    int i;

    open_all(files, 3, false, state);
    for (i = 1; i <= 3; i++) {
        fs_test_syncs_fail(i, EIO);
        assert_fs_error_says(fs_sync_round(files, 3), FS_ERR_IO,
                             "cannot sync '");
        assert_int_equal(fs_test_syncs.syncs, 3);
    }
    close_all(files, 3);
    fs_test_syncs_reset();
    assert_fs_error_says(fs_sync_round(files + 2, 1), FS_ERR_IO, files[2].name);
}

static void a_round_gives_the_signals_back(void **state)
{
    fs_sync_file_t files[2];
    sigset_t after;

    open_all(files, 2, false, state);
    assert_fs_ok(fs_sync_round(files, 2));
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    assert_int_equal(sigismember(&after, SIGTERM), 0);
    assert_int_equal(sigismember(&after, SIGCHLD), 0);
    close_all(files, 2);
}

static void folders_are_flushed_together_or_synced_each(void **state)
{
    fs_sync_file_t folders[2];

    open_all(folders, 2, true, state);
    assert_fs_ok(fs_sync_round_folders(folders, 2));
    if (strcmp(fs_test_syncs.log, "g")) /* much was waiting to be written */
        assert_string_equal(fs_test_syncs.log, "dd");
    fs_test_syncs_no_groups();
    assert_fs_ok(fs_sync_round_folders(folders, 2));
    assert_string_equal(fs_test_syncs.log, "dd");
    close_all(folders, 2);
}

static void one_folder_needs_no_flush(void **state)
{
    fs_sync_file_t folder;

    open_all(&folder, 1, true, state);
    assert_fs_ok(fs_sync_round_folders(&folder, 1));
    assert_string_equal(fs_test_syncs.log, "d");
    close_all(&folder, 1);
}

static void a_flush_that_fails_is_final(void **state)
{
    fs_sync_file_t folders[2];

    open_all(folders, 2, true, state);
    fs_test_syncs_fail(1, EIO);
    assert_fs_error_says(fs_sync_round_folders(folders, 2), FS_ERR_IO,
                         folders[0].name);
    close_all(folders, 2);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(every_file_of_a_round_is_synced_once),
    UNIT_TEST(a_failure_names_a_file_and_is_not_tried_again),
    UNIT_TEST(a_round_gives_the_signals_back),
    UNIT_TEST(folders_are_flushed_together_or_synced_each),
    UNIT_TEST(one_folder_needs_no_flush),
    UNIT_TEST(a_flush_that_fails_is_final),
};

UNIT_MAIN(tests)
