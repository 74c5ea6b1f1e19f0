# SPDX-License-Identifier: BSD-3-Clause
"""A bitstream of a whole board made here, and measured: Yosys, nextpnr-ecp5 and ecppack."""

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

from firesim.bitstream.builders.open_tools import PACKAGE, nextpnr_folder
from firesim.bitstream.builders.open_tools_job import host_clock
from firesim.boards.board import OpenFlow
from firesim.boards.design import whole_design
from firesim.boards.known import PLATFORMS
from firesim_common.tools import ToolError, python_command
from goldengate.fpga_form import FpgaForm
from goldengate.synthesis import NETLIST, NETLIST_VERILOG, Counts, synthesize

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
    pack = ["--compress", "--input", "firesim.config", "--bit", "firesim.bit"]
    spent = [_tool(_PLACE, words, folder), _tool(_PACK, pack, folder)]
    report = json.loads((folder / "report.json").read_text())
    fmax_mhz, wrong = host_clock(report, flow.clock_mhz)
    if wrong:
        raise ToolError(f"{folder.name}: {wrong}")
    cpu_s = sum(one.ru_utime + one.ru_stime for one in spent)
    return Placed(
        folder / "firesim.bit",
        fmax_mhz,
        {name: kind["used"] for name, kind in report["utilization"].items() if kind["used"]},
        round(cpu_s, 1),
        round(max(one.ru_maxrss for one in spent) / 1024, 1),
    )


def _tool(script: str, words: Sequence[str], folder: Path) -> resource.struct_rusage:
    """Run a tool and return what it took, whatever else runs at the time."""
    installed = nextpnr_folder()
    environment = dict(os.environ)
    if installed is not None:
        environment["PYTHONPATH"] = str(installed)
    command = python_command("-c", script.format(PACKAGE), *words)
    log = folder / f"{'place' if script == _PLACE else 'pack'}.log"
    with log.open("w") as said:
        done = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=said, stderr=subprocess.STDOUT
        )
        _, status, spent = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode != 0:
        found = _FULL.search(log.read_text())
        what = found[1] if found else f"exit status {done.returncode}"
        raise ToolError(f"{folder.name}: {words[0]}: {what} (see {log})")
    return spent
