# SPDX-License-Identifier: BSD-3-Clause
"""A design whose host is at its debug module: the small SoC with SimDTM in place of SimTSI."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve

from regression.support.chipyard_soc import PRINTED, assembled, small_recipe
from regression.support.debug_chip import DEBUG, MODULE, between, debug_chip
from regression.support.one_board import simulated

END_CYCLE = 4156
"""Eight looks at tohost, the last one in cycle 4,000, and the accesses of that one: each word of 64
bits takes some eight of the debug module, at a fifth of the clock."""


def _harness(text: str, module: str) -> str:
    """Return the harness with a host at the debug module."""
    wires = "".join(f"  wire [{bits - 1}:0] debug_{name};\n" for name, (bits, _) in DEBUG.items())
    text = between(text, "  wire tsi_in_valid", "  wire [31:0] tsi_in_bits", wires)
    text = text.replace("tsi_in_bits, tsi_out_bits, exit", "exit")
    given = ", ".join(f".debug_{name}" for name in DEBUG)
    host = f"  {module} dtm (.clk(serial_clock), .reset, .exit, {given});\n"
    return between(text, "  SimTSI #(", "  SimDRAM #(", host)


@pytest.fixture
def recipe(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A recipe of the SoC with the host that the test is given."""
    file = small_recipe(tmp_path)
    folder = tmp_path / "generated/gen-collateral"
    for name, change in (
        ("ChipTop.sv", debug_chip),
        ("TestHarness.sv", lambda text: _harness(text, request.param)),
    ):
        path = folder / name
        path.write_text(change(path.read_text()))
    shutil.copyfile(MODULE, folder / "DebugModule.sv")
    with (folder / "filelist.f").open("a") as names:
        names.write("/far/away/DebugModule.sv\n")
    assembled(tmp_path, 0)
    return file


@pytest.mark.parametrize("recipe", ["SimDTM"], indirect=True)
def test_its_program_is_started_and_seen_through_the_debug_module(recipe: Path) -> None:
    decided = resolve(load_file(recipe)).own_blades["mine"].decided
    assert any("in place of" in line and " SimDTM," in line for line in decided)
    outcome = simulated(recipe.parent, recipe.parent / "run", recipe=recipe.name)
    (node,) = outcome.result["nodes"]
    printed = (outcome.folder / "soc/uart.log").read_text()
    assert (node["exit_code"], node["message"], printed) == (0, "passed", PRINTED)
    assert node["ended_at_cycle"] == END_CYCLE


@pytest.mark.parametrize("recipe", ["TestchipSimDTM"], indirect=True)
def test_a_debug_module_that_refuses_ends_the_node(recipe: Path) -> None:
    module = recipe.parent / "generated/gen-collateral/DebugModule.sv"
    module.write_text(module.read_text().replace("if (!value[31]) error", "error"))
    outcome = simulated(recipe.parent, recipe.parent / "run", recipe=recipe.name)
    (node,) = outcome.result["nodes"]
    assert "the debug module refuses the host, at address " in node["message"]
