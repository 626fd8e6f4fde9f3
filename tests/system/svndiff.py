# SPDX-License-Identifier: Apache-2.0
"""Decode svndiff streams (versions 0 to 2): the tests' own reading of them."""

import zlib


def integer(data, pos):
    """A number of base 128, most significant group first."""
    value = 0
    while True:
        byte = data[pos]
        pos += 1
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, pos


def lz4_block(data, size):
    """Decompress an LZ4 block."""
    out = bytearray()
    pos = 0

    def more(length):
        nonlocal pos
        if length == 15:
            while True:
                byte = data[pos]
                pos += 1
                length += byte
                if byte != 255:
                    break
        return length

    while pos < len(data):
        token = data[pos]
        pos += 1
        literals = more(token >> 4)
        out += data[pos:pos + literals]
        pos += literals
        if pos >= len(data):
            break
        back = data[pos] | data[pos + 1] << 8
        pos += 2
        for _ in range(more(token & 15) + 4):
            out.append(out[-back])
    assert len(out) == size
    return bytes(out)


def section(data, version):
    """A section of a window, decompressed."""
    if version == 0:
        return data
    size, pos = integer(data, 0)
    if len(data) - pos == size:
        return data[pos:]
    if version == 1:
        out = zlib.decompress(data[pos:])
        assert len(out) == size
        return out
    return lz4_block(data[pos:], size)


def window(instructions, new, source):
    """Apply the instructions of one window."""
    out = bytearray()
    pos = taken = 0
    while pos < len(instructions):
        kind, length = instructions[pos] >> 6, instructions[pos] & 63
        pos += 1
        if length == 0:
            length, pos = integer(instructions, pos)
        if kind == 2:
            out += new[taken:taken + length]
            taken += length
            continue
        start, pos = integer(instructions, pos)
        if kind == 0:
            assert start + length <= len(source)
            out += source[start:start + length]
        else:
            assert start < len(out)
            for i in range(length):
                out.append(out[start + i])
    assert taken == len(new)
    return bytes(out)


def apply(base, stream):
    """The text that a delta against `base` makes; checks each length."""
    assert stream[:3] == b"SVN"
    version = stream[3]
    assert version in (0, 1, 2)
    pos = 4
    out = []
    while pos < len(stream):
        numbers = []
        for _ in range(5):
            number, pos = integer(stream, pos)
            numbers.append(number)
        offset, source, target, ins, new = numbers
        assert source <= 102400 and target <= 102400
        text = window(section(stream[pos:pos + ins], version),
                      section(stream[pos + ins:pos + ins + new], version),
                      base[offset:offset + source])
        pos += ins + new
        assert pos <= len(stream) and len(text) == target
        out.append(text)
    return b"".join(out)
