/* SPDX-License-Identifier: Apache-2.0 */
/* Text that people read, whatever bytes the repository has. */

#include "mod_repo/http/readable.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"

const char *repo_readable(const char *text, apr_pool_t *result)
{
    bool is_utf8 = fs_utf8_is_valid(text, strlen(text));
    char *copy = apr_pstrdup(result, text), *p;

    for (p = copy; *p; p++) {
        unsigned char byte = (unsigned char)*p;

        if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f ||
            (byte > 0x7f && !is_utf8))
            *p = '?';
    }
    return copy;
}
