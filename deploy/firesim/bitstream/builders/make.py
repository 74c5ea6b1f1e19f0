# SPDX-License-Identifier: BSD-3-Clause
"""From a recipe to its bit builder: a board's file says by the flow that it has who can build."""

from __future__ import annotations

from firesim_common.errors import listed

from firesim.bitstream.builders.base import BitBuilder
from firesim.bitstream.builders.f2 import F2
from firesim.bitstream.builders.open_tools import OpenTools
from firesim.bitstream.builders.vivado import Vivado
from firesim.boards.board import Board
from firesim.config.bitstream import Builders, BuildRecipe

BUILDERS: tuple[type[BitBuilder], ...] = (OpenTools, Vivado, F2)


def builder_for(board: Board, recipe: BuildRecipe, settings: Builders) -> BitBuilder | str:
    """Return the builder of a recipe, or the sentence that says why there is none."""
    found = [one for one in BUILDERS if getattr(board, one.flow) is not None]
    possible: dict[str, type[BitBuilder]] = {one.name: one for one in found}
    if not possible:
        flows = listed([one.flow for one in BUILDERS])
        return f"found {board.title}, expected a board whose file has the key {flows}."
    chosen = recipe.builder or found[0].name
    if chosen not in possible:
        names = listed(list(possible))
        return f'found "{chosen}", expected {names}, which makes it for {board.title}.'
    return possible[chosen](settings)
