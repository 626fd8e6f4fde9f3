/* SPDX-License-Identifier: Apache-2.0 */
/* Proves libfs/store/fsfs/rep_write.h: what was written reads back as it was,
 * by our reader and by the stock tools. */

#include "libfs/store/fsfs/rep_write.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

#include "libfs/delta/svndiff_read.h"
#include "libfs/format/rep_header.h"
#include "libfs/store/fsfs/rep_read.h"
#include "tests/support/repo.h"
#include "tests/support/texts.h"
#include "tests/support/unit.h"

#define W FS_DELTA_WINDOW_MAX

static fs_fsfs_t *open_store(const char *path, apr_hash_t *options,
                             apr_pool_t *pool)
{
    fs_repo_t *repo;

    assert_fs_ok(fs_repo_open(&repo, path, options, NULL, pool));
    return fs_handle_of(fs_repo_store(repo));
}

static const char *unpack(const char *name, apr_pool_t *pool)
{
    return fs_test_repo_unpack(
        apr_pstrcat(pool, "tests/data/fsfs/", name, ".tar.gz", NULL), name,
        pool);
}

static apr_hash_t *one_option(const char *name, const char *value,
                              apr_pool_t *pool)
{
    apr_hash_t *options = apr_hash_make(pool);

    apr_hash_set(options, name, APR_HASH_KEY_STRING, value);
    return options;
}

/* A new file beside the test's others. */
static int new_file(apr_pool_t *pool)
{
    const char *path = apr_pstrcat(pool, fs_test_folder(pool), "/out", NULL);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    return fd;
}

static apr_uint64_t file_size(int fd)
{
    struct stat info;

    assert_int_equal(fstat(fd, &info), 0);
    return (apr_uint64_t)info.st_size;
}

static fs_bytes_t file_bytes(int fd, apr_pool_t *pool)
{
    fs_bytes_t bytes = { NULL, (apr_size_t)file_size(fd) };
    char *data = apr_palloc(pool, bytes.len + 1);

    assert_int_equal(pread(fd, data, bytes.len, 0), bytes.len);
    bytes.data = data;
    return bytes;
}

/* Write `text` in pieces of random sizes. */
static void write_pieces(fs_rep_write_t *write, fs_bytes_t text,
                         texts_seed_t *seed)
{
    apr_size_t done = 0;

    while (done < text.len) {
        apr_size_t n = 1 + texts_random(seed, 3 * W);

        if (n > text.len - done)
            n = text.len - done;
        assert_fs_ok(fs_rep_write(write, text.data + done, n));
        done += n;
    }
}

/* One representation as a file of its own. */
static fs_bytes_t write_rep(fs_rep_t *rep, fs_fsfs_t *fsfs,
                            const fs_rep_t *base, fs_rep_write_kind_t kind,
                            fs_bytes_t text, apr_pool_t *pool)
{
    int fd = new_file(pool);
    fs_rep_out_t *out = fs_rep_out_create(fd, 0, pool);
    fs_rep_write_t *write;
    texts_seed_t seed = 99;
    fs_bytes_t bytes;

    memset(rep, 0, sizeof(*rep));
    fs_rep_out_item_begin(out);
    assert_fs_ok(fs_rep_write_open(&write, fsfs, out, base, kind, pool));
    write_pieces(write, text, &seed);
    assert_fs_ok(fs_rep_write_close(rep, write));
    assert_fs_ok(fs_rep_out_flush(out));
    bytes = file_bytes(fd, pool);
    assert_true(bytes.len == fs_rep_out_offset(out));
    (void)close(fd);
    return bytes;
}

static void check_sums(const fs_rep_t *rep, fs_bytes_t text)
{
    unsigned char md5[FS_MD5_SIZE], sha1[FS_SHA1_SIZE];

    fs_digest_md5(md5, text.data, text.len);
    fs_digest_sha1(sha1, text.data, text.len);
    assert_true(rep->has_md5 && rep->has_sha1);
    assert_memory_equal(rep->md5, md5, sizeof(md5));
    assert_memory_equal(rep->sha1, sha1, sizeof(sha1));
    assert_true(rep->size == text.len);
}

