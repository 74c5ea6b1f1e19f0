# SPDX-License-Identifier: BSD-3-Clause
"""The oracle of engine-fuzz for asynchronous resets that depend on registers: Verilator.

Yosys' own simulator is none for them: it takes the data of the clock's edge again when a reset
that was active for no time has ended, and never comes to an end. Verilator does as IEEE 1800 says:
logic settles, resets act, logic settles again. One program holds each netlist as it is and after
the pass `reset_rounds`, as the Verilator engine has it; what the first answers is written as a VCD,
with which the generated engine is compared.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.tools import (
    VERILATOR_OPTIONS,
    python_command,
    verilator_environment,
)
from firesim_common.tools import run as run_tool
from goldengate.passes.first_cycle import STARTED

from regression.fuzzers.engine_fuzz.builder import name_of
from regression.fuzzers.engine_fuzz.netlists import Netlist
from regression.support.fuzzing import Difference

_ROUNDS = Path(__file__).resolve().with_name("rounds.py")
_FLAGS: list[str | Path] = [
    "--binary", "--timing", "-CFLAGS", "-std=c++20 -O0", "-Wno-fatal", "-Wno-lint", "-Wno-style",
    "--x-assign", "0", "--x-initial", "0", *VERILATOR_OPTIONS,
    "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include",  # Else small benches fail.
]  # fmt: skip
_BENCH = """\
module Bench;
  reg clock = 0, started = 0; integer at = 0;
{declarations}
  initial begin
{first}
    #1 started = 1;
    #1 at = 1;
    while (at <= {cycles}) begin
{shown}
      #1 clock = 1;
      #1 clock = 0;
      #1 at = at + 1;
    end
    $finish;
  end
  always @(posedge clock) if (at < {cycles}) begin
{following}
  end
endmodule
"""
"""Inputs change with the registers, as in a model. Before the first cycle no reset is active."""


@dataclass
class Answers:
    """What differs between the two modules, and how many netlists the pass changed."""

    differences: list[Difference] = field(default_factory=list)
    in_rounds: int = 0


def _instance(one: Netlist, module: str, side: str, started: bool) -> list[str]:
    """Return the declarations of a module's outputs and of the module."""
    name, lines, connections = name_of(one.seed), [], [".clock(clock)"]
    position = 0
    for port in one.inputs:
        width = one.widths[port]
        connections.append(f".{port} (in_{name}[{position} +: {width}])")
        position += width
    for index, (port, width) in enumerate(one.outputs):
        lines.append(f"  wire [{width - 1}:0] {name}_{side}_{index};")
        connections.append(f".{port} ({name}_{side}_{index})")
    if started:
        connections.append(f".{STARTED}(started)")
    return [*lines, f"  {module} {side}_{name}({', '.join(connections)});"]


def _bench(
    netlists: Sequence[Netlist], cycles: int, has_started: dict[str, dict[str, bool]]
) -> str:
    parts: dict[str, list[str]] = {"declarations": [], "first": [], "shown": [], "following": []}
    for one in netlists:
        name = name_of(one.seed)
        width = sum(one.widths[port] for port in one.inputs)
        parts["declarations"] += [
            f"  reg [{width - 1}:0] given_{name} [0:{cycles - 1}], in_{name};",
            *_instance(one, name, "before", has_started[name]["before"]),
            *_instance(one, f"{name}_rounds", "after", has_started[name]["after"]),
        ]
        parts["first"] += [
            f'    $readmemb("{name}.given", given_{name});',
            f"    in_{name} = given_{name}[0];",
        ]
        for side in ("before", "after"):
            values = "".join(f", {name}_{side}_{index}" for index in range(len(one.outputs)))
            form = " ".join(["%b"] * len(one.outputs))
            parts["shown"].append(f'      $display("{name} {side} {form}"{values});')
        parts["following"].append(f"    in_{name} <= given_{name}[at];")
    return _BENCH.format(cycles=cycles, **{key: "\n".join(lines) for key, lines in parts.items()})


def _vcd(one: Netlist, given: Sequence[str], rows: Sequence[list[str]]) -> str:
    """Return the text that check.cc reads."""
    ports = [*((port, one.widths[port]) for port in one.inputs), *one.outputs]
    lines = ["$var wire 1 c clock $end"]
    lines += [f"$var wire {w} p{i} {port[1:]} $end" for i, (port, w) in enumerate(ports)]
    for cycle, (bits, row) in enumerate(zip(given, rows, strict=True)):
        values, end = [], len(bits)
        for port in one.inputs:
            values.append(bits[end - one.widths[port] : end])
            end -= one.widths[port]
        changes = [f"b{value} p{index}" for index, value in enumerate([*values, *row])]
        lines += [f"#{2 * cycle}", "b0 c", *changes, f"#{2 * cycle + 1}", "b1 c"]
    return "\n".join([*lines, ""])


def simulate(folder: Path, netlists: Sequence[Netlist], given: dict[int, list[str]]) -> Answers:
    """Write NAME.vcd for each netlist into `folder`; `given` has the inputs of each seed's cycles.

    An input is bits, those of the netlist's last input first.
    """
    found = Answers()
    if not netlists:
        return found
    names = [name_of(one.seed) for one in netlists]
    for one, name in zip(netlists, names, strict=True):
        (folder / f"{name}.in.il").write_text(one.text())
        (folder / f"{name}.given").write_text("\n".join([*given[one.seed], ""]))
    run_tool(python_command(_ROUNDS, folder, *names))
    rewritten = json.loads((folder / "rounds.json").read_text())
    cycles = len(given[netlists[0].seed])
    (folder / "bench.sv").write_text(_bench(netlists, cycles, rewritten))
    texts = [file for name in names for file in (f"{name}.v", f"{name}.rounds.v")]
    command: list[str | Path] = ["verilator", *_FLAGS, "--top-module", "Bench", "bench.sv", *texts]
    run_tool(command, cwd=folder, env=verilator_environment())
    rows: dict[tuple[str, str], list[list[str]]] = {}
    for line in run_tool([folder / "obj_dir" / "VBench"], cwd=folder).splitlines():
        words = line.split()
        if words and words[0] in names:
            rows.setdefault((words[0], words[1]), []).append(words[2:])
    for one, name in zip(netlists, names, strict=True):
        found.in_rounds += rewritten[name]["is_changed"]
        before, after = rows[name, "before"], rows[name, "after"]
        (folder / f"{name}.vcd").write_text(_vcd(one, given[one.seed], before))
        for cycle, (right, own) in enumerate(zip(before, after, strict=True)):
            wrong = [
                port for (port, _), a, b in zip(one.outputs, right, own, strict=True) if a != b
            ]
            if wrong:
                what = f"output {wrong[0][1:]} of the engine Verilator differs in cycle {cycle}"
                found.differences.append(Difference(one.seed, what))
                break
    return found
