# SPDX-License-Identifier: BSD-3-Clause
"""Pass `bounds`: rows that a memory does not have read as 0 and keep nothing, in both engines."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import lower, seed, top, verilog, write

MEMORIES = {"n": (0, 4), "o": (0, 5), "p": (1, 4), "q": (3, 6), "r": (0, 1)}
"""The first row of each memory, and how many it has; addresses have four bits."""
PORTS = (
    "input logic clock, input logic reset, input logic write, input logic [3:0] at, "
    "input logic [3:0] to, input logic [7:0] value"
)


def _text() -> str:
    outputs = "".join(f", output logic [7:0] y_{name}" for name in MEMORIES)
    lines = []
    for name, (first, rows) in MEMORIES.items():
        lines += [
            f"logic [7:0] {name} [{first}:{first + rows - 1}]; initial {name}[{first}] = 8'd77;",
            f"always @(posedge clock) if (write) {name}[to] <= value;",
            f"assign y_{name} = {name}[at];",
        ]
    return top("\n".join(lines), PORTS + outputs)


@pytest.mark.parametrize("engine", ["verilator", "generated"])
def test_rows_beyond_a_memory(tmp_path: Path, engine: str) -> None:
    """Against dictionaries that keep only the rows that there are."""
    source = write(tmp_path, _text())
    model = goldengate.compile([source], "Top", tmp_path / "model", engine=engine)
    generator = random.Random(seed())
    kept = {name: {first: 77} for name, (first, _) in MEMORIES.items()}
    with Model(model / "model.so") as running:
        for cycle in range(2000):
            values = {name: generator.getrandbits(4) for name in ("at", "to")}
            values |= {"write": generator.getrandbits(1), "value": generator.getrandbits(8)}
            outputs = running.step(values)
            for name, (first, rows) in MEMORIES.items():
                assert outputs[f"y_{name}"] == kept[name].get(values["at"], 0), f"{name}, {cycle}"
                if values["write"] and first <= values["to"] < first + rows:
                    kept[name][values["to"]] = values["value"]


def test_addresses_that_fit_stay_as_they_are(tmp_path: Path) -> None:
    body = "logic [7:0] m [16]; always @(posedge clock) m[x[3:0]] <= x; assign y = m[x[7:4]];"
    lower(tmp_path, top(body))
    text = verilog(tmp_path)
    assert "m[x[3:0]] <= x;" in text
    assert "assign y = m[x[7:4]];" in text
