# SPDX-License-Identifier: BSD-3-Clause
"""The frame that the ZStd unit makes of data, byte for byte (RFC 8878): blocks and sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from regression.support.snappy_format import tokens
from regression.support.zstd_entropy import (
    FseTable,
    HuffmanCode,
    bit_stream,
    huffman_code,
    weights_described,
)

MAGIC = 0xFD2FB528
_MOST_WINDOW = 1 << 16
BLOCK_BYTES = 32_512
"""A block ends with the sequence that brings it to as many, so that its literals fit 32 KiB."""
BLOCK_SEQUENCES = 4_096
_PIECE = 16_384
"""A longer match is several sequences of as many bytes, and a last one of at least three."""
_LEAST_LITERALS = 64
"""Fewer get no Huffman code of their own."""
_LEAST_REPEATED = 16
"""Fewer do not take the code of a block before."""
_LEAST_FOUR = 256
"""Fewer are one stream."""
_LEAST_SEQUENCES = 64
"""Fewer have the tables that need no description."""
_DEFAULT_LOGS = {"ll": 6, "of": 5, "ml": 6}
_MOST_LOGS = {"ll": 9, "of": 8, "ml": 9}
_LITERAL_BITS = [0] * 16 + [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
_MATCH_BITS = [0] * 32 + [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
_DEFAULTS = {
    "ll": [4, 3, *[2] * 11, 1, 1, 1, *[2] * 9, 3, 2, *[1] * 5, *[-1] * 4],
    "of": [*[1] * 6, 2, 2, 2, *[1] * 15, *[-1] * 5],
    "ml": [1, 4, 3, *[2] * 6, *[1] * 37, *[-1] * 7],
}


def _code(value: int, bits: list[int], first: int) -> tuple[int, int, int]:
    """Return the code of a length, and the bits that are added to it: value and width."""
    least = first
    for code, width in enumerate(bits):
        if value < least + (1 << width):
            return code, value - least, width
        least += 1 << width
    raise ValueError(value)


@dataclass
class Block:
    """What a block is made of. `single` is the byte that all of its content is, or None."""

    literals: bytearray = field(default_factory=bytearray)
    sequences: list[tuple[int, int, int]] = field(default_factory=list)
    """Literals, length, and the value of the offset."""
    content: bytes = b""
    single: int | None = None


def _offset_value(last: list[int], literals: int, distance: int) -> int:
    """Return the value of an offset, and enter it into the last ones that are known."""
    which = 3
    shown = last[1:] if literals == 0 else last
    if distance in shown:
        which = shown.index(distance)
        value = which + 1
        last.remove(distance)
    elif literals == 0 and last and distance == last[0] - 1:
        value = 3
    else:
        value = distance + 3
    last.insert(0, distance)
    del last[3:]
    return value


def blocks(data: bytes, window_log: int, hash_log: int) -> list[Block]:
    """Return the blocks of the frame."""
    made: list[Block] = []
    now, pending, begin, at = Block(), 0, 0, 0
    last: list[int] = []  # offsets of the block
    value: int | None = None  # the byte that all bytes are, since the last block that had others
    alike = True

    def ends() -> bool:
        size = at - begin
        return at == len(data) or size >= BLOCK_BYTES or len(now.sequences) == BLOCK_SEQUENCES

    def close() -> None:
        nonlocal now, last, pending, begin, value, alike
        now.content = data[begin:at]
        now.single = value if alike and value is not None else None
        if not alike:
            value, alike = None, True
        made.append(now)
        now, last, pending, begin = Block(), [], 0, at

    if not data:
        return [now]
    for literals, length, distance in tokens(data, window_log, hash_log):
        fresh = data[at : at + literals]
        now.literals += fresh
        if fresh:
            value = fresh[0] if value is None else value
            alike &= fresh == bytes([value]) * literals
        pending += literals
        at += literals
        if not length and ends():
            close()
        while length:
            piece = _PIECE if length >= _PIECE + 3 else length
            alike &= distance == 1 and value is not None
            now.sequences.append((pending, piece, _offset_value(last, pending, distance)))
            pending = 0
            at += piece
            length -= piece
            if ends():
                close()
    return made


def _number(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little")


def _literals_header(kind: int, count: int, stored: int | None) -> bytes:
    """Return the header of literals; `stored` are the bytes of Huffman streams with their tree."""
    if stored is None:
        if count < 32:
            return _number(kind | count << 3, 1)
        if count < 4_096:
            return _number(kind | 1 << 2 | count << 4, 2)
        return _number(kind | 3 << 2 | count << 4, 3)
    size = (count >= 1_024) + (count >= 16_384)
    form = size + 1 if count >= _LEAST_FOUR else 0
    width = 10 + 4 * size
    return _number(kind | form << 2 | count << 4 | stored << (4 + width), 3 + size)


def _streams(literals: bytes, code: HuffmanCode) -> bytes:
    def stream(part: bytes) -> bytes:
        return bit_stream((code.codes[byte], code.lengths[byte]) for byte in reversed(part))

    if len(literals) < _LEAST_FOUR:
        return stream(literals)
    share = (len(literals) + 3) // 4
    parts = [stream(literals[i * share : (i + 1) * share]) for i in range(4)]
    return b"".join(_number(len(part), 2) for part in parts[:3]) + b"".join(parts)


def _literals_section(
    literals: bytes, before: HuffmanCode | None
) -> tuple[bytes, HuffmanCode | None]:
    """Return the section, and the code that stays for later blocks."""
    count = len(literals)
    counts = Counter(literals)
    if len(counts) == 1:
        return _literals_header(1, count, None) + literals[:1], before
    plain = _literals_header(0, count, None) + literals, before
    around = 10 if count >= _LEAST_FOUR else 1
    old: int | None = None
    new: int | None = None
    if before and all(before.lengths[byte] for byte in counts):
        old = before.bits(counts) // 8 + around
    tree: bytes | None = None
    if count >= _LEAST_LITERALS and max(counts.values()) > (count >> 7) + 4:
        code = huffman_code([counts[byte] for byte in range(256)])
        tree = weights_described(code)
        if tree is not None:
            new = len(tree) + code.bits(counts) // 8 + around
    if before and old is not None and (new is None or old <= new) and count >= _LEAST_REPEATED:
        if old >= count:
            return plain
        body = _streams(literals, before)
        return _literals_header(3, count, len(body)) + body, before
    if tree is None or new is None or new >= count:
        return plain
    body = tree + _streams(literals, code)
    return _literals_header(2, count, len(body)) + body, code


def _sequences_section(sequences: list[tuple[int, int, int]]) -> bytes:
    count = len(sequences)
    if not count:
        return b"\0"
    out = bytes([count]) if count < 128 else bytes([(count >> 8) + 128, count & 255])
    coded = [
        {
            "ll": _code(literals, _LITERAL_BITS, 0),
            "of": _offset_code(offset),
            "ml": _code(length, _MATCH_BITS, 3),
        }
        for literals, length, offset in sequences
    ]
    tables: dict[str, FseTable | None] = {}
    kinds, described = 0, b""
    for name in ("ll", "of", "ml"):
        counts = Counter(one[name][0] for one in coded)
        if len(counts) == 1 and count > 2:
            kind = 1
            tables[name] = None
            described += bytes([coded[0][name][0]])
        elif count < _LEAST_SEQUENCES or len(counts) == 1:
            kind = 0
            tables[name] = FseTable(_DEFAULTS[name], _DEFAULT_LOGS[name])
        else:
            kind = 2
            table = FseTable.of(counts, _MOST_LOGS[name])
            tables[name] = table
            described += table.described()
        kinds = kinds << 2 | kind
    out += bytes([kinds << 2]) + described
    return out + bit_stream(_sequence_bits(coded, tables))


def _offset_code(value: int) -> tuple[int, int, int]:
    """Return the code of an offset's value, and the bits that are added to it."""
    width = value.bit_length() - 1
    return width, value - (1 << width), width


