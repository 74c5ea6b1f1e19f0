# SPDX-License-Identifier: BSD-3-Clause
"""A board with a build's design in it, simulated behind a pseudo-terminal or a socket.

One on Ethernet is at an address of this computer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from ipaddress import IPv4Address
from pathlib import Path

from firesim_common.errors import InputError
from goldengate import Manifest
from goldengate.fpga_form import FpgaForm

from firesim.bitstream.builders.f2 import USUAL_MHZ
from firesim.bitstream.forms import build_form, check_board
from firesim.build.board_model import board_model, usual_bit_cycles
from firesim.build.boards import Board, all_boards, has_dram
from firesim.build.ethernet_model import ethernet_model
from firesim.build.f2_model import f2_model
from firesim.build.simulator import configure_and_build
from firesim.build.xdma_model import xdma_model
from firesim.config.bitstream import LoadedBuilds
from firesim.config.hwdb import HwdbEntry
from firesim.hosts.client import sha256_of

SERIAL, F2, XDMA, ETHERNET = "firesim-board", "firesim-f2", "firesim-xdma", "firesim-ethernet"
"""The programs that simulate a board: with a serial line, in the shell of F2, behind AMD's XDMA, on
Ethernet."""


@dataclass(frozen=True)
class Simulated:
    """A board that can be started."""

    board: str
    entry: HwdbEntry
    """What a hardware database says of it: its model is in the place of the bitstream."""
    words: list[str]
    """The command that simulates it, without the place of its device."""

    def with_options(self, *options: str) -> Simulated:
        """Return the board with options of its program, such as `--hostile-seed=1`."""
        program, *arguments = self.words
        return replace(self, words=[program, *options, *arguments])

    @property
    def has_socket(self) -> bool:
        """Whether its device is a socket, which needs a name."""
        return self.words[0].endswith((F2, XDMA))

    @property
    def has_address(self) -> bool:
        """Whether its device is an address of this computer."""
        return self.words[0].endswith(ETHERNET)


@dataclass(frozen=True)
class Losses:
    """What becomes of datagrams between a board on Ethernet and its host."""

    percent: int = 0
    """Percentage of datagrams lost each way, of those duplicated, and of those delayed."""
    seed: int = 1


def simulated_board(
    loaded: LoadedBuilds,
    name: str,
    line_cycles: int | None = None,
    dram_seed: int | None = None,
    losses: Losses | None = None,
) -> Simulated:
    """Make the model of a build's board with its design.

    A bit of its serial line takes `line_cycles` host cycles, as on the board when it is None. The
    times of its DRAM are chosen by `dram_seed`.

    Raises:
        InputError: there is no such build, no driver of ours reaches its board, or it has no line.
        ToolError, GoldenGateError: a step failed.
    """
    board_name, board = check_board(loaded, name)
    if board.driver is None:
        known = [each for each, one in all_boards().items() if one.driver is not None]
        text = f'found "{board_name}", expected a board that can be simulated: {", ".join(known)}.'
        raise loaded.error(name, "board", text)
    form = build_form(loaded, name)
    if line_cycles is not None and board.driver != "serial line":
        text = f'found "{board_name}", expected a board with a serial line for --bit-cycles.'
        raise loaded.error(name, "board", text)
    if dram_seed is not None and not has_dram(form):
        text = 'found "host", expected "rtl" for --dram-seed.'
        raise loaded.error(name, "memory", text)
    if losses is not None and board.driver != "Ethernet":
        text = f'found "{board_name}", expected a board on Ethernet for --loss-percent.'
        raise loaded.error(name, "board", text)
    blades = loaded.file.builds[name].blades
    wanted, model, more = _model(form, board_name, board, blades, line_cycles)
    if board.ethernet is not None:
        lost = losses or Losses()
        more += [board.ethernet.address, board.ethernet.port, lost.percent, lost.seed]
    program = configure_and_build("release", (wanted,)) / "bin" / wanted
    if not program.is_file():
        raise InputError(f"simulateboard: found no {wanted} in {program.parent}, expected it.")
    library = model / "model.so"
    seed = [] if dram_seed is None else [f"--dram-seed={dram_seed}"]
    words = [program, *seed, library, Manifest.read(model).design_hash, *more]
    entry = HwdbEntry(
        bitstream=str(library),
        sha256=sha256_of(library),
        fingerprint=form.manifest.design_hash,
        blades=blades,
        supernode=loaded.file.builds[name].supernode,
        capture=loaded.file.builds[name].capture,
        memory=loaded.file.builds[name].memory_in_rtl,
        board=board_name,
        frequency_mhz=board.open_flow.clock_mhz if board.open_flow else USUAL_MHZ,
        built=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    return Simulated(board_name, entry, [str(word) for word in words])


def _model(
    form: FpgaForm, name: str, board: Board, blades: int, line_cycles: int | None
) -> tuple[str, Path, list[int | str]]:
    """Return the program that simulates a board, the folder of its model, and further arguments."""
    if board.driver == "F2":
        return F2, f2_model(form, name, board, blades), [blades]
    if board.driver == "XDMA":
        return XDMA, xdma_model(form, board, blades), [blades]
    if board.driver == "Ethernet":
        return ETHERNET, ethernet_model(form, name, board), []
    cycles = line_cycles or usual_bit_cycles(board)
    return SERIAL, board_model(form, name, board, cycles), [cycles]


def device_of(text: Path) -> str:
    """Return the place for a link or a socket, where one of before may be.

    Raises:
        InputError: something else is there, or its folder is not.
    """
    other = text.exists() and not text.is_symlink() and not text.is_socket()
    if other or not text.parent.is_dir():
        raise InputError(f"--device: found {text}, expected a name in a folder for a new one.")
    return str(text.absolute())


def address_of(text: str) -> str:
    """Return the address for a board on Ethernet.

    Raises:
        InputError: it is none of this computer alone.
    """
    try:
        address = IPv4Address(text)
    except ValueError:
        address = None
    if address is None or not address.is_loopback:
        raise InputError(f"--device: found {text}, expected an address like 127.0.7.1.")
    return str(address)


def place_of(made: Simulated, build: str, device: Path | None) -> list[str]:
    """Return the place for a board's device, none for a pseudo-terminal without a name.

    Raises:
        InputError: it cannot be there.
    """
    if made.has_address:
        return [address_of(str(device or "127.0.7.1"))]
    if device is None and made.has_socket:
        device = Path(f"{build}.socket")
    return [] if device is None else [device_of(device)]