/* Decode the delta in `bytes`, checking the windows' places. */
static void check_delta(fs_bytes_t bytes, const fs_rep_t *rep,
                        fs_bytes_t source, fs_bytes_t text, apr_pool_t *pool)
{
    const fs_delta_window_t *window;
    char *made = apr_palloc(pool, W);
    fs_delta_stream_t *delta;
    fs_rep_header_t header;
    apr_size_t done = 0;

    assert_fs_ok(fs_rep_header_parse(&header, bytes.data, bytes.len));
    assert_true(header.header_len + rep->length + 7 == bytes.len);
    assert_memory_equal(bytes.data + bytes.len - 7, "ENDREP\n", 7);
    delta = fs_svndiff_read(fs_stream_from_bytes(bytes.data + header.header_len,
                                                 (apr_size_t)rep->length, pool),
                            pool);
    for (;;) {
        apr_size_t at, len;

        assert_fs_ok(fs_delta_next(&window, delta));
        if (!window)
            break;
        at = done < source.len ? done : source.len;
        len = source.len - at < W ? source.len - at : W;
        assert_true(window->source_offset == at);
        assert_int_equal(window->source_len, len);
        assert_true(window->target_len == W ||
                    done + window->target_len == text.len);
        if (!source.len)
            assert_int_equal(window->op_count, 1);
        fs_delta_apply_window(window, source.data + at, made);
        assert_memory_equal(made, text.data + done, window->target_len);
        done += window->target_len;
    }
    assert_int_equal(done, text.len);
}

static const fs_bytes_t nothing = { "", 0 };

/* --- Against nothing --- */

static void an_empty_file_is_a_head_alone(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_fsfs_t *fsfs = open_store(unpack("f8", pool), NULL, pool);
    fs_bytes_t bytes;
    fs_rep_t rep;

    bytes = write_rep(&rep, fsfs, NULL, FS_REP_KIND_TEXT, nothing, pool);
    assert_bytes_equal(bytes.data, bytes.len, "DELTA\nSVN\2ENDREP\n", 17);
    assert_int_equal(rep.length, 4);
    check_sums(&rep, nothing);
}

static void each_format_has_its_version(void **state)
{
    static const struct {
        const char *name;
        const char *bytes;
        apr_size_t len;
    } cases[] = {
        { "f1", "DELTA\nSVN\0\0\0\6\1\6\206hello\nENDREP\n", 29 },
        { "f2", "DELTA\nSVN\1\0\0\6\2\7\1\206\6hello\nENDREP\n", 31 },
        { "f4", "DELTA\nSVN\1\0\0\6\2\7\1\206\6hello\nENDREP\n", 31 },
        { "f7", "DELTA\nSVN\1\0\0\6\2\7\1\206\6hello\nENDREP\n", 31 },
        { "f8", "DELTA\nSVN\2\0\0\6\2\7\1\206\6hello\nENDREP\n", 31 },
        { "f8-plain-options", "DELTA\nSVN\0\0\0\6\1\6\206hello\nENDREP\n", 29 },
    };
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t text = { "hello\n", 6 }, bytes;
    apr_size_t i;
    fs_rep_t rep;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fs_fsfs_t *fsfs = open_store(unpack(cases[i].name, pool), NULL, pool);

        bytes = write_rep(&rep, fsfs, NULL, FS_REP_KIND_TEXT, text, pool);
        assert_bytes_equal(bytes.data, bytes.len, cases[i].bytes, cases[i].len);
    }
}

static void long_texts_come_in_windows(void **state)
{
    static const char *const ways[] = { "none", "zlib-1", "zlib-9", "lz4" };
    static const int letters[] = { 4, 90, 256 };
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    texts_seed_t seed = 5;
    int i, k;

    for (i = 0; i < 4; i++) {
        fs_fsfs_t *fsfs =
            open_store(path, one_option("compression", ways[i], pool), pool);

        for (k = 0; k < 3; k++) {
            fs_bytes_t text = texts_make(&seed, 4 * W + 1, letters[k], pool);
            fs_bytes_t bytes;
            fs_rep_t rep;

            bytes = write_rep(&rep, fsfs, NULL, FS_REP_KIND_TEXT, text, pool);
            check_sums(&rep, text);
            check_delta(bytes, &rep, nothing, text, pool);
            assert_true(bytes.len < text.len + 200);
            if (letters[k] == 4 && i == 2)
                assert_true(bytes.len < text.len / 3);
        }
    }
}

