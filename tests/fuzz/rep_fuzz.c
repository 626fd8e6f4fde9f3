/* SPDX-License-Identifier: Apache-2.0 */
/* Small texts of revision files: ids, representations, their headers. */

#include "tests/support/fuzz.h"

#include <stdlib.h>

#include "libfs/format/node_id.h"
#include "libfs/format/rep_header.h"
#include "libfs/format/rep_string.h"

FUZZ_WITH_APR

static void read_id(const char *data, apr_size_t len)
{
    char text[FS_NODE_ID_SIZE];
    fs_noderev_id_t id, again;
    fs_id_part_t part, same;
    fs_txn_id_t txn;

    if (fs_node_id_read(&id, data, len) &&
        (!fs_node_id_read(&again, text, fs_node_id_format(text, &id)) ||
         !fs_node_id_equal(&id, &again)))
        abort();
    if (fs_node_id_read_part(&part, data, len) &&
        (!fs_node_id_read_part(&same, text,
                               fs_node_id_format_part(text, &part)) ||
         !fs_node_id_part_equal(&part, &same)))
        abort();
    if (fs_node_id_read_txn(&txn, data, len) &&
        fs_node_id_format_txn(text, &txn) >= FS_TXN_ID_SIZE)
        abort();
}

static void read_rep(const char *data, apr_size_t len)
{
    char text[FS_REP_STRING_SIZE];
    fs_rep_t rep, again;
    fs_error_t *err = fs_rep_string_parse(&rep, data, len);

    if (!err) {
        apr_size_t size = fs_rep_string_format(text, &rep, 8);

        err = fs_rep_string_parse(&again, text, size);
        if (err || again.rev != rep.rev || again.item != rep.item ||
            again.length != rep.length || again.has_sha1 != rep.has_sha1)
            abort();
    }
    fs_error_clear(err);
}

static void read_header(const char *data, apr_size_t len)
{
    char text[FS_REP_HEADER_SIZE];
    fs_rep_header_t header, again;
    fs_error_t *err = fs_rep_header_parse(&header, data, len);

    if (!err) {
        apr_size_t size = fs_rep_header_format(text, &header);

        if (header.header_len > len)
            abort();
        err = fs_rep_header_parse(&again, text, size);
        if (err || again.kind != header.kind ||
            again.base_rev != header.base_rev ||
            again.base_item != header.base_item ||
            again.base_length != header.base_length)
            abort();
    }
    fs_error_clear(err);
}

static void try_input(const char *data, apr_size_t len, apr_pool_t *pool)
{
    (void)pool;
    read_id(data, len);
    read_rep(data, len);
    read_header(data, len);
}

FUZZ_EACH(try_input)
