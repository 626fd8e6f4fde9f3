/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of WebDAV properties as names of properties in the repository.
 *
 * Subversion's two namespaces are its own names: "mime-type" of the one is
 * `svn:mime-type`, "color" of the other `color`. A property of any other
 * namespace is kept as
 *
 *     webdav:NAMESPACE:NAME
 *
 * where each byte of the two that is not a letter, a digit, '.' or '-' of
 * ASCII is '_' and its two upper-case hexadecimal digits. So "author" of
 * "http://example.com/ns" is `webdav:http_3A_2F_2Fexample.com_2Fns:author`.
 * Its value is what stood between the tags of the property, as XML that needs
 * no declarations from outside: `a &lt; b`. If there was an xml:lang around it,
 * `<?lang en?>` comes before: clients cannot send a processing instruction.
 */

#ifndef MOD_REPO_DAV_PROPNAME_H
#define MOD_REPO_DAV_PROPNAME_H

#include "libfs/fs_types.h"

#include <apr_pools.h>

/**
 * Name in the repository of the property `name` of the namespace `ns`, "" for
 * none; NULL if there can be no such property: a name that is empty, a
 * namespace with a character that XML would have to quote.
 */
const char *repo_propname_encode(const char *ns, const char *name,
                                 apr_pool_t *result);

/**
 * What repo_propname_encode() made `own` of; false if that is a name which it
 * does not make for a foreign namespace, or if XML could not hold the result.
 */
bool repo_propname_decode(const char **ns, const char **name, const char *own,
                          apr_pool_t *result);

/** The value with the language of its text, which may be NULL: none. */
const char *repo_propname_value(const char *inner, const char *lang,
                                apr_pool_t *result);

/** The language that repo_propname_value() put before a value, NULL if there is
 *  none; `*skip` becomes the number of bytes that say so. */
const char *repo_propname_lang(apr_size_t *skip, const fs_bytes_t *value,
                               apr_pool_t *result);

#endif
