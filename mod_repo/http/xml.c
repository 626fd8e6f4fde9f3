/* SPDX-License-Identifier: Apache-2.0 */
/* Writing XML: one table tells which bytes are escaped where. */

#include "mod_repo/http/xml.h"

#include <string.h>

#include <apr_strings.h>

#include "libfs/fs_path.h"

/* What a byte is to the escaper. */
enum {
    IN_TEXT = 1, /* escaped in text and attributes */
    IN_ATTR = 2, /* escaped in attributes only */
    CONTROL = 4  /* must not stand in XML at all */
};

static const unsigned char byte_class[256] = {
    ['<'] = IN_TEXT, ['>'] = IN_TEXT,  ['&'] = IN_TEXT,  ['\r'] = IN_TEXT,
    ['"'] = IN_ATTR, ['\t'] = IN_ATTR, ['\n'] = IN_ATTR, [0] = CONTROL,
    [1] = CONTROL,   [2] = CONTROL,    [3] = CONTROL,    [4] = CONTROL,
    [5] = CONTROL,   [6] = CONTROL,    [7] = CONTROL,    [8] = CONTROL,
    [11] = CONTROL,  [12] = CONTROL,   [14] = CONTROL,   [15] = CONTROL,
    [16] = CONTROL,  [17] = CONTROL,   [18] = CONTROL,   [19] = CONTROL,
    [20] = CONTROL,  [21] = CONTROL,   [22] = CONTROL,   [23] = CONTROL,
    [24] = CONTROL,  [25] = CONTROL,   [26] = CONTROL,   [27] = CONTROL,
    [28] = CONTROL,  [29] = CONTROL,   [30] = CONTROL,   [31] = CONTROL,
    [127] = CONTROL,
};

static const char *entity_of(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\r':
        return "&#13;";
    case '\n':
        return "&#10;";
    default:
        return "&#9;";
    }
}

/* Length of the part of `data` that needs no escaping. */
static apr_size_t plain_length(const char *data, apr_size_t len, int escaped)
{
    apr_size_t i;

    for (i = 0; i < len; i++)
        if (byte_class[(unsigned char)data[i]] & escaped)
            break;
    return i;
}

static void write_escaped(repo_output_t *out, const char *data, apr_size_t len,
                          int escaped)
{
    while (len > 0) {
        apr_size_t plain = plain_length(data, len, escaped);

        repo_output_write(out, data, plain);
        data += plain;
        len -= plain;
        if (len > 0) {
            repo_output_puts(out, entity_of(*data));
            data++;
            len--;
        }
    }
}

void repo_xml_text(repo_output_t *out, const char *data, apr_size_t len)
{
    write_escaped(out, data, len, IN_TEXT);
}

void repo_xml_attr(repo_output_t *out, const char *data, apr_size_t len)
{
    write_escaped(out, data, len, IN_TEXT | IN_ATTR);
}

void repo_xml_text_of(repo_output_t *out, const char *text)
{
    repo_xml_text(out, text, strlen(text));
}

void repo_xml_attr_of(repo_output_t *out, const char *text)
{
    repo_xml_attr(out, text, strlen(text));
}

void repo_xml_attribute(repo_output_t *out, const char *name, const char *value)
{
    repo_output_write(out, " ", 1);
    repo_output_puts(out, name);
    repo_output_write(out, "=\"", 2);
    repo_xml_attr_of(out, value);
    repo_output_write(out, "\"", 1);
}

bool repo_xml_is_safe(const char *data, apr_size_t len)
{
    apr_size_t i;

    for (i = 0; i < len; i++)
        if (byte_class[(unsigned char)data[i]] & CONTROL)
            return false;
    return fs_utf8_is_valid(data, len);
}

/* ---- base64 ---- */

/* Bytes that fill one line, and its length. */
#define LINE_BYTES 57
#define LINE_CHARS 76

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Encode `len` bytes with padding at the end; returns the characters. */
static apr_size_t encode(char *to, const char *data, apr_size_t len)
{
    const unsigned char *in = (const unsigned char *)data;
    char *out = to;

    for (; len >= 3; in += 3, len -= 3) {
        *out++ = base64_digits[in[0] >> 2];
        *out++ = base64_digits[(in[0] & 3) << 4 | in[1] >> 4];
        *out++ = base64_digits[(in[1] & 15) << 2 | in[2] >> 6];
        *out++ = base64_digits[in[2] & 63];
    }
    if (len > 0) {
        unsigned second = len > 1 ? in[1] : 0;

        *out++ = base64_digits[in[0] >> 2];
        *out++ = base64_digits[(in[0] & 3U) << 4 | second >> 4];
        *out++ = '=';
        *out++ = '=';
        if (len > 1)
            out[-2] = base64_digits[(second & 15) << 2];
    }
    return (apr_size_t)(out - to);
}

fs_bytes_t repo_xml_base64_decode(const char *text, apr_size_t len,
                                  apr_pool_t *result)
{
    unsigned char *out = apr_palloc(result, len / 4 * 3 + 4);
    fs_bytes_t bytes = { (const char *)out, 0 };
    unsigned int held = 0;
    int bits = 0;

    for (; len > 0; text++, len--) {
        const char *digit = *text ? strchr(base64_digits, *text) : NULL;

        if (!digit)
            continue;
        held = (held << 6 | (unsigned int)(digit - base64_digits)) & 0xffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[bytes.len++] = (unsigned char)(held >> bits);
        }
    }
    return bytes;
}

