/* SPDX-License-Identifier: Apache-2.0 */
/* What people want to know of an FSFS repository, as names and texts. */

#include "libfs/store/fsfs/facts.h"

#include <apr_strings.h>

#include "libfs/store/fsfs/current.h"

static void add(apr_array_header_t *facts, const char *name, const char *text)
{
    apr_table_entry_t *entry = apr_array_push(facts);

    entry->key = apr_pstrdup(facts->pool, name);
    entry->val = apr_pstrdup(facts->pool, text);
    entry->key_checksum = 0;
}

static const char *compression(const fs_fsfs_t *fsfs, apr_pool_t *result)
{
    switch (fsfs->conf.compression) {
    case FS_CONF_COMPRESS_NONE:
        return "none";
    case FS_CONF_COMPRESS_ZLIB:
        return apr_psprintf(result, "zlib-%d", fsfs->conf.compression_level);
    case FS_CONF_COMPRESS_LZ4:
        break;
    }
    return "lz4";
}

/* First release whose tools read the format. */
static const char *release_of(int format)
{
    static const char *const releases[] = {
        "1.1.0", "1.4.0", "1.5.0", "1.6.0", "", "1.8.0", "1.9.0", "1.10.0"
    };

    return releases[format - 1];
}

fs_error_t *fs_facts_list(apr_array_header_t **facts, fs_fsfs_t *fsfs,
                          apr_pool_t *result)
{
    apr_array_header_t *list =
        apr_array_make(result, 16, sizeof(apr_table_entry_t));
    apr_uint64_t shard = fsfs->format.shard_size;
    fs_rev_t youngest;

    FS_TRY(fs_current_youngest(&youngest, fsfs, result));
    FS_TRY(fs_current_read_min_unpacked(fsfs, result));
    add(list, "type", "fsfs");
    add(list, "configuration-file", "db/fsfs.conf");
    add(list, "uuid", fsfs->uuid.uuid);
    if (*fsfs->uuid.instance)
        add(list, "instance", fsfs->uuid.instance);
    add(list, "repository-format", apr_itoa(result, fsfs->repository_format));
    add(list, "format", apr_itoa(result, fsfs->format.format));
    add(list, "compatible-version", release_of(fsfs->format.format));
    add(list, "layout",
        shard ? apr_psprintf(result, "sharded %" APR_UINT64_T_FMT, shard)
              : "linear");
    add(list, "addressing", fsfs->format.logical ? "logical" : "physical");
    add(list, "youngest", apr_psprintf(result, "%" FS_REV_FMT, youngest));
    add(list, "packed",
        apr_psprintf(result, "%" FS_REV_FMT, fs_current_min_unpacked(fsfs)));
    if (shard) {
        add(list, "shards",
            apr_psprintf(result, "%" APR_UINT64_T_FMT,
                         ((apr_uint64_t)youngest + 1) / shard));
        add(list, "packed-shards",
            apr_psprintf(result, "%" APR_UINT64_T_FMT,
                         (apr_uint64_t)fs_current_min_unpacked(fsfs) / shard));
    }
    add(list, "compression", compression(fsfs, result));
    *facts = list;
    return NULL;
}