static void dense_data_between_is_noticed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_fsfs_t *fsfs = open_store(unpack("f7", pool), NULL, pool);
    texts_seed_t seed = 5;
    fs_bytes_t dense = texts_make(&seed, 5 * W, 256, pool);
    fs_bytes_t loose = texts_make(&seed, 5 * W, 2, pool);
    fs_bytes_t text = { NULL, 10 * W }, bytes;
    fs_rep_t rep;
    char *both;

    both = apr_palloc(pool, text.len);
    memcpy(both, dense.data, dense.len);
    memcpy(both + dense.len, loose.data, loose.len);
    text.data = both;
    bytes = write_rep(&rep, fsfs, NULL, FS_REP_KIND_TEXT, text, pool);
    check_delta(bytes, &rep, nothing, text, pool);
    assert_true(bytes.len < 7 * W);
}

/* --- Plain --- */

static void directories_are_plain_where_deltas_are_off(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_bytes_t text = { "END\n", 4 }, bytes;
    fs_fsfs_t *fsfs = open_store(unpack("f3", pool), NULL, pool);
    fs_rep_t rep;

    bytes = write_rep(&rep, fsfs, NULL, FS_REP_KIND_DIR, text, pool);
    assert_bytes_equal(bytes.data, bytes.len, "PLAIN\nEND\nENDREP\n", 17);
    assert_int_equal(rep.length, 4);
    check_sums(&rep, text);
    bytes = write_rep(&rep, fsfs, NULL, FS_REP_KIND_PROPS, text, pool);
    assert_bytes_equal(bytes.data, bytes.len, "PLAIN\nEND\nENDREP\n", 17);

    fsfs = open_store(unpack("f8", pool),
                      one_option("enable-dir-deltification", "no", pool), pool);
    bytes = write_rep(&rep, fsfs, NULL, FS_REP_KIND_DIR, text, pool);
    assert_bytes_equal(bytes.data, bytes.len, "PLAIN\nEND\nENDREP\n", 17);
    bytes = write_rep(&rep, fsfs, NULL, FS_REP_KIND_PROPS, text, pool);
    assert_memory_equal(bytes.data, "DELTA\n", 6);
}

static void long_plain_contents_are_whole(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_fsfs_t *fsfs = open_store(unpack("f3", pool), NULL, pool);
    texts_seed_t seed = 5;
    fs_bytes_t text = texts_make(&seed, 3 * W + 9, 256, pool), bytes;
    fs_rep_t rep;

    bytes = write_rep(&rep, fsfs, NULL, FS_REP_KIND_DIR, text, pool);
    assert_int_equal(bytes.len, text.len + 13);
    assert_memory_equal(bytes.data + 6, text.data, text.len);
    assert_true(rep.length == text.len);
    check_sums(&rep, text);
}

/* --- Against a base --- */

/* The node at a path of the youngest revision. */
static const fs_node_record_t *node_at(fs_fsfs_t *fsfs, const char *name,
                                       apr_pool_t *pool)
{
    const fs_store_vtable_t *v = fsfs->store.vtable;
    const fs_node_record_t *record;
    const fs_store_entry_t *entry;
    fs_node_id_t id;
    fs_rev_t youngest;
    char *last = NULL, *path = apr_pstrdup(pool, name);
    const char *part;

    assert_fs_ok(v->youngest(&youngest, &fsfs->store, pool));
    assert_fs_ok(v->root_id(&id, &fsfs->store, youngest, pool));
    assert_fs_ok(v->node(&record, &fsfs->store, &id, pool, pool));
    for (part = apr_strtok(path, "/", &last); part;
         part = apr_strtok(NULL, "/", &last)) {
        assert_fs_ok(
            v->dir_lookup(&entry, &fsfs->store, record, part, pool, pool));
        assert_non_null(entry);
        assert_fs_ok(v->node(&record, &fsfs->store, &entry->id, pool, pool));
    }
    return record;
}

static fs_rep_t rep_of(const fs_content_t *content)
{
    fs_rep_place_t place = fs_rep_read_place(content);
    fs_rep_t rep = { 0 };

    rep.rev = place.rev;
    rep.item = place.item;
    rep.length = place.length;
    rep.size = content->size;
    rep.has_md5 = content->has_md5;
    memcpy(rep.md5, content->md5, sizeof(rep.md5));
    return rep;
}

