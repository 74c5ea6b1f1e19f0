# SPDX-License-Identifier: BSD-3-Clause
"""From a recipe to its bit builder: a board's file says by the flow that it has who can build."""

from __future__ import annotations

from importlib import import_module

from firesim_common.errors import listed

from firesim.bitstream import builders
from firesim.bitstream.builders.base import BitBuilder
from firesim.boards.board import Board
from firesim.config.bitstream import Builders, BuildRecipe


def known_builders() -> list[type[BitBuilder]]:
    """Return the bit builders, in the order of their settings; nothing else lists them.

    The file NAME.py beside this one has a class derived from `BitBuilder`, and says so: `BUILDER`.
    """
    names = [f"{builders.__name__}.{name}" for name in Builders.model_fields]
    return [import_module(name).BUILDER for name in names]


def builder_for(board: Board, recipe: BuildRecipe, settings: Builders) -> BitBuilder | str:
    """Return the builder of a recipe, or the sentence that says why there is none."""
    known = known_builders()
    found = [one for one in known if getattr(board, one.flow) is not None]
    possible: dict[str, type[BitBuilder]] = {one.name: one for one in found}
    if not possible:
        flows = listed([one.flow for one in known])
        return f"found {board.title}, expected a board whose file has the key {flows}."
    chosen = recipe.builder or found[0].name
    if chosen not in possible:
        names = listed(list(possible))
        return f'found "{chosen}", expected {names}, which makes it for {board.title}.'
    return possible[chosen](settings)
