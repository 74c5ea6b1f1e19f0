# SPDX-License-Identifier: BSD-3-Clause
"""One random module: items in a row, and an output that shows all of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection

from regression.fuzzers.reader_fuzz.expressions import Text, Vector
from regression.fuzzers.reader_fuzz.items import ITEMS, Item

INPUTS = (
    Vector("a", 15, 0),
    Vector("b", 31, 0, True),
    Vector("c", 7, 0, True),
    Vector("d", 0, 11),
    Vector("i", 3, 0),
    Vector("e"),
)
"""What all modules of a batch read, besides the clock and the resets."""
CONTROLS = ("clock", "arst", "arst_n", "srst")


def name_of(seed: int) -> str:
    """Return the name of the module of a seed."""
    return f"m{seed}"


class Module:
    """The module of a seed, perhaps with the values of some items replaced by 0 (`without`)."""

    def __init__(self, seed: int, without: Collection[int] = ()) -> None:
        self.seed = seed
        rng = random.Random(f"reader-fuzz {seed}")
        text = Text(rng)
        text.vectors, text.inputs = list(INPUTS), list(INPUTS)
        text.constants = ["P0"]
        self.parameter = rng.randint(0, 7)
        self.items: list[Item] = []
        for number in range(rng.randint(1, 4)):
            item = rng.choice(ITEMS)(text, number)
            self.items.append(_nothing(item) if number in without else item)
            text.vectors += item.vectors
            text.arrays += [(name, rows) for name, rows, _ in item.arrays]
            text.functions += item.functions
            text.constants += item.constants
        self.constructs: Counter[str] = text.constructs

    @property
    def width(self) -> int:
        """The width of the output in bits."""
        return max(1, sum(width for _, width in self.shown()))

    def shown(self) -> list[tuple[str, int]]:
        """Return the (name, width) of what the output shows, lowest bits first."""
        found = []
        for item in self.items:
            found += [(one.name, one.width) for one in item.vectors]
            for name, rows, width in item.arrays:
                found += [(f"{name}[{row}]", width) for row in range(1, rows)]
        return found

    def text(self) -> str:
        """Return the module, after those it instantiates."""
        name = name_of(self.seed)
        outside = [line.replace("_SEED", f"_{self.seed}") for i in self.items for line in i.outside]
        ports = [f"input logic {', '.join(CONTROLS)}"]
        ports += [f"input logic {one.shape}{one.name}" for one in INPUTS]
        ports.append(f"output logic [{self.width - 1}:0] out")
        lines = [f"module {name} #(parameter P0 = 4) (", ",\n".join(ports), ");"]
        lines += [line.replace("_SEED", f"_{self.seed}") for i in self.items for line in i.lines]
        shown = ", ".join(one for one, _ in reversed(self.shown())) or "1'b0"
        return "\n".join([*outside, *lines, f"assign out = {{{shown}}};", "endmodule", ""])

    def instance(self) -> str:
        """Return an instance whose output is `out_SEED`."""
        ports = ", ".join(f".{one}" for one in (*CONTROLS, *(one.name for one in INPUTS)))
        name = name_of(self.seed)
        return f"  {name} #(.P0({self.parameter})) i_{name} ({ports}, .out(out_{self.seed}));"


def _nothing(item: Item) -> Item:
    """Return what an item declares, all of it 0."""
    lines = [f"logic {one.shape}{one.name}; assign {one.name} = 0;" for one in item.vectors]
    for name, rows, width in item.arrays:
        lines.append(f"logic [{width - 1}:0] {name} [0:{rows - 1}];")
        lines += [f"assign {name}[{row}] = 0;" for row in range(rows)]
    for name, arguments in item.functions:
        inputs = ", ".join(f"input logic [7:0] x{number}" for number in range(arguments))
        lines += [f"function automatic logic [7:0] {name}({inputs});", "return 0;", "endfunction"]
    lines += [f"localparam {name} = 0;" for name in item.constants]
    return Item(lines, item.vectors, item.arrays, item.functions, item.constants)
