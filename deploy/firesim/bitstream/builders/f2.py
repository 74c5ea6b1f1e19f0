# SPDX-License-Identifier: BSD-3-Clause
"""Bitstreams for AWS EC2 F2: refused until there is a top module for Amazon's shell."""

from __future__ import annotations

from firesim.bitstream.builders.vivado import Vivado
from firesim.build.boards import Board
from firesim.config.bitstream import BuildRecipe


class F2(Vivado):
    """Vivado inside AWS's development kit."""

    name = "f2"

    def refusal(self, board_name: str, board: Board, recipe: BuildRecipe) -> str | None:
        """Refuse: there is no top."""
        return (
            f"found {board.title}, expected a board with a top module: there is none for its shell "
            "yet; firesim tar2afi takes a checkpoint that AWS's kit made."
        )
