/* SPDX-License-Identifier: Apache-2.0 */
/* Digest files of path locks. */

#include "libfs/format/lock_file.h"

#include <string.h>

#include "libfs/base/checksum.h"
#include "libfs/format/hash_dump.h"
#include "libfs/fs_time.h"

#define CHILD_LEN (FS_LOCK_DIGEST_LEN + 1)

/* The value of `key` as a string; NULL if it is not there. */
static fs_error_t *get_string(const char **out, apr_hash_t *hash,
                              const char *key)
{
    const fs_bytes_t *value = apr_hash_get(hash, key, APR_HASH_KEY_STRING);

    *out = value ? value->data : NULL;
    if (value && memchr(value->data, '\0', value->len))
        return FS_ERROR(FS_ERR_CORRUPT, "'%s' of a lock has a NUL byte", key);
    return NULL;
}

static fs_error_t *need_string(const char **out, apr_hash_t *hash,
                               const char *key)
{
    FS_TRY(get_string(out, hash, key));
    if (!*out)
        return FS_ERROR(FS_ERR_CORRUPT, "a lock has no '%s'", key);
    return NULL;
}

static fs_error_t *parse_date(apr_time_t *out, const char *text,
                              const char *key)
{
    fs_error_t *err = fs_time_parse(out, text, strlen(text));

    return err ? FS_WRAP_AS(err, FS_ERR_CORRUPT, "malformed '%s' of a lock",
                            key)
               : NULL;
}

static fs_error_t *fill_lock(fs_lock_file_t *out, apr_hash_t *hash)
{
    const char *text;

    FS_TRY(need_string(&out->token, hash, "token"));
    FS_TRY(need_string(&out->owner, hash, "owner"));
    FS_TRY(get_string(&out->comment, hash, "comment"));
    FS_TRY(need_string(&text, hash, "is_dav_comment"));
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
        return FS_ERROR(FS_ERR_CORRUPT, "'is_dav_comment' of a lock is '%.20s'",
                        text);
    out->is_dav_comment = text[0] == '1';
    FS_TRY(need_string(&text, hash, "creation_date"));
    FS_TRY(parse_date(&out->creation, text, "creation_date"));
    FS_TRY(get_string(&text, hash, "expiration_date"));
    return text ? parse_date(&out->expiration, text, "expiration_date") : NULL;
}

static fs_error_t *check_children(const fs_lock_file_t *lock)
{
    unsigned char digest[FS_LOCK_DIGEST_LEN / 2];
    apr_size_t i;

    if (lock->children.len % CHILD_LEN)
        return FS_ERROR(FS_ERR_CORRUPT,
                        "'children' of a lock has %" APR_SIZE_T_FMT
                        " bytes, a multiple of %d is expected",
                        lock->children.len, CHILD_LEN);
    for (i = 0; i < lock->children.len; i += CHILD_LEN) {
        const char *child = lock->children.data + i;

        if (!fs_hex_parse(digest, child, FS_LOCK_DIGEST_LEN) ||
            child[FS_LOCK_DIGEST_LEN] != '\n')
            return FS_ERROR(FS_ERR_CORRUPT,
                            "entry %" APR_SIZE_T_FMT
                            " of 'children' of a lock is not a digest",
                            i / CHILD_LEN + 1);
    }
    return NULL;
}

fs_error_t *fs_lock_file_parse(fs_lock_file_t *out, const char *data,
                               apr_size_t len, apr_pool_t *result)
{
    const fs_bytes_t *children;
    apr_hash_t *hash;

    memset(out, 0, sizeof(*out));
    out->children.data = "";
    FS_TRY(fs_hash_dump_parse(&hash, data, len, false, result));
    FS_TRY(get_string(&out->path, hash, "path"));
    if (out->path && out->path[0] != '/')
        return FS_ERROR(FS_ERR_CORRUPT, "a lock's path is '%.200s'", out->path);
    if (out->path)
        FS_TRY(fill_lock(out, hash));

    children = apr_hash_get(hash, "children", APR_HASH_KEY_STRING);
    if (children)
        out->children = *children;
    return check_children(out);
}

apr_size_t fs_lock_file_child_count(const fs_lock_file_t *lock)
{
    return lock->children.len / CHILD_LEN;
}

const char *fs_lock_file_child(const fs_lock_file_t *lock, apr_size_t index)
{
    return lock->children.data + index * CHILD_LEN;
}

static void put_pair(fs_buffer_t *out, const char *key, const char *value)
{
    fs_hash_dump_format_pair(out, key, strlen(key), value, strlen(value));
}

/* Keys in ascending order, with `children` among them. */
void fs_lock_file_format(fs_buffer_t *out, const fs_lock_file_t *lock)
{
    char date[FS_TIME_SIZE];

    if (lock->children.len)
        fs_hash_dump_format_pair(out, "children", 8, lock->children.data,
                                 lock->children.len);
    if (lock->path) {
        if (lock->comment)
            put_pair(out, "comment", lock->comment);
        fs_time_format(date, lock->creation);
        put_pair(out, "creation_date", date);
        if (lock->expiration) {
            fs_time_format(date, lock->expiration);
            put_pair(out, "expiration_date", date);
        }
        put_pair(out, "is_dav_comment", lock->is_dav_comment ? "1" : "0");
        put_pair(out, "owner", lock->owner);
        put_pair(out, "path", lock->path);
        put_pair(out, "token", lock->token);
    }
    fs_buffer_puts(out, "END\n");
}

void fs_lock_file_digest(char out[FS_LOCK_DIGEST_LEN + 1], const char *path)
{
    unsigned char md5[FS_MD5_SIZE];

    fs_digest_md5(md5, path, strlen(path));
    fs_hex_write(out, md5, FS_MD5_SIZE);
    out[FS_LOCK_DIGEST_LEN] = '\0';
}
