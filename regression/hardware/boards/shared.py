# SPDX-License-Identifier: BSD-3-Clause
"""Several blades on an FPGA: three reflectors of one bitstream that takes two, on two boards.

Each blade has registers and streams of its own, so that one may stand while another runs.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from firesim.config.load import load_file
from firesim.run.runner import Outcome
from firesim.run.runner import run as run_loaded
from firesim_common.paths import ROOT
from rich.console import Console

from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulated_boards import boards, device_at, two_boards
from regression.support.traffic import mac_of

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
COLUMNS = ["node", "FPGA", "blade on it", "host cycles", "token hash", "differs from RTL"]
KEYS = ("pci_function", "xdma_card")
"""Of a node in a description: how its board is reached."""
NODES = ("echo0", "echo1", "echo2")
BLADES = 2
GAP_CYCLES = 1_000
BUILDS = """\
builds:
  pair: {{verilog: {{sources: [packet_reflector.sv], top: PacketReflector,
                    parameters: {{DEPTH: "8"}}}}, board: {board}, blades: {blades}}}
"""
RECIPE = """\
name: shared
system:
  topology: {{tree: {{tor0: [echo0, echo1, echo2, noise]}}}}
  link: {{latency_cycles: 2000}}
  blades:
    reflector: {{sources: [packet_reflector.sv], top: PacketReflector, parameters: {{DEPTH: 8}}}}
  node: {{blade: reflector}}
  nodes:
    noise: {{blade: traffic, traffic: noise.traffic}}
simulation:
  threads: 2
  max_cycles: {cycles}
  captures: true
  fpga: {{hwdb: hwdb.yaml, entries: {{reflector: pair}}}}
placement: {{run_farm: farm.yaml}}
"""
FILES = (*(f"{node}/{name}" for node in NODES for name in ("uart.log", "counters.csv")),
         "tor0/capture.pcapng", "tor0/ports.json")  # fmt: skip


def _write(folder: Path, board: str, frames: int) -> None:
    folder.mkdir(parents=True)
    shutil.copy(REFLECTOR, folder)
    (folder / "builds.yaml").write_text(BUILDS.format(board=board, blades=BLADES))
    cycles = 10_000 + frames * GAP_CYCLES
    (folder / "recipe.yaml").write_text(RECIPE.format(cycles=cycles))
    (folder / "farm.yaml").write_text(two_boards(folder, board))
    lines = [
        f"{500 + GAP_CYCLES * i} {mac_of(i % len(NODES))} {24 + 6 * (i % 5)}" for i in range(frames)
    ]
    (folder / "noise.traffic").write_text("\n".join(lines) + "\n")


def _run(folder: Path, engine: str) -> Outcome:
    loaded = load_file(
        folder / "recipe.yaml", [f"simulation.engines={dict.fromkeys(NODES, engine)}"]
    )
    outcome = run_loaded(loaded, results=folder / engine, console=Console(quiet=True))
    if outcome.reason != "max_cycles":
        raise ExperimentError(f"{outcome.folder}: {outcome.reason}: {outcome.message}")
    return outcome


def _seats(fpga: Outcome) -> dict[str, tuple[str, int]]:
    """Return on which FPGA each node was, by the name of its device, and which blade of it."""
    nodes = json.loads((fpga.folder / "description.json").read_text())["nodes"]
    found = {node["name"]: next((v for k, v in node.items() if k in KEYS), None) for node in nodes}
    return {name: (Path(at["device"]).name, at["slot"]) for name, at in found.items() if at}


def shared(experiment: Experiment, board: str, frames: int) -> tuple[list[list[str]], list[str]]:
    """Run the reflectors on two simulated boards; return rows, and what differs from RTL.

    Raises:
        ExperimentError: a run or a board failed.
    """
    folder = (experiment.folder / f"{board}-shared").absolute()
    _write(folder, board, frames)
    database = folder / "hwdb.yaml"
    devices = [device_at(folder, board, index) for index in range(2)]
    rtl = _run(folder, "rtl")
    with boards(folder / "builds.yaml", dict.fromkeys(devices, "pair"), database):
        fpga = _run(folder, "fpga")
    wrong = [key for key in ("token_hash", "end_cycle") if rtl.result[key] != fpga.result[key]]
    wrong += [
        name
        for name in FILES
        if (rtl.folder / name).read_bytes() != (fpga.folder / name).read_bytes()
    ]
    seats = _seats(fpga)
    if seats != dict(zip(NODES, [("board0", 0), ("board0", 1), ("board1", 0)], strict=True)):
        wrong.append(f"seats {seats}")
    rows = [
        [f"{board}: {node['name']}", *map(str, seats.get(node["name"], ("none", "none"))),
         f"{node['statistics']['host_cycles']:,}", str(fpga.result["token_hash"]),
         ", ".join(wrong) or "nothing"]
        for node in fpga.result["nodes"]
        if node["name"] in NODES
    ]  # fmt: skip
    return rows, [f"shared {board}: {what}" for what in wrong]
