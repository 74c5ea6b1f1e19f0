# SPDX-License-Identifier: BSD-3-Clause
"""Several blades on an FPGA: reflectors of one bitstream that takes two, on two boards.

Each of three has registers and streams of its own, so that one may stand while another runs; four
in supernodes have them, too, and take their cycles by twos.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from firesim.pipeline.load import load_file
from firesim.pipeline.run import run as run_loaded
from firesim.results.outcome import Outcome
from firesim_common.paths import ROOT
from rich.console import Console

from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulated_boards import boards, device_at, two_boards
from regression.support.traffic import mac_of

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
COLUMNS = ["node", "FPGA", "blade on it", "host cycles", "token hash", "differs from RTL"]
KEYS = ("pci_function", "xdma_card")
"""Of a node in a description: how its board is reached."""
NODES = ("echo0", "echo1", "echo2", "echo3")
"""The last one in supernodes alone."""
BLADES = 2
GAP_CYCLES = 1_000
BUILDS = """\
builds:
  pair: {{verilog: {{sources: [packet_reflector.sv], top: PacketReflector,
                    parameters: {{DEPTH: "8"}}}}, board: {board}, blades: {blades},
         supernode: {supernode}}}
"""
RECIPE = """\
name: shared
system:
  topology: {{tree: {{tor0: [{nodes}, noise]}}}}
  link: {{latency_cycles: 2000}}
  blades:
    reflector: {{sources: [packet_reflector.sv], top: PacketReflector, parameters: {{DEPTH: 8}}}}
  node: {{blade: reflector}}
  nodes:
    noise: {{blade: traffic, traffic: noise.traffic}}
simulation:
  threads: 4
  max_cycles: {cycles}
  captures: true
  fpga: {{hwdb: hwdb.yaml, entries: {{reflector: pair}}}}
placement: {{run_farm: farm.yaml}}
"""
SWITCH_FILES = ("tor0/capture.pcapng", "tor0/ports.json")


def _files(nodes: Sequence[str]) -> list[str]:
    own = [f"{node}/{name}" for node in nodes for name in ("uart.log", "counters.csv")]
    return [*own, *SWITCH_FILES]


def _write(folder: Path, board: str, frames: int, nodes: Sequence[str], supernode: bool) -> None:
    folder.mkdir(parents=True)
    shutil.copy(REFLECTOR, folder)
    (folder / "builds.yaml").write_text(
        BUILDS.format(board=board, blades=BLADES, supernode=str(supernode).lower())
    )
    cycles = 10_000 + frames * GAP_CYCLES
    (folder / "recipe.yaml").write_text(RECIPE.format(cycles=cycles, nodes=", ".join(nodes)))
    (folder / "farm.yaml").write_text(two_boards(folder, board))
    lines = [
        f"{500 + GAP_CYCLES * i} {mac_of(i % len(nodes))} {24 + 6 * (i % 5)}" for i in range(frames)
    ]
    (folder / "noise.traffic").write_text("\n".join(lines) + "\n")


def _run(folder: Path, engine: str, nodes: Sequence[str]) -> Outcome:
    loaded = load_file(
        folder / "recipe.yaml", [f"simulation.engines={dict.fromkeys(nodes, engine)}"]
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


def shared(
    experiment: Experiment, board: str, frames: int, supernode: bool
) -> tuple[list[list[str]], list[str]]:
    """Run the reflectors on two simulated boards; return rows, and what differs from RTL.

    Raises:
        ExperimentError: a run or a board failed.
    """
    how = f"{board}, supernodes" if supernode else board
    nodes = NODES if supernode else NODES[:3]
    folder = (
        experiment.folder / (f"{board}-supernodes" if supernode else f"{board}-shared")
    ).absolute()
    _write(folder, board, frames, nodes, supernode)
    database = folder / "hwdb.yaml"
    devices = [device_at(folder, board, index) for index in range(2)]
    rtl = _run(folder, "rtl", nodes)
    pairs = dict.fromkeys(devices, "pair")
    with boards(folder / "builds.yaml", pairs, database, hostile_seed=experiment.seed):
        fpga = _run(folder, "fpga", nodes)
    wrong = [key for key in ("token_hash", "end_cycle") if rtl.result[key] != fpga.result[key]]
    wrong += [
        name
        for name in _files(nodes)
        if (rtl.folder / name).read_bytes() != (fpga.folder / name).read_bytes()
    ]
    seats = _seats(fpga)
    if seats != {node: (f"board{i // BLADES}", i % BLADES) for i, node in enumerate(nodes)}:
        wrong.append(f"seats {seats}")
    rows = [
        [f"{how}: {node['name']}", *map(str, seats.get(node["name"], ("none", "none"))),
         f"{node['statistics']['host_cycles']:,}", str(fpga.result["token_hash"]),
         ", ".join(wrong) or "nothing"]
        for node in fpga.result["nodes"]
        if node["name"] in nodes
    ]  # fmt: skip
    return rows, [f"shared {how}: {what}" for what in wrong]
