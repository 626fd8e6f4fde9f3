/* SPDX-License-Identifier: Apache-2.0 */
/* The hooks around a commit. */

#include <stdlib.h>
#include <string.h>

#include <apr_strings.h>

#include "libfs/base/buffer.h"
#include "libfs/fs_hook.h"
#include "libfs/hook/hooks.h"

/* Let a hook see the transaction, and take over what it changed. */
static fs_error_t *show_and_run(fs_hooks_t *hooks, fs_hook_id_t id,
                                fs_txn_t *txn, const char *const *args,
                                const fs_bytes_t *input)
{
    FS_TRY(fs_txn_show(txn, hooks->pool));
    FS_TRY(fs_hooks_run(hooks, id, args, input, NULL));
    return fs_txn_take_back(txn, hooks->pool);
}

static fs_error_t *start_commit(fs_txn_t *txn, const fs_hook_config_t *config,
                                const char *user, const char *capabilities,
                                apr_pool_t *pool)
{
    const char *args[] = { user ? user : "", capabilities ? capabilities : "",
                           fs_txn_name(txn), NULL };
    fs_hooks_t hooks;
    bool found;

    FS_TRY(fs_hooks_init(&hooks, fs_txn_repo(txn), config, pool));
    FS_TRY(fs_hooks_find(&found, &hooks, FS_HOOK_START_COMMIT));
    if (!found)
        return NULL;
    return show_and_run(&hooks, FS_HOOK_START_COMMIT, txn, args, NULL);
}

fs_error_t *fs_hook_start_commit(fs_txn_t *txn, const fs_hook_config_t *config,
                                 const char *user, const char *capabilities,
                                 apr_pool_t *scratch)
{
    apr_pool_t *pool;
    fs_error_t *err;

    apr_pool_create(&pool, scratch);
    err = start_commit(txn, config, user, capabilities, pool);
    apr_pool_destroy(pool);
    return err;
}

/* --- lock tokens ---------------------------------------------------------- */

typedef struct told_token_t {
    const char *path;
    const char *token;
} told_token_t;

static int compare_tokens(const void *a, const void *b)
{
    const told_token_t *left = a;
    const told_token_t *right = b;
    int order = strcmp(left->path, right->path);

    return order ? order : strcmp(left->token, right->token);
}

/* Signs that no URI holds are escaped; '%', '#', '?' and what is not ASCII stay
 * as they are, as the stock server has it. */
static void append_path(fs_buffer_t *out, const char *path)
{
    const char *p;

    for (p = path; *p; p++) {
        unsigned char c = (unsigned char)*p;

        if (c <= ' ' || c == 0x7f || strchr("\"<>\\^`{|}", c))
            fs_buffer_printf(out, "%%%02X", c);
        else
            fs_buffer_append(out, p, 1);
    }
}

/* The text that pre-commit reads: "LOCK-TOKENS:", a line each, an empty one. */
static fs_bytes_t tokens_text(apr_hash_t *tokens, apr_pool_t *pool)
{
    unsigned int count = apr_hash_count(tokens), n = 0;
    told_token_t *list = apr_palloc(pool, count * sizeof(*list));
    fs_buffer_t *out = fs_buffer_create(1024, pool);
    apr_hash_index_t *i;

    for (i = apr_hash_first(pool, tokens); i; i = apr_hash_next(i)) {
        const char *path = apr_hash_this_val(i);

        list[n].token = apr_hash_this_key(i);
        list[n++].path = path ? path : "";
    }
    qsort(list, count, sizeof(*list), compare_tokens);
    fs_buffer_puts(out, "LOCK-TOKENS:\n");
    for (n = 0; n < count; n++) {
        append_path(out, list[n].path);
        fs_buffer_printf(out, "|%s\n", list[n].token);
    }
    fs_buffer_puts(out, "\n");
    return fs_buffer_bytes(out);
}

/* --- commit --------------------------------------------------------------- */

static fs_error_t *pre_commit(fs_hooks_t *hooks, fs_txn_t *txn,
                              apr_hash_t *tokens)
{
    const char *args[] = { fs_txn_name(txn), NULL };
    fs_bytes_t input = { "", 0 };
    bool found;

    FS_TRY(fs_hooks_find(&found, hooks, FS_HOOK_PRE_COMMIT));
    if (!found)
        return NULL;
    if (tokens && apr_hash_count(tokens))
        input = tokens_text(tokens, hooks->pool);
    return show_and_run(hooks, FS_HOOK_PRE_COMMIT, txn, args, &input);
}

static fs_error_t *post_commit(fs_hooks_t *hooks, fs_rev_t rev,
                               const char *txn_name)
{
    const char *args[] = { apr_psprintf(hooks->pool, "%" FS_REV_FMT, rev),
                           txn_name, NULL };
    bool found;

    FS_TRY(fs_hooks_find(&found, hooks, FS_HOOK_POST_COMMIT));
    return found ? fs_hooks_run(hooks, FS_HOOK_POST_COMMIT, args, NULL, NULL)
                 : NULL;
}

/* A broken environment shows while the commit can still be refused. */
static fs_error_t *check_post_commit(fs_hooks_t *hooks)
{
    bool found;
    fs_error_t *err = fs_hooks_find(&found, hooks, FS_HOOK_POST_COMMIT);

    if (err && err->code == FS_ERR_HOOK_FAILED) {
        fs_error_clear(err);
        return NULL;
    }
    return err;
}

static fs_error_t *commit(fs_hook_commit_t *out, fs_txn_t *txn,
                          const fs_hook_config_t *config, apr_hash_t *tokens,
                          apr_pool_t *result, apr_pool_t *pool)
{
    const char *name = apr_pstrdup(pool, fs_txn_name(txn));
    fs_hooks_t hooks;

    FS_TRY(fs_hooks_init(&hooks, fs_txn_repo(txn), config, pool));
    FS_TRY(check_post_commit(&hooks));
    FS_TRY(pre_commit(&hooks, txn, tokens));
    FS_TRY(fs_txn_commit(&out->rev, &out->conflict, txn, false, result));
    out->post_error = fs_hooks_late(post_commit(&hooks, out->rev, name),
                                    FS_HOOK_POST_COMMIT, result);
    return NULL;
}

fs_error_t *fs_hook_commit(fs_hook_commit_t *out, fs_txn_t *txn,
                           const fs_hook_config_t *config, apr_hash_t *tokens,
                           apr_pool_t *result)
{
    apr_pool_t *pool;
    fs_error_t *err;

    memset(out, 0, sizeof(*out));
    out->rev = FS_INVALID_REV;
    apr_pool_create(&pool, result);
    err = commit(out, txn, config, tokens, result, pool);
    apr_pool_destroy(pool);
    return err;
}
