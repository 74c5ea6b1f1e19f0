# SPDX-License-Identifier: BSD-3-Clause
"""Bitstreams with AMD's Vivado, for boards whose file has a Vivado flow."""

from __future__ import annotations

import shlex

from firesim.bitstream.builders import vivado_result
from firesim.bitstream.builders.base import RESULT, BitBuilder, Job, Wanted
from firesim.bitstream.builders.vivado_tcl import Project, build_tcl, clock_xdc
from firesim.boards.board import Board, VivadoFlow
from firesim.boards.design import shell_design, shell_macros
from firesim.boards.known import PLATFORMS
from firesim.config.bitstream import BuildRecipe

SOURCES = "source"
USUAL_MHZ = 60.0
_CHECK = """\
program={program}
if ! command -v "$program" > /dev/null; then
  echo "firesim fault: found no program $program, expected Vivado: give its path in \
builders.vivado.program"
  exit 1
fi
version=$("$program" -version | sed -n 's/^[Vv]ivado v\\([0-9.]*\\).*/\\1/p' | head -n 1)
if [ -z "$version" ]; then
  echo "firesim fault: found that $program says no version of Vivado, expected Vivado"
  exit 1
fi
echo "{{\\"vivado\\": \\"$version\\"}}" > {result}
"""


def project_of(wanted: Wanted, jobs: int) -> Project:
    """Return the project of a build."""
    flow = wanted.board.vivado_flow
    assert flow is not None
    return Project(
        wanted.board,
        flow,
        [f"{SOURCES}/{file.name}" for file in shell_design(wanted.form, flow)],
        "pins.xdc",
        wanted.frequency_mhz,
        wanted.recipe.strategy,
        jobs,
        wanted.fingerprint,
        shell_macros(wanted.form, flow, wanted.recipe.blades),
        wanted.recipe.blades,
    )


def _flash_files(flow: VivadoFlow) -> list[str]:
    return flow.flash.files() if flow.flash else []


class Vivado(BitBuilder):
    """AMD's tools."""

    name = "vivado"
    flow = "vivado_flow"

    def refusal(self, board_name: str, board: Board, recipe: BuildRecipe) -> str | None:
        """Refuse clocks above that of PCIe."""
        flow = board.vivado_flow
        assert flow is not None
        if recipe.frequency_mhz is not None and recipe.frequency_mhz > flow.most_mhz:
            return f"found {recipe.frequency_mhz:g} MHz, expected at most {flow.most_mhz:g}."
        return None

    def clock_mhz(self, board: Board) -> float:
        """Return what published recipes have for these boards."""
        return USUAL_MHZ

    def check(self, local: bool) -> Job:
        """Return the job that looks for Vivado."""
        program = shlex.quote(self.settings.vivado.program)
        text = _CHECK.format(program=program, result=RESULT)
        return Job({}, {"check.sh": text}, ["sh", "check.sh"], [RESULT])

    def job(self, wanted: Wanted, local: bool) -> Job:
        """Return the whole project of a board."""
        flow = wanted.board.vivado_flow
        assert flow is not None
        settings = self.settings.vivado
        project = project_of(wanted, settings.jobs)
        files = {f"{SOURCES}/{file.name}": file for file in shell_design(wanted.form, flow)}
        for name in ("pins.xdc", *([flow.early] if flow.early else [])):
            files[name] = PLATFORMS / wanted.board_name / name
        files[vivado_result.CHECK] = vivado_result.CHECK_FILE
        texts = {"build.tcl": build_tcl(project), "clocks.xdc": clock_xdc(project)}
        words = [settings.program, "-mode", "batch", "-notrace", "-nojournal"]
        return Job(
            files,
            texts,
            [*words, "-log", "vivado.log", "-source", "build.tcl"],
            [RESULT, "firesim.bit", *_flash_files(flow), "utilization.rpt"],
            ["vivado.log", *vivado_result.REPORTS],
        )


BUILDER = Vivado
