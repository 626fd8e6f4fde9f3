/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of node revisions, their parts, and names of transactions. */

#include "libfs/format/node_id.h"

#include <stdio.h>
#include <string.h>

#include "libfs/base/number.h"

/* Read a revision number; false if there is none. */
static bool take_rev(fs_rev_t *out, const char **p, const char *end)
{
    apr_uint64_t value;

    if (!fs_number_decimal(&value, p, end, APR_INT64_MAX))
        return false;
    *out = (fs_rev_t)value;
    return true;
}

static bool take_char(const char **p, const char *end, char c)
{
    if (*p == end || **p != c)
        return false;
    ++*p;
    return true;
}

static bool take_part(fs_id_part_t *out, const char **p, const char *end)
{
    if (take_char(p, end, '_')) {
        out->rev = FS_ID_IN_TXN;
        return fs_number_base36(&out->number, p, end);
    }
    out->rev = FS_ID_GLOBAL;
    if (!fs_number_base36(&out->number, p, end))
        return false;
    return take_char(p, end, '-') ? take_rev(&out->rev, p, end) : true;
}

static bool take_txn(fs_txn_id_t *out, const char **p, const char *end)
{
    return take_rev(&out->base, p, end) && take_char(p, end, '-') &&
           fs_number_base36(&out->number, p, end);
}

/* The last part: "r<rev>/<item>" or "t<txn>". */
static bool take_place(fs_noderev_id_t *out, const char **p, const char *end)
{
    out->rev = FS_INVALID_REV;
    out->item = 0;
    out->txn.base = FS_INVALID_REV;
    out->txn.number = 0;
    if (take_char(p, end, 'r'))
        return take_rev(&out->rev, p, end) && take_char(p, end, '/') &&
               fs_number_decimal(&out->item, p, end, APR_UINT64_MAX);
    return take_char(p, end, 't') && take_txn(&out->txn, p, end);
}

bool fs_node_id_read(fs_noderev_id_t *out, const char *text, apr_size_t len)
{
    const char *end = text + len;

    return take_part(&out->node, &text, end) && take_char(&text, end, '.') &&
           take_part(&out->copy, &text, end) && take_char(&text, end, '.') &&
           take_place(out, &text, end) && text == end;
}

fs_error_t *fs_node_id_parse(fs_noderev_id_t *out, const char *text,
                             apr_size_t len)
{
    if (fs_node_id_read(out, text, len))
        return NULL;
    return FS_ERROR(FS_ERR_CORRUPT, "'%.*s' is not a node revision id",
                    len > 100 ? 100 : (int)len, text);
}

bool fs_node_id_read_part(fs_id_part_t *out, const char *text, apr_size_t len)
{
    const char *end = text + len;

    return take_part(out, &text, end) && text == end;
}

bool fs_node_id_read_txn(fs_txn_id_t *out, const char *text, apr_size_t len)
{
    const char *end = text + len;

    return take_txn(out, &text, end) && text == end;
}

apr_size_t fs_node_id_format_part(char buf[FS_NODE_ID_SIZE],
                                  const fs_id_part_t *part)
{
    apr_size_t len = 0;

    if (part->rev == FS_ID_IN_TXN)
        buf[len++] = '_';
    len += fs_number_format_base36(buf + len, part->number);
    if (part->rev >= 0)
        len += (apr_size_t)snprintf(buf + len, FS_NODE_ID_SIZE - len,
                                    "-%" FS_REV_FMT, part->rev);
    return len;
}

apr_size_t fs_node_id_format_txn(char buf[FS_TXN_ID_SIZE],
                                 const fs_txn_id_t *txn)
{
    apr_size_t len = (apr_size_t)snprintf(buf, FS_TXN_ID_SIZE,
                                          "%" FS_REV_FMT "-", txn->base);

    return len + fs_number_format_base36(buf + len, txn->number);
}

apr_size_t fs_node_id_format(char buf[FS_NODE_ID_SIZE],
                             const fs_noderev_id_t *id)
{
    /* At most 33 bytes a part, so that all fits. */
    apr_size_t len = fs_node_id_format_part(buf, &id->node);

    buf[len++] = '.';
    len += fs_node_id_format_part(buf + len, &id->copy);
    buf[len++] = '.';
    if (id->rev < 0) {
        buf[len++] = 't';
        return len + fs_node_id_format_txn(buf + len, &id->txn);
    }
    return len + (apr_size_t)snprintf(buf + len, FS_NODE_ID_SIZE - len,
                                      "r%" FS_REV_FMT "/%" APR_UINT64_T_FMT,
                                      id->rev, id->item);
}

bool fs_node_id_part_equal(const fs_id_part_t *a, const fs_id_part_t *b)
{
    return a->number == b->number && a->rev == b->rev;
}

static bool same_place(const fs_noderev_id_t *a, const fs_noderev_id_t *b)
{
    if (a->rev != b->rev)
        return false;
    if (a->rev >= 0)
        return a->item == b->item;
    return a->txn.base == b->txn.base && a->txn.number == b->txn.number;
}

bool fs_node_id_equal(const fs_noderev_id_t *a, const fs_noderev_id_t *b)
{
    return fs_node_id_part_equal(&a->node, &b->node) &&
           fs_node_id_part_equal(&a->copy, &b->copy) && same_place(a, b);
}

fs_relation_t fs_node_id_relation(const fs_noderev_id_t *a,
                                  const fs_noderev_id_t *b)
{
    if (fs_node_id_equal(a, b))
        return FS_SAME;
    if (!fs_node_id_part_equal(&a->node, &b->node))
        return FS_UNRELATED;
    if (a->node.rev != FS_ID_IN_TXN)
        return FS_RELATED;
    /* "_1" is another node in each transaction. */
    return a->rev < 0 && same_place(a, b) ? FS_RELATED : FS_UNRELATED;
}
