/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/txn_read.h, txn_text.h and txn_dir.h: what went into
 * a transaction comes out of the store's ordinary functions. */

#include "libfs/store/fsfs/txn_read.h"

#include <sys/stat.h>

#include <apr_strings.h>

#include "libfs/fs_txn.h"
#include "libfs/store/fsfs/txn_dir.h"
#include "libfs/store/fsfs/txn_table.h"
#include "libfs/store/fsfs/txn_text.h"
#include "libfs/store/store_txn.h"
#include "tests/support/repo.h"
#include "tests/support/unit.h"

#define LONG_TEXT                                                              \
    "a text that is long enough to be the base of a delta, being longer than " \
    "the header that names it"

typedef struct bed_t {
    fs_store_t *store;
    const fs_store_vtable_t *vtable;
    const fs_store_txn_vtable_t *edits;
    fs_store_txn_t *txn;
    const char *path;
    apr_pool_t *pool;
} bed_t;

static void begin(bed_t *bed)
{
    fs_rev_t youngest;

    assert_fs_ok(bed->vtable->youngest(&youngest, bed->store, bed->pool));
    assert_fs_ok(bed->edits->begin(&bed->txn, bed->store, youngest,
                                   apr_hash_make(bed->pool), bed->pool));
}

static void make_bed(bed_t *bed, const char *version, apr_pool_t *pool)
{
    fs_repo_t *repo;

    bed->pool = pool;
    bed->path = fs_test_repo_load_as(NULL, version, pool);
    assert_fs_ok(fs_repo_open(&repo, bed->path, NULL, NULL, pool));
    bed->store = fs_repo_store(repo);
    bed->vtable = bed->store->vtable;
    bed->edits = bed->vtable->txn;
    begin(bed);
}

static void commit(bed_t *bed)
{
    fs_store_commit_t how = { .set_date = true };
    fs_rev_t rev, youngest;

    how.revprops = apr_hash_make(bed->pool);
    assert_fs_ok(
        bed->edits->commit(&rev, &youngest, bed->txn, &how, bed->pool));
    begin(bed);
}

static void make(const bed_t *bed, const char *path, fs_node_kind_t kind)
{
    assert_fs_ok(bed->edits->make(bed->txn, path, kind, bed->pool));
}

static void put(const bed_t *bed, const char *path, const char *text)
{
    unsigned char md5[FS_MD5_SIZE];
    fs_store_text_t *out;

    assert_fs_ok(bed->edits->text_open(&out, bed->txn, path, bed->pool));
    assert_fs_ok(bed->edits->text_write(out, text, strlen(text)));
    assert_fs_ok(bed->edits->text_close(md5, NULL, out));
}

/* The record at `path` of the transaction. */
static const fs_node_record_t *find(const bed_t *bed, const char *path)
{
    const fs_node_record_t *record;
    const fs_store_entry_t *entry;
    char *copy = apr_pstrdup(bed->pool, path);
    char *name, *last;
    fs_node_id_t id;

    assert_fs_ok(bed->edits->root_id(&id, bed->txn));
    assert_fs_ok(
        bed->vtable->node(&record, bed->store, &id, bed->pool, bed->pool));
    for (name = apr_strtok(copy, "/", &last); name;
         name = apr_strtok(NULL, "/", &last)) {
        assert_fs_ok(bed->vtable->dir_lookup(&entry, bed->store, record, name,
                                             bed->pool, bed->pool));
        if (!entry)
            return NULL;
        assert_string_equal(entry->name, name);
        assert_fs_ok(bed->vtable->node(&record, bed->store, &entry->id,
                                       bed->pool, bed->pool));
        assert_int_equal(record->kind, entry->kind);
    }
    return record;
}

static const char *text_from(const bed_t *bed, const char *path,
                             apr_uint64_t offset)
{
    const fs_node_record_t *record = find(bed, path);
    fs_stream_t *stream;
    fs_bytes_t bytes;

    assert_fs_ok(bed->vtable->open_content(&stream, bed->store, &record->text,
                                           offset, bed->pool));
    assert_fs_ok(fs_stream_slurp(&bytes, stream, 1 << 20, bed->pool));
    return apr_pstrmemdup(bed->pool, bytes.data, bytes.len);
}

static const char *text_of(const bed_t *bed, const char *path)
{
    return text_from(bed, path, 0);
}