/* A repository with a file of `len` bytes. */
static fs_fsfs_t *repo_with_file(const fs_node_record_t **record,
                                 fs_bytes_t text, apr_pool_t *pool)
{
    const char *path = fs_test_repo_load(NULL, pool);
    const char *actions[] = { "put", fs_test_file(text.data, text.len, pool),
                              "file", NULL };
    fs_fsfs_t *fsfs;

    fs_test_repo_commit(path, actions, pool);
    fsfs = open_store(path, NULL, pool);
    *record = node_at(fsfs, "file", pool);
    return fsfs;
}

static void deltas_lie_beside_their_base(void **state)
{
    static const apr_size_t lens[][2] = { { 1000, 1000 },   { W, W },
                                          { 3 * W, 3 * W }, { W + 1, 5 * W },
                                          { 5 * W, W + 1 }, { 5 * W, 0 } };
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 7;
    apr_size_t i;

    for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        fs_bytes_t source = texts_make(&seed, lens[i][0], 90, pool);
        const fs_node_record_t *record;
        fs_fsfs_t *fsfs = repo_with_file(&record, source, pool);
        fs_rep_t base = rep_of(&record->text), rep;
        fs_bytes_t text = texts_edit(&seed, source, 5, 300, pool), bytes;
        fs_rep_header_t header;

        if (lens[i][1] > source.len)
            text = texts_make(&seed, lens[i][1], 90, pool);
        else if (lens[i][1] < text.len)
            text.len = lens[i][1];
        bytes = write_rep(&rep, fsfs, &base, FS_REP_KIND_TEXT, text, pool);
        check_sums(&rep, text);
        check_delta(bytes, &rep, source, text, pool);
        assert_fs_ok(fs_rep_header_parse(&header, bytes.data, bytes.len));
        assert_int_equal(header.kind, FS_REP_DELTA);
        assert_int_equal(header.base_rev, 1);
        assert_true(header.base_item == base.item);
        assert_true(header.base_length == base.length);
    }
}

static void small_edits_make_small_deltas(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 7;
    fs_bytes_t source = texts_make(&seed, 3 * W, 256, pool), text;
    const fs_node_record_t *record;
    fs_fsfs_t *fsfs = repo_with_file(&record, source, pool);
    fs_rep_t base = rep_of(&record->text), rep;

    text.len = source.len;
    text.data = apr_pmemdup(pool, source.data, source.len);
    ((char *)text.data)[2 * W + 5] ^= 1;
    (void)write_rep(&rep, fsfs, &base, FS_REP_KIND_TEXT, text, pool);
    assert_true(rep.length < 120);
}

static void a_damaged_base_ends_it(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    fs_fsfs_t *fsfs = open_store(unpack("f8", pool), NULL, pool);
    fs_rep_out_t *out = fs_rep_out_create(new_file(pool), 0, pool);
    const fs_node_record_t *root = node_at(fsfs, "", pool);
    fs_rep_t base = rep_of(&root->text);
    fs_rep_write_t *write;

    base.item = 9999;
    assert_fs_error(
        fs_rep_write_open(&write, fsfs, out, &base, FS_REP_KIND_TEXT, pool),
        FS_ERR_CORRUPT);
}

static void what_is_plain_has_no_base(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    const char *path = unpack("f8", pool);
    fs_fsfs_t *fsfs = open_store(path, NULL, pool);
    const fs_node_record_t *root = node_at(fsfs, "", pool);
    fs_node_rev_t node = { 0 };
    bool has_base;
    fs_rep_t base;

    node.has_pred = true;
    node.count = 1;
    fs_handle_unpack_id(root->id.bytes, &node.pred.rev, &node.pred.item);
    assert_fs_ok(fs_rep_write_choose(&has_base, &base, fsfs, &node,
                                     FS_REP_KIND_DIR, pool));
    assert_true(has_base);
    assert_true(base.rev == fs_rep_read_place(&root->text).rev);
    assert_true(base.size == root->text.size);
    fsfs = open_store(path, one_option("enable-dir-deltification", "no", pool),
                      pool);
    assert_fs_ok(fs_rep_write_choose(&has_base, &base, fsfs, &node,
                                     FS_REP_KIND_DIR, pool));
    assert_false(has_base);
}

