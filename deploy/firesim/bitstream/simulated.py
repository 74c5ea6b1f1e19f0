# SPDX-License-Identifier: BSD-3-Clause
"""A board with a build's design in it, simulated behind a pseudo-terminal."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from firesim_common.errors import InputError
from goldengate import Manifest

from firesim.bitstream.forms import build_form, check_builds
from firesim.build.board_model import bit_cycles, board_model
from firesim.build.boards import all_boards
from firesim.build.simulator import configure_and_build
from firesim.config.bitstream import LoadedBuilds
from firesim.config.hwdb import HwdbEntry
from firesim.hosts.client import sha256_of

PROGRAM = "firesim-board"


@dataclass(frozen=True)
class Simulated:
    """A board that can be started."""

    board: str
    entry: HwdbEntry
    """What a hardware database says of it: its model is in the place of the bitstream."""
    words: list[str]
    """The command that simulates it, without the link to its device."""


def simulated_board(loaded: LoadedBuilds, name: str) -> Simulated:
    """Make the model of a build's board with its design.

    Raises:
        InputError: there is no such build, or its board has no serial line.
        ToolError, GoldenGateError: a step failed.
    """
    board_name, board, _ = check_builds(loaded, [name])[name]
    if board.serial_line is None or board.open_flow is None:
        known = [each for each, one in all_boards().items() if one.serial_line is not None]
        text = f'found "{board_name}", expected a board with a serial line: {", ".join(known)}.'
        raise loaded.error(name, "board", text)
    form = build_form(loaded, name)
    model = board_model(form, board_name, board)
    program = configure_and_build("release", (PROGRAM,)) / "bin" / PROGRAM
    if not program.is_file():
        raise InputError(f"simulateboard: found no {PROGRAM} in {program.parent}, expected it.")
    library = model / "model.so"
    entry = HwdbEntry(
        bitstream=str(library),
        sha256=sha256_of(library),
        fingerprint=form.manifest.design_hash,
        board=board_name,
        frequency_mhz=board.open_flow.clock_mhz,
        built=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    words = [program, library, Manifest.read(model).design_hash, bit_cycles(board)]
    return Simulated(board_name, entry, [str(word) for word in words])


def device_of(text: Path) -> str:
    """Return the place for the link to the device, which a link of before may be at.

    Raises:
        InputError: something else is there, or its folder is not.
    """
    if (text.exists() and not text.is_symlink()) or not text.parent.is_dir():
        raise InputError(f"--device: found {text}, expected a name in a folder for a new link.")
    return str(text.absolute())
