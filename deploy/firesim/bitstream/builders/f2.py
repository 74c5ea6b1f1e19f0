# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints for AWS EC2 F2, made by AWS's kit; `firesim tar2afi` makes images of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from firesim.bitstream.builders import f2_project, vivado_result
from firesim.bitstream.builders.base import RESULT, BitBuilder, Job, Wanted
from firesim.bitstream.outcome import Outcome
from firesim.boards.board import Board
from firesim.boards.design import blade_macros, has_dram, whole_design
from firesim.boards.known import PLATFORMS
from firesim.config.bitstream import BuildRecipe

USUAL_MHZ = 90.0
LEAST_MHZ, MOST_MHZ = 10.0, 250.0
"""What the top's MMCM gives, and the shell's clock."""


class F2(BitBuilder):
    """Vivado inside AWS's development kit."""

    name = "f2"
    flow = "aws_flow"

    def refusal(self, board_name: str, board: Board, recipe: BuildRecipe) -> str | None:
        """Refuse clocks that the top cannot make, and a kit that is not named."""
        wanted_mhz = recipe.frequency_mhz
        if wanted_mhz is not None and not LEAST_MHZ <= wanted_mhz <= MOST_MHZ:
            return f"found {wanted_mhz:g} MHz, expected {LEAST_MHZ:g} to {MOST_MHZ:g}."
        if self.settings.f2.kit is None:
            return (
                f"found {board.title} and no kit, expected builders.f2.kit: the folder of a clone "
                "of github.com/aws/aws-fpga, branch f2, on the build hosts."
            )
        return None

    def clock_mhz(self, board: Board) -> float:
        """Return what most published recipes for this board have or exceed."""
        return USUAL_MHZ

    def check(self, local: bool) -> Job:
        """Return the job that looks for the kit and Vivado."""
        text = f2_project.check_sh(str(self.settings.f2.kit))
        return Job({}, {"check.sh": text}, ["bash", "check.sh"], [RESULT])

    def job(self, wanted: Wanted, local: bool) -> Job:
        """Return the whole folder of a custom logic, and the script that gives it to the kit."""
        flow = wanted.board.aws_flow
        assert flow is not None
        project = f2_project.KitProject(
            wanted.board,
            flow,
            blade_macros(wanted.form, wanted.recipe.blades),
            wanted.frequency_mhz,
            wanted.recipe.strategy,
            has_dram(wanted.form),
        )
        board, top = PLATFORMS / wanted.board_name, flow.top
        *sources, top_file = whole_design(wanted.form, wanted.board_name, flow)
        files = {f"{top}/design/{file.name}": file for file in sources}
        files[f"{top}/design/{top}.sv"] = top_file
        files[f"{top}/design/cl_id_defines.vh"] = board / "cl_id_defines.vh"
        files[vivado_result.CHECK] = vivado_result.CHECK_FILE
        texts = {
            f"{top}/build/constraints/{name}": text
            for name, text in f2_project.constraints().items()
        }
        texts[f"{top}/build/scripts/synth_{top}.tcl"] = f2_project.synthesis_tcl(project)
        texts["result.tcl"] = f2_project.result_tcl(project)
        texts["build.sh"] = f2_project.build_sh(project, str(self.settings.f2.kit))
        return Job(
            files,
            texts,
            ["bash", "build.sh"],
            [RESULT, f2_project.CHECKPOINT],
            ["kit.log", "result.log", *vivado_result.REPORTS],
        )

    def finish(self, wanted: Wanted, folder: Path, outcome: Outcome) -> dict[str, Any]:
        """Return the checkpoint; AWS makes an image of it when it is asked to."""
        return {"bitstream": f2_project.CHECKPOINT}


BUILDER = F2