/* --- The end of the file --- */

static void items_are_told_and_summed(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    int fd = new_file(pool);
    fs_rep_out_t *out;
    fs_index_p2l_entry_t entry;

    assert_int_equal(pwrite(fd, "before", 6, 0), 6);
    out = fs_rep_out_create(fd, 6, pool);
    fs_rep_out_item_begin(out);
    assert_fs_ok(fs_rep_out_write(out, "PLAIN\nEND\n", 10));
    assert_fs_ok(fs_rep_out_write(out, "ENDREP\n", 7));
    fs_rep_out_item_end(&entry, out, 3, FS_ITEM_DIR_TEXT, 12);
    assert_int_equal(entry.offset, 6);
    assert_int_equal(entry.size, 17);
    assert_int_equal(entry.item, 3);
    assert_int_equal(entry.type, FS_ITEM_DIR_TEXT);
    assert_int_equal(entry.rev, 12);
    assert_true(entry.checksum == 0x60232b75u);
    assert_int_equal(file_size(fd), 6);
    fs_rep_out_item_begin(out);
    assert_fs_ok(fs_rep_out_write(out, "\n", 1));
    fs_rep_out_item_end(&entry, out, 1, FS_ITEM_CHANGES, 12);
    assert_int_equal(entry.offset, 23);
    assert_true(entry.checksum == 0xf28a4f1du);
    assert_fs_ok(fs_rep_out_flush(out));
    assert_int_equal(file_size(fd), 24);
    (void)close(fd);
}

static void a_dropped_item_leaves_nothing(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    texts_seed_t seed = 3;
    int fd = new_file(pool);
    fs_rep_out_t *out = fs_rep_out_create(fd, 0, pool);
    fs_bytes_t text = texts_make(&seed, 5 * W, 256, pool), bytes;

    assert_fs_ok(fs_rep_out_write(out, "first", 5));
    fs_rep_out_item_begin(out);
    assert_fs_ok(fs_rep_out_write(out, text.data, 100));
    assert_fs_ok(fs_rep_out_item_drop(out));
    fs_rep_out_item_begin(out);
    assert_fs_ok(fs_rep_out_write(out, text.data, text.len));
    assert_fs_ok(fs_rep_out_write(out, text.data, 10));
    assert_fs_ok(fs_rep_out_item_drop(out));
    assert_int_equal(fs_rep_out_offset(out), 5);
    assert_int_equal(file_size(fd), 5);
    fs_rep_out_item_begin(out);
    assert_fs_ok(fs_rep_out_write(out, "second", 6));
    assert_fs_ok(fs_rep_out_flush(out));
    bytes = file_bytes(fd, pool);
    assert_bytes_equal(bytes.data, bytes.len, "firstsecond", 11);
    (void)close(fd);
}

static void a_full_disk_is_told(void **state)
{
    apr_pool_t *pool = unit_pool(state);
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    fs_rep_out_t *out = fs_rep_out_create(fd, 0, pool);

    assert_true(fd >= 0);
    assert_fs_ok(fs_rep_out_write(out, "text", 4));
    assert_fs_error(fs_rep_out_flush(out), FS_ERR_IO);
    assert_int_equal(fs_rep_out_offset(out), 4);
    (void)close(fd);
}

static const struct CMUnitTest tests[] = {
    UNIT_TEST(an_empty_file_is_a_head_alone),
    UNIT_TEST(each_format_has_its_version),
    UNIT_TEST(long_texts_come_in_windows),
    UNIT_TEST(dense_data_between_is_noticed),
    UNIT_TEST(directories_are_plain_where_deltas_are_off),
    UNIT_TEST(long_plain_contents_are_whole),
    UNIT_TEST(deltas_lie_beside_their_base),
    UNIT_TEST(small_edits_make_small_deltas),
    UNIT_TEST(a_damaged_base_ends_it),
    UNIT_TEST(what_is_plain_has_no_base),
    UNIT_TEST(items_are_told_and_summed),
    UNIT_TEST(a_dropped_item_leaves_nothing),
    UNIT_TEST(a_full_disk_is_told),
};

UNIT_MAIN(tests)
