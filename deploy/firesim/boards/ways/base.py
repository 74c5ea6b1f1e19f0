# SPDX-License-Identifier: BSD-3-Clause
"""What the manager asks of a way to reach a board."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from firesim_common.base import Strict
from firesim_common.errors import InputError

from firesim.topology.plan import PlannedImage, PlannedReach

if TYPE_CHECKING:
    from goldengate.fpga_form import FpgaForm

    from firesim.boards.board import Board

DEVICE_OPTION = "--device"


@dataclass(frozen=True)
class Losses:
    """What becomes of datagrams between a board and its host."""

    percent: int = 0
    """Percentage of datagrams lost each way, of those duplicated, and of those delayed."""
    seed: int = 1


@dataclass(frozen=True)
class Wishes:
    """Options of a simulated board that only some ways have; None is not asked for."""

    bit_cycles: int | None = None
    """Host cycles of a bit of its line; else as on the board."""
    losses: Losses | None = None


PLAIN = Wishes()
"""Nothing is asked for."""


@dataclass(frozen=True)
class BoardModel:
    """A board's top as a model, and what simulates it."""

    program: str
    """Of `simulator/board`."""
    model: Path
    """The folder with the model and its manifest."""
    arguments: tuple[int | str, ...] = ()
    """Of the program, behind the model and its fingerprint."""


@dataclass(frozen=True)
class Loading:
    """What there is to load onto an FPGA, and by what."""

    device: str
    """Of the FPGA, on its host."""
    agfi: str | None = None
    """The number of AWS's image."""
    bitstream: Path | None = None
    """Its file on this computer."""
    cable: str | None = None
    """Serial number of the JTAG cable that leads to the card."""
    vivado: str = ""
    """The program there that speaks to the cable."""


class Way(Strict):
    """A way; its fields are the settings of a board's file."""

    BOARD: ClassVar[str]
    """Which boards have it, as a message says it: with a serial line."""
    DEVICE: ClassVar[str]
    """What a farm's file says of a board as its device, for a message."""
    MOST_BLADES: ClassVar[int] = 1
    """How many blades a top that is reached so takes."""
    ON_PCIE: ClassVar[bool] = False
    """Whether the top is behind PCIe."""
    HAS_ADDRESS: ClassVar[bool] = False
    """Whether a build recipe may give a board its own address."""
    OPTIONS: ClassVar[Mapping[str, str]] = {}
    """Which wishes it takes for a simulated board, each with its option."""

    @classmethod
    def takes(cls, device: str) -> bool:
        """Return whether a farm's file may name a board so: by the path of its device."""
        return device.startswith("/")

    @abstractmethod
    def reached(self, board: Board, device: str, slot: int) -> PlannedReach:
        """Return how a node is reached that is blade `slot` of those on a board."""

    def image(self, board: Board, loading: Loading) -> PlannedImage | None:
        """Return what the manager loads before a run; None if it is simulated or loaded by hand."""
        del board, loading
        return None

    def macros(self, address: str | None) -> dict[str, str]:
        """Return macros of the board's top, which a build recipe may have given an address."""
        del address
        return {}

    @abstractmethod
    def simulated(
        self, form: FpgaForm, name: str, board: Board, blades: int, wishes: Wishes
    ) -> BoardModel:
        """Return the model of a board in the folder `name`, with blades of a form in it.

        Raises:
            ToolError, GoldenGateError: a step failed.
        """

    def place(self, build: str, device: Path | None) -> list[str]:
        """Return where the device of a simulated board is to be; none has no name of its own.

        A board on PCIe is behind a socket, which needs a name.

        Raises:
            InputError: it cannot be there.
        """
        if device is None and self.ON_PCIE:
            device = Path(f"{build}.socket")
        return [] if device is None else [device_of(device)]


def device_of(text: Path) -> str:
    """Return the place for a link or a socket, where one of before may be.

    Raises:
        InputError: something else is there, or its folder is not.
    """
    other = text.exists() and not text.is_symlink() and not text.is_socket()
    if other or not text.parent.is_dir():
        raise InputError(
            f"{DEVICE_OPTION}: found {text}, expected a name in a folder for a new one."
        )
    return str(text.absolute())
