# SPDX-License-Identifier: BSD-3-Clause
"""A small SoC in Chipyard's form, simulated behind the parts that take the place of its harness's.

Its core plays a list of words to the host by TSI, a word at a time: what is checked here is what
reaches the host, and in which cycle. Engines, threads and snapshots are those of the experiment
`chipyard`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from regression.support.chipyard_soc import END_CYCLE, PRINTED, assembled, small_recipe
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


def ended(folder: Path, name: str, *settings: str) -> list[Any]:
    """Run; return of each node its last cycle, exit code, message and console."""
    outcome = simulated(folder, folder / name, *settings, recipe="soc.yaml")
    return [
        (
            node["ended_at_cycle"],
            node["exit_code"],
            node["message"],
            (outcome.folder / node["name"] / "uart.log").read_text(),
        )
        for node in outcome.result["nodes"]
    ]


def test_models_in_c_are_left_out_and_it_ends(folder: Path) -> None:
    assembled(folder, 0)
    found = ended(folder, "passed", "simulation.random_batch_seed=1")
    assert found == [(END_CYCLE, 0, "passed", PRINTED)]


def test_a_failing_exit_code_fails_the_node(folder: Path) -> None:
    assembled(folder, 3)
    assert ended(folder, "failed") == [(END_CYCLE, 3, "failed with code 3", PRINTED)]


def test_an_option_of_the_recipe_ends_the_list_earlier(folder: Path) -> None:
    # Its core plays at most so many words; the recipe gives it fewer than the list has.
    assembled(folder, 0)
    recipe = folder / "soc.yaml"
    blade = "{mine: {chipyard: generated, plusargs: {most_words: 3}}}"
    recipe.write_text(recipe.read_text().replace("{mine: {chipyard: generated}}", blade))
    (found,) = ended(folder, "short", "simulation.max_cycles=5000")
    assert found[3] == "all good\nok"
