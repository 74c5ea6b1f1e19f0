"""What random netlists are built with: wires, random signals over them, cells, RTLIL text."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

_WIDTHS = (
    1, 1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 8, 9, 13, 16, 16, 24, 31, 32, 32, 33, 40, 63, 64, 64, 65, 84,
    100, 127, 128, 129, 200,
)  # fmt: skip
WORD = 64
CLOCK = "\\clock"


def name_of(seed: int) -> str:
    """Return the name of a netlist's module, without the backslash."""
    return f"n{seed}"


class Builder:
    """A netlist as it grows.

    `kinds` counts its cells by kind and by the words of 64 bits of their widest port. `has_load`
    says that a register follows data while a control is active, `contended` names the memories of
    which several ports may write one row at once: the oracle needs to know. With `hides`, some
    values are not outputs.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.kinds: Counter[tuple[str, int]] = Counter()
        self.contended: list[str] = []
        self.has_load = False
        self.hides = self.random.random() < 0.25
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
        lines = [f"  cell {kind} $c{len(self.cells)}"]
        lines += [f"    parameter \\{name} {value}" for name, value in parameters.items()]
        lines += [f"    connect \\{name} {value}" for name, value in ports.items()]
        self.cells.append("\n".join([*lines, "  end"]))

    def finish(
        self, kind: str, parameters: dict[str, int | str], ports: dict[str, str], width: int,
        widest: int, known: bool = True,
    ) -> None:  # fmt: skip
        """Add a cell with output Y; only what is `known` for all inputs is fed on."""
        name = self.wire(width, shown=not known)
        self.add(kind, parameters, {**ports, "Y": name}, max(width, widest))
        if known:
            self.use(name, width)

    def clock(self, parameters: dict[str, int | str], ports: dict[str, str]) -> None:
        """Choose the clock of a register or of a write port."""
        parameters["CLK_POLARITY"] = 1
        ports["CLK"] = CLOCK

    def ports(self) -> list[tuple[str, int, bool]]:
        """Return (name, width, whether it is an input) of all ports but the clock."""
        found = [(name[1:], self.widths[name], True) for name in self.inputs]
        return found + [(name[1:], width, False) for name, width in self.outputs]

    def text(self) -> str:
        """Return the netlist as a module."""
        lines = [f"module \\{name_of(self.seed)}", f"  wire input 1 {CLOCK}"]
        for index, name in enumerate(self.inputs):
            lines.append(f"  wire width {self.widths[name]} input {index + 2} {name}")
        places = {name: len(self.inputs) + 2 + i for i, (name, _) in enumerate(self.outputs)}
        for name, width, initial in self.wires:
            if initial:
                lines.append(f"  attribute \\init {width}'{initial}")
            output = f" output {places[name]}" if name in places else ""
            lines.append(f"  wire width {width}{output} {name}")
        return "\n".join([*lines, *self.memories, *self.cells, "end", ""])
