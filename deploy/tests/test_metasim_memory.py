# SPDX-License-Identifier: BSD-3-Clause
"""A metasimulated node whose memory's timing is RTL: as the C++ model to the cycle.

The blade, of regression/support/memory_storm.py, sums all answers and the cycle of each.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim.snapshots.restart import restart_from
from firesim_common.errors import InputError
from rich.console import Console

from regression.support.memory_storm import STORM, storm_recipe
from regression.support.one_board import left as left_by

RECIPE = f"""\
{storm_recipe(8000)}simulation: {{threads: 1, status_interval_s: 0.05}}
"""
IN_RTL = ("simulation.engine=metasim", "simulation.metasim={memory: rtl}")
STALLED = "simulation.metasim={memory: rtl, stall_rate: 90, stall_seed: 3}"
PACED = "{model: fixed, latency_cycles: 7, max_reads: 3, max_writes: 2, bytes_per_cycle: 5}"
DDR3 = "{model: fr_fcfs, queue_depth: 6, row_bytes: 512, ranks: 2}"
CACHE = "{sets: 8, ways: 2, mshrs: 3}"


@pytest.fixture
def folder(elsewhere: Path) -> Path:
    """Return a folder outside the checkout, the current one, with the blade and its recipe."""
    (elsewhere / "storm.sv").write_text(STORM)
    (elsewhere / "storm.yaml").write_text(RECIPE)
    return elsewhere


def simulated(*overrides: str) -> Outcome:
    return run(load_file(Path("storm.yaml"), overrides), console=Console(quiet=True))


def left(outcome: Outcome) -> dict[str, Any]:
    """Return what a run left that must not depend on the engine, nor on where its text was."""
    found = left_by(outcome, ("prints.log", "memory.json"))
    return {key: value for key, value in found.items() if key != "message"}


@pytest.mark.parametrize(
    ("timing", "cache"),
    [("{model: fixed}", "null"), (PACED, "null"), (DDR3, "null"), (DDR3, CACHE)],
)
def test_it_is_as_the_model_in_cpp(folder: Path, timing: str, cache: str) -> None:
    memory = f"system.node.memory={{size_mib: 4, timing: {timing}, llc: {cache}}}"
    cpp = simulated(memory)
    facts = json.loads(left(cpp)["memory.json"])
    assert facts["reads"]["bursts"] > 80 and facts["writes"]["bursts"] > 80
    assert facts["reads"]["decode_errors"] > 2 and facts["writes"]["decode_errors"] > 2
    for stalls in (IN_RTL[1], STALLED):
        in_rtl = simulated(memory, IN_RTL[0], stalls)
        assert left(in_rtl) == left(cpp)
        traffic = in_rtl.result["nodes"][0]["statistics"]["host_traffic"]
        assert traffic["rows"] < 50  # Prints alone, and the end.


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (1, "the target's read burst of 8 beats at 0x10ff8 crosses a 4 KiB boundary"),
        (2, "w_last is "),
    ],
)
def test_what_axi_does_not_allow_ends_it_with_the_same_words(
    folder: Path, wrong: int, what: str
) -> None:
    broken = f"system.blades.storm.parameters={{LIMIT: 8000, WRONG: {wrong}}}"
    cpp, in_rtl = simulated(broken), simulated(broken, *IN_RTL)
    assert what in str(cpp.result["message"])
    assert in_rtl.result["message"] == str(cpp.result["message"])


def test_it_is_refused_where_state_is_saved_or_taken(folder: Path) -> None:
    with pytest.raises(InputError) as refusal:
        simulated(*IN_RTL, "simulation.snapshots={at_cycles: [3000]}")
    assert str(refusal.value).endswith(
        'found "rtl" with simulation.snapshots, expected "host": the state of "soc" is not saved '
        "with its memory's timing in RTL."
    )
    saved = simulated("simulation.snapshots={at_cycles: [3000]}")
    snapshot = str(saved.folder / "snapshots/cycle-3000")
    with pytest.raises(InputError) as refusal:
        run(
            load_file(Path("storm.yaml"), IN_RTL),
            console=Console(quiet=True),
            restart=lambda plan: restart_from(snapshot, plan, None),
        )
    assert str(refusal.value) == (
        '--from: found simulation.metasim.memory "rtl", expected "host": a memory whose timing is '
        "in RTL takes no saved state."
    )


def test_what_no_hardware_holds_is_refused(folder: Path) -> None:
    deep = "system.node.memory={size_mib: 4, timing: {model: fcfs, queue_depth: 65}}"
    with pytest.raises(InputError) as refusal:
        simulated(*IN_RTL, deep)
    assert str(refusal.value).endswith(
        '"soc": found memory.timing.queue_depth 65, expected at most 64 with '
        '"metasim: {memory: rtl}".'
    )


def test_peeks_see_what_the_memory_gives(folder: Path) -> None:
    peek = "{node: soc, cycles: [900, 901, 902, 950], signals: [sum, r_data, r_valid]}"
    wanted = f"simulation.peeks=[{peek}]"
    cpp, in_rtl = simulated(wanted), simulated(wanted, *IN_RTL)
    assert in_rtl.exit_status == 0, in_rtl.message
    peeks = [(one.folder / "soc/peeks.csv").read_text() for one in (cpp, in_rtl)]
    assert peeks[0] == peeks[1] and peeks[0].count("\n") > 4
