# SPDX-License-Identifier: BSD-3-Clause
"""Boards without boards: every top elaborates, every project runs, some of them run a cluster.

The packet reflector goes into the top of every board. Tops for Vivado are read with stubs of AMD's
cores and of AWS's shell; Tcl and constraints of AMD's boards run against the recorder of Vivado's
commands. Tops with a serial line are compiled and simulated bit by bit behind pseudo-terminals,
that of F2 in a shell of ours and those behind AMD's XDMA with models of its cores behind sockets,
that on Ethernet with LiteEth's core behind UDP, once with losses: a recipe with the engine `fpga`
runs a cluster of the reflector, a blade that talks on its console, and a traffic generator over two
such boards. Token hash, consoles, prints, counters and captures must be those of the engine `rtl`.
Snapshots of the
cluster, whose boards then have scan chains and more state than any queue on the way, go on in the
other engine with its hash. Three reflectors run on two boards whose bitstream takes two, and four
where those are supernodes. In all of these the boards have two unrelated clocks (one, with
a serial line) and a hostile shell or line, by the seed. Without --quick the whole of
quickstart runs on two F2, on one F2 with two blades and with a supernode of two, and on two
boards behind serial lines whose bits take five host cycles instead of 25, with its
published hash.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from firesim.bitstream.forms import build_design, design_form
from firesim.boards.board import Board
from firesim.boards.known import all_boards
from firesim.boards.ways.base import Losses
from firesim.boards.ways.serial import Serial
from firesim.config.bitstream import LoadedBuilds
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run as run_loaded
from firesim.results.outcome import Outcome
from rich.console import Console

from regression.hardware.boards.projects import check_aws_top, check_project
from regression.hardware.boards.quickstart import IN_RTL, QUICKSTARTS, quickstart
from regression.hardware.boards.shared import COLUMNS as SHARED_COLUMNS
from regression.hardware.boards.shared import REFLECTOR, shared
from regression.hardware.boards.snapshots import COLUMNS as SNAPSHOT_COLUMNS
from regression.hardware.boards.snapshots import go_on
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.simulated_boards import boards, device_at, is_on_ethernet, two_boards
from regression.support.traffic import mac_of

TALKER = Path(__file__).with_name("talker.sv")
QUICK_FRAMES, FRAMES = 6, 60
LOSS_PERCENT = 10
"""Of datagrams each way; as many come twice, and as many late."""
GAP_CYCLES = 3_000
BUILDS = """\
builds:
  echo-8: {{verilog: {{sources: [packet_reflector.sv], top: PacketReflector,
                      parameters: {{DEPTH: "8"}}}}, board: {board}}}
  talk-1: {{verilog: {{sources: [talker.sv], top: Talker, parameters: {{LIMIT: "{limit}"}}}},
           board: {board}}}
"""
RECIPE = """\
name: boards
system:
  topology: {{tree: {{tor0: [echo, talk, noise]}}}}
  link: {{latency_cycles: 2000}}
  blades:
    reflector: {{sources: [packet_reflector.sv], top: PacketReflector, parameters: {{DEPTH: 8}}}}
    talker: {{sources: [talker.sv], top: Talker, parameters: {{LIMIT: {limit}}}}}
  nodes:
    echo: {{blade: reflector}}
    talk: {{blade: talker}}
    noise: {{blade: traffic, traffic: noise.traffic}}
simulation:
  threads: 1
  end_when: first
  captures: true
  autocounter: {{enabled: true, interval_cycles: 2000}}
  fpga: {{hwdb: hwdb.yaml, entries: {{reflector: echo-8, talker: talk-1}}}}
