/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing XML: escaping by table, base64, the forms that property values
 * take in bodies.
 * Source: docs/protocol/http.md, "Namespaces, text and property encoding".
 */

#ifndef MOD_REPO_HTTP_XML_H
#define MOD_REPO_HTTP_XML_H

#include "libfs/fs_types.h"
#include "mod_repo/http/output.h"

#define REPO_XML_HEADER "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
#define REPO_XML_TYPE "text/xml; charset=\"utf-8\""

/* Namespaces. */
#define REPO_NS_DAV "DAV:"
#define REPO_NS_SVN "svn:"
#define REPO_NS_LIVE "http://subversion.tigris.org/xmlns/dav/"
#define REPO_NS_PROP_SVN "http://subversion.tigris.org/xmlns/svn/"
#define REPO_NS_PROP_CUSTOM "http://subversion.tigris.org/xmlns/custom/"

/** Text between tags: < > & quoted, CR as &#13;. */
void repo_xml_text(repo_output_t *out, const char *data, apr_size_t len);

/** Text of an attribute: the double quote, tab and line feed too. */
void repo_xml_attr(repo_output_t *out, const char *data, apr_size_t len);

/** The same for strings that end with NUL. */
void repo_xml_text_of(repo_output_t *out, const char *text);
void repo_xml_attr_of(repo_output_t *out, const char *text);

/** ` name="value"`, the value quoted. */
void repo_xml_attribute(repo_output_t *out, const char *name,
                        const char *value);

/**
 * May the bytes stand in XML as text: valid UTF-8 without control characters
 * but tab, CR and LF?
 */
bool repo_xml_is_safe(const char *data, apr_size_t len);

/** The bytes that base64 text means. Characters that are not in the alphabet
 *  are passed over; bits that make no byte are dropped. */
fs_bytes_t repo_xml_base64_decode(const char *text, apr_size_t len,
                                  apr_pool_t *result);

/** Base64 with a line feed after each 76 characters and at the end. */
void repo_xml_base64(repo_output_t *out, const char *data, apr_size_t len);

/** Base64 of a stream on one line, without any line feed; closes it. */
fs_error_t *repo_xml_base64_stream(repo_output_t *out,
                                   fs_stream_t *stream) FS_MUST_CHECK;

/**
 * `<TAG ATTRIBUTES>value</TAG>` + line feed, as set-prop of reports: an unsafe
 * value becomes base64 and the tag gets encoding="base64"; an empty one gives
 * `<TAG ATTRIBUTES/>` + line feed. `attributes` is raw XML with a leading
 * blank, or "".
 */
void repo_xml_value(repo_output_t *out, const char *tag, const char *attributes,
                    const char *data, apr_size_t len);

/** As repo_xml_value() with the attribute name="NAME", quoted. */
void repo_xml_named_value(repo_output_t *out, const char *tag, const char *name,
                          const char *data, apr_size_t len);

/* ---- the same into a string, for parts that mod_dav assembles ---- */

/** `len` bytes escaped as by repo_xml_text() (or repo_xml_attr()); may return
 *  `data` itself if it ends with NUL and nothing had to be escaped. */
const char *repo_xml_escape(const char *data, apr_size_t len, bool attribute,
                            apr_pool_t *result);

/** Base64 as repo_xml_base64(). */
const char *repo_xml_encode_base64(const char *data, apr_size_t len,
                                   apr_pool_t *result);

/**
 * A dead property as an element: `<C:name>..</C:name>`, base64 marked by
 * V:encoding; prefixes S, C and V must be bound. Ends with a line feed.
 */
const char *repo_xml_property(const char *name, const fs_bytes_t *value,
                              apr_pool_t *result);

/** `text` without control characters: for author names. */
const char *repo_xml_strip_controls(const fs_bytes_t *text, apr_pool_t *result);

#endif
