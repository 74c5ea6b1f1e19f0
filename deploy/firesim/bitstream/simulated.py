# SPDX-License-Identifier: BSD-3-Clause
"""A board with a build's design in it, simulated at a device or an address of this computer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from firesim_common.errors import InputError
from goldengate import Manifest
from goldengate.fpga_form import FpgaForm

from firesim.bitstream.builders.f2 import USUAL_MHZ
from firesim.bitstream.forms import build_form, check_board
from firesim.boards.board import Board
from firesim.boards.design import has_dram
from firesim.boards.known import all_boards, known_ways
from firesim.boards.ways.base import PLAIN, Way, Wishes
from firesim.build.simulator import configure_and_build
from firesim.config.bitstream import LoadedBuilds
from firesim.config.hwdb import HwdbEntry
from firesim.hosts.client import sha256_of


@dataclass(frozen=True)
class Simulated:
    """A board that can be started."""

    board: str
    entry: HwdbEntry
    """What a hardware database says of it: its model is in the place of the bitstream."""
    way: Way
    """How it is reached."""
    words: list[str]
    """The command that simulates it, without the place of its device."""

    def with_options(self, *options: str) -> Simulated:
        """Return the board with options of its program, such as `--hostile-seed=1`."""
        program, *arguments = self.words
        return replace(self, words=[program, *options, *arguments])


def simulated_board(
    loaded: LoadedBuilds, name: str, wishes: Wishes = PLAIN, dram_seed: int | None = None
) -> Simulated:
    """Make the model of a build's board with its design.

    The times of its DRAM are chosen by `dram_seed`.

    Raises:
        InputError: there is no such build, it cannot be reached, or its board has not what is
            wished.
        ToolError, GoldenGateError: a step failed.
    """
    board_name, board = check_board(loaded, name)
    if board.way is None:
        known = [each for each, one in all_boards().items() if one.way is not None]
        text = f'found "{board_name}", expected a board that can be simulated: {", ".join(known)}.'
        raise loaded.error(name, "board", text)
    _check_wishes(loaded, name, board_name, board.way, wishes)
    form = build_form(loaded, name)
    if dram_seed is not None and not has_dram(form):
        text = 'found "host", expected "rtl" for --dram-seed.'
        raise loaded.error(name, "memory", text)
    made = board.way.simulated(form, board_name, board, loaded.file.builds[name].blades, wishes)
    program = configure_and_build("release", (made.program,)) / "bin" / made.program
    if not program.is_file():
        raise InputError(
            f"simulateboard: found no {made.program} in {program.parent}, expected it."
        )
    library = made.model / "model.so"
    seed = [] if dram_seed is None else [f"--dram-seed={dram_seed}"]
    words = [program, *seed, library, Manifest.read(made.model).design_hash, *made.arguments]
    entry = _entry(loaded, name, board_name, board, library, form)
    return Simulated(board_name, entry, board.way, [str(word) for word in words])


def _check_wishes(
    loaded: LoadedBuilds, name: str, board_name: str, way: Way, wishes: Wishes
) -> None:
    """Refuse an option that only boards have that are reached in another way."""
    for wish, value in vars(wishes).items():
        if value is None or wish in way.OPTIONS:
            continue
        other = next(one for one in known_ways().values() if wish in one.OPTIONS)
        text = f'found "{board_name}", expected a board {other.BOARD} for {other.OPTIONS[wish]}.'
        raise loaded.error(name, "board", text)


def _entry(
    loaded: LoadedBuilds, name: str, board_name: str, board: Board, library: Path, form: FpgaForm
) -> HwdbEntry:
    """Return what a hardware database says of a build whose bitstream is a model."""
    recipe = loaded.file.builds[name]
    return HwdbEntry(
        bitstream=str(library),
        sha256=sha256_of(library),
        fingerprint=form.manifest.design_hash,
        blades=recipe.blades,
        supernode=recipe.supernode,
        capture=recipe.capture,
        memory=recipe.memory_in_rtl,
        board=board_name,
        frequency_mhz=board.open_flow.clock_mhz if board.open_flow else USUAL_MHZ,
        built=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
