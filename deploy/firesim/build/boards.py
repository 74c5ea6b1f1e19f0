# SPDX-License-Identifier: BSD-3-Clause
"""The FPGA boards of `platforms/`, one folder each: what a board has, and where that is from."""

from __future__ import annotations

from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from firesim_common.base import Strict
from firesim_common.errors import InputError, unknown
from firesim_common.explain import checked
from firesim_common.paths import ROOT
from firesim_common.positions import read_yaml
from pydantic import Field, StringConstraints

from firesim.build.liteeth import liteeth_core

if TYPE_CHECKING:
    from goldengate.fpga_form import FpgaForm

Driver = Literal["serial line", "F2", "XDMA", "Ethernet"]
PLATFORMS = ROOT / "platforms"
MOST_WINDOWS = 16
"""Blades on an F2, which the top has addresses for (kMostWindows in window_platform.h)."""
MOST_STREAMS = 4
"""Blades behind AMD's XDMA, limited by the streams of its core each way (kMostXdmaBlades)."""
SHELL_LINK = ("firesim_blades.v", "firesim_board_status.v", "firesim_split.v")
"""Files of sim/hostlib/rtl that the tops of Vivado's shells need."""
FILE = "board.yaml"
Number = Annotated[int, Field(ge=0)]


class Resources(Strict):
    """What a device has, or a design takes: tables of the family's size, registers, memories."""

    lut: Number
    """Look-up tables: of four inputs on ECP5, of six on AMD devices."""
    ff: Number
    """Registers of one bit."""
    bram_kbit: Number
    """Block RAM, in units of 1,024 bits with parity."""
    uram: Number
    """UltraRAM blocks of 288 kbit."""
    dsp: Number
    """Multipliers."""


class Published(Strict):
    """A figure that somebody else gives for this board."""

    what: str
    """What was measured or configured, with its unit."""
    value: str
    """The figure."""
    source: str
    """Who says so."""


class OpenFlow(Strict):
    """How nextpnr makes a bitstream for the board; top.v and pins.lpf lie beside its file."""

    FILE: ClassVar[str] = "top.v"
    top: str
    """Module of top.v, which instantiates the module that the macro FIRESIM_HOST names."""
    link: list[str]
    """Files of sim/hostlib/rtl that top.v needs."""
    liteeth: str | None = None
    """File beside with what liteeth_gen makes the module liteeth_core of, if top.v has one."""
    cells: str | None = None
    """File beside with the cells of the device that top.v and such a core have."""
    nextpnr: list[str]
    """Options of nextpnr-ecp5 that name the device."""
    clock: str
    """Clock input of the top."""
    clock_mhz: float
    """Frequency of the host clock, which is this input or is made of it."""


class SerialLine(Strict):
    """The serial line of a board's top module: eight bits, no parity, one stop bit.

    The top has a parameter BIT_CYCLES, the host cycles of a bit, whose value is that of the board.
    """

    to_board: str
    """Input of the top."""
    from_board: str
    """Output of the top."""
    bits_per_s: Annotated[int, Field(ge=300, le=100_000_000)]
    """Its speed."""


class Ethernet(Strict):
    """Etherbone on UDP, by which a host reaches a board's top module."""

    port: Annotated[int, Field(ge=1, le=65535)]
    """Of UDP, on the board and on its host: the core answers to no other one."""
    address: str
    """The board's, unless a build recipe says another one (the macro FIRESIM_ADDRESS)."""


class Flash(Strict):
    """The memory that a board configures itself from, and where a bitstream belongs in it."""

    mib: Number
    """Its size."""
    interface: Literal["SPIx4", "SPIx8"]
    """How the device reads it; of SPIx8 there are two memories, and two files for them."""
    load_address: Annotated[str, StringConstraints(pattern=r"^0x[0-9a-f]{8}$")]
    """Where our bitstream begins: behind what its maker has put there."""

    def files(self) -> list[str]:
        """Return the names of what write_cfgmem makes of firesim.mcs."""
        if self.interface == "SPIx4":
            return ["firesim.mcs"]
        return ["firesim_primary.mcs", "firesim_secondary.mcs"]


class VivadoFlow(Strict):
    """How Vivado makes a bitstream for the board; pins.xdc lies beside its file."""

    shell: str
    """Folder of platforms/ with the top module and the ports of the cores that it needs."""
    top: str
    """Module of its top.v, which has the blades of `blade_macros`."""
    defines: list[str]
    """Macros of its top.v."""
    link_speed: str
    """Of PCIe, a lane, as the core's setting has it."""
    flash: Flash | None = None
    """Of boards that a bitstream can be kept on; without, no file is made for it."""
    core: dict[str, str] = Field(default_factory=dict)
    """Further settings of the XDMA core: which of the device's blocks it is."""
    early: str | None = None
    """File beside with constraints that come before those of the cores."""
    most_mhz: float
    """Clock of PCIe, of which the host clock is made."""


class AwsFlow(Strict):
    """How AWS's kit makes an image for the board; top.sv lies beside its file."""

    FILE: ClassVar[str] = "top.sv"
    top: str
    """Module of top.sv, which has the blades of `blade_macros`."""
    link: list[str]
    """Files of sim/hostlib/rtl that top.sv needs."""
    dram_link: list[str] = Field(default_factory=list)
    """Further such files of a top with a port to its DRAM (the macro FIRESIM_DRAM)."""
    clock_multiplied_mhz: float
    """What the top multiplies the shell's clock to, of which the host clock is an eighth part's
    multiple (the macro FIRESIM_DIVIDE)."""


