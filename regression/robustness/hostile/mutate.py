# SPDX-License-Identifier: BSD-3-Clause
"""Seeded mutations of text and bytes."""

from __future__ import annotations

import random

_WORDS = [
    b"../x",
    b"/proc/self/environ",
    b"\0",
    b"\x1b[2J\x07",
    b"\xff\xfe",
    b"1e999",
    b"nan",
    b"-1",
    b"9" * 400,
    b"0x" + b"f" * 40,
    b"!!int zz",
    b"!!python/object:os.system {}",
    b"&a [*a, *a]",
    b"*a",
    b"[" * 200,
    b"{a: " * 200,
    b"a" * 5000,
    b"~nosuchuser/x",
    b"${node0.mac}",
    b"${",
    b"null",
    b"true",
    b"[]",
    b"{}",
    b"\n",
    b"\r",
    b"\t",
    b": ",
    b'"',
    b"'",
    b"<<: *a",
    "٣".encode(),
    "\u202e".encode(),
    b"0",
    b"1",
    b"2",
    b"5",
    b"L",
    b"S",
    b"x",
    b"00000000144",
    b"77777777777",
]
_BLOCK = 512
_FIELDS = ((0, 100), (0, 100), (100, 108), (124, 136), (124, 136), (156, 157), (157, 257))
"""Of a header: name, mode, size, kind and aim of a member; a word takes the place of one."""
_PLAIN_SHARE = 0.3
_MOST_CHANGES = 4
_HEADER_BYTES = 256
_LONGEST_PIECE = 40


def mutated(good: bytes, rng: random.Random) -> bytes:
    """Return good bytes with a few changes."""
    data = bytearray(good)
    for _ in range(rng.randint(1, _MOST_CHANGES)):
        _change(data, rng)
    return bytes(data)


def mutated_archive(good: bytes, rng: random.Random) -> bytes:
    """Return a tar archive with a few changes, most often with headers whose sums are right."""
    if rng.random() < _PLAIN_SHARE:
        return mutated(good, rng)
    data = bytearray(good)
    headers = [at for at in range(0, len(data), _BLOCK) if data[at + 257 : at + 262] == b"ustar"]
    for _ in range(rng.randint(1, _MOST_CHANGES)):
        at, (first, end) = rng.choice(headers), rng.choice(_FIELDS)
        word = rng.choice(_WORDS)[: end - first]
        data[at + first : at + end] = word.ljust(end - first, b"\0")
    for at in headers:
        data[at + 148 : at + 156] = b" " * 8
        data[at + 148 : at + 156] = b"%06o\0 " % sum(data[at : at + _BLOCK])
    return bytes(data)


def _change(data: bytearray, rng: random.Random) -> None:
    # Half of the changes are near the beginning, where headers are.
    at = rng.randint(0, len(data) if rng.random() < 0.5 else min(len(data), _HEADER_BYTES))
    piece = rng.randint(1, _LONGEST_PIECE)
    kind = rng.randrange(7)
    if kind == 0 and at < len(data):
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1 and at < len(data):
        data[at] = rng.randrange(256)
    elif kind == 2:
        del data[at : at + piece]
    elif kind == 3:
        data[at:at] = data[at : at + piece]
    elif kind == 4:
        _replace_word(data, rng)
    else:
        data[at:at] = rng.choice(_WORDS)


def _replace_word(data: bytearray, rng: random.Random) -> None:
    """Put something else in the place of a word, which is where values stand."""
    places = [i for i in range(len(data)) if i == 0 or data[i - 1] in b" \n:,[{="]
    start = rng.choice(places) if places else 0
    end = next((i for i in range(start, len(data)) if data[i] in b" \n,]}"), len(data))
    data[start:end] = rng.choice(_WORDS)
