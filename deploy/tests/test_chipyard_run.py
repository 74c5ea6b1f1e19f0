# SPDX-License-Identifier: BSD-3-Clause
"""A small SoC in Chipyard's form, simulated behind the parts that take the place of its harness's.

Its core plays a list of words to the host by TSI, a word at a time: what is checked here is what
reaches the host, and in which cycle.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from regression.support.chipyard_soc import (
    COMMAND_CYCLE,
    END_CYCLE,
    PRINTED,
    assembled,
    small_recipe,
)
from regression.support.one_board import simulated

# What a simulator has in C: Chipyard's folders have it, and a blade must not.
C_MODEL = """\
import "DPI-C" function int tsi_tick(input int chip);
module SimTSI #(parameter CHIPID = 0) (input clock);
  always @(posedge clock) tsi_tick(CHIPID);
endmodule
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recipe beside a generated-src/NAME with the SoC, and the models in C of a real one."""
    small_recipe(tmp_path)
    collateral = tmp_path / "generated" / "gen-collateral"
    (collateral / "SimTSI.v").write_text(C_MODEL)
    with (collateral / "filelist.f").open("a") as names:
        names.write("/far/away/SimTSI.v\n")
    return tmp_path


def ended(folder: Path, name: str, *settings: str, start: Path | None = None) -> list[Any]:
    """Run; return of each node its last cycle, exit code, message and console."""
    outcome = simulated(folder, folder / name, *settings, start=start, recipe="soc.yaml")
    return [
        (
            node["ended_at_cycle"],
            node["exit_code"],
            node["message"],
            (outcome.folder / node["name"] / "uart.log").read_text(),
        )
        for node in outcome.result["nodes"]
    ]


def test_it_ends_in_the_same_cycle_on_every_engine(folder: Path) -> None:
    assembled(folder, 0)
    ways = {
        "usual": (),
        "batches": ("simulation.random_batch_seed=1",),
        "verilator": ("simulation.rtl_engine=verilator",),
        "metasim": (
            "simulation.engine=metasim",
            "simulation.metasim={stall_seed: 5, stall_rate: 64}",
        ),
    }
    found = {name: ended(folder, name, *settings) for name, settings in ways.items()}
    assert found == {name: [(END_CYCLE, 0, "passed", PRINTED)] for name in ways}


def test_it_ends_in_the_same_cycle_with_any_number_of_threads(folder: Path) -> None:
    assembled(folder, 0)
    small_recipe(folder, ["soc", "other"])
    for threads in (1, 2):
        found = ended(folder, f"threads{threads}", f"simulation.threads={threads}")
        assert found == [(END_CYCLE, 0, "passed", PRINTED)] * 2


def test_it_goes_on_from_a_snapshot_in_the_middle_of_a_command(folder: Path) -> None:
    assembled(folder, 0)
    ended(folder, "saved", f"simulation.snapshots.at_cycles=[{COMMAND_CYCLE}]")
    snapshot = folder / "saved" / f"snapshots/cycle-{COMMAND_CYCLE}"
    found = ended(folder, "restored", start=snapshot)
    assert [one[:3] for one in found] == [(END_CYCLE, 0, "passed")]


def test_a_failing_exit_code_fails_the_node(folder: Path) -> None:
    assembled(folder, 3)
    assert ended(folder, "failed") == [(END_CYCLE, 3, "failed with code 3", PRINTED)]