void repo_xml_base64(repo_output_t *out, const char *data, apr_size_t len)
{
    char line[LINE_CHARS + 1];

    while (len > 0) {
        apr_size_t part = len < LINE_BYTES ? len : LINE_BYTES;
        apr_size_t chars = encode(line, data, part);

        line[chars++] = '\n';
        repo_output_write(out, line, chars);
        data += part;
        len -= part;
    }
}

fs_error_t *repo_xml_base64_stream(repo_output_t *out, fs_stream_t *stream)
{
    /* A multiple of 3, so that padding comes at the very end only. */
    char bytes[3 * 1024], chars[4 * 1024];
    fs_error_t *err;
    apr_size_t len;

    do {
        len = sizeof(bytes);
        err = fs_stream_read_full(stream, bytes, &len);
        if (!err) {
            repo_output_write(out, chars, encode(chars, bytes, len));
            err = repo_output_check(out);
        }
        if (err) {
            fs_error_clear(fs_stream_close(stream));
            return err;
        }
    } while (len == sizeof(bytes));
    return fs_stream_close(stream);
}

/* ---- values ---- */

static void write_content(repo_output_t *out, const char *tag, const char *data,
                          apr_size_t len)
{
    if (len == 0) {
        repo_output_write(out, "/>\n", 3);
        return;
    }
    if (repo_xml_is_safe(data, len)) {
        repo_output_write(out, ">", 1);
        repo_xml_text(out, data, len);
    } else {
        repo_output_puts(out, " encoding=\"base64\">\n");
        repo_xml_base64(out, data, len);
    }
    repo_output_write(out, "</", 2);
    repo_output_puts(out, tag);
    repo_output_write(out, ">\n", 2);
}

void repo_xml_value(repo_output_t *out, const char *tag, const char *attributes,
                    const char *data, apr_size_t len)
{
    repo_output_write(out, "<", 1);
    repo_output_puts(out, tag);
    repo_output_puts(out, attributes);
    write_content(out, tag, data, len);
}

void repo_xml_named_value(repo_output_t *out, const char *tag, const char *name,
                          const char *data, apr_size_t len)
{
    repo_output_write(out, "<", 1);
    repo_output_puts(out, tag);
    repo_xml_attribute(out, "name", name);
    write_content(out, tag, data, len);
}

/* ---- into strings ---- */

const char *repo_xml_escape(const char *data, apr_size_t len, bool attribute,
                            apr_pool_t *result)
{
    int escaped = attribute ? IN_TEXT | IN_ATTR : IN_TEXT;
    apr_size_t size = len + 1, i;
    char *text, *to;

    for (i = 0; i < len; i++)
        if (byte_class[(unsigned char)data[i]] & escaped)
            size += strlen(entity_of(data[i])) - 1;
    if (size == len + 1)
        return apr_pstrmemdup(result, data, len);

    text = to = apr_palloc(result, size);
    for (i = 0; i < len; i++) {
        if (byte_class[(unsigned char)data[i]] & escaped) {
            apr_size_t part = strlen(entity_of(data[i]));

            memcpy(to, entity_of(data[i]), part);
            to += part;
        } else {
            *to++ = data[i];
        }
    }
    *to = '\0';
    return text;
}

const char *repo_xml_encode_base64(const char *data, apr_size_t len,
                                   apr_pool_t *result)
{
    apr_size_t lines = len / LINE_BYTES + 1;
    char *text = apr_palloc(result, lines * (LINE_CHARS + 1) + 1), *to = text;

    while (len > 0) {
        apr_size_t part = len < LINE_BYTES ? len : LINE_BYTES;

        to += encode(to, data, part);
        *to++ = '\n';
        data += part;
        len -= part;
    }
    *to = '\0';
    return text;
}

const char *repo_xml_property(const char *name, const fs_bytes_t *value,
                              apr_pool_t *result)
{
    bool is_svn = strncmp(name, "svn:", 4) == 0;
    const char *tag;

    /* A colon in the rest of the name stays: clients expect it verbatim. */
    tag = apr_pstrcat(result, is_svn ? "S:" : "C:", is_svn ? name + 4 : name,
                      NULL);
    if (value->len == 0)
        return apr_pstrcat(result, "<", tag, "/>\n", NULL);
    if (repo_xml_is_safe(value->data, value->len))
        return apr_pstrcat(
            result, "<", tag, ">",
            repo_xml_escape(value->data, value->len, false, result), "</", tag,
            ">\n", NULL);
    return apr_pstrcat(result, "<", tag, " V:encoding=\"base64\">",
                       repo_xml_encode_base64(value->data, value->len, result),
                       "</", tag, ">\n", NULL);
}

const char *repo_xml_strip_controls(const fs_bytes_t *text, apr_pool_t *result)
{
    char *copy = apr_palloc(result, text->len + 1), *to = copy;
    apr_size_t i;

    for (i = 0; i < text->len; i++)
        if (!(byte_class[(unsigned char)text->data[i]] & CONTROL))
            *to++ = text->data[i];
    *to = '\0';
    return copy;
}
