/* SPDX-License-Identifier: Apache-2.0 */
/* Hook scripts for tests. */

#include "tests/support/hook_notes.h"

#include <stdio.h>
#include <sys/stat.h>

#include <apr_strings.h>

#include "tests/support/unit.h"

void fs_test_hook_file(const char *path, const char *text, unsigned int mode)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

void fs_test_hook(const char *repo, const char *name, const char *lines,
                  apr_pool_t *pool)
{
    fs_test_hook_file(apr_pstrcat(pool, repo, "/hooks/", name, NULL),
                      apr_pstrcat(pool, "#!/bin/sh\n", lines, "\n", NULL),
                      0755);
}

void fs_test_hook_noting(const char *repo, const char *name, const char *notes,
                         const char *lines, apr_pool_t *pool)
{
    fs_test_hook(repo, name,
                 apr_psprintf(pool,
                              "shift\n{ printf '%s'\n"
                              "for i; do printf ' <%%s>' \"$i\"; done\n"
                              "printf ' ['; /bin/cat; echo ']'; } >> %s\n%s",
                              name, notes, lines),
                 pool);
}

void fs_test_hook_assert_notes(const char *notes, const char *expected)
{
    char text[8192];
    FILE *file = fopen(notes, "r");
    size_t len;

    assert_non_null(file);
    len = fread(text, 1, sizeof(text), file);
    fclose(file);
    assert_bytes_equal(text, len, expected, strlen(expected));
}
