# SPDX-License-Identifier: BSD-3-Clause
"""Data to be compressed, made from a seed: text, code, zeros and noise."""

from __future__ import annotations

import random

KINDS = ("text", "code", "zeros", "noise")
_KEYWORDS = ("if", "else", "for", "while", "return", "int", "const", "struct", "void", "break")


def _names(rng: random.Random, count: int) -> list[str]:
    return [
        "".join(rng.choice("etaoinshrdlucmfwypvbgkqjxz") for _ in range(rng.randint(2, 9)))
        for _ in range(count)
    ]


def corpus(kind: str, size: int, rng: random.Random) -> bytes:
    """Return `size` bytes of one kind."""
    if kind == "zeros":
        return bytes(size)
    if kind == "noise":
        return rng.randbytes(size)
    words = _names(rng, 400 if kind == "text" else 60)
    out: list[str] = []
    length = 0
    while length < size:
        word = words[int(len(words) * rng.random() ** 3)]
        if kind == "text":
            piece = word + rng.choice("      ,.")
        else:
            other = words[int(len(words) * rng.random() ** 3)]
            indent = "  " * rng.randint(1, 4)
            piece = f"{indent}{rng.choice(_KEYWORDS)} ({word} = {other}[{rng.randint(0, 99)}]);\n"
        out.append(piece)
        length += len(piece)
    return "".join(out).encode()[:size]
