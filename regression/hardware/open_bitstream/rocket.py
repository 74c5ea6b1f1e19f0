# SPDX-License-Identifier: BSD-3-Clause
"""A small Rocket core on a ULX3S: its bitstream, and the netlist of it running a program.

The build is that of `firesim buildbitstream rocket-small`, from the cache when it is there. The
netlist after synthesis that the bitstream is made of becomes a model behind a pseudo-terminal,
which a recipe with the engine `fpga` then drives over its serial line as it would drive a board.
"""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from pathlib import Path

import yaml
from firesim.bitstream.command import build_all, build_farm_of, make_builds
from firesim.bitstream.database import set_entries
from firesim.bitstream.farm import Build
from firesim.bitstream.simulated import Simulated
from firesim.boards.known import load_board
from firesim.boards.ways.serial import PROGRAM, TOP, Serial
from firesim.build.simulator import configure_and_build
from firesim.config.bitstream import LoadedBuilds, find_builds
from firesim.config.hwdb import HwdbEntry
from firesim.hosts.client import sha256_of
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run as run_loaded
from firesim.results.outcome import Outcome
from firesim.work.steps import Steps
from goldengate import Manifest
from rich.console import Console

from regression.hardware.open_bitstream.netlist import flat_netlist_model
from regression.support.experiment import Experiment, ExperimentError
from regression.support.simulated_boards import started

BUILDS, BUILD, BLADE = "rocket-small", "rocket-1-small", "rocket-1-small"
TARGET_CYCLES = 10_000
"""The netlist takes its time, and the serial line 2,250 host cycles a word."""
HEAD = ["COMB", "FF", "DP16KD", "fmax (MHz)", "synthesis (CPU s)", "place, route (CPU s)",
        "memory (MB)", "bitstream (bytes)"]  # fmt: skip
RUN_HEAD = ["target cycles", "host cycles", "words down", "words up", "token hash", "CPU s",
            "differs from RTL"]  # fmt: skip


@dataclass(frozen=True)
class Rocket:
    """What came of it."""

    fmax_mhz: float
    wrong: list[str]
    """What its netlist did otherwise than the RTL engine."""


def _built(experiment: Experiment) -> Build:
    """Return the build, made now or before.

    Raises:
        ExperimentError: it failed.
    """
    loaded = LoadedBuilds(find_builds(BUILDS))
    build = make_builds(loaded, [BUILD], Steps(experiment.console))[0]
    folder, database = experiment.folder / "builds", experiment.folder / "built.yaml"
    farm = build_farm_of(loaded, None)
    build_all([build], farm, False, folder, database, experiment.console)
    if build.fault:
        raise ExperimentError(build.fault)
    return build


def _board(build: Build, folder: Path) -> Simulated:
    """Return the board with the build's netlist in it."""
    assert build.folder is not None
    name = build.wanted.board_name
    board = load_board(name)
    way = board.way
    assert isinstance(way, Serial)
    wrapper = way.wrapper(board)
    netlist = build.folder / "netlist.v"
    library = flat_netlist_model(netlist, TOP, folder / "netlist-model", wrapper)
    program = configure_and_build("release", (PROGRAM,)) / "bin" / PROGRAM
    made = Manifest.read(library.parent)
    entry = HwdbEntry(
        bitstream=str(library),
        sha256=sha256_of(library),
        fingerprint=build.wanted.fingerprint,
        board=name,
        frequency_mhz=build.wanted.frequency_mhz,
        built=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    )
    words = [program, library, made.design_hash, way.bit_cycles(board)]
    return Simulated(name, entry, way, [str(word) for word in words])


def _write(folder: Path, board: str, device: Path, cycles: int) -> None:
    """Write what a user would have."""
    farm = {"kind": "local", "processes": 1, "folder": f"{folder}/hosts", "fpgas": 1}
    farm |= {"platform": board, "devices": [str(device)]}
    (folder / "farm.yaml").write_text(yaml.safe_dump(farm))
    recipe = {
        "system": {
            "topology": {"tree": {"tor0": ["server"]}},
            "node": {"blade": BLADE, "memory": {"size_mib": 16}},
        },
        "workload": {"node": {"program": "hello"}},
        "simulation": {
            "max_cycles": cycles,
            "fpga": {"hwdb": "hwdb.yaml", "entries": {BLADE: BUILD}},
        },
        "placement": {"run_farm": "farm.yaml"},
    }
    (folder / "recipe.yaml").write_text(yaml.safe_dump(recipe))


def _run(folder: Path, engine: str) -> Outcome:
    loaded = load_file(folder / "recipe.yaml", [f"simulation.engine={engine}"])
    return run_loaded(loaded, results=folder / engine, console=Console(quiet=True))


def _compared(experiment: Experiment, made: Simulated, folder: Path) -> list[str]:
    """Run the program on RTL and on the board; return what differs.

    Raises:
        ExperimentError: the board did not get to the end.
    """
    cycles: int = experiment.arguments.rocket_cycles
    device = folder / "board0"
    _write(folder, made.board, device, cycles)
    set_entries(folder / "hwdb.yaml", {BUILD: made.entry})
    rtl = _run(folder, "rtl")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with started(made, device):
        fpga = _run(folder, "fpga")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if fpga.result.get("end_cycle") != rtl.result["end_cycle"]:
        raise ExperimentError(f"{fpga.folder}: {fpga.reason}: {fpga.message}")
    wrong = [one for one in ("token_hash", "exit_status") if _of(rtl, one) != _of(fpga, one)]
    wrong += [
        name
        for name in ("server/uart.log", "server/memory.json")
        if (rtl.folder / name).read_bytes() != (fpga.folder / name).read_bytes()
    ]
    node = fpga.result["nodes"][0]
    words = node["statistics"]["host_traffic"]
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    row = [f"{node['cycles']:,}", f"{node['statistics']['host_cycles']:,}",
           f"{words['words_down']:,}", f"{words['words_up']:,}", fpga.result["token_hash"],
           f"{spent:.0f}", ", ".join(wrong) or "nothing"]  # fmt: skip
    experiment.table("Its netlist over the serial line", RUN_HEAD, [row])
    return wrong


def _of(outcome: Outcome, name: str) -> object:
    return outcome.exit_status if name == "exit_status" else outcome.result[name]


def rocket(experiment: Experiment) -> Rocket:
    """Build it, and run its netlist.

    Raises:
        ExperimentError: the build failed, or the netlist did not run to its end.
    """
    build = _built(experiment)
    assert build.outcome is not None and build.folder is not None
    outcome = build.outcome
    used = {kind: f"{one.used:,}" for kind, one in outcome.used.items()}
    row = [used.get(kind, "0") for kind in ("TRELLIS_COMB", "TRELLIS_FF", "DP16KD")]
    row += [f"{outcome.fmax_mhz:.1f}"]
    row += [f"{outcome.cpu_s[stage]:.0f}" for stage in ("synthesis", "place and route")]
    row += [f"{outcome.memory_mb:,.0f}", f"{(build.folder / 'firesim.bit').stat().st_size:,}"]
    experiment.table(f"{BUILD}: a bitstream for the ULX3S", HEAD, [row])
    folder = (experiment.folder / "rocket").absolute()
    folder.mkdir()
    return Rocket(outcome.fmax_mhz, _compared(experiment, _board(build, folder), folder))
