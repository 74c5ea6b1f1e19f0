# SPDX-License-Identifier: BSD-3-Clause
"""A node on a simulated F2 whose memory is RTL with the board's DRAM: as in C++, to the cycle.

The DIMM holds noise at first, and its times differ by a seed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from firesim.bitstream.database import set_entries
from firesim.bitstream.simulated import simulated_board
from firesim.build.simulator import simulator
from firesim.config.bitstream import LoadedBuilds
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.snapshots.restart import restart_from
from firesim_common.errors import InputError
from rich.console import Console

from regression.support.experiment import ExperimentError
from regression.support.memory_storm import STORM, storm_recipe
from regression.support.one_board import FPGA, left
from regression.support.simulated_boards import board_farm, started

RECIPE = f"""\
{storm_recipe(4000)}placement: {{run_farm: farm.yaml}}
simulation:
  threads: 1
  status_interval_s: 0.05
  fpga: {{hwdb: hwdb.yaml, entries: {{storm: ddr3}}}}
"""
STORM_AT = "verilog: {sources: [storm.sv], top: Storm, parameters: {LIMIT: '4000', WRONG: '0'}}"
BUILDS = f"""\
builds:
  ddr3: {{{STORM_AT}, board: f2, memory: rtl, memory_hardware: {{queue_depth: 8}}}}
  fixed: {{{STORM_AT}, board: f2, memory: rtl, memory_hardware: {{dram: false}}}}
  scanned: {{{STORM_AT}, board: f2, memory: rtl, scan_chain: true}}
  serial: {{{STORM_AT}, board: ulx3s, memory: rtl}}
  plain: {{{STORM_AT}, board: f2, memory_hardware: {{dram: false}}}}
