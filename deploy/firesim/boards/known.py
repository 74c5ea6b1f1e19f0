# SPDX-License-Identifier: BSD-3-Clause
"""The FPGA boards that are known: the folders of `platforms/`, found by the file in them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from firesim_common.errors import InputError, unknown
from firesim_common.explain import checked
from firesim_common.paths import ROOT
from firesim_common.positions import read_yaml
from pydantic import create_model

from firesim.boards import ways
from firesim.boards.board import Board, Reached
from firesim.boards.ways.base import Way

PLATFORMS = ROOT / "platforms"
FILE = "board.yaml"


def board_names() -> list[str]:
    """Return the names of all boards, without their further names."""
    return sorted(path.parent.name for path in PLATFORMS.glob(f"*/{FILE}"))


def all_boards() -> dict[str, Board]:
    """Return all boards by the names of their folders.

    Raises:
        InputError: a board's file is bad.
    """
    return {name: _read(name) for name in board_names()}


def known_board(name: str) -> tuple[str, Board] | None:
    """Return the folder's name and the board by one of its names, None when there is none.

    Raises:
        InputError: a board's file is bad.
    """
    for known in board_names():
        board = _read(known)
        if name == known or name in board.also:
            return known, board
    return None


def load_board(name: str) -> Board:
    """Return a board by one of its names.

    Raises:
        InputError: there is none of that name, or its file is bad.
    """
    if (found := known_board(name)) is not None:
        return found[1]
    further = [other for known in board_names() for other in _read(known).also]
    raise InputError(f"--board: {unknown(name, 'one of the boards', [*board_names(), *further])}")


def known_ways() -> dict[str, type[Way]]:
    """Return the ways to reach a board by the names of their files in `ways/`; nothing lists them.

    The file NAME.py there has a class derived from `Way`, and says so: `WAY`.
    """
    names = sorted(one.name for one in iter_modules(ways.__path__) if one.name != "base")
    return {name: import_module(f"{ways.__name__}.{name}").WAY for name in names}


@cache
def _file_model() -> type[Board]:
    """Return the model of a board's file, whose key `reached_by` takes each of the ways."""
    each: dict[str, Any] = {name: (way | None, None) for name, way in known_ways().items()}
    reached = create_model("Reached", __base__=Reached, __doc__=Reached.__doc__, **each)
    return create_model(
        "BoardFile", __base__=Board, __doc__=Board.__doc__, reached_by=(reached | None, None)
    )


def _read(name: str) -> Board:
    path = PLATFORMS / name / FILE
    source = read_yaml(path, str(path.relative_to(ROOT)))
    board = checked(_file_model(), source)
    if board.reached_by is not None and len(said := board.reached_by.model_fields_set) != 1:
        text = f"found {len(said)} ways, expected exactly one."
        raise source.error(("reached_by",), text)
    return board
