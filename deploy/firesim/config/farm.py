# SPDX-License-Identifier: BSD-3-Clause
"""A run farm's file: which hosts there are, or are to be had, and what each can take."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Annotated, ClassVar, Self

from firesim_common.base import Strict
from firesim_common.errors import InputError, unknown
from firesim_common.paths import ROOT
from firesim_common.user_path import user_path
from pydantic import AfterValidator, Field, StringConstraints, model_validator

from firesim.config.layers import given_or_ours, yaml_names

FIRST_PORT = 17000
PORT_SPAN = 4096
"""Of a farm, from its first port on."""
FARMS = ROOT / "deploy/farms"


def _ipv4(text: str) -> str:
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError as error:
        raise ValueError(f'found "{text}", expected an IPv4 address.') from error


Ipv4 = Annotated[str, AfterValidator(_ipv4)]
HostText = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]*$")]
Port = Annotated[int, Field(ge=1, le=65535)]
Count = Annotated[int, Field(ge=1, le=4096)]
Device = Annotated[str, StringConstraints(pattern=r"^[!-~]+$", max_length=1024)]
Cable = Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z]{1,64}$")]
Folder = Annotated[str, StringConstraints(pattern=r"^[~/][!-~]*$", max_length=1024)]


class Capacity(Strict):
    """What of a host may be used."""

    cores: Annotated[int, Field(ge=1, le=4096)] | None = None
    """Worker threads (default: all cores of the host)."""
    memory_gib: Annotated[float, Field(gt=0)] | None = None
    """Memory for simulations (default: all of the host)."""
    fpgas: Annotated[int, Field(ge=0, le=64)] = 0
    """FPGAs in the host."""
    platform: str | None = None
    """The board that all its FPGAs are, by one of the names of the board."""
    devices: list[Device] = Field(default_factory=list)
    """How the host reaches each of its FPGAs, in their order: serial devices, such as
    /dev/ttyUSB0, functions on PCI, such as /sys/bus/pci/devices/0000:34:00.0, or IPv4 addresses of
    boards on Ethernet."""
    cables: list[Cable] = Field(default_factory=list)
    """Serial numbers of the JTAG cables of its FPGAs behind AMD's XDMA, in their order: with them
    a run loads each FPGA's bitstream before it starts (default: you load them)."""
    vivado: str = "vivado"
    """Vivado or its Lab Edition on the host, or its path, which loads over those cables."""
    folder: Folder = "~/.firesim"
    """Where on the host runs and what they need are kept, for their owner only."""

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        if self.devices and len(self.devices) != self.fpgas:
            text = f"found {len(self.devices)} devices for {self.fpgas} FPGAs, expected one each."
            raise ValueError(text)
        if self.cables and len(self.cables) != self.fpgas:
            text = f"found {len(self.cables)} cables for {self.fpgas} FPGAs, expected one each."
            raise ValueError(text)
        return self


class FarmBase(Strict):
    """What every kind of run farm says."""

    HERE: ClassVar[bool] = False
    """Its hosts are this computer: what they can take is known, and nothing is asked for it."""
    HOSTS_NAMED: ClassVar[bool] = True
    """Its hosts have names before they are launched."""

    kind: str
    first_port: Annotated[int, Field(ge=1024, le=60000)] = FIRST_PORT
    """Simulators listen on free ones of the 4,096 ports from this one on."""


def farm_path(text: str, folder: Path) -> Path:
    """Return the farm file meant by a path, from `folder` on, or by the name of one of ours.

    Raises:
        InputError: there is no such file.
    """
    try:
        path = folder / user_path(text)
    except InputError as error:
        raise InputError(f"run farm: {error}") from error
    if found := given_or_ours(path, text, FARMS):
        return found
    raise InputError(f"run farm: {unknown(text, 'a file or one of the farms', yaml_names(FARMS))}")
