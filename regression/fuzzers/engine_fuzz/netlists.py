# SPDX-License-Identifier: BSD-3-Clause
"""Seeded random netlists as RTLIL: every kind of cell the generated engine takes, any widths.

A netlist is a module of its own, made from its seed alone. Most are small, since a fault shows in
few cells and many netlists find more than large ones; some are large, for what needs company.

Values that may be unknown in Verilog (a division by zero, a row or bit beyond the end, several
selections at once) go to outputs only, where an unknown bit is not compared: fed on, one of them
could make a register's future unknown.
"""

from __future__ import annotations

import random

from regression.fuzzers.engine_fuzz.builder import CLOCK, Builder
from regression.fuzzers.engine_fuzz.copies import multiply
from regression.fuzzers.engine_fuzz.memories import add_memory

_UNARY = ("$not", "$pos", "$buf", "$neg")
_REDUCE = (
    "$reduce_and", "$reduce_or", "$reduce_xor", "$reduce_xnor", "$reduce_bool", "$logic_not",
)  # fmt: skip
_BINARY = ("$and", "$or", "$xor", "$xnor", "$add", "$sub", "$mul")
_DIVIDE = ("$div", "$mod", "$divfloor", "$modfloor")
_SHIFT = ("$shl", "$shr", "$sshl", "$sshr", "$shift", "$shiftx")
_COMPARE = ("$lt", "$le", "$eq", "$ne", "$ge", "$gt", "$eqx", "$nex")
_LOGIC = ("$logic_and", "$logic_or")
_MUX = ("$mux", "$mux", "$pmux", "$bmux", "$demux")
_SYNCHRONOUS = ("$dff", "$dffe", "$sdff", "$sdffe", "$sdffce")
_ASYNCHRONOUS = ("$adff", "$adffe", "$dffsr", "$dffsre")
_LOADED = ("$aldff", "$aldffe")
_LOOPED = ("$dff", "$dffe", "$sdffe", "$adff", "$adff", "$adff", "$adffe", "$adffe")
"""Registers of netlists with loops."""
_GROUPS = (
    (_UNARY, 3), (_REDUCE, 3), (_BINARY, 6), (_DIVIDE, 2), (_SHIFT, 4), (_COMPARE, 4), (_LOGIC, 1),
    (_MUX, 5), (("register",), 3), (("memory",), 3),
)  # fmt: skip
_PLAIN_MUX = ("$mux",)
_LOOP_GROUPS = (
    (_UNARY, 2), (_REDUCE, 3), (_BINARY, 4), (_COMPARE, 4), (_LOGIC, 2), (_PLAIN_MUX, 4),
    (("register",), 4),
)  # fmt: skip
"""Cells of netlists with loops: those that Verilator computes as they are, whatever their widths.
Shifts, divisions, selections and memories need other passes first, and have an oracle elsewhere."""
LOOPED = 0.03
"""Share of the netlists in which asynchronous resets depend on registers."""
DECODED = 0.3
"""Share of the reductions that are of bits of a wire or two, some inverted, as in decoders."""
COPIED = 0.08
"""Share of the netlists that are copies of a smaller one."""
_AMOUNT_WIDTHS = (1, 2, 3, 5, 6, 7, 7, 8, 9, 33, 65)


