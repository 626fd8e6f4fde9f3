/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks around a change of a revision property. */

#include <apr_strings.h>

#include "libfs/fs_hook.h"
#include "libfs/hook/hooks.h"
#include "libfs/store/prop_rules.h"

static fs_error_t *apply(fs_repo_t *repo, const fs_hook_revprop_t *change,
                         apr_pool_t *pool)
{
    fs_revprop_change_t step;

    step.name = change->name;
    step.value = change->value;
    step.compare = change->has_expected;
    step.expected = change->expected;
    return fs_repo_change_revprop(repo, change->rev, &step, pool);
}

static fs_error_t *find_pre(fs_hooks_t *hooks)
{
    bool found;

    FS_TRY(fs_hooks_find(&found, hooks, FS_HOOK_PRE_REVPROP_CHANGE));
    if (found)
        return NULL;
    return FS_ERROR(FS_ERR_HOOK_DISABLED,
                    "Repository has not been enabled to accept revision "
                    "propchanges;\nask the administrator to create a "
                    "pre-revprop-change hook");
}

/* What the hooks are told of the old value: what the client claims. */
static fs_error_t *old_value(const fs_bytes_t **old, fs_repo_t *repo,
                             const fs_hook_revprop_t *change, apr_pool_t *pool)
{
    FS_TRY(fs_repo_revprop(old, repo, change->rev, change->name, pool, pool));
    if (change->has_expected)
        *old = change->expected;
    return NULL;
}

static fs_error_t *post_change(fs_hooks_t *hooks, const char *const *args,
                               const fs_bytes_t *old)
{
    bool found;

    FS_TRY(fs_hooks_find(&found, hooks, FS_HOOK_POST_REVPROP_CHANGE));
    return found ? fs_hooks_run(hooks, FS_HOOK_POST_REVPROP_CHANGE, args, old,
                                NULL)
                 : NULL;
}

static fs_error_t *change_revprop(bool *changed, fs_repo_t *repo,
                                  const fs_hook_config_t *config,
                                  const fs_hook_revprop_t *change,
                                  apr_pool_t *pool)
{
    const fs_bytes_t *old;
    fs_hooks_t hooks;

    FS_TRY(fs_prop_rules_check(change->name, change->value));
    FS_TRY(fs_hooks_init(&hooks, repo, config, pool));
    FS_TRY(find_pre(&hooks));
    FS_TRY(old_value(&old, repo, change, pool));
    {
        const char *args[] = {
            apr_psprintf(pool, "%" FS_REV_FMT, change->rev),
            change->user ? change->user : "",
            change->name,
            !change->value ? "D"
            : old          ? "M"
                           : "A",
            NULL,
        };

        FS_TRY(fs_hooks_run(&hooks, FS_HOOK_PRE_REVPROP_CHANGE, args,
                            change->value, NULL));
        FS_TRY(apply(repo, change, pool));
        *changed = true;
        return post_change(&hooks, args, old);
    }
}

fs_error_t *fs_hook_change_revprop(bool *changed, fs_repo_t *repo,
                                   const fs_hook_config_t *config,
                                   const fs_hook_revprop_t *change,
                                   apr_pool_t *scratch)
{
    apr_pool_t *pool;
    fs_error_t *err;

    *changed = false;
    apr_pool_create(&pool, scratch);
    err = change_revprop(changed, repo, config, change, pool);
    apr_pool_destroy(pool);
    return err;
}
