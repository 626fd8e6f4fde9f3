/* SPDX-License-Identifier: Apache-2.0 */
/* repoadmin dump */

#include "tools/repoadmin/repoadmin.h"

#include <errno.h>
#include <stdio.h>

#include "libfs/fs_dump.h"

static fs_error_t *write_bytes(void *baton, const char *data, apr_size_t len)
{
    (void)baton;
    return admin_write(data, len);
}

static void tell_revision(void *baton, fs_rev_t rev)
{
    const admin_args_t *args = baton;

    if (!args->quiet)
        fprintf(stderr, "* Dumped revision %" FS_REV_FMT ".\n", rev);
}

/* One revision alone means only it. */
static fs_error_t *choose_range(fs_dump_options_t *options, fs_repo_t *repo,
                                const admin_args_t *args)
{
    fs_rev_t youngest;

    options->start = args->rev;
    options->end = args->rev_end;
    if (!FS_IS_REV(args->rev))
        return NULL;
    FS_TRY(fs_repo_youngest(&youngest, repo, args->pool));
    if (!FS_IS_REV(options->end))
        options->end = youngest;
    if (options->start > youngest || options->end > youngest)
        return FS_ERROR(FS_ERR_NO_SUCH_REV,
                        "revisions must not be greater than the youngest "
                        "revision (%" FS_REV_FMT ")",
                        youngest);
    return NULL;
}

fs_error_t *admin_cmd_dump(const admin_args_t *args)
{
    fs_dump_options_t options = { 0 };
    fs_repo_t *repo;

    FS_TRY(admin_open(&repo, args));
    FS_TRY(choose_range(&options, repo, args));
    options.incremental = args->incremental;
    options.deltas = args->deltas;
    if (args->file && !freopen(args->file, "wb", stdout))
        return FS_ERROR_APR(APR_FROM_OS_ERROR(errno), "opening '%s'",
                            args->file);
    return fs_dump(repo, &options, write_bytes, tell_revision, (void *)args,
                   args->pool);
}
