/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keywords in the text of a file. "$Word$" and "$Word: anything $" become
 * "$Word: value $"; "$Word:: text $" keeps its width. A keyword is at most 255
 * bytes long and does not cross a line.
 */

#include "mod_repo/web/keywords.h"

#include <string.h>

#include <apr_strings.h>
#include <apr_tables.h>
#include <apr_time.h>

#include <httpd.h>
#include <http_core.h>

#include "libfs/fs_time.h"

#define KEYWORD_MAX 255

/** Bytes read from the text at once. */
#define CHUNK 8192

typedef struct keyword_t {
    const char *word;
    const char *value;
} keyword_t;

typedef struct expander_t {
    fs_stream_t *text;
    const apr_array_header_t *keywords; /* of keyword_t */
    bool ended;                         /* of the text */
    char in[CHUNK];                     /* bytes not yet looked at */
    apr_size_t in_pos, in_len;
    char out[2 * KEYWORD_MAX + 8]; /* an expanded keyword on its way */
    apr_size_t out_pos, out_len;
} expander_t;

/* ---- values ---- */

/* What the five values depend on. */
typedef struct facts_t {
    const char *rev;
    const char *author;
    const char *date;
    const char *url;
    const char *name;
    const char *short_date;
} facts_t;

static const struct {
    const char *words; /* names of one keyword, in lower case where folded */
    int value;
} known[] = {
    { "Rev", 'r' },
    { "Revision", 'r' },
    { "LastChangedRevision", 'r' },
    { "Date", 'd' },
    { "LastChangedDate", 'd' },
    { "Author", 'a' },
    { "LastChangedBy", 'a' },
    { "URL", 'u' },
    { "HeadURL", 'u' },
    { "Id", 'i' },
    { "Header", 'h' },
};

/* Keywords that mean the same are all expanded when one is asked for. */
static int value_of_word(const char *word)
{
    apr_size_t i;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].words, word) == 0 ||
            (known[i].value != 'i' && known[i].value != 'h' &&
             strcasecmp(known[i].words, word) == 0))
            return known[i].value;
    return 0;
}

static const char *render(int value, const facts_t *facts, apr_pool_t *result)
{
    switch (value) {
    case 'r':
        return facts->rev;
    case 'd':
        return facts->date;
    case 'a':
        return facts->author;
    case 'u':
        return facts->url;
    case 'i':
        return apr_pstrcat(result, facts->name, " ", facts->rev, " ",
                           facts->short_date, " ", facts->author, NULL);
    default:
        return apr_pstrcat(result, facts->url, " ", facts->rev, " ",
                           facts->short_date, " ", facts->author, NULL);
    }
}

static apr_array_header_t *make_keywords(const char *names,
                                         const facts_t *facts,
                                         apr_pool_t *result)
{
    apr_array_header_t *list = apr_array_make(result, 8, sizeof(keyword_t));
    char *state,
        *word = apr_strtok(apr_pstrdup(result, names), " \t\v\n\b\r\f", &state);

    for (; word; word = apr_strtok(NULL, " \t\v\n\b\r\f", &state)) {
        int value = value_of_word(word);
        apr_size_t i;

        for (i = 0; value && i < sizeof(known) / sizeof(known[0]); i++)
            if (known[i].value == value) {
                keyword_t *keyword = apr_array_push(list);

                keyword->word = known[i].words;
                keyword->value = render(value, facts, result);
            }
    }
    return list;
}

static void set_dates(facts_t *facts, apr_time_t when, apr_pool_t *result)
{
    char text[80];
    apr_size_t len;
    apr_time_exp_t parts;

    apr_time_exp_gmt(&parts, when);
    apr_strftime(text, &len, sizeof(text),
                 "%Y-%m-%d %H:%M:%S +0000 (%a, %d %b %Y)", &parts);
    facts->date = apr_pstrdup(result, text);
    apr_strftime(text, &len, sizeof(text), "%Y-%m-%d %H:%M:%SZ", &parts);
    facts->short_date = apr_pstrdup(result, text);
}

static fs_error_t *gather(facts_t *facts, const fs_node_t *node,
                          repo_request_t *request, apr_pool_t *result)
{
    fs_rev_t rev = fs_node_created_rev(node);
    const fs_bytes_t *value;
    apr_time_t when;

    facts->rev = apr_psprintf(result, "%" FS_REV_FMT, rev);
    facts->author = facts->date = facts->short_date = "";
    facts->name = strrchr(fs_node_path(node), '/') + 1;
    facts->url =
        ap_construct_url(result,
                         repo_request_url(request, REPO_URI_PUBLIC, rev,
                                          fs_node_path(node), result),
                         request->r);
    FS_TRY(fs_repo_revprop(&value, request->repo, rev, "svn:author", result,
                           result));
    if (value)
        facts->author = apr_pstrmemdup(result, value->data, value->len);
    FS_TRY(fs_repo_revprop(&value, request->repo, rev, "svn:date", result,
                           result));
    if (value) {
        fs_error_t *err = fs_time_parse(&when, value->data, value->len);

        /* A damaged date is no reason to refuse the text. */
        if (!err)
            set_dates(facts, when, result);
        fs_error_clear(err);
    }
    return NULL;
}

/* ---- expansion ---- */

