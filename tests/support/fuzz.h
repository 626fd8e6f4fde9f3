/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz target defines: tests/fuzz/<name>_fuzz.c. */

#ifndef TESTS_SUPPORT_FUZZ_H
#define TESTS_SUPPORT_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include <apr_general.h>
#include <apr_pools.h>

/**
 * Feed `size` bytes to the code under test. Must not crash, leak, or take
 * memory or time out of proportion, whatever the bytes are; state from one
 * call must not reach the next.
 *
 * @param data  not NUL-terminated; copied by the engine, so that a read past
 *              its end is noticed
 * @return 0
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/**
 * Called once before the first input; optional. Initialise APR here.
 */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/** Define a set-up that needs APR alone. */
#define FUZZ_WITH_APR                                                          \
    int LLVMFuzzerInitialize(int *argc, char ***argv)                          \
    {                                                                          \
        (void)argc;                                                            \
        (void)argv;                                                            \
        return apr_initialize();                                               \
    }

/** Define `kept`, a pool that lasts, and `repo`, opened with a cache by an
 *  expression that makes its folder in `kept`; removed at the end. */
#define FUZZ_WITH_REPO(make_folder)                                            \
    static apr_pool_t *kept;                                                   \
    static fs_repo_t *repo;                                                    \
                                                                               \
    static void tear_down(void)                                                \
    {                                                                          \
        apr_pool_destroy(kept);                                                \
        apr_terminate();                                                       \
    }                                                                          \
                                                                               \
    int LLVMFuzzerInitialize(int *argc, char ***argv)                          \
    {                                                                          \
        (void)argc;                                                            \
        (void)argv;                                                            \
        apr_initialize();                                                      \
        apr_pool_create(&kept, NULL);                                          \
        repo = fs_test_open(make_folder, true, kept);                          \
        return atexit(tear_down);                                              \
    }

/** Define a target that calls `try_input(const char *data, apr_size_t len,
 *  apr_pool_t *pool)`; the pool is that input's own. */
#define FUZZ_EACH(try_input)                                                   \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)               \
    {                                                                          \
        apr_pool_t *pool;                                                      \
                                                                               \
        apr_pool_create(&pool, NULL);                                          \
        try_input((const char *)data, size, pool);                             \
        apr_pool_destroy(pool);                                                \
        return 0;                                                              \
    }

#endif
