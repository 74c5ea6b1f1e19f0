# SPDX-License-Identifier: BSD-3-Clause
"""Multi-cycle memories: the ports of a memory are used by turns, and every token stays.

A design with memories of many ports is compiled as a CPU model and as a form that shares; channels
stall at random, and every token must equal the CPU model's.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from firesim.build.state_map import state_map

import goldengate
from goldengate import GoldenGateError, Manifest, Request
from goldengate.harness import Model
from goldengate.sharing import Shared, Sharing, compile_shared, shared_form
from goldengate.stalls import run_stalled
from goldengate.tests.designs import PORTS, seed, top, write
from goldengate.tests.fame1_designs import MANY_PORTS

MEMORIES = Sharing(multi_cycle_memories=True)
CYCLES = 200
MIXED = """\
logic [7:0] few [0:15]; logic [7:0] rows [0:255]; logic [15:0] wide [0:3]; logic [7:0] one, two;
logic [7:0] plain [0:255], shown;
initial few[3] = 8'h77; initial rows[200] = 8'h12;
wire [7:0] a = few[x[3:0]], b = few[x[7:4]], c = few[a[3:0] ^ one[3:0]];
wire [7:0] d = rows[c ^ x], e = rows[one];
wire [15:0] f = wide[d[1:0]], g = wide[two[1:0]];
always @(posedge clock) begin
  if (reset) begin one <= 0; two <= 1; end
  else begin one <= one + a + d + f[7:0]; two <= two * 3 + b + e + g[15:8] + shown; end
  if (x[0]) few[x[4:1]] <= one;
  if (x[1]) few[one[3:0]] <= two ^ d;
  if (x[2]) few[one[7:4]] <= two;
  if (one[3]) rows[two] <= x;
  if (one[4]) wide[x[1:0]][7:0] <= two;
  if (one[5]) wide[x[1:0]][15:8] <= two;
  if (one[6]) wide[two[7:6]] <= {two, one};
  if (x[3]) plain[x] <= two;
  shown <= plain[one];
end
assign y = one ^ two ^ c ^ e;
"""
"""Reads at addresses that other memories' reads give, byte enables, writes that meet in one row, a
memory large enough for block memory, and one that is a block memory as it stands."""


def _form(folder: Path, text: str, **more: Any) -> tuple[Path, Path]:
    """Return the design's file and the folder of its form."""
    source = write(folder, text)
    request = Request([str(source)], "Top", str(folder / "form"), target="fame1", **more)
    return source, compile_shared(request, MEMORIES)


def _compare(folder: Path, text: str, **more: Any) -> int:
    """Compare all tokens; return the host cycles of a run without stalls."""
    source, form = _form(folder, text, **more)
    cpu = goldengate.compile([source], "Top", folder / "cpu", **more)
    manifest = Manifest.read(form)
    said = manifest.fame1
    assert said is not None
    files = [form / name for name in said.files]
    host = goldengate.compile(files, said.top, folder / "host", clock=said.clock, reset=said.reset)
    first = seed()
    for number in range(first, first + 4):
        generator = random.Random(number)
        inputs = [
            {"x": generator.getrandbits(8), "reset": int(cycle < 3)} for cycle in range(CYCLES)
        ]
        with Model(cpu / "model.so") as model:
            expected = [model.step(values) for values in inputs]
        for eagerness in ((0.1, 0.5, 0.9, 1.0), (1.0,)):
            found = run_stalled(host / "model.so", manifest, inputs, generator, eagerness)
            assert found.outputs == expected, f"seed {number}"
    return found.host_cycles


def test_tokens_and_host_cycles(tmp_path: Path) -> None:
    host_cycles = _compare(tmp_path, top(MIXED))
    shared = Shared.read(tmp_path / "form")
    assert {(one.name, one.reads, one.writes, one.block) for one in shared.memories} == {
        ("few", 3, 3, False),
        ("rows", 2, 1, True),
        ("wide", 2, 3, False),
    }
    assert shared.host_cycles == 7
    reset, first, last = 2, 1, 1  # A token needs a host cycle to come in, and one to go out.
    assert host_cycles == reset + first + last + shared.host_cycles * CYCLES


def test_a_register_file(tmp_path: Path) -> None:
    text = f"module Top #(parameter ROWS = 4, WIDTH = 2)({PORTS});\n{MANY_PORTS}endmodule\n"
    _compare(tmp_path, text, parameters={"ROWS": "32", "WIDTH": "64"})
    assert Shared.read(tmp_path / "form").host_cycles == 5
    target = (tmp_path / "form/target.v").read_text()
    assert len(re.findall(r"(?:=|<=) file\[", target)) == 1, "more than one read port"


def test_nothing_to_share_leaves_the_form_as_it_is(tmp_path: Path) -> None:
    source, form = _form(
        tmp_path, top("logic [7:0] q; always @(posedge clock) q <= x; assign y = q;")
    )
    plain = goldengate.compile([source], "Top", tmp_path / "plain", target="fame1")
    for name in ("fame1.v", "target.v"):
        assert (form / name).read_text() == (plain / name).read_text()
    assert Shared.read(form) == Shared(1)


def test_the_fingerprint_is_that_of_the_plain_form(tmp_path: Path) -> None:
    source = write(tmp_path, top(MIXED))
    requests = [
        Request([str(source)], "Top", str(tmp_path / name), target="fpga")
        for name in ("plain", "shared")
    ]
    plain = Manifest.read(goldengate.compile_request(requests[0]))
    shared = shared_form(requests[1], MEMORIES)
    assert shared.manifest.design_hash == plain.design_hash
    assert shared.manifest.host == plain.host
    assert "slot" in (tmp_path / "shared/fame1.v").read_text()


def test_errors_for_a_cpu(tmp_path: Path) -> None:
    request = Request([str(write(tmp_path, top(MIXED)))], "Top", str(tmp_path / "out"))
    with pytest.raises(GoldenGateError) as found:
        compile_shared(request, MEMORIES)
    assert str(found.value) == (
        'found target "cpu" with shared resources, expected "fame1" or "fpga": a CPU has none.'
    )


def test_reads_that_seem_to_need_each_other_are_computed_in_rounds(tmp_path: Path) -> None:
    body = (
        "logic [7:0] m [0:15]; wire [7:0] found, sum = {found[3:0], x[3:0]} + 8'd3;\n"
        "assign found = m[sum[3:0]]; assign y = sum;\n"
        "always @(posedge clock) begin m[x[3:0]] <= y; m[x[7:4]] <= x; end"
    )
    assert _compare(tmp_path, top(body)) > CYCLES


def test_states_of_such_a_form_are_refused(tmp_path: Path) -> None:
    source = write(tmp_path, top(MIXED))
    cpu = goldengate.compile([source], "Top", tmp_path / "cpu")
    request = Request([str(source)], "Top", str(tmp_path / "metasim"), target="metasim")
    metasim = compile_shared(request, MEMORIES)
    assert Manifest.read(metasim).host is not None
    found = json.loads(state_map(cpu, metasim).read_text())
    assert re.fullmatch(
        r"form\.\S+ of the metasimulation is no register of the model in RTL", found["refused"]
    )
