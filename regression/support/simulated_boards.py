# SPDX-License-Identifier: BSD-3-Clause
"""Simulated boards, as `firesim simulateboard` starts them: at paths, or addresses of Ethernet."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

from firesim.bitstream.database import set_entries
from firesim.bitstream.simulated import Simulated, simulated_board
from firesim.boards.board import Board
from firesim.boards.known import load_board
from firesim.boards.ways.base import Losses, Wishes
from firesim.boards.ways.ethernet import Ethernet
from firesim.config.bitstream import LoadedBuilds

from regression.support.experiment import ExperimentError

LIMIT_S = 60
_FARM = """\
kind: local
processes: 1
folder: {folder}/hosts
fpgas: {fpgas}
platform: {board}
devices: [{devices}]
"""


def is_on_ethernet(board: Board) -> bool:
    """Return whether a board has an address in place of a device."""
    return isinstance(board.way, Ethernet)


def device_at(folder: Path, board: str, index: int = 0) -> str:
    """Return a place for a simulated board, which nobody else has: in a folder, or made of it."""
    if not is_on_ethernet(load_board(board)):
        return str(folder / f"board{index}")
    first, second, third = hashlib.sha256(str(folder).encode()).digest()[:3]
    return f"127.{1 + first % 254}.{second}.{1 + (third + index) % 254}"


def board_farm(folder: Path, board: str, *devices: str | Path) -> str:
    """Return the file of a farm of this computer with a board at each of these devices."""
    listed = ", ".join(map(str, devices))
    return _FARM.format(folder=folder, board=board, fpgas=len(devices), devices=listed)


def two_boards(folder: Path, board: str) -> str:
    """Return the file of a farm of this computer with two boards, at device_at of the folder."""
    return board_farm(folder, board, *(device_at(folder, board, index) for index in range(2)))


@contextmanager
def started(made: Simulated, device: str | Path, said: Path | None = None) -> Iterator[None]:
    """Start a simulated board with its device at a place; it ends with the block.

    What it says of its hosts goes to the file `said`.

    Raises:
        ExperimentError: it does not start, or did not end well.
    """
    words = [*made.words, str(device)]
    with said.open("w") if said else nullcontext() as errors:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdout is not None
    with process.stdout as printed:
        if printed.readline().strip() != str(device):
            raise ExperimentError(f"{device}: the simulated board does not start")
        try:
            yield
        finally:
            process.terminate()
            status = process.wait(LIMIT_S)
    if status != 0:
        raise ExperimentError(f"{device}: the simulated board ended with status {status}")


@contextmanager
def boards(
    builds: Path,
    devices: Mapping[str, str],
    database: Path,
    losses: Losses | None = None,
    hostile_seed: int | None = None,
) -> Iterator[list[Simulated]]:
    """Start a simulated board of a build, by name, at each device; write entries of the builds.

    With `hostile_seed` each has two unrelated clocks and a hostile shell, by a seed of its own.
    """
    loaded = LoadedBuilds(builds)
    names = dict.fromkeys(devices.values())
    made = {name: simulated_board(loaded, name, Wishes(losses=losses)) for name in names}
    set_entries(database, {name: one.entry for name, one in made.items()})
    with ExitStack() as stack:
        for index, (device, name) in enumerate(devices.items()):
            board = made[name]
            if hostile_seed is not None:
                board = board.with_options(f"--hostile-seed={hostile_seed + index}")
            stack.enter_context(started(board, device))
        yield list(made.values())
