# SPDX-License-Identifier: BSD-3-Clause
"""Quickstart: two Rocket servers, on simulated boards of their own or on one, beside engine rtl.

Without its trace: each traced instruction is a row of its own, thirty times as many words.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

import yaml
from firesim.bitstream.database import set_entries
from firesim.bitstream.simulated import simulated_board
from firesim.config.bitstream import LoadedBuilds
from firesim.config.load import load_file
from firesim.run.runner import Outcome
from firesim.run.runner import run as run_loaded
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


def _run(folder: Path, engine: str) -> Outcome:
    loaded = load_file(folder / "quickstart.yaml", [f"simulation.engine={engine}"])
    outcome = run_loaded(loaded, results=folder / engine, console=Console(quiet=True))
    if outcome.exit_status != 0:
        raise ExperimentError(f"{outcome.folder}: {outcome.reason}: {outcome.message}")
    return outcome


def _write(folder: Path, board: str, blades: int, devices: list[str]) -> None:
    """Write what a user would have."""
    (folder / "builds.yaml").write_text(
        f"builds: {{server: {{blade: rocket-1, board: {board}, blades: {blades}}}}}\n"
    )
    farm = {"kind": "local", "processes": 1, "folder": f"{folder}/hosts", "fpgas": len(devices)}
    (folder / "farm.yaml").write_text(
        yaml.safe_dump({**farm, "platform": board, "devices": devices})
    )
    config = yaml.safe_load((ROOT / "deploy/recipes/quickstart.yaml").read_text())
    entries = {"hwdb": "hwdb.yaml", "entries": {"rocket-1": "server"}}
    over = {
        "simulation": {"fpga": entries, "tracing": {"enabled": False}},
        "placement": {"run_farm": "farm.yaml"},
    }
    (folder / "quickstart.yaml").write_text(yaml.safe_dump(merged(config, over)))


def quickstart(
    experiment: Experiment, board: str, blades: int = 1, line_cycles: int | None = None
) -> tuple[list[list[str]], list[str]]:
    """Run quickstart with both nodes on simulated boards; return rows, and what differs from RTL.

    A board has so many blades on it. A bit of a board's serial line takes `line_cycles` host
    cycles, or as many as on the board.

    Raises:
        ExperimentError: a run or a board failed.
    """
    folder = (experiment.folder / f"quickstart-{board}-{blades}").absolute()
    folder.mkdir(parents=True)
    devices = [folder / f"board{index}" for index in range(len(NODES) // blades)]
    _write(folder, board, blades, [str(device) for device in devices])
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), "server", line_cycles)
    set_entries(folder / "hwdb.yaml", {"server": made.entry})
    rtl = _run(folder, "rtl")
    with ExitStack() as stack:
        for device in devices:
            stack.enter_context(started(made, device))
        begin_s = time.monotonic()
        fpga = _run(folder, "fpga")
        took_s = time.monotonic() - begin_s
    found = (fpga.result["token_hash"], fpga.result["end_cycle"])
    wrong = [] if found == (HASH, END_CYCLE) else [f"{found[0]} in cycle {found[1]}"]
    wrong += [
        name
        for name in FILES
        if (rtl.folder / name).read_bytes() != (fpga.folder / name).read_bytes()
    ]
    rows = []
    for node in fpga.result["nodes"]:
        facts, words = node["statistics"], node["statistics"]["host_traffic"]
        rows.append(
            [
                f"{board}{f', {blades} blades' if blades > 1 else ''}: {node['name']}",
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
