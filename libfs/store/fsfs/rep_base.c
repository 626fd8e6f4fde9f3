/* SPDX-License-Identifier: Apache-2.0 */
/* The skip-delta rule. */

#include "libfs/store/fsfs/rep_base.h"

#include <string.h>

#include <apr_tables.h>

#include "libfs/format/rep_header.h"
#include "libfs/store/fsfs/item.h"
#include "libfs/store/fsfs/node_read.h"
#include "libfs/store/fsfs/rep_chain.h"
#include "libfs/store/fsfs/rep_read.h"

/* Contents below are no base: the header would be as long. */
#define BASE_MIN 64

/* A chain over s shards is not worth it below this, times 2 to the s. */
#define SHARD_COST 128

/* `extra` of the cache's keys, beside that of other things in CACHE_INDEX. */
#define CHAIN_KEY 1

/* A chain of representations from one down to a delta against nothing, or
 * plain contents. Kept in the cache as it is. */
typedef struct chain_t {
    apr_uint32_t links; /* the one itself included */
    apr_uint32_t shards;
} chain_t;

/* What is wanted of a predecessor. */
typedef struct ancestor_t {
    bool exists;
    fs_rev_t rev;
    bool has_pred;
    fs_node_id_t pred;
    fs_content_t content;
} ancestor_t;

/* In a linear layout each revision is one. */
static apr_uint64_t shard_of(const fs_fsfs_t *fsfs, fs_rev_t rev)
{
    apr_uint64_t size = fsfs->format.shard_size;

    return size ? (apr_uint64_t)rev / size : (apr_uint64_t)rev;
}

/* --- Predecessors --- */

/* Go on to the predecessor; `iter` is for this step alone. */
static fs_error_t *step_back(ancestor_t *at, fs_fsfs_t *fsfs, bool of_props,
                             apr_pool_t *iter)
{
    const fs_node_record_t *record;

    at->exists = at->has_pred;
    if (!at->exists)
        return NULL;
    FS_TRY(fs_node_read(&record, fsfs, &at->pred, iter, iter));
    at->rev = record->created_rev;
    at->has_pred = record->has_pred;
    at->pred = record->pred;
    at->content = of_props ? record->props : record->text;
    return NULL;
}

/* Where a walk along predecessors begins: before the first of them. */
static ancestor_t begin_walk(const fs_node_rev_t *node)
{
    ancestor_t at = { 0 };

    at.exists = true;
    at.has_pred = node->has_pred;
    if (node->has_pred)
        fs_handle_pack_id(at.pred.bytes, node->pred.rev, node->pred.item);
    return at;
}

/*
 * Walk `steps` predecessors back; `first` is where the first step led. `spanned`
 * counts how often the shard changed on the way, seen from `youngest`.
 */
static fs_error_t *walk_back(ancestor_t *at, ancestor_t *first,
                             apr_uint64_t *spanned, apr_uint64_t steps,
                             fs_fsfs_t *fsfs, bool of_props, fs_rev_t youngest,
                             apr_pool_t *scratch)
{
    apr_uint64_t shard = shard_of(fsfs, youngest);
    fs_error_t *err = NULL;
    apr_pool_t *iter;
    apr_uint64_t i;

    *spanned = 1;
    apr_pool_create(&iter, scratch);
    for (i = 0; i < steps && !err && at->exists; i++) {
        apr_pool_clear(iter);
        err = step_back(at, fsfs, of_props, iter);
        if (i == 0)
            *first = *at;
        if (!err && at->exists && shard_of(fsfs, at->rev) != shard) {
            shard = shard_of(fsfs, at->rev);
            ++*spanned;
        }
    }
    apr_pool_destroy(iter);
    return err;
}

/* The predecessor whose contents are to be the base; none: `at->exists` is
 * false. */
static fs_error_t *find_ancestor(ancestor_t *at, fs_fsfs_t *fsfs,
                                 const fs_node_rev_t *node, bool of_props,
                                 fs_rev_t youngest, apr_pool_t *scratch)
{
    apr_uint64_t skip = node->count & (node->count - 1);
    apr_uint64_t steps = node->count - skip;
    ancestor_t first = { 0 };
    apr_uint64_t spanned;

    *at = begin_walk(node);
    at->exists = node->count && steps <= fsfs->conf.max_deltification_walk;
    if (!at->exists)
        return NULL;
    FS_TRY(walk_back(at, &first, &spanned, steps, fsfs, of_props, youngest,
                     scratch));
    /* Near the end of a history a delta against the version before is the
     * smallest, unless that leads through more shards than skipping does. */
    if (steps < fsfs->conf.max_linear_deltification &&
        (spanned > 63 || APR_UINT64_C(1) << (spanned - 1) <= steps))
        *at = first;
    return NULL;
}

/* --- Chains --- */

static cache_key_t chain_key(const fs_fsfs_t *fsfs, fs_rev_t rev,
                             apr_uint64_t item)
{
    cache_key_t key = fs_handle_key(fsfs, CACHE_INDEX, rev, item);

    key.extra = CHAIN_KEY;
    return key;
}

static bool kept_chain(chain_t *chain, fs_fsfs_t *fsfs, fs_rev_t rev,
                       apr_uint64_t item, apr_pool_t *scratch)
{
    cache_key_t key = chain_key(fsfs, rev, item);
    cache_value_t value;

    if (cache_get(fsfs->cache, &key, &value, scratch) ||
        value.len != sizeof(*chain))
        return false;
    memcpy(chain, value.data, sizeof(*chain));
    return true;
}

