# SPDX-License-Identifier: BSD-3-Clause
"""Random expressions of SystemVerilog over the signals of a module.

Both sides compile the text, so nothing here computes a value. What two-state simulators may answer
differently is left out: division by 0, selections that are partly outside, and every `x`, or
selection outside, of which Verilator may find out while it compiles: it takes what reads one as 0,
as IEEE 1800 has `x` for it.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_WIDTHS = (1, 1, 2, 3, 4, 5, 7, 8, 8, 9, 12, 16, 16, 17, 24, 31, 32, 33, 40, 64, 65)
_UNARY = ("~", "-", "!", "&", "|", "^", "~&", "~|", "~^", "+")
_ARITHMETIC = ("+", "-", "*", "&", "|", "^", "~^", "+", "-")
_COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "===", "!==")
_LOGIC = ("&&", "||")
_SHIFTS = ("<<", ">>", "<<<", ">>>")
UNKNOWN_BITS = 16
"""Number of bits of an argument that come from an input of the module."""


@dataclass(frozen=True)
class Vector:
    """A variable or net that can be read: `[left:right]`, or one bit when both are None."""

    name: str
    left: int | None = None
    right: int | None = None
    signed: bool = False

    @property
    def width(self) -> int:
        """Its width in bits."""
        if self.left is None or self.right is None:
            return 1
        return abs(self.left - self.right) + 1

    @property
    def low(self) -> int:
        """The smallest number of a bit."""
        return 0 if self.left is None or self.right is None else min(self.left, self.right)

    @property
    def shape(self) -> str:
        """What stands between the keyword and the name."""
        sign = "signed " if self.signed else ""
        return sign + ("" if self.left is None else f"[{self.left}:{self.right}] ")

    def part(self, low: int, width: int) -> str:
        """Return a constant part, in the order of the declaration."""
        high = low + width - 1
        ascending = self.left is not None and self.right is not None and self.left < self.right
        return f"{self.name}[{low}:{high}]" if ascending else f"{self.name}[{high}:{low}]"


class Text:
    """Random choices for one module, and its text so far.

    `vectors` can be read; `inputs` are some of them of which no bit can be known before the module
    runs; `constructs` counts what was used by name.
    """

    def __init__(self, rng: random.Random) -> None:
        self.random = rng
        self.vectors: list[Vector] = []
        self.inputs: list[Vector] = []
        self.arrays: list[tuple[str, int]] = []
        self.functions: list[tuple[str, int]] = []
        self.constants: list[str] = []
        self.constructs: Counter[str] = Counter()

    def one_of(self, *names: str) -> str:
        """Choose a construct by name and count it."""
        name = self.random.choice(names)
        self.constructs[name] += 1
        return name

    def happens(self, share: float, name: str) -> bool:
        """Whether a construct is used, which is counted."""
        if self.random.random() >= share:
            return False
        self.constructs[name] += 1
        return True

    def width(self) -> int:
        """Return a random width in bits."""
        return self.random.choice(_WIDTHS)

    def vector(self, name: str, width: int | None = None) -> Vector:
        """Return a new vector of some shape."""
        rng, width = self.random, width or self.width()
        signed = self.happens(0.3, "signed vector")
        if width == 1 and rng.random() < 0.7:
            return Vector(name, signed=signed)
        low = rng.choice((0, 0, 0, 0, 1, 4))
        if self.happens(0.1, "ascending range"):
            return Vector(name, low, low + width - 1, signed)
        return Vector(name, low + width - 1, low, signed)

    def literal(self, width: int | None = None) -> str:
        """Return a random literal."""
        rng, width = self.random, width or self.width()
        value = rng.choice((0, 1, (1 << width) - 1, 1 << (width - 1), rng.getrandbits(width)))
        kind = rng.choice("hdbsnn")
        if kind == "n" and width < 31:
            return str(value)
        if kind == "s":
            return f"{width}'sh{value:x}"
        return f"{width}'{'b' + format(value, 'b') if kind == 'b' else f'h{value:x}'}"

    def index(self, count: int, vectors: Sequence[Vector] = ()) -> str:
        """Return an index that may be outside of `count` elements, by less than a bit of it.

        It is part of one of `vectors`, by default of all. Verilator drops the bits of an index that
        no element needs.
        """
        bits = (count - 1).bit_length()
        if bits == 0:
            return "0"
        vectors = vectors or self.vectors
        wide = [one for one in vectors if one.width > 1]
        vector = self.random.choice(wide or vectors)
        if vector.width <= bits:
            return f"unsigned'({vector.name})" if vector.signed else vector.name
        return vector.part(vector.low + self.random.randint(0, vector.width - bits), bits)

    def reading_index(self, count: int, first: int = 0) -> str:
        """Return an index for what is read of `count` elements, the lowest being `first`."""
        is_always_inside = first == 0 and count & (count - 1) == 0
        return self.index(count + first, () if is_always_inside else self.inputs)

    def _selection(self, vector: Vector) -> str:
        rng, name, width, low = self.random, vector.name, vector.width, vector.low
        kind = self.one_of("part", "bit", "variable bit", "+:", "-:")
        if kind == "part":
            size = rng.randint(1, width)
            return vector.part(low + rng.randint(0, width - size), size)
        if kind == "bit":
            return f"{name}[{rng.randrange(width) + low}]"
        if kind == "variable bit":
            return f"{name}[{self.reading_index(width, low)}]"
        size = rng.choice([one for one in (1, 2, 3, 4, 8) if one <= width])
        start = f"{size}*{self.reading_index(max(1, width // size))}"
        # Each step is wholly inside or wholly outside.
        return self.aligned(vector, size, kind, start)

    def aligned(self, vector: Vector, size: int, kind: str, start: str) -> str:
        """Return an indexed part select whose steps are wholly inside or outside a vector.

        Those outside are so by less than a bit, as those of `index`; else the part is constant.
        """
        last = size * ((1 << (vector.width // size - 1).bit_length()) - 1)
        if vector.width % size or last.bit_length() > (vector.width - 1).bit_length():
            return vector.part(vector.low, size)
        first = f"32'({start})+{vector.low + (size - 1 if kind == '-:' else 0)}"
        return f"{vector.name}[{first} {kind} {size}]"

    def leaf(self) -> str:
        """Return a signal, a part of one, a row of an array or a constant."""
        rng = self.random
        if rng.random() < 0.2:
            return self.literal()
        if self.constants and self.happens(0.1, "parameter"):
            return rng.choice(self.constants)
        if self.arrays and rng.random() < 0.15:
            name, rows = rng.choice(self.arrays)
            kind = self.one_of("row", "variable row")
            row = rng.randrange(1, rows) if kind == "row" else self.reading_index(rows)
            return f"{name}[{row}]"
        vector = rng.choice(self.vectors[-6:] if rng.random() < 0.6 else self.vectors)
        if vector.left is not None and rng.random() < 0.35:
            return self._selection(vector)
        return vector.name

    def expression(self, depth: int = 3) -> str:
        """Return a random expression."""
        if depth <= 0 or self.random.random() < 0.15:
            return self.leaf()
        kinds = (
            "unary", "arithmetic", "arithmetic", "comparison", "logic", "shift", "ternary",
            "concatenation", "replication", "sign", "cast", "inside", "division", "call", "x",
            "arithmetic",
        )  # fmt: skip
        return self._of_kind(self.random.choice(kinds), depth - 1)

    def _of_kind(self, kind: str, depth: int) -> str:
        more = self.expression
        if kind == "unary":
            return f"({self.one_of(*_UNARY)}({more(depth)}))"
        if kind == "logic":
            return f"({self._truth(depth)} {self.one_of(*_LOGIC)} {self._truth(depth)})"
        if kind in ("arithmetic", "comparison"):
            operators = _ARITHMETIC if kind == "arithmetic" else _COMPARISONS
            return f"({more(depth)} {self.one_of(*operators)} {more(depth)})"
        if kind == "ternary":
            return f"({self.condition(depth)} ? {more(depth)} : {more(depth)})"
        if kind == "call" and not self.functions:
            kind = "concatenation"
        self.constructs[kind] += 1
        written: str = getattr(self, f"_{kind}")(depth)
        return written

    def _truth(self, depth: int) -> str:
        written = self.expression(depth)
        if any(f"{name}(" in written for name, _ in self.functions):
            # Verilator 5.48 takes bit 0 of an operand of && or || that holds a call.
            return f"({written} != 0)"
        return written

    def _shift(self, depth: int) -> str:
        operator, shifted = self.one_of(*_SHIFTS), self.expression(depth)
        if "<<" in shifted or ">>" in shifted:
            # Verilator 5.48 adds the amounts of two shifts in too few bits.
            shifted = self.leaf()
        return f"({shifted} {operator} {self.index(40)})"

    def _concatenation(self, depth: int) -> str:
        return f"{{{', '.join(self.sized(depth) for _ in range(self.random.randint(1, 3)))}}}"

    def _replication(self, depth: int) -> str:
        return f"{{{self.random.randint(1, 4)}{{{self.sized(depth - 1)}}}}}"

    def _sign(self, depth: int) -> str:
        return f"{self.random.choice(('$signed', '$unsigned'))}({self.expression(depth)})"

    def _cast(self, depth: int) -> str:
        kind = self.random.choice((str(self.width()), "signed", "unsigned"))
        return f"{kind}'({self.expression(depth)})"

    def _inside(self, depth: int) -> str:
        # The two disagree on the sign of a member when another is unsigned, and Verilator 5.48
        # crashes on some constant ones.
        rng, vector = self.random, self.random.choice(self.vectors)
        low, high = rng.randint(0, 9), rng.randint(9, 99)
        return f"($unsigned({vector.name}) inside {{{rng.randint(0, 99)}, [{low}:{high}]}})"

    def _division(self, depth: int) -> str:
        return f"({self.expression(depth - 1)} {self.one_of('/', '%')} ({self.leaf()} | 1))"

    def _call(self, depth: int) -> str:
        name, arguments = self.random.choice(self.functions)
        given = [self.unknown()]
        given += [self.varying(depth - 1) for _ in range(arguments - 1)]
        return f"{name}({', '.join(given)})"

    def _x(self, depth: int) -> str:
        condition = self._bit_of(self.inputs)
        return f"({condition} ? {self.expression(depth)} : {self.width()}'bx)"

    def sized(self, depth: int) -> str:
        """Return an expression whose width does not depend on where it stands."""
        vector = self.random.choice(self.vectors)
        if depth > 0 and self.random.random() < 0.3:
            return f"{self.width()}'({self.expression(depth - 1)})"
        return vector.name

    def condition(self, depth: int = 2) -> str:
        """Return an expression that is now true and now false."""
        if self.random.random() < 0.5:
            return self._bit_of(self.vectors)
        return f"({self.leaf()} {self.one_of(*_COMPARISONS)} {self.expression(depth - 1)})"

    def varying(self, depth: int = 3) -> str:
        """Return an expression that reads a signal, for what has ports or arguments.

        Verilator 5.48 gives 0 for what reads a selection outside of a constant.
        """
        written = self.expression(depth)
        return written if self.reads(written) else self.sized(0)

    def reads(self, written: str) -> bool:
        """Return whether a text reads a signal."""
        signals = {one.name for one in self.vectors} | {name for name, _ in self.arrays}
        return not signals.isdisjoint(re.findall(r"\w+", written))

    def unknown(self) -> str:
        """Return a wide input of the module, for what has ports or arguments."""
        return self.random.choice([one.name for one in self.inputs if one.width >= UNKNOWN_BITS])

    def _bit_of(self, vectors: list[Vector]) -> str:
        vector = self.random.choice(vectors)
        return vector.name if vector.left is None else vector.part(vector.low, 1)
