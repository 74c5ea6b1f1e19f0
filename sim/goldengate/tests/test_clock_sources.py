# SPDX-License-Identifier: BSD-3-Clause
"""Pass `clock_sources`: clocks stated by their periods tick in the cycles that the periods give.

And clocks that are constants, which never tick.
"""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import lower, refusal, seed, top, verilog, write
from goldengate.tests.test_clocks import rises

COUNTS = """\
wire fast, slow, same, whole; logic [3:0] a = 0, b = 0; logic [7:0] c = 0;
FireSimClockSource #(.PERIOD_PS({fast})) fast_source(.clock(fast));
FireSimClockSource #(.PERIOD_PS({slow})) slow_source(.clock(slow));
FireSimClockSource #(.PERIOD_PS({slow})) same_source(.clock(same));
FireSimClockSource whole_source(.clock(whole));
always @(posedge slow) a <= a + 1;
always @(posedge same) b <= a;
always @(posedge fast) c <= c + 1;
logic [7:0] d = 0; always @(posedge whole) d <= c;
assign y = x[0] ? {{a, b}} : x[1] ? c : d;
"""


@pytest.mark.parametrize("engine", ["generated", "verilator"])
def test_periods_give_the_edges(tmp_path: Path, engine: str) -> None:
    generator = random.Random(seed())
    fast = generator.randint(100, 2000)
    slow = generator.randint(fast, 20 * fast)
    source = write(tmp_path, top(COUNTS.format(fast=fast, slow=slow)))
    model = goldengate.compile([source], "Top", tmp_path / "model", engine=engine)
    ratio, edges = Fraction(fast, slow), 0
    with Model(model / "model.so") as running:
        assert set(running.ports) == {"reset", "x", "y"}
        for cycle in range(1500):
            expected = {
                1: edges % 16 << 4 | max(edges - 1, 0) % 16,
                2: cycle % 256,
                0: max(cycle - 1, 0) % 256,
            }
            chosen = cycle % 3
            got = running.step({"reset": 0, "x": chosen})["y"]
            assert got == expected[chosen], f"{fast} and {slow} ps, cycle {cycle}"
            edges += rises(ratio, cycle)


def test_the_shortest_period_is_the_clock(tmp_path: Path) -> None:
    manifest = lower(tmp_path, top(COUNTS.format(fast=2000, slow=10000)))
    assert manifest["clock_ratios"] == {"firesim_clock_10000_ps": "1/5"}
    text = verilog(tmp_path)
    assert text.count("posedge") == text.count("posedge clock")


def test_the_shortest_period_is_the_clock_where_nothing_is_on_it(tmp_path: Path) -> None:
    body = (
        "FireSimClockSource #(.PERIOD_PS(2000)) fast_source(.clock());\nwire slow;\n"
        "FireSimClockSource #(.PERIOD_PS(3000)) slow_source(.clock(slow));\n"
        "logic [7:0] q; always @(posedge slow) q <= x; assign y = q;"
    )
    manifest = lower(tmp_path, top(body))
    assert manifest["clock_ratios"] == {"firesim_clock_3000_ps": "2/3"}


@pytest.mark.parametrize("tied", ["1'b0", "1'b1", "1'b0 & x[0]"])
def test_a_constant_clock_never_ticks(tmp_path: Path, tied: str) -> None:
    body = (
        f"wire tck = {tied}; wire falling = ~tck;\n"
        "logic [7:0] a, b = 7, c = 9;\n"
        "always @(posedge tck or posedge reset) if (reset) a <= 3; else a <= a + x;\n"
        "always @(posedge falling) b <= x;\n"
        "always @(posedge tck) c <= x;\n"
        "assign y = a ^ b ^ c ^ x;"
    )
    source = write(tmp_path, top(body))
    model = goldengate.compile([source], "Top", tmp_path / "model", engine="generated")
    generator = random.Random(seed())
    with Model(model / "model.so") as running:
        for cycle in range(200):
            x = generator.getrandbits(8)
            got = running.step({"reset": int(cycle < 4), "x": x})["y"]
            assert got == 3 ^ 7 ^ 9 ^ x, f"cycle {cycle}"


def test_errors_negative_period(tmp_path: Path) -> None:
    body = "wire c; FireSimClockSource #(.PERIOD_PS(-5)) s(.clock(c));\n"
    body += "logic [7:0] q; always @(posedge c) q <= x; assign y = q;"
    assert refusal(tmp_path, top(body)) == (
        "top.sv:2: found a period of -5 ps of the clock source s, expected 0 or more."
    )
