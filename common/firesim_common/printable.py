# SPDX-License-Identifier: BSD-3-Clause
"""Text of a stranger or a guest made fit for a terminal: no control character is left in it."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""Return `text` with all but what can be printed written as \x1b or \u202e.

    Ends of lines and tabs stay. What a terminal obeys (escape sequences, the bell), what turns the
    direction of writing, and bytes of a file's name that are not text are all not printable.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
