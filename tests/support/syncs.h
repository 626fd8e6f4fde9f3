/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes the place of the system calls that make changes durable, in the test
 * program that links it, so that they can be counted, made to fail, and died
 * at: fsync, syncfs, renameat, unlinkat and fchmod.
 */

#ifndef TESTS_SUPPORT_SYNCS_H
#define TESTS_SUPPORT_SYNCS_H

/** What happened since fs_test_syncs_reset(). */
typedef struct fs_test_syncs_t {
    int calls;     /* of any of the five */
    int syncs;     /* fsync and syncfs */
    char log[256]; /* a letter for each: 's' a file was synced, 'd' a folder,
                      'g' a file system, 'r'ename, 'u'nlink, 'm'ode */
} fs_test_syncs_t;

extern fs_test_syncs_t fs_test_syncs;

/** Count from 0 again; nothing fails, nothing dies. */
void fs_test_syncs_reset(void);

/** The `n`-th fsync or syncfs from now on fails with `error`. */
void fs_test_syncs_fail(int n, int error);

/** From now on there is no syncfs. */
void fs_test_syncs_no_groups(void);

/** Exit status of a process that died at a call. */
#define FS_TEST_DIED 77

/** The process ends before the `n`-th call from now on. */
void fs_test_syncs_die(int n);

#endif
