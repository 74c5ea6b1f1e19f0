# SPDX-License-Identifier: BSD-3-Clause
"""Products of many widths and signs, synthesized for the ECP5, are right with mult18x18d.v."""

from __future__ import annotations

import random
from pathlib import Path

from goldengate.harness import Model
from goldengate.state import Port
from goldengate.synthesis import NETLIST_VERILOG, synthesize

from regression.hardware.open_bitstream.netlist import netlist_model

TOP, CLOCK, CYCLES = "Products", "clock", 1_000
SHAPES = [
    (18, False, 18, False),
    (18, True, 18, True),
    (33, True, 20, True),
    (16, False, 36, False),
]
"""Width and whether signed of each factor. Yosys extends both when their signs differ."""
EDGES = [0, 1, (1 << 17) - 1, 1 << 17, (1 << 18) - 1, (1 << 36) - 1]


def _signed(value: int, width: int, is_signed: bool) -> int:
    value &= (1 << width) - 1
    return value - (1 << width) if is_signed and value >> (width - 1) else value


def test_products_are_right(tmp_path: Path) -> None:
    ports = [Port("reset", 1, "in"), Port("a", 36, "in"), Port("b", 36, "in")]
    lines, declared = [], ""
    for at, (left, is_left, right, is_right) in enumerate(SHAPES):
        ports.append(Port(f"p{at}", left + right, "out"))
        declared += f", output reg [{left + right - 1}:0] p{at}"
        words = [
            f"{'$signed' if is_signed else ''}({name}[{width - 1}:0])"
            for name, width, is_signed in (("a", left, is_left), ("b", right, is_right))
        ]
        lines.append(f"always @(posedge clock) p{at} <= reset ? 0 : {' * '.join(words)};")
    head = f"module {TOP} (input clock, input reset, input [35:0] a, input [35:0] b{declared});\n"
    source = tmp_path / "products.sv"
    source.write_text(head + "\n".join(lines) + "\nendmodule\n")
    counts = synthesize([source], TOP, "ecp5", tmp_path / "board")
    assert counts.total["dsp"] >= 8
    netlist = tmp_path / "board" / NETLIST_VERILOG
    generator = random.Random(1)
    with Model(netlist_model(netlist, TOP, CLOCK, ports, tmp_path / "model")) as model:
        held: tuple[int, int] | None = None
        for cycle in range(CYCLES):
            one, other = (
                generator.choice(EDGES) if generator.random() < 0.3 else generator.getrandbits(36)
                for _ in range(2)
            )
            found = model.step({"reset": 0, "a": one, "b": other})
            if held is not None:
                for at, (left, is_left, right, is_right) in enumerate(SHAPES):
                    product = _signed(held[0], left, is_left) * _signed(held[1], right, is_right)
                    expected = product & (1 << left + right) - 1
                    assert found[f"p{at}"] == expected, (cycle, at, held)
            held = one, other
