# SPDX-License-Identifier: BSD-3-Clause
"""Activity: toggles of wires, equal to what plain Verilator says of the same Verilog in SAIF."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from firesim.pipeline.check import check
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim_common.errors import InputError
from firesim_common.tools import run as run_tool
from firesim_common.tools import verilator_environment

CYCLES, RESET_CYCLES, PERIOD_FS = 700, 16, 312_500
DESIGN = """\
module Adder (input logic clock, input logic reset, input logic [7:0] step,
              output logic [99:0] sum);
  logic [99:0] next;
  assign next = sum * 100'd3 + {92'd0, step};
  always_ff @(posedge clock) sum <= reset ? 100'd1 : next;
endmodule
module Toggling (input logic clock, input logic reset);
  logic [7:0] count;
  logic odd, late;
  logic [99:0] sum;
  always_ff @(posedge clock) begin
    count <= reset ? 8'd0 : count + 8'd1;
    late <= ~reset & sum[70];
  end
  assign odd = ^{count, late};
  Adder adder (.clock, .reset, .step(count), .sum);
  FireSimTerminationBridge over (.clock, .reset, .valid(1'b0), .value({31'd0, odd}));
endmodule
"""
BRIDGE = """\
module FireSimTerminationBridge (input logic clock, input logic reset, input logic valid,
                                 input logic [31:0] value);
endmodule
"""
BENCH = f"""\
#include "VToggling.h"
#include "verilated.h"
#include "verilated_saif_c.h"

// Settled values of each cycle; the first cycle alone in a file of its own.
void simulate(const char *file, uint64_t cycles) {{
  VerilatedContext context;
  context.traceEverOn(true);
  VToggling top(&context);
  VerilatedSaifC saif;
  top.trace(&saif, 99);
  saif.open(file);
  for (uint64_t cycle = 0; cycle <= cycles; ++cycle) {{
    top.reset = cycle < {RESET_CYCLES};
    top.clock = 0;
    top.eval();
    saif.dump(cycle);
    top.clock = 1;
    top.eval();
  }}
  saif.close();
}}

int main() {{
  simulate("first.saif", 0);
  simulate("whole.saif", {CYCLES});
}}
"""
RECIPE = f"""\
name: toggling
system:
  topology: {{nodes: [soc], switches: [], links: []}}
  blades: {{toggling: {{sources: [toggling.sv], top: Toggling}}}}
  node: {{blade: toggling}}
simulation:
  max_cycles: {CYCLES}
  activity: [{{node: soc, end_cycle: {CYCLES}}}]
"""
Activity = dict[str, tuple[int, int, int]]
"""Times at 0 and at 1, and toggles, of each bit by its name."""


def read_saif(file: Path) -> Activity:
    """Return what a SAIF file says, by names."""
    found: Activity = {}
    scopes: list[str] = []
    for line in file.read_text().splitlines():
        text = line.strip()
        if text == "(NET":
            scopes.append("")
        elif match := re.match(r"\(INSTANCE (\S*)", text):
            scopes.append(match[1])
        elif match := re.match(r"\((\S+) \(T0 (\d+)\) \(T1 (\d+)\) .*\(TC (\d+)\)\)", text):
            name = ".".join([*filter(None, scopes), match[1].replace("\\", "")])
            found[name] = (int(match[2]), int(match[3]), int(match[4]))
        elif text == ")" and scopes:
            scopes.pop()
    return found


def own(found: Activity, scope: str, unit: int) -> Activity:
    """Return the design's own bits by their names below `scope`, with times in cycles.

    Clocks are none of our wires, and the bridge's ports have other names in each.
    """
    return {
        name.removeprefix(scope): (low // unit, high // unit, toggles)
        for name, (low, high, toggles) in found.items()
        if name.startswith(scope) and not re.search(r"\.(clock$|over(\.|__))", name)
    }


def verilators(folder: Path) -> Activity:
    """Return what plain Verilator says: its toggles except those from 0 to each first value."""
    (folder / "bridge.sv").write_text(BRIDGE)
    (folder / "bench.cc").write_text(BENCH)
    words = "verilator --cc --exe --build --trace-saif -Wno-lint --no-timing --x-initial 0"
    words += " --top-module Toggling -o bench toggling.sv bridge.sv bench.cc"
    command: list[str | Path] = [*words.split(), "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]
    run_tool(command, cwd=folder, env=verilator_environment())
    run_tool([folder / "obj_dir/bench"], cwd=folder)
    whole, first = read_saif(folder / "whole.saif"), read_saif(folder / "first.saif")
    return {name: (t0, t1, tc - first[name][2]) for name, (t0, t1, tc) in whole.items()}


def test_toggles_are_those_of_verilator(elsewhere: Path) -> None:
    Path("toggling.sv").write_text(DESIGN)
    outcome = run(load_text(RECIPE))
    assert outcome.reason == "max_cycles", outcome.message
    ours = own(read_saif(outcome.folder / "soc/activity.saif"), "soc.", PERIOD_FS)
    assert ours == own(verilators(elsewhere), "TOP.Toggling.", 1)
    assert len(ours) > 2 * 100 and all(low + high == CYCLES for low, high, _ in ours.values())
    with (outcome.folder / "soc/activity.csv").open(newline="") as file:
        modules = {row["module"]: row for row in csv.DictReader(file)}
    assert set(modules) >= {"soc", "soc.adder"}
    fact = outcome.result["nodes"][0]["statistics"]["activity"]
    assert int(modules["soc"]["toggles_with_below"]) == fact["toggles"]
    assert fact["cycles"] == CYCLES


def test_verilator_shows_no_activity(elsewhere: Path) -> None:
    Path("toggling.sv").write_text(DESIGN)
    with pytest.raises(InputError, match='found "verilator" with activity'):
        check(load_text(RECIPE, ["simulation.rtl_engine=verilator"]))
