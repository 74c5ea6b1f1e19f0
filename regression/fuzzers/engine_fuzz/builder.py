# SPDX-License-Identifier: BSD-3-Clause
"""What random netlists are built with: wires, random signals over them, cells, RTLIL text."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

_WIDTHS = (
    1, 1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 8, 9, 13, 16, 16, 24, 31, 32, 32, 33, 40, 63, 64, 64, 65, 84,
    100, 127, 128, 129, 200,
)  # fmt: skip
WORD = 64
CLOCK = "\\clock"
FURTHER_CLOCK = "\\further_clock"


def name_of(seed: int) -> str:
    """Return the name of a netlist's module, without the backslash."""
    return f"n{seed}"


def cell_text(
    kind: str, number: int, parameters: Mapping[str, int | str], ports: Mapping[str, str]
) -> str:
    """Return the text of a cell."""
    lines = [f"  cell {kind} $c{number}"]
    lines += [f"    parameter \\{name} {value}" for name, value in parameters.items()]
    lines += [f"    connect \\{name} {value}" for name, value in ports.items()]
    return "\n".join([*lines, "  end"])


class Builder:
    """A netlist as it grows.

    `kinds` counts its cells by kind and by the words of 64 bits of their widest port. `has_load`
    says that a register follows data while a control is active, `contended` names the memories of
    which several ports may write one row at once: the oracle needs to know. With `hides`, some
    values are not outputs. With `has_clocks`, clocks may be gated, or the further clock, which has
    the `ratio`, once chosen, to the clock; the pass `clocks` then has something to do.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.kinds: Counter[tuple[str, int]] = Counter()
        self.contended: list[str] = []
        self.has_load = False
        self.hides = self.random.random() < 0.25
        self.has_clocks = self.random.random() < 0.1
        self.ratio: Fraction | None = None
        self.gates = 0
        self.wires: list[tuple[str, int, str]] = []
        self.inputs: list[str] = []
        self.outputs: list[tuple[str, int]] = []
        self.memories: list[str] = []
        self.cells: list[str] = []
        self.widths: dict[str, int] = {}
        self.pool: list[str] = []

    def width(self) -> int:
        """Return a random width."""
        return self.random.choice(_WIDTHS)

    def use(self, name: str, width: int) -> None:
        """Let cells that follow read a wire."""
        self.widths[name] = width
        self.pool.append(name)

    def wire(self, width: int, *, shown: bool = False, initial: str = "") -> str:
        """Add a wire. Nearly all are outputs, so that the first that differs names its cell."""
        hidden = not shown and self.hides and self.random.random() < 0.5
        name = f"{'$' if hidden else chr(92)}w{len(self.wires)}"
        self.wires.append((name, width, initial))
        if not hidden:
            self.outputs.append((name, width))
        return name

    def bits(self, width: int) -> str:
        """Return random bits, now and then all the same."""
        if self.random.random() < 0.2:
            return self.random.choice("01") * width
        return format(self.random.getrandbits(width), f"0{width}b")

    def constant(self, width: int) -> str:
        """Return a random constant."""
        return f"{width}'{self.bits(width)}"

    def signal(self, width: int, of: Sequence[str] = ()) -> str:
        """Return a random signal of a width: wires, slices, concatenations, constants."""
        rng, parts, missing = self.random, list[str](), width
        names = of or self.pool
        while missing:
            if rng.random() < 0.08:
                size = rng.randint(1, missing)
                parts.append(self.constant(size))
            else:
                name = max(
                    rng.choices(names, k=2 if missing > 16 else 1), key=self.widths.__getitem__
                )
                have = self.widths[name]
                size = min(have, missing)
                if rng.random() < 0.2:
                    size = rng.randint(1, size)
                low = rng.randint(0, have - size)
                part = name if size == have else f"{name} [{low + size - 1}:{low}]"
                repeats = min(missing // size, rng.choice((1, 1, 1, 2, 8)))
                parts += [part] * repeats
                size *= repeats
            missing -= size
        return parts[0] if len(parts) == 1 else "{ " + " ".join(reversed(parts)) + " }"

    def add(
        self, kind: str, parameters: Mapping[str, int | str], ports: dict[str, str], widest: int
    ) -> None:
        """Add a cell."""
        self.kinds[kind, (widest + WORD - 1) // WORD] += 1
        self.cells.append(cell_text(kind, len(self.cells), parameters, ports))

    def finish(
        self, kind: str, parameters: dict[str, int | str], ports: dict[str, str], width: int,
        widest: int, known: bool = True,
    ) -> None:  # fmt: skip
        """Add a cell with output Y; only what is `known` for all inputs is fed on."""
        name = self.wire(width, shown=not known)
        self.add(kind, parameters, {**ports, "Y": name}, max(width, widest))
        if known:
            self.use(name, width)

    def clock(self) -> str:
        """Choose a clock for registers or write ports: most netlists have one."""
        rng = self.random
        clock = CLOCK
        if self.has_clocks and rng.random() < 0.3:
            self.ratio = self.ratio or Fraction(rng.randint(1, 7), rng.randint(7, 9))
            clock = FURTHER_CLOCK
        return self._gate(clock) if self.has_clocks and rng.random() < 0.5 else clock

    def _gate(self, clock: str) -> str:
        """Add a clock gate: a latch that is open while the clock is low, and an AND."""
        enable, gated = f"$e{len(self.cells)}", f"$g{len(self.cells)}"
        self.wires += [(enable, 1, ""), (gated, 1, "")]
        self.gates += 1
        enabling = self.signal(1, [name for name in self.pool if name != CLOCK])
        latch = {"EN": clock, "D": enabling, "Q": enable}
        parameters = {"WIDTH": 1, "EN_POLARITY": 0}
        self.cells.append(cell_text("$dlatch", len(self.cells), parameters, latch))
        widths = {f"{port}_WIDTH": 1 for port in "ABY"} | {"A_SIGNED": 0, "B_SIGNED": 0}
        first, second = self.random.choice(((clock, enable), (enable, clock)))
        ports = {"A": first, "B": second, "Y": gated}
        self.cells.append(cell_text("$and", len(self.cells), widths, ports))
        return gated

    def rises(self, cycle: int) -> bool:
        """Whether the further clock rises with the clock: edge k does in cycle ceil(k / ratio)."""
        if self.ratio is None:
            return False
        edge = cycle * self.ratio.numerator // self.ratio.denominator
        return -(-edge * self.ratio.denominator // self.ratio.numerator) == cycle

    def ports(self) -> list[tuple[str, int, bool]]:
        """Return (name, width, whether it is an input) of all ports but the clock."""
        found = [(name[1:], self.widths[name], True) for name in self.inputs]
        return found + [(name[1:], width, False) for name, width in self.outputs]

    def text(self) -> str:
        """Return the netlist as a module."""
        lines = [f"module \\{name_of(self.seed)}", f"  wire input 1 {CLOCK}"]
        for index, name in enumerate(self.inputs):
            lines.append(f"  wire width {self.widths[name]} input {index + 2} {name}")
        if self.ratio is not None:
            last = len(self.inputs) + len(self.outputs) + 2
            lines.append(f"  wire input {last} {FURTHER_CLOCK}")
        places = {name: len(self.inputs) + 2 + i for i, (name, _) in enumerate(self.outputs)}
        for name, width, initial in self.wires:
            if initial:
                lines.append(f"  attribute \\init {width}'{initial}")
            output = f" output {places[name]}" if name in places else ""
            lines.append(f"  wire width {width}{output} {name}")
        return "\n".join([*lines, *self.memories, *self.cells, "end", ""])
