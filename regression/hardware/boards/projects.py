# SPDX-License-Identifier: BSD-3-Clause
"""What can be known of a board's project without its maker's tools: top elaborated, Tcl run."""

from __future__ import annotations

import shutil
from pathlib import Path

from firesim.bitstream.builders.base import Wanted
from firesim.bitstream.builders.vivado import Vivado
from firesim.boards.board import Board
from firesim.boards.known import PLATFORMS
from firesim.config.bitstream import Builders, BuildRecipe
from goldengate.fpga_form import FpgaForm

from regression.support.experiment import ExperimentError
from regression.support.vivado.check import (
    elaborated,
    elaborated_for_kit,
    facts,
    lay_out,
    recorded,
)

MHZ = 60.0
TCLSH = "tclsh"


def check_aws_top(form: FpgaForm, name: str, board: Board, folder: Path) -> tuple[str, str]:
    """Elaborate the top of a board that AWS's kit builds for; return what came of it.

    It is elaborated with one blade and with as many as it takes.

    Raises:
        ExperimentError: it does not elaborate.
    """
    flow = board.aws_flow
    assert flow is not None
    folder.mkdir(parents=True)
    try:
        tops = [
            elaborated_for_kit(form, name, board, MHZ, folder, blades)[flow.top]
            for blades in (1, board.most_blades)
        ]
    except RuntimeError as error:
        raise ExperimentError(f"{name}: {error}") from error
    cells = [len(top["cells"]) for top in tops]
    text = f"{cells[0]} cells; {cells[1]} with {board.most_blades} blades"
    return text, "in test_f2_project.py"


def check_project(form: FpgaForm, name: str, board: Board, folder: Path) -> tuple[str, str]:
    """Elaborate the top of a board that Vivado builds for, and run its Tcl; return what came of it.

    Both are done with one blade and with as many as it takes.

    Raises:
        ExperimentError: the top does not elaborate, or the recorder finds a fault.
    """
    cells, passes = [], "passes"
    for blades in (1, board.most_blades):
        recipe = BuildRecipe(blade="rocket-1", board=name, blades=blades)
        wanted = Wanted(name, recipe, name, board, form, MHZ)
        found, passes = _project(wanted, folder / str(blades))
        cells.append(found)
    return f"{cells[0]} cells; {cells[1]} with {board.most_blades} blades", passes


def _project(wanted: Wanted, folder: Path) -> tuple[int, str]:
    """Return the cells of the top of one project, and what came of its Tcl."""
    flow = wanted.board.vivado_flow
    assert flow is not None
    folder.mkdir(parents=True)
    job = Vivado(Builders()).job(wanted, local=False)
    lay_out(job, folder)
    try:
        modules = elaborated(wanted, PLATFORMS / flow.shell / "top.v", folder)
    except RuntimeError as error:
        raise ExperimentError(f"{wanted.name}: {error}") from error
    known = facts(wanted, modules, [Path(place).name for place in job.files if "source/" in place])
    cells = len(modules[flow.top]["cells"])
    if shutil.which(TCLSH) is None:
        return cells, f"skipped: {TCLSH} is not installed"
    status, faults = recorded(folder, known)
    if status != 0 or faults:
        fault = faults[0] if faults else f"exit status {status}"
        raise ExperimentError(f"{wanted.name}: {fault}")
    return cells, "passes"