/* "$Word:: text $": the value cut or padded to the room there is. */
static void expand_fixed(expander_t *e, const keyword_t *keyword,
                         apr_size_t word, apr_size_t len)
{
    apr_size_t room = len - word - 6; /* what "$Word:: " and " $" leave */
    apr_size_t value = strlen(keyword->value);
    char *to = e->out;

    memcpy(to, e->in + e->in_pos, word + 4);
    to += word + 4;
    if (value <= room) {
        memcpy(to, keyword->value, value);
        memset(to + value, ' ', room - value);
        to[room] = ' ';
    } else {
        memcpy(to, keyword->value, room);
        to[room] = '#';
    }
    e->out[len - 1] = '$';
    e->out_len = len;
}

static void expand_free(expander_t *e, const keyword_t *keyword)
{
    apr_size_t value = strlen(keyword->value);
    apr_size_t max = KEYWORD_MAX - strlen(keyword->word) - 5;

    if (value > max)
        value = max;
    e->out_len = (apr_size_t)apr_snprintf(
        e->out, sizeof(e->out), value ? "$%s: %.*s $" : "$%s:%.*s $",
        keyword->word, (int)value, keyword->value);
}

/* Is `len` bytes from the current position on "$...$" a keyword? Then its
 * expansion is put into `out`. */
static bool expand(expander_t *e, apr_size_t len)
{
    const char *text = e->in + e->in_pos;
    int i;

    for (i = 0; i < e->keywords->nelts; i++) {
        const keyword_t *keyword = &APR_ARRAY_IDX(e->keywords, i, keyword_t);
        apr_size_t word = strlen(keyword->word);

        if (len < word + 2 || memcmp(text + 1, keyword->word, word) != 0)
            continue;
        if (len == word + 2 || (text[word + 1] == ':' && len == word + 3) ||
            (text[word + 1] == ':' && text[word + 2] == ' ' &&
             text[len - 2] == ' ')) {
            expand_free(e, keyword);
        } else if (len >= word + 6 && text[word + 1] == ':' &&
                   text[word + 2] == ':' && text[word + 3] == ' ' &&
                   (text[len - 2] == ' ' || text[len - 2] == '#')) {
            expand_fixed(e, keyword, word, len);
        } else {
            continue;
        }
        e->out_pos = 0;
        e->in_pos += len;
        return true;
    }
    return false;
}

/* Have at least KEYWORD_MAX bytes at hand, or all there are. */
static fs_error_t *refill(expander_t *e)
{
    apr_size_t len;

    if (e->ended || e->in_len - e->in_pos >= KEYWORD_MAX)
        return NULL;
    memmove(e->in, e->in + e->in_pos, e->in_len - e->in_pos);
    e->in_len -= e->in_pos;
    e->in_pos = 0;
    len = sizeof(e->in) - e->in_len;
    FS_TRY(fs_stream_read_full(e->text, e->in + e->in_len, &len));
    e->in_len += len;
    e->ended = e->in_len < sizeof(e->in);
    return NULL;
}

/* Length of a possible keyword at the current '$', 0 if there is none. */
static apr_size_t candidate(const expander_t *e)
{
    const char *text = e->in + e->in_pos;
    apr_size_t left = e->in_len - e->in_pos, i;

    for (i = 1; i < left && i < KEYWORD_MAX; i++) {
        if (text[i] == '$')
            return i + 1;
        if (text[i] == '\n' || text[i] == '\r')
            break;
    }
    return 0;
}

/* Copy what is ready; `*len` becomes what was copied. */
static void copy_out(expander_t *e, char *buf, apr_size_t *len)
{
    apr_size_t part = e->out_len - e->out_pos;

    if (part > *len)
        part = *len;
    memcpy(buf, e->out + e->out_pos, part);
    e->out_pos += part;
    *len = part;
}

/* Copy plain text up to the next '$' after the first byte. */
static void copy_plain(expander_t *e, char *buf, apr_size_t *len)
{
    const char *text = e->in + e->in_pos;
    apr_size_t left = e->in_len - e->in_pos, part;
    const char *dollar = left > 1 ? memchr(text + 1, '$', left - 1) : NULL;

    part = dollar ? (apr_size_t)(dollar - text) : left;
    if (part > *len)
        part = *len;
    memcpy(buf, text, part);
    e->in_pos += part;
    *len = part;
}

static fs_error_t *read_expanded(void *baton, char *buf, apr_size_t *len)
{
    expander_t *e = baton;

    if (e->out_pos == e->out_len) {
        FS_TRY(refill(e));
        if (e->in_pos == e->in_len) {
            *len = 0;
            return NULL;
        }
        if (e->in[e->in_pos] == '$') {
            apr_size_t keyword = candidate(e);

            if (!keyword || !expand(e, keyword)) {
                copy_plain(e, buf, len);
                return NULL;
            }
        } else {
            copy_plain(e, buf, len);
            return NULL;
        }
    }
    copy_out(e, buf, len);
    return NULL;
}

static fs_error_t *close_expanded(void *baton)
{
    return fs_stream_close(((expander_t *)baton)->text);
}

static const fs_stream_ops_t expanded_ops = { read_expanded, NULL,
                                              close_expanded };

fs_error_t *repo_keywords_expand(fs_stream_t **expanded, fs_stream_t *text,
                                 const char *names, const fs_node_t *node,
                                 repo_request_t *request, apr_pool_t *result)
{
    expander_t *e = apr_pcalloc(result, sizeof(*e));
    facts_t facts;

    FS_TRY(gather(&facts, node, request, result));
    e->text = text;
    e->keywords = make_keywords(names, &facts, result);
    *expanded = fs_stream_create(&expanded_ops, e, result);
    return NULL;
}