static const char *list(const bed_t *bed, const char *path)
{
    const fs_store_entry_t *entry;
    const char *names = "";
    fs_store_dir_t *dir;

    assert_fs_ok(
        bed->vtable->dir_open(&dir, bed->store, find(bed, path), bed->pool));
    for (;;) {
        assert_fs_ok(bed->vtable->dir_next(&entry, dir));
        if (!entry)
            return names;
        names = apr_pstrcat(bed->pool, names, entry->name,
                            entry->kind == FS_NODE_DIR ? "/ " : " ", NULL);
    }
}

/* --- Reading --- */

static void directories_have_what_was_and_what_was_changed(void **state)
{
    static const char *const names[] = { "/d/b", "/d/d", "/d/f", "/d/h" };
    bed_t bed;
    int i;

    make_bed(&bed, "1.14", unit_pool(state));
    make(&bed, "/d", FS_NODE_DIR);
    assert_string_equal(list(&bed, "/d"), "");
    for (i = 0; i < 4; i++)
        make(&bed, names[i], FS_NODE_FILE);
    commit(&bed);
    assert_string_equal(list(&bed, "/d"), "b d f h ");
    make(&bed, "/d/a", FS_NODE_DIR);
    make(&bed, "/d/e", FS_NODE_FILE);
    make(&bed, "/d/z", FS_NODE_FILE);
    assert_fs_ok(bed.edits->remove(bed.txn, "/d/d", bed.pool));
    assert_fs_ok(bed.edits->remove(bed.txn, "/d/h", bed.pool));
    assert_fs_ok(bed.edits->remove(bed.txn, "/d/e", bed.pool));
    make(&bed, "/d/h", FS_NODE_DIR);
    assert_string_equal(list(&bed, "/d"), "a/ b f h/ z ");
    assert_null(find(&bed, "/d/d"));
    assert_null(find(&bed, "/d/e"));
    assert_int_equal(find(&bed, "/d/h")->kind, FS_NODE_DIR);
    assert_int_equal(find(&bed, "/d/b")->created_rev, 1);
    assert_int_equal(find(&bed, "/d/z")->created_rev, FS_INVALID_REV);
    bed.edits->close(bed.txn);
}

static void texts_are_read_in_every_format(void **state)
{
    static const char *const versions[] = { "1.3", "1.4", "1.6", "1.9",
                                            "1.14" };
    apr_size_t i;
    bed_t bed;

    for (i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
        make_bed(&bed, versions[i], unit_pool(state));
        make(&bed, "/f", FS_NODE_FILE);
        make(&bed, "/empty", FS_NODE_FILE);
        assert_string_equal(text_of(&bed, "/empty"), "");
        put(&bed, "/f", LONG_TEXT);
        assert_string_equal(text_of(&bed, "/f"), LONG_TEXT);
        commit(&bed);
        put(&bed, "/f", LONG_TEXT ", and more"); /* a delta */
        put(&bed, "/empty", "");
        assert_string_equal(text_of(&bed, "/f"), LONG_TEXT ", and more");
        assert_string_equal(text_from(&bed, "/f", sizeof(LONG_TEXT) + 1),
                            "and more");
        assert_string_equal(text_of(&bed, "/empty"), "");
        put(&bed, "/f", "short");
        assert_string_equal(text_of(&bed, "/f"), "short");
        assert_int_equal(find(&bed, "/f")->text.size, 5);
        bed.edits->close(bed.txn);
    }
}

static void property_lists_are_those_that_were_set(void **state)
{
    fs_bytes_t one = { "a\0b", 3 };
    const fs_bytes_t *found;
    const fs_node_record_t *record;
    fs_stream_t *stream;
    apr_hash_t *props;
    fs_bytes_t bytes;
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    props = apr_hash_make(bed.pool);
    apr_hash_set(props, "p", APR_HASH_KEY_STRING, &one);
    make(&bed, "/d", FS_NODE_DIR);
    assert_false(find(&bed, "/d")->props.present);
    assert_fs_ok(
        bed.edits->set_node_props(bed.txn, "/d", props, false, bed.pool));
    record = find(&bed, "/d");
    assert_fs_ok(bed.vtable->props(&props, bed.store, &record->props, bed.pool,
                                   bed.pool));
    assert_int_equal(apr_hash_count(props), 1);
    found = apr_hash_get(props, "p", APR_HASH_KEY_STRING);
    assert_bytes_equal(found->data, found->len, "a\0b", 3);
    assert_fs_ok(bed.vtable->open_content(&stream, bed.store, &record->props, 0,
                                          bed.pool));
    assert_fs_ok(fs_stream_slurp(&bytes, stream, 1000, bed.pool));
    assert_bytes_equal(bytes.data, bytes.len, "K 1\np\nV 3\na\0b\nEND\n", 18);
    assert_fs_ok(
        bed.edits->set_node_props(bed.txn, "/d", NULL, false, bed.pool));
    record = find(&bed, "/d");
    assert_fs_ok(bed.vtable->props(&props, bed.store, &record->props, bed.pool,
                                   bed.pool));
    assert_int_equal(apr_hash_count(props), 0);
    bed.edits->close(bed.txn);
}