placement: {{run_farm: farm.yaml}}
"""
QUICKSTART_COLUMNS = ["node", "target cycles", "host cycles", "words down", "words up",
                      "token hash", "target kHz", "differs from RTL"]  # fmt: skip
FILES = ("echo/uart.log", "echo/counters.csv", "talk/uart.log", "talk/counters.csv",
         "talk/prints.log", "tor0/capture.pcapng", "tor0/ports.json")  # fmt: skip


def _write(folder: Path, board: str, frames: int) -> None:
    """Write what a user would have."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in (REFLECTOR, TALKER):
        shutil.copy(source, folder)
    limit = 5_000 + frames * GAP_CYCLES
    (folder / "builds.yaml").write_text(BUILDS.format(board=board, limit=limit))
    (folder / "recipe.yaml").write_text(RECIPE.format(limit=limit))
    (folder / "farm.yaml").write_text(two_boards(folder, board))
    lines = [f"{500 + GAP_CYCLES * i} {mac_of(0)} {24 + 6 * (i % 5)}" for i in range(frames)]
    # Never sent: the generator must not be the first to end.
    lines.append(f"{10 * limit} {mac_of(0)} 24")
    (folder / "noise.traffic").write_text("\n".join(lines) + "\n")


def _run(folder: Path, engine: str, board: str) -> Outcome:
    engines = {"echo": engine, "talk": engine}
    loaded = load_file(folder / "recipe.yaml", [f"simulation.engines={engines}"])
    outcome = run_loaded(loaded, results=folder / f"{engine}-{board}", console=Console(quiet=True))
    if outcome.exit_status != 0:
        raise ExperimentError(f"{outcome.folder}: {outcome.reason}: {outcome.message}")
    return outcome


def _kept(outcome: Outcome) -> dict[str, Any]:
    """Return what a run left that must not depend on the engine."""
    result = outcome.result
    ends = {node["name"]: (node["ended_at_cycle"], node["exit_code"]) for node in result["nodes"]}
    files = {name: (outcome.folder / name).read_bytes() for name in FILES}
    return {"token hash": result["token_hash"], "ends": ends, **files}


def _on_boards(
    experiment: Experiment, board: str, losses: Losses | None = None
) -> tuple[list[list[str]], list[str], str]:
    """Run the cluster on two simulated boards; return rows, what differs from RTL, and the hash."""
    how = f"{board}, {losses.percent} % lost" if losses else board
    folder = (experiment.folder / (f"{board}-lossy" if losses else board)).absolute()
    _write(folder, board, QUICK_FRAMES if experiment.quick else FRAMES)
    devices = {device_at(folder, board): "echo-8", device_at(folder, board, 1): "talk-1"}
    database = folder / "hwdb.yaml"
    with boards(folder / "builds.yaml", devices, database, losses, experiment.seed):
        rtl, fpga = _run(folder, "rtl", board), _run(folder, "fpga", board)
    first, second = _kept(rtl), _kept(fpga)
    differing = [name for name in first if first[name] != second[name]]
    rows = []
    for node in fpga.result["nodes"]:
        facts = node["statistics"]
        if "host_traffic" not in facts:
            continue
        words = facts["host_traffic"]
        rows.append(
            [
                f"{how}: {node['name']}",
                f"{node['cycles']:,}",
                f"{facts['host_cycles']:,}",
                f"{words['words_down']:,}",
                f"{words['words_up']:,}",
                first["token hash"],
                ", ".join(differing) or "nothing",
            ]
        )
    return rows, differing, str(first["token hash"])


def _quickstarts(experiment: Experiment) -> tuple[list[list[str]], list[str]]:
    """Run the whole of quickstart on simulated boards; return rows, and what differs from RTL."""
    rows, wrong = [], []
    for title, runs in (
        ("Quickstart on simulated boards", QUICKSTARTS),
        ("Memory timing on a simulated F2, two small Rocket servers", IN_RTL),
    ):
        found: list[list[str]] = []
        for each in runs:
            more, differing = quickstart(experiment, each)
            found += more
            wrong += [f"quickstart: {each.name}: {what}" for what in differing]
        experiment.table(title, QUICKSTART_COLUMNS, found)
        rows += found
    return rows, wrong


def _with_different_tops(known: dict[str, Board], quick: bool) -> list[str]:
    """Return the boards that can be simulated, one of those whose tops are the same text.

    With --quick one behind AMD's XDMA, as what differs between their tops is a pin of the board
    that a simulation does not look at, and none on Ethernet: test_ethernet_board.py has it.
    """
    found: dict[str, str] = {}
    for name, board in known.items():
        if board.way is not None and not (quick and is_on_ethernet(board)):
            flow = board.vivado_flow
            differs = [] if flow is None or quick else flow.defines
            found.setdefault(f"{flow.shell} {differs}" if flow else name, name)
    return list(found.values())


