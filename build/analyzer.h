/* SPDX-License-Identifier: Apache-2.0 */
/* Read before each file by clang-tidy: tells it that making an error does not
 * end in success, which it cannot see across files. */

#ifndef BUILD_ANALYZER_H
#define BUILD_ANALYZER_H

#include "libfs/fs_error.h"

/* An expression, since the analyzer does not look into each small function. */
#define fs_error_create(...)                                                   \
    ({                                                                         \
        fs_error_t *analyzer_err = fs_error_create(__VA_ARGS__);               \
        if (!analyzer_err)                                                     \
            __builtin_unreachable();                                           \
        analyzer_err;                                                          \
    })

#endif