static void nodes_of_a_closed_transaction_are_gone(void **state)
{
    const fs_node_record_t *record, *again;
    const fs_store_entry_t *entry;
    fs_node_id_t id;
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    record = find(&bed, "/");
    id = record->id;
    bed.edits->close(bed.txn);
    assert_fs_error(
        bed.vtable->node(&again, bed.store, &id, bed.pool, bed.pool),
        FS_ERR_NO_SUCH_TXN);
    assert_fs_error(bed.vtable->dir_lookup(&entry, bed.store, record, "a",
                                           bed.pool, bed.pool),
                    FS_ERR_NO_SUCH_TXN);
    assert_fs_error(bed.edits->root_id(&id, bed.txn), FS_ERR_NO_SUCH_TXN);
}

static void there_is_no_stored_delta_of_what_is_not_committed(void **state)
{
    fs_stored_delta_t *delta;
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    make(&bed, "/f", FS_NODE_FILE);
    put(&bed, "/f", LONG_TEXT);
    assert_fs_ok(bed.vtable->open_stored_delta(
        &delta, bed.store, NULL, &find(&bed, "/f")->text, 7, bed.pool));
    assert_null(delta);
    bed.edits->close(bed.txn);
}

/* --- Texts --- */

static apr_size_t texts_size(const bed_t *bed)
{
    struct stat info;
    const char *file = apr_pstrcat(bed->pool, bed->path, "/db/",
                                   fs_txn_dir_path(bed->edits->name(bed->txn),
                                                   FS_TXN_DIR_TEXTS, bed->pool),
                                   NULL);

    assert_int_equal(stat(file, &info), 0);
    return (apr_size_t)info.st_size;
}

static void equal_texts_are_stored_once(void **state)
{
    apr_size_t size;
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    make(&bed, "/f", FS_NODE_FILE);
    put(&bed, "/f", LONG_TEXT);
    size = texts_size(&bed);
    make(&bed, "/g", FS_NODE_FILE);
    put(&bed, "/g", LONG_TEXT); /* as in the transaction itself */
    assert_int_equal(texts_size(&bed), size);
    assert_string_equal(text_of(&bed, "/g"), LONG_TEXT);
    commit(&bed);
    make(&bed, "/h", FS_NODE_FILE);
    put(&bed, "/h", LONG_TEXT); /* as in a revision */
    assert_int_equal(texts_size(&bed), 0);
    assert_string_equal(text_of(&bed, "/h"), LONG_TEXT);
    assert_memory_equal(find(&bed, "/h")->text.id, find(&bed, "/f")->text.id,
                        16);
    /* Set anew nevertheless. */
    assert_true(find(&bed, "/h")->text.edition !=
                find(&bed, "/f")->text.edition);
    bed.edits->close(bed.txn);
}

static void old_formats_share_nothing(void **state)
{
    apr_size_t size;
    bed_t bed;

    make_bed(&bed, "1.5", unit_pool(state));
    make(&bed, "/f", FS_NODE_FILE);
    put(&bed, "/f", LONG_TEXT);
    size = texts_size(&bed);
    make(&bed, "/g", FS_NODE_FILE);
    put(&bed, "/g", LONG_TEXT);
    assert_int_equal(texts_size(&bed), 2 * size);
    assert_false(find(&bed, "/g")->text.has_sha1);
    bed.edits->close(bed.txn);
}

