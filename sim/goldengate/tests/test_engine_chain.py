# SPDX-License-Identifier: BSD-3-Clause
"""Long chains of selections: their C++ is compiled, in which each value comes from two before it.

A compiler that followed each way through such a chain, as one does for constants, would not end.
"""

from __future__ import annotations

import random
from pathlib import Path

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import seed, top, write

STEPS = 40


def _text() -> str:
    lines = [
        f"logic [{STEPS * 4 - 1}:0] when = 0; logic [{STEPS * 8 - 1}:0] values = 0;",
        "always @(posedge clock) begin",
        "  when <= {when, x[3:0]}; values <= {values, x};",
        "end",
    ]
    last = "x"
    for step in range(STEPS):
        taken = [f"values[{(step + more) % STEPS * 8} +: 8]" for more in range(3)]
        bits = [f"when[{4 * step + bit}]" for bit in range(4)]
        lines += [
            f"wire [7:0] a{step} = {bits[0]} ? {taken[0]} : {last};",
            f"wire [7:0] b{step} = {bits[1]} ? {taken[1]} : a{step};",
            f"wire [7:0] c{step} = {bits[2]} ? {taken[2]} : b{step};",
            f"wire [7:0] p{step} = {bits[3]} ? c{step} : {last};",
        ]
        last = f"p{step}"
    return top("\n".join([*lines, f"assign y = {last};"]))


def _expected(when: int, values: int, x: int) -> int:
    last = x
    for step in range(STEPS):
        found = last
        for more in range(3):
            if when >> 4 * step + more & 1:
                found = values >> (step + more) % STEPS * 8 & 255
        last = found if when >> 4 * step + 3 & 1 else last
    return last


def test_a_chain_of_selections_is_compiled_and_right(tmp_path: Path) -> None:
    source = write(tmp_path, _text())
    made = goldengate.compile([source], "Top", tmp_path / "model", engine="generated")
    random_, when, values = random.Random(seed()), 0, 0
    with Model(made / "model.so") as model:
        for _ in range(300):
            x = random_.choice([random_.getrandbits(8), 0])
            assert model.step({"x": x})["y"] == _expected(when, values, x)
            when = (when << 4 | x & 15) & (1 << STEPS * 4) - 1
            values = (values << 8 | x) & (1 << STEPS * 8) - 1