class Netlist(Builder):
    """One random netlist, made from its seed."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.registers: list[tuple[str, str]] = []
        self.plain: list[str] = []
        # $ff changes with every step of the oracle, loads need two steps a cycle: never both.
        self.special = self.random.choice((("$ff",), _LOADED))
        self.has_loops = random.Random(f"loops of {seed}").random() < LOOPED
        if self.has_loops:
            self.has_clocks = False  # A clock of its own would see a reset that lasts for no time.
        self._build()

    def _build(self) -> None:
        rng = self.random
        large = rng.random() < 0.08
        for _ in range(rng.randint(1, 4)):
            name = f"\\i{len(self.inputs)}"
            self.inputs.append(name)
            self.use(name, self.width())
        if rng.random() < 0.05 and not self.has_loops:
            self.use(CLOCK, 1)
        for _ in range(rng.randint(0, 2) + 2 * self.has_loops):
            self._declare_register()
        for _ in range(rng.randint(8, 25) if large else rng.randint(1, 6)):
            self._cell()
        for name, kind in self.registers:
            self._register(name, kind)
        if rng.random() < 0.3:
            width = self.width()
            name = self.wire(width, shown=True)
            self.cells.append(f"  connect {name} {self.signal(width)}")
        if rng.random() < COPIED and self.cells:
            kinds = {kind for _, kind in self.registers}
            # From state, asynchronous controls would race with the clock, and so would gates.
            multiply(self, may_chain=kinds <= {*_SYNCHRONOUS} and not self.has_clocks)

    def _declare_register(self) -> None:
        width = self.width()
        initial = self.bits(width) if self.random.random() < 0.6 else ""
        name = self.wire(width, initial=initial)
        kinds = (*_SYNCHRONOUS, *_ASYNCHRONOUS, *self.special)
        kind = self.random.choice(_LOOPED if self.has_loops else kinds)
        if kind in _SYNCHRONOUS or kind == "$ff":
            self.plain.append(name)
        self.use(name, width)
        self.registers.append((name, kind))

    def _cell(self) -> None:
        groups, weights = zip(*(_LOOP_GROUPS if self.has_loops else _GROUPS), strict=True)
        group = self.random.choices(groups, weights)[0]
        kind = self.random.choice(group)
        if kind == "register":
            self._declare_register()
        elif kind == "memory":
            add_memory(self)
        elif kind == "$pmux":
            self._pmux()
        elif group in (_MUX, _PLAIN_MUX):
            self._mux(kind)
        elif group is _DIVIDE:
            self._divide(kind)
        elif group is _SHIFT:
            self._shift(kind)
        else:
            self._operator(kind, group)

    def _three_widths(self) -> tuple[int, int, int]:
        """Return widths of A, B and Y: often the same, as in most designs."""
        a = self.width()
        if self.random.random() < 0.4:
            return a, a, a
        return a, self.width(), self.width()

    def _operator(self, kind: str, group: tuple[str, ...]) -> None:
        a, b, y = self._three_widths()
        is_signed = self.random.randint(0, 1)
        if group in (_COMPARE, _LOGIC, _REDUCE) and self.random.random() < 0.8:
            y = 1
        ports = {"A": self.signal(a)}
        parameters: dict[str, int | str] = {"A_WIDTH": a, "A_SIGNED": is_signed, "Y_WIDTH": y}
        # Drawn apart, so that all else of a seed's netlist is as without them.
        apart = random.Random(f"bits of {self.seed} {len(self.cells)}")
        if group is _REDUCE and apart.random() < DECODED:
            ports["A"] = self._bits_of_words(a, apart)
        if group in (_UNARY, _REDUCE):
            b = 0
            if kind == "$buf":
                y, parameters = a, {"WIDTH": a}
        else:
            parameters |= {"B_WIDTH": b, "B_SIGNED": is_signed}
            ports["B"] = self.signal(b)
        self.finish(kind, parameters, ports, y, max(a, b))

    def _bits_of_words(self, width: int, rng: random.Random) -> str:
        """Return single bits of one or two wires, side by side; some are inverted by cells."""
        words = []
        for name in rng.choices(self.pool, k=rng.randint(1, 2)):
            size, inverse = self.widths[name], f"$w{len(self.wires)}"
            self.wires.append((inverse, size, ""))
            parameters = {"A_WIDTH": size, "A_SIGNED": 0, "Y_WIDTH": size}
            self.add("$not", parameters, {"A": name, "Y": inverse}, size)
            words += [(name, size), (inverse, size)]
        parts = []
        for _ in range(width):
            name, size = rng.choice(words)
            parts.append(f"{name} [{rng.randrange(size)}]")
        return "{ " + " ".join(parts) + " }"

    def _divide(self, kind: str) -> None:
        a, b, y = self._three_widths()
        is_signed = self.random.randint(0, 1)
        divisor = self.signal(b)
        odd = b > 1 and self.random.random() < 0.5
        if odd:
            divisor = "{ " + self.signal(b - 1) + " 1'1 }"
        parameters: dict[str, int | str] = {
            "A_WIDTH": a, "A_SIGNED": is_signed, "B_WIDTH": b, "B_SIGNED": is_signed, "Y_WIDTH": y,
        }  # fmt: skip
        ports = {"A": self.signal(a), "B": divisor}
        self.finish(kind, parameters, ports, y, max(a, b), known=odd)

    def _shift(self, kind: str) -> None:
        a, b, y = self.width(), self.random.choice(_AMOUNT_WIDTHS), self.width()
        signed_amount = kind in ("$shift", "$shiftx") and self.random.randint(0, 1)
        known = kind != "$shiftx"
        if kind == "$shiftx" and self.random.random() < 0.5:
            # No amount leads beyond A.
            b, y, signed_amount, known = self.random.randint(1, 6), min(y, 40), 0, True
            a = (1 << b) - 1 + y
        parameters: dict[str, int | str] = {
            "A_WIDTH": a, "A_SIGNED": 0 if kind == "$shiftx" else self.random.randint(0, 1),
            "B_WIDTH": b, "B_SIGNED": int(signed_amount), "Y_WIDTH": y,
        }  # fmt: skip
        amount = self.signal(b)
        if b > 5 and self.random.random() < 0.3:
            # A multiple of 32 or 64: beyond a word, or by just its width.
            low = self.random.choice((5, min(6, b - 1)))
            amount = "{ " + self.signal(b - low) + f" {low}'{'0' * low} }}"
        self.finish(kind, parameters, {"A": self.signal(a), "B": amount}, y, a, known)

    def _mux(self, kind: str) -> None:
        width = self.width()
        if kind == "$mux":
            ports = {"A": self.signal(width), "B": self.signal(width), "S": self.signal(1)}
            self.finish(kind, {"WIDTH": width}, ports, width, width)
            return
        count = self.random.randint(1, 3)
        width = min(width, 200 >> count)
        wide = width << count
        a, y = (wide, width) if kind == "$bmux" else (width, wide)
        ports = {"A": self.signal(a), "S": self.signal(count)}
        self.finish(kind, {"WIDTH": width, "S_WIDTH": count}, ports, y, wide)

    def _pmux(self) -> None:
        """Select by one-hot bits, as case statements make them, or by any bits."""
        width, count = self.width(), self.random.randint(1, 4)
        width = min(width, 200 // count)
        one_hot = self.random.random() < 0.7
        selects = self.signal(count)
        if one_hot:
            of, chosen = self.signal(2), []
            for value in range(count):
                chosen.append(self.wire(1))
                compared = dict(A_WIDTH=2, A_SIGNED=0, B_WIDTH=2, B_SIGNED=0, Y_WIDTH=1)
                ports = {"A": of, "B": f"2'{value:02b}", "Y": chosen[-1]}
                self.add("$eq", compared, ports, 2)
            selects = "{ " + " ".join(chosen) + " }"
        ports = {"A": self.signal(width), "B": self.signal(count * width), "S": selects}
        parameters: dict[str, int | str] = {"WIDTH": width, "S_WIDTH": count}
        self.finish("$pmux", parameters, ports, width, count * width, known=one_hot or count == 1)

    def _register(self, name: str, kind: str) -> None:
        width = self.widths[name]
        parameters: dict[str, int | str] = {"WIDTH": width}
        # All of $ff's past must be of the inputs of the cycle before: it has no clock.
        ports = {"D": self.signal(width, self.inputs if kind == "$ff" else ()), "Q": name}
        if kind != "$ff":
            parameters["CLK_POLARITY"] = 1
            ports["CLK"] = self.clock()

        def control(port: str, value: str) -> None:
            ports[port] = value
            parameters[f"{port}_POLARITY"] = self.random.randint(0, 1)

        if kind in ("$dffe", "$sdffe", "$sdffce", "$adffe", "$aldffe", "$dffsre"):
            control("EN", self.signal(1))
        if kind.startswith("$sdff"):
            control("SRST", self.signal(1))
            parameters["SRST_VALUE"] = self.constant(width)
        # Asynchronous controls come from inputs: from state they would race with the clock in the
        # oracle. Resets come from anything where another one knows better (`reset_oracle`); what
        # sets, clears or loads from state need not settle, and ends the run then.
        if kind.startswith("$adff"):
            control("ARST", self.signal(1, self.pool if self.has_loops else self.inputs))
            parameters["ARST_VALUE"] = self.constant(width)
        if kind.startswith("$dffsr"):
            control("SET", self.signal(width, self.inputs))
            control("CLR", self.signal(width, self.inputs))
        if kind.startswith("$aldff"):
            control("ALOAD", self.signal(1, self.inputs))
            # What may load must not depend on what is loaded, which could be a loop.
            ports["AD"] = self.signal(width, [*self.inputs, *self.plain])
            self.has_load = True
        self.add(kind, parameters, ports, width)
