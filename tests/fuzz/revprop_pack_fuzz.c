/* SPDX-License-Identifier: Apache-2.0 */
/* Packs of revision properties and their manifests. */

#include "tests/support/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <apr_general.h>
#include <apr_pools.h>

#include "libfs/format/hash_dump.h"
#include "libfs/format/revprop_pack.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return apr_initialize();
}

static const fs_revprop_shard_t shard = { 4, 4 };

static void read_manifest(const char *text, apr_size_t len)
{
    fs_revprop_pack_name_t names[4], one;
    fs_error_t *err = fs_revprop_pack_manifest_parse(names, text, len, &shard);

    if (err) {
        fs_error_clear(err);
        return;
    }
    err = fs_revprop_pack_manifest_find(&one, NULL, NULL, text, len, &shard, 6);
    if (err || one.first_rev != names[2].first_rev || one.tag != names[2].tag)
        abort();
}

static fs_error_t *read_pack(const char *text, apr_size_t len, apr_pool_t *pool)
{
    fs_buffer_t *out = fs_buffer_create(0, pool);
    fs_revprop_pack_t pack, again;
    apr_uint64_t i;
    fs_error_t *err;

    FS_TRY(fs_revprop_pack_parse(&pack, text, len, &shard, pool));
    FS_TRY(fs_revprop_pack_format(out, &pack, 5, pool));
    err = fs_revprop_pack_parse(&again, out->data, out->len, &shard, pool);
    if (err || again.count != pack.count)
        abort();
    for (i = 0; i < pack.count; i++) {
        apr_hash_t *props;

        FS_TRY(fs_hash_dump_parse(&props, pack.entries[i].data,
                                  pack.entries[i].len, false, pool));
    }
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    apr_pool_t *pool;

    apr_pool_create(&pool, NULL);
    read_manifest(text, size);
    fs_error_clear(read_pack(text, size, pool));
    apr_pool_destroy(pool);
    return 0;
}