static fs_error_t *read_header(fs_rep_header_t *header, fs_fsfs_t *fsfs,
                               fs_rev_t rev, apr_uint64_t number,
                               apr_pool_t *scratch)
{
    char buf[FS_REP_HEADER_SIZE];
    apr_size_t len = sizeof(buf);
    fs_error_t *err;
    fs_item_t item;

    FS_TRY(fs_item_open(&item, fsfs, rev, number, scratch));
    err = fs_item_read(&item, 0, buf, &len);
    if (!err)
        err = fs_rep_header_parse(header, buf, len);
    fs_item_close(&item);
    return err ? fs_item_wrap(err, rev, number) : NULL;
}

typedef struct link_t {
    fs_rev_t rev;
    apr_uint64_t item;
} link_t;

/* Put the links from `link` down into `links`, until the chain of one is
 * known; false in `*known` if `max` links were not enough. */
static fs_error_t *go_down(bool *known, chain_t *chain,
                           apr_array_header_t *links, apr_uint64_t max,
                           link_t link, fs_fsfs_t *fsfs, apr_pool_t *iter)
{
    *known = false;
    while (!*known && (apr_uint64_t)links->nelts < max) {
        fs_rep_header_t header = { 0 };

        apr_pool_clear(iter);
        APR_ARRAY_PUSH(links, link_t) = link;
        *known = kept_chain(chain, fsfs, link.rev, link.item, iter);
        if (*known)
            break;
        FS_TRY(read_header(&header, fsfs, link.rev, link.item, iter));
        *known = header.kind != FS_REP_DELTA || header.base_rev == 0;
        if (*known) {
            chain->links = 1;
            chain->shards = 1;
        }
        link.rev = header.base_rev;
        link.item = header.base_item;
    }
    return NULL;
}

/*
 * The chain of the representation at (rev, item). Of one with `max` links or
 * more it is said that it has `max`; not all of it is read.
 */
static fs_error_t *measure(chain_t *chain, apr_uint64_t max, fs_fsfs_t *fsfs,
                           fs_rev_t rev, apr_uint64_t item, apr_pool_t *scratch)
{
    apr_array_header_t *links = apr_array_make(scratch, 8, sizeof(link_t));
    link_t link = { rev, item };
    fs_error_t *err;
    apr_pool_t *iter;
    bool known;
    int i;

    apr_pool_create(&iter, scratch);
    err = go_down(&known, chain, links, max, link, fsfs, iter);
    apr_pool_destroy(iter);
    FS_TRY(err);
    if (!known) {
        chain->links = (apr_uint32_t)max;
        return NULL;
    }
    for (i = links->nelts - 1; i >= 0; i--) {
        const link_t *at = &APR_ARRAY_IDX(links, i, link_t);
        cache_key_t key = chain_key(fsfs, at->rev, at->item);

        if (i < links->nelts - 1) {
            chain->links++;
            if (shard_of(fsfs, at->rev) != shard_of(fsfs, at[1].rev))
                chain->shards++;
        }
        (void)cache_put(fsfs->cache, &key, chain, sizeof(*chain));
    }
    return NULL;
}

/* Whether a delta against `content` makes a chain that is worth it. */
static fs_error_t *is_worth_it(bool *worth, fs_fsfs_t *fsfs,
                               const fs_content_t *content, apr_pool_t *scratch)
{
    fs_rep_place_t place = fs_rep_read_place(content);
    apr_uint64_t linear = fsfs->conf.max_linear_deltification;
    apr_uint64_t max = FS_REP_CHAIN_MAX;
    chain_t chain;

    *worth = false;
    if (content->size < BASE_MIN)
        return NULL;
    if (linear < (FS_REP_CHAIN_MAX - 2) / 2)
        max = 2 * linear + 2;
    FS_TRY(measure(&chain, max, fsfs, place.rev, place.item, scratch));
    if (chain.links >= max)
        return NULL;
    *worth = chain.shards <= 1 ||
             (chain.shards < 56 &&
              (APR_UINT64_C(SHARD_COST) << chain.shards) < content->size);
    return NULL;
}

static void fill_rep(fs_rep_t *rep, const fs_content_t *content)
{
    fs_rep_place_t place = fs_rep_read_place(content);

    memset(rep, 0, sizeof(*rep));
    rep->rev = place.rev;
    rep->item = place.item;
    rep->length = place.length;
    rep->size = content->size;
    rep->has_md5 = content->has_md5;
    rep->has_sha1 = content->has_sha1;
    memcpy(rep->md5, content->md5, sizeof(rep->md5));
    memcpy(rep->sha1, content->sha1, sizeof(rep->sha1));
    rep->unique_txn.base = -1;
}

fs_error_t *fs_rep_base_choose(bool *has_base, fs_rep_t *base, fs_fsfs_t *fsfs,
                               const fs_node_rev_t *node, bool of_props,
                               fs_rev_t youngest, apr_pool_t *scratch)
{
    ancestor_t at;

    *has_base = false;
    FS_TRY(find_ancestor(&at, fsfs, node, of_props, youngest, scratch));
    if (!at.exists || !at.content.present)
        return NULL;
    FS_TRY(is_worth_it(has_base, fsfs, &at.content, scratch));
    if (*has_base)
        fill_rep(base, &at.content);
    return NULL;
}