def _clusters(
    experiment: Experiment, known: dict[str, Board], simulated: list[str]
) -> tuple[list[list[str]], list[str], list[str]]:
    """Run the cluster on each board, on Ethernet with losses, too; return rows, faults, hashes."""
    lost = Losses(LOSS_PERCENT, experiment.seed)
    how: list[tuple[str, Losses | None]] = [(name, None) for name in simulated]
    how += [(name, lost) for name in simulated if is_on_ethernet(known[name])]
    rows, wrong, hashes = [], [], []
    for name, losses in how:
        more, differing, found = _on_boards(experiment, name, losses)
        rows += more
        hashes.append(found)
        wrong += [f"{more[0][0]}: {what}" for what in differing]
    experiment.table(
        "A cluster on simulated boards",
        ["node", "target cycles", "host cycles", "words down", "words up", "token hash",
         "differs from RTL"],
        rows,
    )  # fmt: skip
    return rows, wrong, hashes


def _snapshots(
    experiment: Experiment, known: dict[str, Board], names: list[str]
) -> tuple[list[list[str]], list[str]]:
    """Save and go on on each of the boards; return rows, and what differs from the whole run.

    With --quick none on F2, which test_fpga_snapshots.py has, nor over a serial line, where that
    takes minutes.
    """
    frames = QUICK_FRAMES if experiment.quick else FRAMES
    rows, wrong = [], []
    for name in names:
        if experiment.quick and (name == "f2" or isinstance(known[name].way, Serial)):
            continue
        more, differing = go_on(experiment, name, _write, frames)
        rows += more
        wrong += differing
    experiment.table("Snapshots on simulated boards", SNAPSHOT_COLUMNS, rows)
    return rows, wrong


def _together(experiment: Experiment, names: list[str]) -> tuple[list[list[str]], list[str]]:
    """Run several blades on each of the boards; return rows, and what differs from RTL.

    With --quick no supernode on F2, which test_fpga_supernode.py has, and nothing else behind XDMA.
    """
    frames = QUICK_FRAMES if experiment.quick else FRAMES
    rows, wrong = [], []
    for name in names:
        for supernode in (False, True):
            if experiment.quick and supernode == (name == "f2"):
                continue
            more, differing = shared(experiment, name, frames, supernode)
            rows += more
            wrong += differing
    experiment.table("Several blades on a simulated board", SHARED_COLUMNS, rows)
    return rows, wrong


@experiment_named("boards")
def run(experiment: Experiment) -> Verdict:
    """Hold when every top and project is whole, and the runs on simulated boards are RTL's."""
    known = all_boards()
    simulated = _with_different_tops(known, experiment.quick)
    rows, wrong, hashes = _clusters(experiment, known, simulated)
    saved, differing = _snapshots(experiment, known, simulated)
    wrong += differing
    together, differing = _together(
        experiment, [name for name in simulated if known[name].most_blades > 1]
    )
    wrong += differing
    if not experiment.quick:
        more, differing = _quickstarts(experiment)
        rows += more
        wrong += differing
    form = design_form(build_design(LoadedBuilds(experiment.folder / simulated[0] / "builds.yaml"),
                                    "echo-8"))  # fmt: skip
    projects = [
        [name, *check_project(form, name, board, experiment.folder / "projects" / name)]
        for name, board in known.items()
        if board.vivado_flow is not None
    ]
    projects += [
        [name, *check_aws_top(form, name, board, experiment.folder / "projects" / name)]
        for name, board in known.items()
        if board.aws_flow is not None
    ]
    experiment.table("Tops for Vivado", ["board", "top elaborates", "Tcl, recorded"], projects)
    without = [name for name, one in known.items() if one.way is None]
    experiment.say(f"without a top module: {', '.join(without)}")
    experiment.keep(
        hashes=hashes, wrong=wrong, projects=projects, without_top=without, snapshots=saved
    )
    figure = (
        f"{len(rows) + len(together)} nodes on simulated boards and {len(saved)} snapshots with "
        f"{len(wrong)} differences from RTL, "
        f"{len(projects)} further tops whole,"
    )
    holds = not wrong and all((rows, saved, together, projects)) and len(set(hashes)) == 1
    return Verdict(holds, figure, "no difference")