class UsbName(Strict):
    """By what a board is known on USB."""

    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{4}:[0-9a-f]{4}$")]
    """Vendor and product."""
    product: str
    """A word of the product's name."""


class Board(Strict):
    """A board file."""

    title: str
    """Name for people."""
    device: str
    """The FPGA, as its maker orders it."""
    also: list[str] = Field(default_factory=list)
    """Further names."""
    family: Literal["ecp5", "xcup", "xc7"]
    """What Yosys synthesizes for: Lattice ECP5, AMD UltraScale+ or 7 series."""
    resources: Resources
    """What the device has."""
    source: str
    """Where the resources are from."""
    memory: str
    """DRAM of the board."""
    host_access: str
    """How a host reaches it."""
    pci: list[Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{4}:[0-9a-f]{4}$")]] = Field(
        default_factory=list
    )
    """Vendor and device that the board has on PCI with a bitstream of ours, or before one."""
    usb: list[UsbName] = Field(default_factory=list)
    """By what the board is known on USB."""
    open_flow: OpenFlow | None = None
    """For boards with open tools."""
    serial_line: SerialLine | None = None
    """For boards whose top module a host reaches over a serial line."""
    ethernet: Ethernet | None = None
    """For boards whose top module a host reaches over Ethernet."""
    vivado_flow: VivadoFlow | None = None
    """For boards that Vivado builds for."""
    aws_flow: AwsFlow | None = None
    """For boards in AWS's shell."""
    published: list[Published]
    """Figures of others."""

    @property
    def most_blades(self) -> int:
        """How many blades its top module takes; a device may have room for fewer."""
        return {"F2": MOST_WINDOWS, "XDMA": MOST_STREAMS}.get(str(self.driver), 1)

    @property
    def has_dram_port(self) -> bool:
        """Whether its top module can give a host's side a port to DRAM."""
        return self.aws_flow is not None and bool(self.aws_flow.dram_link)

    @property
    def driver(self) -> Driver | None:
        """Which driver of ours reaches the board's top module; None when none does yet."""
        if self.serial_line is not None and self.open_flow is not None:
            return "serial line"
        if self.ethernet is not None and self.open_flow is not None:
            return "Ethernet"
        if self.aws_flow is not None:
            return "F2"
        return "XDMA" if self.vivado_flow is not None else None

    @property
    def on_pcie(self) -> bool:
        """Whether its top is behind PCIe; such devices have room, and words to spare for few."""
        return self.driver in ("F2", "XDMA")


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


def _read(name: str) -> Board:
    path = PLATFORMS / name / FILE
    return checked(Board, read_yaml(path, str(path.relative_to(ROOT))))


def whole_design(
    form: FpgaForm, board: str, flow: OpenFlow | AwsFlow, simulated: bool = False
) -> list[Path]:
    """Return the Verilog of a board with a form in it; the last file is the board's top.

    Raises:
        ToolError: a core of the board's cannot be made.
    """
    from goldengate.channels import RTL

    folder = PLATFORMS / board
    link, further = list(flow.link), []
    if isinstance(flow, OpenFlow):
        further += [folder / flow.cells] if flow.cells else []
        further += [liteeth_core(folder / flow.liteeth, simulated)] if flow.liteeth else []
    elif has_dram(form):
        link += flow.dram_link
    return [*form.sources, *(RTL / name for name in link), *further, folder / flow.FILE]


def has_dram(form: FpgaForm) -> bool:
    """Return whether a form has a port to a DRAM."""
    host = form.manifest.host
    return host is not None and any(one.memory_port is not None for one in host.parts)


def address_macros(board: Board, address: str | None = None) -> dict[str, str]:
    """Return the macro of the top of a board on Ethernet that says its address; else none."""
    if board.ethernet is None:
        return {}
    number = int(IPv4Address(address or board.ethernet.address))
    return {"FIRESIM_ADDRESS": f"32'h{number:08x}"}


def blade_macros(form: FpgaForm, blades: int) -> dict[str, str]:
    """Return the macros of firesim_blades.v: the host's side, how many, whether in a supernode."""
    found = {"FIRESIM_HOST": form.top, "FIRESIM_BLADES": str(blades)}
    fame1 = form.manifest.fame1
    shares = fame1 is not None and fame1.threads > 1
    return {**found, "FIRESIM_SUPERNODE": "1"} if shares else found


def shell_design(form: FpgaForm, flow: VivadoFlow) -> list[Path]:
    """Return the Verilog of a board that Vivado builds for, without stubs; the last is its top."""
    from goldengate.channels import RTL

    return [*form.sources, *(RTL / name for name in SHELL_LINK), PLATFORMS / flow.shell / "top.v"]


def shell_macros(form: FpgaForm, flow: VivadoFlow, blades: int) -> dict[str, str]:
    """Return the macros of such a top with `blades` blades of a form."""
    further = {f"FIRESIM_BLADE_{index}": "1" for index in range(1, blades)}
    return {**dict.fromkeys(flow.defines, "1"), **blade_macros(form, blades), **further}