"""
DDR3 = "{model: fr_fcfs, queue_depth: 6, row_bytes: 512, ranks: 2}"
FILES = ("prints.log", "memory.json")
BASE, LOADED, PAGES, IMAGE_BYTES = 0x10000, 0x2000, 0x4000, 0x6000
"""Of a file, of the pages that the blade reads and writes, and of those and some others."""


@pytest.fixture
def folder(elsewhere: Path) -> Path:
    """Return a folder outside the checkout, the current one, with the blade and its recipes."""
    farm = board_farm(elsewhere, "f2", elsewhere / "f2.socket")
    for name, text in (("storm.sv", STORM), ("storm.yaml", RECIPE), ("builds.yaml", BUILDS),
                       ("farm.yaml", farm)):  # fmt: skip
        (elsewhere / name).write_text(text)
    return elsewhere


def simulated(*overrides: str) -> Outcome:
    return run(load_file(Path("storm.yaml"), overrides), console=Console(quiet=True))


def image_after(outcome: Outcome, results: Path) -> bytes:
    """Run a description again with the key `image`; return what the memory holds at the end."""
    description = json.loads((outcome.folder / "description.json").read_text())
    for key in ("processes", "control"):
        description.pop(key, None)
    (node,) = description["nodes"]
    node.pop("process", None)
    image = {"file": "image.bin", "address": BASE, "bytes": IMAGE_BYTES}
    node["bridges"]["memory"]["image"] = image
    results.mkdir()
    file = results / "description.json"
    file.write_text(json.dumps({**description, "results": str(results)}))
    subprocess.run([simulator(), file], check=True, capture_output=True)
    return (results / "image.bin").read_bytes()


Compare = Callable[[str, str, str], set[int]]


@pytest.fixture
def compared(folder: Path) -> Compare:
    """Return what compares runs on a board, with DIMMs of two seeds, with one of engine rtl.

    It returns the host cycles that they took.
    """

    def compare(build: str, timing: str, cache: str) -> set[int]:
        memory = f"system.node.memory={{size_mib: 4, timing: {timing}, llc: {cache}}}"
        cpp = simulated(memory)
        expected = image_after(cpp, folder / "image")
        assert any(expected[LOADED:PAGES]) and not any(expected[PAGES:])
        entries = f"simulation.fpga.entries={{storm: {build}}}"
        host_cycles: set[int] = set()
        for seed in (1, 7):
            made = simulated_board(LoadedBuilds(folder / "builds.yaml"), build, dram_seed=seed)
            set_entries(folder / "hwdb.yaml", {build: made.entry})
            with started(made, folder / "f2.socket", folder / "board.log"):
                in_rtl = simulated(memory, FPGA, entries)
                image = image_after(in_rtl, folder / f"image-{seed}")
            assert in_rtl.exit_status == 0, in_rtl.message
            assert image == expected
            assert (folder / "board.log").read_text() == ""
            assert left(in_rtl, FILES) == left(cpp, FILES)
            facts = in_rtl.result["nodes"][0]["statistics"]
            assert facts["host_traffic"]["rows"] < 50  # Prints alone, and the end.
            host_cycles.add(facts["host_cycles"])
        return host_cycles

    return compare


def test_a_fixed_latency_is_that_of_the_model_in_cpp(compared: Compare) -> None:
    host_cycles = compared("fixed", "{model: fixed, latency_cycles: 40}", "null")
    assert len(host_cycles) == 2  # The DIMM was slower, or faster: with DDR3 it makes none.


def test_ddr3_timing_is_that_of_the_model_in_cpp(compared: Compare) -> None:
    compared("ddr3", DDR3, "null")


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("untrained", "the board's DRAM is not calibrated"),
        (
            "error",
            "the board's DRAM answered an access with an error, and none has been sent since",
        ),
    ],
)
def test_a_dimm_that_fails_is_named(folder: Path, fault: str, says: str) -> None:
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), "fixed")
    set_entries(folder / "hwdb.yaml", {"fixed": made.entry})
    device = folder / "f2.socket"
    with started(made.with_options(f"--dram-fault={fault}"), device, folder / "board.log"):
        outcome = simulated(FPGA, "simulation.fpga.entries={storm: fixed}")
    assert outcome.exit_status != 0
    assert str(outcome.message).endswith(says), outcome.message


def test_a_reset_of_the_function_waits_for_the_dimm(folder: Path) -> None:
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), "fixed")
    set_entries(folder / "hwdb.yaml", {"fixed": made.entry})
    device = folder / "f2.socket"
    memory = "system.node.memory={size_mib: 4, timing: {model: fixed, latency_cycles: 40}}"
    ends = {60: "the DRAM takes no row before row 16384", 2000: "found a window with "}
    for after, text in ends.items():  # While the DRAM is cleared, and while the target runs.
        board = made.with_options(f"--flr-after={after}")
        with started(board, device, folder / "board.log"):
            outcome = simulated(memory, FPGA, "simulation.fpga.entries={storm: fixed}")
        # The shell would say that something is still on its way to the DIMM.
        assert (folder / "board.log").read_text() == ""
        assert text in str(outcome.message), outcome.message


@pytest.mark.parametrize(
    ("build", "says"),
    [
        ("scanned", "builds.scanned.memory: it cannot be combined with scan_chain: the "
         "state of that RTL is not in the chain. Remove one."),
        ("serial", 'builds.serial.memory: found "rtl" for ulx3s, expected "host": only the top of '
         '"f2" has DRAM.'),
        ("plain", 'builds.plain.memory_hardware: found it without "memory: rtl".'),
    ],
)  # fmt: skip
def test_builds_that_cannot_be_are_refused(folder: Path, build: str, says: str) -> None:
    with pytest.raises(InputError) as refusal:
        simulated_board(LoadedBuilds(folder / "builds.yaml"), build)
    assert str(refusal.value).endswith(says)


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (("system.node.memory={timing: {model: fixed}}",),
         '"soc": found memory.timing.model fixed, expected fcfs or fr_fcfs, for which the '
         'bitstream "ddr3" was built.'),
        (("system.node.memory={timing: {model: fcfs, queue_depth: 9}}",),
         '"soc": found memory.timing.queue_depth 9, expected at most 8, for which the bitstream '
         '"ddr3" was built.'),
        (("system.node.memory={timing: {model: fcfs}}", "simulation.snapshots={at_cycles: [900]}"),
         'found them with the bitstream "ddr3", expected one built with "memory: host": the state '
         'of "soc" is not saved with its memory\'s timing in RTL.'),
    ],
)  # fmt: skip
def test_runs_that_a_bitstream_was_not_built_for_are_refused(
    folder: Path, overrides: tuple[str, ...], says: str
) -> None:
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), "ddr3")
    set_entries(folder / "hwdb.yaml", {"ddr3": made.entry})
    with pytest.raises(InputError) as refusal:
        simulated(FPGA, *overrides)
    assert str(refusal.value).endswith(says)


def test_a_saved_state_is_not_taken(folder: Path) -> None:
    memory = f"system.node.memory={{size_mib: 4, timing: {DDR3}}}"
    saved = simulated(memory, "simulation.snapshots={at_cycles: [900]}")
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), "ddr3")
    set_entries(folder / "hwdb.yaml", {"ddr3": made.entry})
    snapshot = str(saved.folder / "snapshots/cycle-900")
    with pytest.raises(InputError) as refusal:
        run(
            load_file(Path("storm.yaml"), (memory, FPGA)),
            console=Console(quiet=True),
            restart=lambda plan: restart_from(snapshot, plan, None),
        )
    assert str(refusal.value) == (
        '--from: found the engine fpga for "soc", whose bitstream has the memory\'s timing in RTL, '
        "which takes no saved state, expected a build with memory: host and scan_chain: true."
    )


def _ticks(process: int) -> int:
    """Return how long a process has computed, in hundredths of a second."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11])


def _kill_when_it_runs(device: Path, is_over: threading.Event) -> None:
    """Kill the simulated board in the middle of a run: when it has computed for a second."""
    words = ["pgrep", "-f", f"firesim-f2 .*{device}"]
    board = int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    before = _ticks(board)
    while _ticks(board) < before + 100:
        if is_over.wait(0.005):
            return
    os.kill(board, signal.SIGKILL)


def test_a_board_that_is_gone_ends_the_run_with_its_results(folder: Path) -> None:
    for name in ("storm.yaml", "builds.yaml"):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace("4000", "4000000"))
    made = simulated_board(LoadedBuilds(folder / "builds.yaml"), "fixed")
    set_entries(folder / "hwdb.yaml", {"fixed": made.entry})
    device = folder / "f2.socket"
    is_over = threading.Event()
    killer = threading.Thread(target=_kill_when_it_runs, args=(device, is_over))
    with pytest.raises(ExperimentError, match="ended with status -9"), started(made, device):
        killer.start()
        outcome = simulated(FPGA, "simulation.fpga.entries={storm: fixed}")
        is_over.set()
        killer.join()
    assert outcome.reason == "error"
    assert f"soc: {device}: the simulated board is gone" in outcome.message
    (node,) = outcome.result["nodes"]
    assert "memory" not in node["statistics"] and node["statistics"]["host_traffic"]["rows"] >= 0
