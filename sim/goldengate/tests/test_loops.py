# SPDX-License-Identifier: BSD-3-Clause
"""Pass `loops`: what is a loop in names only has its values, on both engines and in FAME-1 form.

A latch of gates keeps its value, and an oscillator is reported in the cycle in which it begins.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import goldengate
from goldengate import loop_graph
from goldengate.harness import Model
from goldengate.manifest import EngineUsed
from goldengate.tests.designs import lower, seed, top, write
from goldengate.tests.test_fame1 import _compare, _models

ENGINES = pytest.mark.parametrize("engine", ["verilator", "generated"])

CONDITIONS = """\
logic stop, valid, go;
always_comb begin stop = 0; if (x[1] && go) stop = 1; end
always_comb begin valid = x[0] && !stop; go = valid && !x[1]; end
assign y = {7'b0, go};
"""
"""`stop` needs `go` when x[1] is 1, `go` needs `valid`, and so `stop`, when it is 0."""

ORDER = """\
logic [7:0] first, second;
assign first = x[0] ? second + 8'd3 : x;
assign second = x[0] ? x : first ^ 8'h55;
assign y = x[1] ? first : second;
"""
"""Two units, each of which may be the first."""

BITS = """\
logic [8:0] chain; logic [7:0] picked; logic [1:0] code;
assign chain[8:1] = (chain[7:0] ^ x) & ~{8{reset}}; assign chain[0] = x[7];
always_comb case (x[1:0])
  0: picked = {picked[6:0], x[2]}; 1: picked = {x[3], picked[7:1]}; 2: picked = x;
  default: picked = ~x;
endcase
assign code = {code[0], x[4]} ^ {2{x[5]}};
assign y = chain[8:1] ^ picked ^ {6'b0, code};
"""
"""Each bit is computed from the one beside it."""

LATCH = """\
wire q, n; assign q = ~(x[0] | n); assign n = ~(x[1] | q);
assign y = {6'b0, n, q};
"""

LIST = """\
logic [7:0] list [0:7]; wire [7:0] a, b;
initial for (int i = 0; i < 8; i++) list[i] = 8'(i * 5 + 3);
assign a = list[x[0] ? b[2:0] : x[3:1]];
assign b = list[x[0] ? x[3:1] : a[2:0]];
assign y = x[4] ? a : b;
"""
"""Each of two read ports may have its address from the other."""

CHASE = """\
logic [3:0] list [0:3]; wire [3:0] a;
initial begin list[0] = 1; list[1] = 2; list[2] = 0; list[3] = 3; end
assign a = list[x[0] ? a[1:0] : x[2:1]];
assign y = {4'b0, a};
"""
"""With x[0] a read goes round three rows for ever, unless it begins in the fourth."""

OSCILLATOR = """\
wire ring; assign ring = ~(ring & x[0]);
assign y = {8{ring}};
"""


def _bits(x: int) -> int:
    chain = [x >> 7]
    for at in range(8):
        chain.append(chain[at] ^ x >> at & 1)
    value = sum(bit << at for at, bit in enumerate(chain[1:]))
    shifted = (0xFF * (x >> 2 & 1), 0xFF * (x >> 3 & 1), x, ~x & 0xFF)
    low = (x >> 4 ^ x >> 5) & 1
    return value ^ shifted[x & 3] ^ (low | ((low ^ x >> 5) & 1) << 1)


def _list(x: int) -> int:
    rows = [at * 5 + 3 for at in range(8)]
    first = rows[x >> 1 & 7]
    second = rows[first & 7]
    a, b = (second, first) if x & 1 else (first, second)
    return a if x & 16 else b


def _order(x: int) -> int:
    if x & 1:
        first, second = x + 3 & 0xFF, x
    else:
        first, second = x, x ^ 0x55
    return first if x & 2 else second


EXPECTED = {
    CONDITIONS: lambda x: int(x & 3 == 1),
    ORDER: _order,
    BITS: _bits,
    LIST: _list,
}


def _model(folder: Path, body: str, engine: str) -> tuple[Path, goldengate.Manifest]:
    source = write(folder, top(body))
    made = goldengate.compile([source], "Top", folder / "model", engine=engine)
    return made / "model.so", goldengate.Manifest.read(made)


@ENGINES
def test_loops_in_names_only(tmp_path: Path, engine: str) -> None:
    """By conditions, by bits, and by words that are cut apart; every input after every other."""
    generator, number = random.Random(seed()), seed()
    for index, (body, expected) in enumerate(EXPECTED.items()):
        (folder := tmp_path / str(index)).mkdir()
        library, manifest = _model(folder, body, engine)
        assert manifest.engine == EngineUsed(engine)
        with Model(library) as running:
            for x in [*range(256), *(generator.getrandbits(8) for _ in range(1000))]:
                outputs = running.step({"x": x})
                assert outputs["y"] == expected(x), f"design {index}, x {x}, seed {number}"
                assert outputs.get("firesim_assert", 0) == 0


@ENGINES
def test_a_latch_of_gates_keeps_its_value(tmp_path: Path, engine: str) -> None:
    """Set, keep, reset, keep; and a saved state keeps it, too."""
    library, _ = _model(tmp_path, LATCH, engine)
    with Model(library) as running, Model(library) as other:
        seen = [running.step({"x": x})["y"] for x in (2, 0, 0, 1, 0, 0, 2)]
        assert seen == [1, 1, 1, 2, 2, 2, 1]
        assert other.load(running.save())
        assert other.step({"x": 0})["y"] == running.step({"x": 0})["y"] == 1


@ENGINES
def test_a_read_that_goes_round_for_ever_is_named(tmp_path: Path, engine: str) -> None:
    library, manifest = _model(tmp_path, CHASE, engine)
    assert manifest.engine == EngineUsed(engine)
    (failure,) = manifest.asserts
    place = f"{(tmp_path / 'top.sv').resolve()}:2"
    assert f"the combinational loop through 'a' ({place}) does not settle" in failure.message
    with Model(library) as running:
        assert running.step({"x": 6}) == {"y": 3, "firesim_assert": 0}
        assert running.step({"x": 1}) == {"y": 3, "firesim_assert": 0}
        assert running.step({"x": 0}) == {"y": 1, "firesim_assert": 0}
        assert running.step({"x": 1})["firesim_assert"] == 1


@ENGINES
def test_what_never_settles_is_named_in_its_cycle(tmp_path: Path, engine: str) -> None:
    library, manifest = _model(tmp_path, OSCILLATOR, engine)
    (failure,) = manifest.asserts
    place = f"{(tmp_path / 'top.sv').resolve()}:2"
    assert failure.message == (
        f"the combinational loop through 'ring' ({place}) does not settle: it still changes after "
        f"2 rounds"
    )
    assert manifest.warnings == [
        f"{place}: 'ring' are computed from themselves in the same cycle, 2 times; a run ends if "
        f"they do not settle."
    ]
    with Model(library) as running:
        assert [running.step({"x": x})["firesim_assert"] for x in (0, 2, 1, 1, 0)] == [
            0, 0, 1, 1, 0
        ]  # fmt: skip


def test_the_form_for_an_fpga_has_the_same_tokens(tmp_path: Path) -> None:
    _compare(
        *_models(
            tmp_path,
            top(
                ORDER
                + LATCH.replace("y =", "w =").replace("wire q", "wire [7:0] w; wire q")
                + LIST.replace("y =", "z =").replace("wire [7:0]", "wire [7:0] z,", 1)
            ),
        ),
        2,
    )


def test_a_design_without_loops_is_left_alone(tmp_path: Path) -> None:
    text = top("logic [7:0] a; always @(posedge clock) a <= a + x; assign y = a;")
    manifest: dict[str, Any] = lower(tmp_path, text)
    assert manifest["warnings"] == [] and manifest["asserts"] == []


def test_graphs_are_cut_where_all_rings_pass() -> None:
    """Two rings through node 0, and one apart that needs itself."""
    needs = {0: [2, 4], 1: [0], 2: [1], 3: [0], 4: [3], 5: [5, 0]}
    rings = [one for one in loop_graph.components(needs, needs) if loop_graph.is_ring(one, needs)]
    assert rings == [[0, 1, 2, 3, 4], [5]]
    assert [loop_graph.cuts(ring, needs) for ring in rings] == [[0], [5]]
    assert loop_graph.levels({0: [1, 2], 1: [2], 2: [], 3: [0]}) == {2: 0, 1: 1, 0: 2, 3: 3}
