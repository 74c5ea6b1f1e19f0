# SPDX-License-Identifier: BSD-3-Clause
"""FAME-5: targets that share one copy of the logic have the tokens that each has by itself.

A design is compiled as a CPU model, run once for each target with inputs of its own, and as a
supernode whose channels stall at random.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import goldengate
from goldengate import GoldenGateError, Manifest, Request
from goldengate.channels import node_name
from goldengate.harness import Model
from goldengate.sharing import Shared, Sharing, compile_shared
from goldengate.stalls import of_supernode, run_stalled, tokens_of
from goldengate.tests.designs import seed, top, write
from goldengate.tests.fame1_designs import DESIGN

CYCLES, THREADS = 150, 3
FIRST_VALUES = """\
logic [7:0] begun = 8'h5a, rows [0:9]; logic [3:0] low = 4'h3; logic [7:0] wide [1:5];
initial begin rows[2] = 8'h11; rows[9] = 8'h77; end
always @(posedge clock) begin
  begun <= begun * 5 + x; low <= low + begun[7:4];
  if (!reset && x[0]) rows[x[4:1]] <= begun;
  if (x[1]) wide[x[4:2]] <= begun + {4'b0, low};
end
assign y = begun ^ rows[x[7:4]] ^ wide[low[2:0]];
"""
"""Registers and rows that begin with values of their own, and memories of 10 and of 5 rows."""


def _compare(folder: Path, text: str) -> int:
    """Compare all tokens and counters; return the host cycles of a run without stalls."""
    source = write(folder, text)
    cpu = goldengate.compile([source], "Top", folder / "cpu")
    request = Request([str(source)], "Top", str(folder / "form"), target="fame1")
    form = compile_shared(request, Sharing(fame5_threads=THREADS))
    target, manifest = Manifest.read(cpu), Manifest.read(form)
    said = manifest.fame1
    assert said is not None and Shared.read(form) == Shared(THREADS, fame5_threads=THREADS)
    files = [form / name for name in said.files]
    host = goldengate.compile(files, said.top, folder / "host", clock=said.clock, reset=said.reset)
    ports = [port for port in target.ports if port.direction == "in"]
    first = seed()
    for number in range(first, first + 4):
        generator = random.Random(number)
        given = [
            [
                {port.name: generator.getrandbits(port.width_bits) for port in ports}
                | {"reset": int(cycle < 3 + 5 * thread)}
                for cycle in range(CYCLES)
            ]
            for thread in range(THREADS)
        ]
        outputs: list[list[dict[str, int]]] = []
        counters: dict[str, int] = {}
        for thread, values in enumerate(given):
            with Model(cpu / "model.so") as model:
                outputs.append([tokens_of(target, model.step(one)) for one in values])
                after = model.step(values[-1])
            counters |= {node_name(thread, one.port): after[one.port] for one in target.counters}
        inputs = of_supernode(given)
        for eagerness in ((0.1, 0.5, 0.9, 1.0), (1.0,)):
            found = run_stalled(host / "model.so", manifest, inputs, generator, eagerness)
            assert found.outputs == of_supernode(outputs), f"seed {number}"
            assert found.counters == counters, f"seed {number}"
    return found.host_cycles


def test_tokens_of_each_target(tmp_path: Path) -> None:
    host_cycles = _compare(tmp_path, top(DESIGN))
    reset, first, last = 2, 1, 1  # A token needs a host cycle to come in, and one to go out.
    assert host_cycles == reset + first + last + THREADS * CYCLES
    manifest, plain = Manifest.read(tmp_path / "form"), Manifest.read(tmp_path / "cpu")
    assert manifest.fame1 is not None and manifest.fame1.threads == THREADS
    assert (manifest.bridges, manifest.asserts, manifest.prints) == (
        plain.bridges,
        plain.asserts,
        plain.prints,
    )


def test_first_values(tmp_path: Path) -> None:
    _compare(tmp_path, top(FIRST_VALUES))


def test_errors(tmp_path: Path) -> None:
    request = Request([str(write(tmp_path, top(DESIGN)))], "Top", str(tmp_path), target="fame1")
    with pytest.raises(GoldenGateError) as found:
        compile_shared(request, Sharing(fame5_threads=17))
    assert str(found.value) == "found 17 FAME-5 threads, expected 1 to 16."
    with pytest.raises(GoldenGateError) as found:
        compile_shared(request, Sharing(multi_cycle_memories=True, fame5_threads=2))
    assert str(found.value) == (
        "FAME-5 threads cannot be combined with multi-cycle memories: each needs the host "
        "cycles of a target cycle for itself. Remove one."
    )
