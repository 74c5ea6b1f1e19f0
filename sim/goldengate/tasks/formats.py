# SPDX-License-Identifier: BSD-3-Clause
"""Formats of `$display` and its like: which argument is printed how, as Verilator prints it.

A print is a list of texts and of items. An item names an argument; how wide that is, and whether it
has a sign, is known when the netlist is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from goldengate.errors import GoldenGateError

MOST_WIDTH = 4096
"""The largest width or precision of an item."""
_SPEC = re.compile(r"%(?P<left>-?)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?P<letter>[A-Za-z%])")
_WITHOUT_ARGUMENT = "%ml"
_NUMBERS = "bodhxcst" + "efguzvp"
_BITS_EACH = {"b": 1, "o": 3, "h": 4}


@dataclass(frozen=True)
class Spec:
    """How one argument is printed: `%-05.2f`, in its parts."""

    letter: str
    left: bool = False
    width: str = ""
    precision: str | None = None

    @property
    def least(self) -> int:
        """The width that was asked for."""
        return int(self.width or 0)


@dataclass(frozen=True)
class Item:
    """An argument, by number, and how it is printed."""

    argument: int
    spec: Spec


SCOPE = Spec("m")
"""Where %m stands: the path of the scope."""


@dataclass(frozen=True)
class Argument:
    """An argument of a print.

    `kind` is `literal` or `string` (a constant of that type), whose `text` is known; `number`, or
    `pattern`, a structure or an array of bits; `name`, one of the `names` of an enum's values;
    `time`, or `none`.
    """

    kind: str
    text: str = ""
    names: tuple[tuple[int, str], ...] = ()
    data: str = ""
    """The Verilog of what is passed on."""


def _spec(found: re.Match[str], place: str) -> Spec:
    letter = found["letter"].lower()
    letter = "h" if letter == "x" else letter
    if letter not in _WITHOUT_ARGUMENT and letter not in _NUMBERS:
        raise GoldenGateError(
            f"{place}: found '{found[0]}' in a format, expected one of %d, %h, %x, %o, %b, %c, %s, "
            "%e, %f, %g, %t, %p, %u, %z, %v, %m, %l and %%."
        )
    for digits in (found["width"], found["precision"]):
        if digits and int(digits) > MOST_WIDTH:
            raise GoldenGateError(
                f"{place}: found '{found[0]}' in a format, expected a width of at most "
                f"{MOST_WIDTH} characters."
            )
    return Spec(letter, bool(found["left"]), found["width"], found["precision"])


def plan(
    arguments: list[Argument], base: str, place: str, library: str = "work"
) -> list[str | Item]:
    """Return what a call prints: every literal is a format, and what no format takes has `base`.

    Raises:
        GoldenGateError: a format is wrong, or lacks arguments.
    """
    pieces: list[str | Item] = []
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        at += 1
        if argument.kind == "none":
            pieces.append(" ")
            continue
        if argument.kind != "literal":
            pieces.append(Item(at - 1, Spec(_default(argument, base))))
            continue
        at = _format(argument.text, arguments, at, pieces, place, library)
    return pieces


def _default(argument: Argument, base: str) -> str:
    return {"string": "s", "name": "s", "pattern": "p"}.get(argument.kind, base)


def _format(
    text: str,
    arguments: list[Argument],
    at: int,
    pieces: list[str | Item],
    place: str,
    library: str,
) -> int:
    """Add the pieces of one format; return the number of the first argument it leaves."""
    done = 0
    while (start := text.find("%", done)) >= 0:
        found = _SPEC.match(text, start)
        if found is None:
            raise GoldenGateError(
                f"{place}: found '{text[start : start + 4]}' in a format, expected a letter after "
                "%, or %% for a percent sign."
            )
        pieces.append(text[done:start])
        done = found.end()
        spec = _spec(found, place)
        if spec.letter == "%":
            pieces.append("%")
        elif spec.letter == "m":
            pieces.append(Item(-1, SCOPE))
        elif spec.letter == "l":
            pieces.append(library)
        elif at >= len(arguments):
            raise GoldenGateError(
                f"{place}: found '{found[0]}' in a format, expected an argument for it."
            )
        else:
            pieces.append(Item(at, spec))
            at += 1
    pieces.append(text[done:])
    return at


def padded(text: str, spec: Spec) -> str:
    """Return a text in its width."""
    return text.ljust(spec.least) if spec.left else text.rjust(spec.least)


def constant(argument: Argument, spec: Spec) -> str | None:
    """Return what is printed for an argument whose text decides, None where its bits do."""
    if argument.kind == "string":
        return f'"{argument.text}"' if spec.letter == "p" else padded(argument.text, spec)
    if argument.kind == "literal" and spec.letter == "s":
        return padded(argument.text, spec)
    return None


def decimal_width(width_bits: int, signed: bool) -> int:
    """Return how many characters `%d` has for a number of this width."""
    return int((width_bits - signed) / 3.321928094887362 + 1.0) + signed


def _shape(
    spec: Spec, argument: Argument, width_bits: int, signed: bool, fixed: bool
) -> tuple[str, str, int]:
    """Return base, padding and least width of an item, as the manifest has them."""
    letter, least = spec.letter, spec.least
    zeros = "0" if spec.width.startswith("0") else " "
    if argument.kind == "time":
        return "t", " ", least if spec.width else 20
    if argument.kind == "name":
        return "n", " ", least
    if letter == "p":
        return "q" if spec.width == "0" else "d", " ", 0
    if letter == "d":
        # Verilator fills the places of a number's width, but for a constant at the left.
        bare = spec.width or (spec.left and fixed)
        return "d", zeros, least if bare else decimal_width(width_bits, signed)
    if letter == "t":
        return "d", " ", least if spec.width else 20
    if letter in _BITS_EACH:
        every = not spec.width and not spec.left
        return letter, "0", -(-width_bits // _BITS_EACH[letter]) if every else least
    if letter == "s":
        return "S" if spec.width == "0" else "s", " ", least
    return letter, zeros, least if letter in "efg" else 0


def piece(
    spec: Spec,
    argument: Argument,
    low_bit: int,
    width_bits: int,
    signed: bool,
    fixed: bool = False,
) -> dict[str, Any]:
    """Return an item as the manifest has it; `fixed` says that its bits are constants."""
    base, pad, least = _shape(spec, argument, width_bits, signed, fixed)
    found: dict[str, Any] = {
        "low_bit": low_bit,
        "width_bits": width_bits,
        "base": base,
        "signed": signed and spec.letter != "t",
        "justify": "<" if spec.left else ">",
        "pad": pad,
        "least_width": least,
    }
    if base == "n":
        found["names"] = {str(value): name for value, name in argument.names}
    if base in "efg":
        found["precision"] = -1 if spec.precision is None else int(spec.precision or 0)
    return found
