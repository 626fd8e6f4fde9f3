/* SPDX-License-Identifier: Apache-2.0 */
/* format, db/format, db/current, db/uuid, min-unpacked-rev, txn-current. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "libfs/format/format_file.h"

FUZZ_WITH_APR

static void read_format(const char *data, apr_size_t len, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(0, pool);
    fs_format_file_t format, again;
    fs_error_t *err = fs_format_file_parse(&format, data, len);
    int repository;

    if (!err) {
        fs_format_file_format(out, &format);
        err = fs_format_file_parse(&again, out->data, out->len);
        if (err || again.format != format.format ||
            again.shard_size != format.shard_size ||
            again.logical != format.logical)
            abort();
    }
    fs_error_clear(err);
    err = fs_format_file_parse_repository(&repository, data, len);
    if (!err && repository != 3 && repository != 5)
        abort();
    fs_error_clear(err);
}

static void read_current(const char *data, apr_size_t len, int format)
{
    char text[FS_FORMAT_NUMBER_SIZE];
    fs_format_current_t current, again;
    fs_error_t *err = fs_format_file_parse_current(&current, format, data, len);

    if (!err) {
        apr_size_t size = fs_format_file_format_current(text, format, &current);

        err = fs_format_file_parse_current(&again, format, text, size);
        if (err || current.youngest < 0 || again.youngest != current.youngest ||
            again.next_node != current.next_node ||
            again.next_copy != current.next_copy)
            abort();
    }
    fs_error_clear(err);
}

static void read_numbers(const char *data, apr_size_t len)
{
    static const apr_uint64_t shard_sizes[] = { 0, 1, 1000 };
    apr_uint64_t number;
    size_t i;

    fs_error_clear(fs_format_file_parse_txn_current(&number, data, len));
    for (i = 0; i < 3; i++) {
        fs_rev_t rev;
        fs_error_t *err =
            fs_format_file_parse_min_unpacked(&rev, shard_sizes[i], data, len);

        if (!err && (rev < 0 || (shard_sizes[i] &&
                                 (apr_uint64_t)rev % shard_sizes[i] != 0)))
            abort();
        fs_error_clear(err);
    }
}

static void read_uuid(const char *data, apr_size_t len, int format)
{
    fs_format_uuid_t uuid;
    fs_error_t *err = fs_format_file_parse_uuid(&uuid, format, data, len);

    if (!err && strlen(uuid.uuid) != FS_UUID_LEN)
        abort();
    fs_error_clear(err);
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    read_format(data, len, pool);
    read_current(data, len, 1);
    read_current(data, len, 8);
    read_numbers(data, len);
    read_uuid(data, len, 1);
    read_uuid(data, len, 8);
}

FUZZ_EACH(try_input)