def _sequence_bits(
    coded: Sequence[Mapping[str, tuple[int, int, int]]], tables: Mapping[str, FseTable | None]
) -> Iterator[tuple[int, int]]:
    """Yield the bits of sequences, the last one first: steps of states, and what codes add."""
    states: dict[str, int] = {}
    for index, one in enumerate(reversed(coded)):
        for name in ("of", "ml", "ll"):
            table = tables[name]
            if table is None:
                continue
            symbol = one[name][0]
            if index == 0:
                states[name] = table.first(symbol)
            else:
                bits, states[name] = table.step(states[name], symbol)
                yield bits
        for name in ("ll", "ml", "of"):
            yield one[name][1], one[name][2]
    for name in ("ml", "of", "ll"):
        table = tables[name]
        if table is not None:
            yield states[name] - (1 << table.log), table.log


def compressed(data: bytes, window_log: int, hash_log: int) -> bytes:
    """Return the frame that the unit makes of `data`."""
    size = len(data)
    if size > _MOST_WINDOW:
        out = _number(MAGIC, 4) + b"\x80\x30" + _number(size, 4)
    elif size < 256:
        out = _number(MAGIC, 4) + b"\x20" + _number(size, 1)
    else:
        out = _number(MAGIC, 4) + b"\x60" + _number(size - 256, 2)
    code: HuffmanCode | None = None
    every = blocks(data, window_log, hash_log)
    for index, block in enumerate(every):
        last = index == len(every) - 1
        content = block.content
        if block.single is not None:
            out += _number(last | 1 << 1 | len(content) << 3, 3) + content[:1]
            continue
        section, after = _literals_section(bytes(block.literals), code)
        body = section + _sequences_section(block.sequences)
        if len(body) >= len(content):
            out += _number(last | len(content) << 3, 3) + content
            continue
        code = after
        out += _number(last | 2 << 1 | len(body) << 3, 3) + body
    return out
