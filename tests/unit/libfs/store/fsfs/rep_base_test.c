/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/rep_base.h: it chooses what the stock tools did in
 * repositories that they wrote. */

#include "libfs/store/fsfs/rep_base.h"

#include <apr_strings.h>

#include "libfs/format/rep_header.h"
#include "libfs/store/fsfs/item.h"
#include "libfs/store/fsfs/rep_read.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

/* What is known of a representation of the revision at hand. */
typedef struct seen_t {
    apr_uint64_t item;
    fs_rep_header_t header;
    bool predicted; /* by one of the nodes that share it */
} seen_t;

typedef struct scan_t {
    fs_store_t *store;
    fs_rev_t rev;
    apr_hash_t *seen; /* item to seen_t */
    int deltas;       /* with a base */
    int selfs;
    int wrong;
    apr_pool_t *pool; /* of the revision */
} scan_t;

static fs_rep_header_t header_at(scan_t *scan, fs_rep_place_t place)
{
    char buf[FS_REP_HEADER_SIZE];
    apr_size_t len = sizeof(buf);
    fs_rep_header_t header;
    fs_item_t item;

    assert_fs_ok(fs_item_open(&item, fs_handle_of(scan->store), place.rev,
                              place.item, scan->pool));
    assert_fs_ok(fs_item_read(&item, 0, buf, &len));
    assert_fs_ok(fs_rep_header_parse(&header, buf, len));
    fs_item_close(&item);
    return header;
}

static seen_t *see(scan_t *scan, fs_rep_place_t place)
{
    seen_t *seen = apr_hash_get(scan->seen, &place.item, sizeof(place.item));

    if (!seen) {
        seen = apr_pcalloc(scan->pool, sizeof(*seen));
        seen->item = place.item;
        seen->header = header_at(scan, place);
        apr_hash_set(scan->seen, &seen->item, sizeof(seen->item), seen);
    }
    return seen;
}

static void predict(scan_t *scan, const fs_node_record_t *record,
                    const fs_content_t *content, bool of_props)
{
    fs_rep_place_t place;
    fs_node_rev_t node = { 0 };
    bool has_base;
    fs_rep_t base;
    seen_t *seen;

    if (!content->present)
        return;
    place = fs_rep_read_place(content);
    if (place.rev != scan->rev)
        return;
    seen = see(scan, place);
    if (seen->header.kind == FS_REP_PLAIN) {
        seen->predicted = true; /* no deltas of such things there */
        return;
    }
    node.count = (apr_uint64_t)record->pred_count;
    node.has_pred = record->has_pred;
    fs_handle_unpack_id(record->pred.bytes, &node.pred.rev, &node.pred.item);
    assert_fs_ok(fs_rep_base_choose(&has_base, &base, fs_handle_of(scan->store),
                                    &node, of_props, scan->rev - 1,
                                    scan->pool));
    if (has_base)
        seen->predicted |= seen->header.kind == FS_REP_DELTA &&
                           seen->header.base_rev == base.rev &&
                           seen->header.base_item == base.item &&
                           seen->header.base_length == base.length;
    else
        seen->predicted |= seen->header.kind == FS_REP_SELF_DELTA;
}

/* All nodes that the revision made. */
static void scan_node(scan_t *scan, const fs_node_id_t *id)
{
    const fs_node_record_t *record;
    const fs_store_entry_t *entry;
    fs_store_dir_t *dir;

    assert_fs_ok(scan->store->vtable->node(&record, scan->store, id, scan->pool,
                                           scan->pool));
    if (record->created_rev != scan->rev)
        return;
    predict(scan, record, &record->text, false);
    predict(scan, record, &record->props, true);
    if (record->kind != FS_NODE_DIR)
        return;
    assert_fs_ok(
        scan->store->vtable->dir_open(&dir, scan->store, record, scan->pool));
    for (;;) {
        fs_node_id_t child;

        assert_fs_ok(scan->store->vtable->dir_next(&entry, dir));
        if (!entry)
            return;
        child = entry->id;
        scan_node(scan, &child);
    }
}

static void scan_rev(scan_t *scan)
{
    apr_hash_index_t *i;
    fs_node_id_t root;

    scan->seen = apr_hash_make(scan->pool);
    assert_fs_ok(scan->store->vtable->root_id(&root, scan->store, scan->rev,
                                              scan->pool));
    scan_node(scan, &root);
    for (i = apr_hash_first(scan->pool, scan->seen); i; i = apr_hash_next(i)) {
        const seen_t *seen = apr_hash_this_val(i);

        scan->deltas += seen->header.kind == FS_REP_DELTA;
        scan->selfs += seen->header.kind == FS_REP_SELF_DELTA;
        if (seen->predicted)
            continue;
        scan->wrong++;
        print_message("r%d item %d: base r%d\n", (int)scan->rev,
                      (int)seen->item, (int)seen->header.base_rev);
    }
}

/* Scan the repository in `path`; with a cache and without. */
static scan_t scan_repo(const char *path, bool cached, apr_pool_t *pool)
{
    cache_options_t options = { "process", 16 << 20 };
    scan_t scan = { 0 };
    fs_rev_t youngest;
    cache_t *cache = NULL;
    fs_repo_t *repo;

    if (cached)
        assert_apr_ok(cache_create(&cache, &options, pool));
    assert_fs_ok(fs_repo_open(&repo, path, NULL, cache, pool));
    assert_fs_ok(fs_repo_youngest(&youngest, repo, pool));
    scan.store = fs_repo_store(repo);
    apr_pool_create(&scan.pool, pool);
    for (scan.rev = 1; scan.rev <= youngest; scan.rev++) {
        apr_pool_clear(scan.pool);
        scan_rev(&scan);
    }
    return scan;
}

static const char *unpack(const char *name, apr_pool_t *pool)
{
    return fs_test_repo_unpack(
        apr_pstrcat(pool, "tests/data/fsfs/", name, ".tar.gz", NULL), name,
        pool);
}

static void check(void **state, const char *name, int deltas, int selfs)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack(name, pool);
    int cached;

    for (cached = 0; cached < 2; cached++) {
        scan_t scan = scan_repo(path, cached, pool);

        assert_int_equal(scan.wrong, 0);
        assert_int_equal(scan.deltas, deltas);
        assert_int_equal(scan.selfs, selfs);
    }
}

static void format_2_has_deltas_of_texts_alone(void **state)
{
    check(state, "f2", 32, 2045);
}

static void format_6_in_small_shards_is_predicted(void **state)
{
    check(state, "f6", 161, 141);
}

static void format_6_without_shards_is_predicted(void **state)
{
    check(state, "f6-linear", 123, 179);
}

static void format_8_in_small_shards_is_predicted(void **state)
{
    check(state, "f8", 161, 141);
}

static void packed_revisions_are_predicted(void **state)
{
    check(state, "f8-packed", 161, 141);
}

static void skip_deltas_are_predicted(void **state)
{
    check(state, "f7-zlib1-shard1000", 200, 102);
}

static void histories_of_several_formats_are_predicted(void **state)
{
    check(state, "f8-from-f2", 48, 2058);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(format_2_has_deltas_of_texts_alone),
    UNIT_TEST(format_6_in_small_shards_is_predicted),
    UNIT_TEST(format_6_without_shards_is_predicted),
    UNIT_TEST(format_8_in_small_shards_is_predicted),
    UNIT_TEST(packed_revisions_are_predicted),
    UNIT_TEST(skip_deltas_are_predicted),
    UNIT_TEST(histories_of_several_formats_are_predicted),
};

UNIT_MAIN(tests)
