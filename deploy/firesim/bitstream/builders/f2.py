# SPDX-License-Identifier: BSD-3-Clause
"""Bitstreams for AWS EC2 F2: refused until there is a project for AWS's kit."""

from __future__ import annotations

from firesim.bitstream.builders.vivado import Vivado
from firesim.build.boards import Board
from firesim.config.bitstream import BuildRecipe


class F2(Vivado):
    """Vivado inside AWS's development kit."""

    name = "f2"

    def refusal(self, board_name: str, board: Board, recipe: BuildRecipe) -> str | None:
        """Refuse: nothing gives the top to the kit yet."""
        return (
            f"found {board.title}, expected a board with a project: its top (platforms/f2) is not "
            "yet given to AWS's kit by itself; firesim tar2afi takes a checkpoint that it made."
        )
