# SPDX-License-Identifier: BSD-3-Clause
"""What the file of an FPGA board says, `platforms/NAME/board.yaml`: its keys."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from firesim_common.base import Strict
from pydantic import Field, StringConstraints

from firesim.boards.ways.base import Way

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


class Reached(Strict):
    """Of the ways of `ways/`, each by the name of its file, the one by which a board is reached."""

    @property
    def way(self) -> Way:
        """The way."""
        (found,) = (way for _, way in self if way is not None)
        assert isinstance(found, Way)
        return found


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
    reached_by: Reached | None = None
    """How a host reaches the board's top module; without, nothing of ours does yet."""
    vivado_flow: VivadoFlow | None = None
    """For boards that Vivado builds for."""
    aws_flow: AwsFlow | None = None
    """For boards in AWS's shell."""
    published: list[Published]
    """Figures of others."""

    @property
    def way(self) -> Way | None:
        """The way by which a host reaches the board's top module; None when no way does yet."""
        return None if self.reached_by is None else self.reached_by.way

    @property
    def most_blades(self) -> int:
        """How many blades its top module takes; a device may have room for fewer."""
        return 1 if self.way is None else self.way.MOST_BLADES

    @property
    def has_dram_port(self) -> bool:
        """Whether its top module can give a host's side a port to DRAM."""
        return self.aws_flow is not None and bool(self.aws_flow.dram_link)

    @property
    def on_pcie(self) -> bool:
        """Whether its top is behind PCIe; such devices have room, and words to spare for few."""
        return self.way is not None and self.way.ON_PCIE
