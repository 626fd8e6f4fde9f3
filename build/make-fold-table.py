#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write libfs/base/fold_table.h: characters without case and accents.

usage: make-fold-table.py > libfs/base/fold_table.h

A character's entry is what remains of it after canonical decomposition, full
case folding and removal of combining marks. Hangul syllables are taken apart
by arithmetic and are not in the table.
"""

import sys
import unicodedata

HANGUL = range(0xAC00, 0xAC00 + 11172)


def folded(char):
    text = unicodedata.normalize("NFD", char).casefold()
    text = unicodedata.normalize("NFD", text)
    return "".join(c for c in text if unicodedata.category(c)[0] != "M")


def main():
    marks = []
    entries = []
    pool = b""
    places = {}
    for code in range(0x80, 0x110000):
        if 0xD800 <= code <= 0xDFFF or code in HANGUL:
            continue
        char = chr(code)
        text = folded(char)
        if text == char:
            continue
        if not text:
            if marks and marks[-1][1] == code - 1:
                marks[-1][1] = code
            else:
                marks.append([code, code])
            continue
        data = text.encode()
        if data not in places:
            places[data] = pool.find(data)
            if places[data] < 0:
                places[data] = len(pool)
                pool += data
        entries.append((code, places[data], len(data)))

    out = sys.stdout.write
    out("/* SPDX-License-Identifier: Apache-2.0 */\n")
    out("/* Made by build/make-fold-table.py from Unicode %s; do not edit. */\n"
        % unicodedata.unidata_version)
    out("/* clang-format off */\n\n")
    out("#ifndef LIBFS_BASE_FOLD_TABLE_H\n#define LIBFS_BASE_FOLD_TABLE_H\n\n")
    out("#include <apr.h>\n\n")
    out("/* Combining marks, first and last of each range; ascending. */\n")
    out("static const struct {\n    apr_uint32_t first, last;\n"
        "} fold_marks[] = {\n")
    table(out, ["{0x%x,0x%x}" % tuple(mark) for mark in marks])
    out("};\n\n/* Characters that become others; ascending. */\n")
    out("static const struct {\n    apr_uint32_t code;\n"
        "    apr_uint16_t place; /* in fold_pool, in bytes */\n"
        "    apr_uint16_t len;   /* bytes there */\n} fold_entries[] = {\n")
    table(out, ["{0x%x,%d,%d}" % entry for entry in entries])
    out("};\n\n/* What they become, as UTF-8. */\n")
    out("static const unsigned char fold_pool[] = {\n")
    table(out, ["%d" % byte for byte in pool])
    out("};\n\n#endif\n")


def table(out, cells):
    line = "   "
    for cell in cells:
        if len(line) + len(cell) + 2 > 80:
            out(line + "\n")
            line = "   "
        line += " " + cell + ","
    out(line + "\n")


if __name__ == "__main__":
    main()
