/* SPDX-License-Identifier: Apache-2.0 */
/* Skels: parsing. */

#include "mod_repo/http/skel.h"

#include <string.h>

#include <apr_lib.h>

/* What is left to parse. */
typedef struct reader_t {
    const char *data;
    const char *end;
    apr_pool_t *pool;
} reader_t;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static void skip_blanks(reader_t *reader)
{
    while (reader->data < reader->end && is_blank(*reader->data))
        reader->data++;
}

/* DIGITS BLANK BYTES */
static fs_error_t *parse_counted(fs_bytes_t *atom, reader_t *reader)
{
    apr_size_t left = (apr_size_t)(reader->end - reader->data), len = 0;

    for (; reader->data < reader->end && apr_isdigit(*reader->data);
         reader->data++) {
        len = len * 10 + (apr_size_t)(*reader->data - '0');
        if (len > left)
            return FS_ERROR(FS_ERR_STREAM_MALFORMED,
                            "a length in the skel is beyond its end");
    }
    if (reader->data == reader->end || !is_blank(*reader->data))
        return FS_ERROR(FS_ERR_STREAM_MALFORMED,
                        "no blank follows a length in the skel");
    reader->data++;
    if (len > (apr_size_t)(reader->end - reader->data))
        return FS_ERROR(FS_ERR_STREAM_MALFORMED,
                        "a length in the skel is beyond its end");
    *atom = (fs_bytes_t){ reader->data, len };
    reader->data += len;
    return NULL;
}

static fs_error_t *parse_word(fs_bytes_t *atom, reader_t *reader)
{
    const char *start = reader->data;

    if (!apr_isalpha(*start))
        return FS_ERROR(FS_ERR_STREAM_MALFORMED,
                        "a word of the skel does not begin with a letter");
    while (reader->data < reader->end && !is_blank(*reader->data) &&
           *reader->data != '(' && *reader->data != ')')
        reader->data++;
    *atom = (fs_bytes_t){ start, (apr_size_t)(reader->data - start) };
    return NULL;
}

static fs_error_t *parse(const repo_skel_t **out, reader_t *reader, int depth);

/* Behind the opening parenthesis, up to and with the closing one. */
static fs_error_t *parse_members(repo_skel_t *list, reader_t *reader, int depth)
{
    if (depth >= REPO_SKEL_DEPTH_MAX)
        return FS_ERROR(FS_ERR_STREAM_MALFORMED,
                        "lists of the skel are nested deeper than %d",
                        REPO_SKEL_DEPTH_MAX);
    list->is_list = true;
    list->members =
        apr_array_make(reader->pool, 4, sizeof(const repo_skel_t *));
    for (;;) {
        const repo_skel_t *member;

        skip_blanks(reader);
        if (reader->data < reader->end && *reader->data == ')') {
            reader->data++;
            return NULL;
        }
        FS_TRY(parse(&member, reader, depth + 1));
        APR_ARRAY_PUSH(list->members, const repo_skel_t *) = member;
    }
}

static fs_error_t *parse(const repo_skel_t **out, reader_t *reader, int depth)
{
    repo_skel_t *skel = apr_pcalloc(reader->pool, sizeof(*skel));

    *out = skel;
    skip_blanks(reader);
    if (reader->data == reader->end)
        return FS_ERROR(FS_ERR_STREAM_MALFORMED, "the skel ends too early");
    if (apr_isdigit(*reader->data))
        return parse_counted(&skel->atom, reader);
    if (*reader->data != '(')
        return parse_word(&skel->atom, reader);
    reader->data++;
    return parse_members(skel, reader, depth);
}

fs_error_t *repo_skel_parse(const repo_skel_t **skel, const char *data,
                            apr_size_t len, apr_pool_t *result)
{
    reader_t reader = { data, data + len, result };

    return parse(skel, &reader, 0);
}

const repo_skel_t *repo_skel_member(const repo_skel_t *list, int index)
{
    if (!list->is_list || index >= list->members->nelts)
        return NULL;
    return APR_ARRAY_IDX(list->members, index, const repo_skel_t *);
}

bool repo_skel_is(const repo_skel_t *skel, const char *word)
{
    return skel && !skel->is_list && skel->atom.len == strlen(word) &&
           memcmp(skel->atom.data, word, skel->atom.len) == 0;
}