static void a_text_that_is_not_the_expected_one_leaves_nothing(void **state)
{
    static const unsigned char wrong[FS_MD5_SIZE] = { 1 };
    unsigned char md5[FS_MD5_SIZE];
    fs_store_text_t *text;
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    make(&bed, "/f", FS_NODE_FILE);
    put(&bed, "/f", "old");
    assert_fs_ok(bed.edits->text_open(&text, bed.txn, "/f", bed.pool));
    assert_fs_ok(bed.edits->text_write(text, LONG_TEXT, 50));
    /* Readers have the old one until the end. */
    assert_string_equal(text_of(&bed, "/f"), "old");
    assert_fs_error_says(bed.edits->text_close(md5, wrong, text),
                         FS_ERR_CHECKSUM_MISMATCH, "'/f'");
    assert_string_equal(text_of(&bed, "/f"), "old");
    put(&bed, "/f", "new");
    assert_string_equal(text_of(&bed, "/f"), "new");
    bed.edits->close(bed.txn);
}

static void a_text_that_is_given_up_leaves_nothing(void **state)
{
    fs_store_text_t *text;
    apr_size_t size;
    char *noise;
    bed_t bed;
    int i;

    make_bed(&bed, "1.14", unit_pool(state));
    make(&bed, "/f", FS_NODE_FILE);
    put(&bed, "/f", "old");
    size = texts_size(&bed);
    noise = apr_palloc(bed.pool, 300000);
    for (i = 0; i < 300000; i++)
        noise[i] = (char)((apr_uint32_t)i * 2654435761u >> 13);
    assert_fs_ok(bed.edits->text_open(&text, bed.txn, "/f", bed.pool));
    assert_fs_ok(bed.edits->text_write(text, noise, 300000));
    bed.edits->text_abort(text);
    assert_int_equal(texts_size(&bed), size);
    assert_string_equal(text_of(&bed, "/f"), "old");
    bed.edits->close(bed.txn);
}

/* --- The folder --- */

static void names_are_read_as_they_are_written(void **state)
{
    fs_txn_id_t id;

    assert_string_equal(fs_txn_dir_path("1-a", NULL, unit_pool(state)),
                        "transactions/1-a.txn");
    assert_string_equal(fs_txn_dir_path("1-a", "props", unit_pool(state)),
                        "transactions/1-a.txn/props");
    assert_fs_ok(fs_txn_dir_parse_name(&id, "12-3f"));
    assert_int_equal(id.base, 12);
    assert_int_equal(id.number, 3 * 36 + 15);
    assert_fs_error_says(fs_txn_dir_parse_name(&id, "x"), FS_ERR_TXN_NAME,
                         "'x' is no transaction name");
}

static void properties_are_replaced_as_a_whole(void **state)
{
    fs_bytes_t value = { "v", 1 };
    apr_hash_t *props;
    bed_t bed;

    make_bed(&bed, "1.14", unit_pool(state));
    assert_fs_ok(bed.edits->props(&props, bed.txn, bed.pool));
    assert_int_equal(apr_hash_count(props), 0);
    apr_hash_set(props, "p", APR_HASH_KEY_STRING, &value);
    assert_fs_ok(bed.edits->set_props(bed.txn, props, bed.pool));
    assert_fs_ok(bed.edits->props(&props, bed.txn, bed.pool));
    assert_int_equal(apr_hash_count(props), 1);
    bed.edits->close(bed.txn);
    assert_fs_ok(
        bed.edits->abort(bed.store, bed.edits->name(bed.txn), bed.pool));
    assert_fs_error(bed.edits->props(&props, bed.txn, bed.pool),
                    FS_ERR_NO_SUCH_TXN);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(directories_have_what_was_and_what_was_changed),
    UNIT_TEST(texts_are_read_in_every_format),
    UNIT_TEST(property_lists_are_those_that_were_set),
    UNIT_TEST(nodes_of_a_closed_transaction_are_gone),
    UNIT_TEST(there_is_no_stored_delta_of_what_is_not_committed),
    UNIT_TEST(equal_texts_are_stored_once),
    UNIT_TEST(old_formats_share_nothing),
    UNIT_TEST(a_text_that_is_not_the_expected_one_leaves_nothing),
    UNIT_TEST(a_text_that_is_given_up_leaves_nothing),
    UNIT_TEST(names_are_read_as_they_are_written),
    UNIT_TEST(properties_are_replaced_as_a_whole),
};

UNIT_MAIN(tests)
