# SPDX-License-Identifier: BSD-3-Clause
"""From a recipe to its bit builder."""

from __future__ import annotations

from firesim_common.errors import listed

from firesim.bitstream.builders.base import BitBuilder
from firesim.bitstream.builders.f2 import F2
from firesim.bitstream.builders.open_tools import OpenTools
from firesim.bitstream.builders.vivado import Vivado
from firesim.build.boards import Board
from firesim.config.bitstream import Builders, BuildRecipe

_CLASSES: dict[str, type[BitBuilder]] = {one.name: one for one in (OpenTools, Vivado, F2)}


def names_for(board_name: str, board: Board) -> list[str]:
    """Return the builders that can make bitstreams for a board, the usual one first."""
    if board_name == "f2":
        return ["f2"]
    return ["open_tools"] if board.family == "ecp5" else ["vivado"]


def builder_for(
    board_name: str, board: Board, recipe: BuildRecipe, settings: Builders
) -> BitBuilder | str:
    """Return the builder of a recipe, or the sentence that says why there is none."""
    possible = names_for(board_name, board)
    chosen = recipe.builder or possible[0]
    if chosen not in possible:
        return f'found "{chosen}", expected {listed(possible)}, which makes it for {board.title}.'
    return _CLASSES[chosen](settings)
