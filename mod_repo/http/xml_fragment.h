/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of XML that are kept as they are and shown in other documents. */

#ifndef MOD_REPO_HTTP_XML_FRAGMENT_H
#define MOD_REPO_HTTP_XML_FRAGMENT_H

#include "libfs/fs_types.h"

#include <apr_tables.h>
#include <apr_xml.h>

/**
 * Could `len` bytes stand between the tags of an element of any document: are
 * they well-formed, and is each prefix declared in them? No declaration of a
 * type, no processing instruction.
 * Cost: a parse.
 */
bool repo_xml_is_fragment(const char *data, apr_size_t len,
                          apr_pool_t *scratch);

/**
 * What stands between the tags of `elem` as a fragment, whatever its document
 * declared around it.
 *
 * @param namespaces  of the document
 */
const char *repo_xml_inner(const apr_xml_elem *elem,
                           const apr_array_header_t *namespaces,
                           apr_pool_t *result);

#endif
