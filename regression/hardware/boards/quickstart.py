# SPDX-License-Identifier: BSD-3-Clause
"""Quickstart: two Rocket servers, on simulated boards of their own or on one, beside engine rtl.

Without its trace: each traced instruction is a row of its own, thirty times as many words.
"""

from __future__ import annotations

import re
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from firesim.bitstream.database import set_entries
from firesim.bitstream.simulated import simulated_board
from firesim.boards.ways.base import Wishes
from firesim.config.bitstream import LoadedBuilds
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run as run_loaded
from firesim.results.outcome import Outcome
from firesim_common.paths import ROOT
from rich.console import Console

from regression.support.cluster import merged
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulated_boards import started

HASH = "dddd1ba6da304c7e"
END_CYCLE = 930_741
NODES = ("node0", "node1")
FILES = (
    *(f"{node}/{name}" for node in NODES
      for name in ("uart.log", "counters.csv", "memory.json")),
    "tor0/capture.pcapng", "tor0/ports.json", "tor0/throughput.csv",
)  # fmt: skip

PARTS = ("block_device", "memory", "nic", "uart")
"""Bridges whose statistics are compared, too."""


@dataclass(frozen=True)
class Quickstart:
    """Which boards, what is on them, and which memory the servers have."""

    name: str
    board: str
    blades: int = 1
    """How many are on one board."""
    line_cycles: int | None = None
    """Host cycles of a bit of its serial line, if not as many as on the board."""
    blade: str = "rocket-1"
    build: dict[str, Any] = field(default_factory=dict)
    """Further keys of the build recipe."""
    timing: dict[str, Any] | None = None
    """Of the memory, if not that of quickstart."""

    @property
    def is_plain(self) -> bool:
        """Whether the token hash must be that of quickstart."""
        return self.blade == "rocket-1" and self.timing is None


_SMALL = "rocket-1-small"
_IN_RTL = {"memory": "rtl"}
_FIXED = {"memory": "rtl", "memory_hardware": {"dram": False}}
_DDR3 = {"model": "fr_fcfs"}
QUICKSTARTS = (
    Quickstart("f2", "f2"),
    Quickstart("f2, 2 blades", "f2", 2),
    Quickstart("f2, supernode", "f2", 2, build={"supernode": True}),
    Quickstart("ulx3s", "ulx3s", line_cycles=5),
)
IN_RTL = (
    Quickstart("fixed, by the host's program", "f2", 2, blade=_SMALL),
    Quickstart("fixed, in RTL", "f2", 2, blade=_SMALL, build=_FIXED),
    Quickstart(
        "fixed, in RTL, supernode", "f2", 2, blade=_SMALL, build={**_FIXED, "supernode": True}
    ),
    Quickstart("FR-FCFS, by the host's program", "f2", 2, blade=_SMALL, timing=_DDR3),
    Quickstart("FR-FCFS, in RTL", "f2", 2, blade=_SMALL, build=_IN_RTL, timing=_DDR3),
)
"""The memory's timing here and there; the DIMM's words are compared, too, by what is done with
them."""


def _run(folder: Path, engine: str) -> Outcome:
    loaded = load_file(folder / "quickstart.yaml", [f"simulation.engine={engine}"])
    outcome = run_loaded(loaded, results=folder / engine, console=Console(quiet=True))
    if outcome.exit_status != 0:
        raise ExperimentError(f"{outcome.folder}: {outcome.reason}: {outcome.message}")
    return outcome


def _write(folder: Path, wanted: Quickstart, devices: list[str]) -> None:
    """Write what a user would have."""
    server = {"blade": wanted.blade, "board": wanted.board, "blades": wanted.blades, **wanted.build}
    (folder / "builds.yaml").write_text(yaml.safe_dump({"builds": {"server": server}}))
    farm = {"kind": "local", "processes": 1, "folder": f"{folder}/hosts", "fpgas": len(devices)}
    (folder / "farm.yaml").write_text(
        yaml.safe_dump({**farm, "platform": wanted.board, "devices": devices})
    )
    config = yaml.safe_load((ROOT / "deploy/recipes/quickstart.yaml").read_text())
    entries = {"hwdb": "hwdb.yaml", "entries": {wanted.blade: "server"}}
    memory = {} if wanted.timing is None else {"memory": {"timing": wanted.timing}}
    over = {
        "system": {"node": {"blade": wanted.blade, **memory}},
        "simulation": {"fpga": entries, "tracing": {"enabled": False}},
        "placement": {"run_farm": "farm.yaml"},
    }
    (folder / "quickstart.yaml").write_text(yaml.safe_dump(merged(config, over)))


def quickstart(experiment: Experiment, wanted: Quickstart) -> tuple[list[list[str]], list[str]]:
    """Run quickstart with both nodes on simulated boards; return rows, and what differs from RTL.

    Raises:
        ExperimentError: a run or a board failed.
    """
    folder = (
        experiment.folder / f"quickstart-{re.sub('[^A-Za-z0-9]+', '-', wanted.name)}"
    ).absolute()
    folder.mkdir(parents=True)
    devices = [folder / f"board{index}" for index in range(len(NODES) // wanted.blades)]
    _write(folder, wanted, [str(device) for device in devices])
    made = simulated_board(
        LoadedBuilds(folder / "builds.yaml"), "server", Wishes(wanted.line_cycles)
    )
    set_entries(folder / "hwdb.yaml", {"server": made.entry})
    rtl = _run(folder, "rtl")
    with ExitStack() as stack:
        for device in devices:
            stack.enter_context(started(made, device))
        begin_s = time.monotonic()
        fpga = _run(folder, "fpga")
        took_s = time.monotonic() - begin_s
    found = (fpga.result["token_hash"], fpga.result["end_cycle"])
    expected = (rtl.result["token_hash"], rtl.result["end_cycle"])
    if wanted.is_plain:
        expected = (HASH, END_CYCLE)
    wrong = [] if found == expected else [f"{found[0]} in cycle {found[1]}"]
    wrong += [
        name
        for name in FILES
        if (rtl.folder / name).read_bytes() != (fpga.folder / name).read_bytes()
    ]
    wrong += [
        f"statistics of {ours['name']}: {part}"
        for ours, theirs in zip(rtl.result["nodes"], fpga.result["nodes"], strict=True)
        for part in PARTS
        if ours["statistics"][part] != theirs["statistics"][part]
    ]
    rows = []
    for node in fpga.result["nodes"]:
        facts, words = node["statistics"], node["statistics"]["host_traffic"]
        rows.append(
            [
                f"{wanted.name}: {node['name']}",
                f"{node['cycles']:,}",
                f"{facts['host_cycles']:,}",
                f"{words['words_down']:,}",
                f"{words['words_up']:,}",
                found[0],
                f"{node['cycles'] / took_s / 1e3:.1f}",
                ", ".join(wrong) or "nothing",
            ]
        )
    return rows, wrong
