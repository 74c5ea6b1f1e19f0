# SPDX-License-Identifier: BSD-3-Clause
"""A run farm's file: which hosts there are, or are to be had, and what each can take."""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import Annotated, Literal, Self

from firesim_common.base import Name, Strict
from firesim_common.errors import InputError, unknown
from firesim_common.explain import checked
from firesim_common.paths import ROOT
from firesim_common.positions import KeyPath, Source, read_users_yaml
from firesim_common.user_path import user_path
from pydantic import AfterValidator, Field, RootModel, StringConstraints, model_validator

from firesim.config.layers import given_or_ours, yaml_names

FIRST_PORT = 17000
PORT_SPAN = 4096
"""Of a farm, from its first port on."""
FARMS = ROOT / "deploy/farms"
_PATH = re.compile(r"/[!-~]+")


def _ipv4(text: str) -> str:
    try:
        return str(ipaddress.IPv4Address(text))
    except ValueError as error:
        raise ValueError(f'found "{text}", expected an IPv4 address.') from error


def _device(text: str) -> str:
    if _PATH.fullmatch(text) is None:
        try:
            return _ipv4(text)
        except ValueError as error:
            what = "expected a full path or, of a board on Ethernet, its IPv4 address."
            raise ValueError(f'found "{text}", {what}') from error
    return text


Ipv4 = Annotated[str, AfterValidator(_ipv4)]
HostText = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:-]*$")]
Port = Annotated[int, Field(ge=1, le=65535)]
Count = Annotated[int, Field(ge=1, le=4096)]
Device = Annotated[str, StringConstraints(max_length=1024), AfterValidator(_device)]
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

    first_port: Annotated[int, Field(ge=1024, le=60000)] = FIRST_PORT
    """Simulators listen on free ones of the 4,096 ports from this one on."""


class LocalFarm(FarmBase, Capacity):
    """This computer, in several processes."""

    kind: Literal["local"]
    processes: Annotated[int, Field(ge=1, le=64)] = 2
    """How many; each counts as a host with its share of the cores."""


class SshHost(Capacity):
    """A host that is there already and is reached by ssh."""

    name: Name | None = None
    """Its name in messages and placements (default: made of its address)."""
    address: HostText
    """As ssh takes it: a name of ~/.ssh/config, a host name or an address."""
    user: HostText | None = None
    """Default: as ssh chooses."""
    port: Port | None = None
    """Default: as ssh chooses."""
    key: str | None = None
    """File with the private key (default: as ssh chooses); the key itself is never copied."""
    known_hosts: str | None = None
    """File with the host keys that are believed (default: yours and the system's known hosts)."""
    network_address: Ipv4 | None = None
    """Where the other hosts reach it (default: what `address` means)."""


class SshFarm(FarmBase):
    """Hosts that are there already, reached by ssh."""

    kind: Literal["ssh"]
    hosts: Annotated[list[SshHost], Field(min_length=1)]
    """The hosts."""


class SlurmFarm(FarmBase, Capacity):
    """An allocation of a Slurm cluster; its nodes are the hosts."""

    kind: Literal["slurm"]
    nodes: Count
    """How many nodes."""
    partition: HostText | None = None
    """Default: the cluster's."""
    account: HostText | None = None
    """Who pays."""
    constraint: str | None = None
    """Features that the nodes must have, as sbatch takes them."""
    time_limit_min: Annotated[int, Field(ge=1)] = 60
    """The allocation ends after so many minutes."""
    launch_timeout_s: Annotated[float, Field(gt=0)] = 600
    """How long to wait for the allocation."""


class Ec2Hosts(Capacity):
    """Some EC2 instances of one type."""

    count: Count = 1
    """How many."""
    instance_type: HostText
    """As EC2 names it: c7a.4xlarge, f2.6xlarge."""
    market: Literal["on_demand", "spot"] = "on_demand"
    """Spot is cheaper, and may be taken away with two minutes' notice."""
    most_usd_per_hour: Annotated[float, Field(gt=0)] | None = None
    """For spot: the most that one may cost (default: the price on demand)."""


class Ec2Farm(FarmBase):
    """Instances of Amazon EC2; only those that this farm has tagged are ever ended."""

    kind: Literal["aws_ec2"]
    region: HostText
    """Such as us-east-1."""
    hosts: Annotated[list[Ec2Hosts], Field(min_length=1)]
    """The instances."""
    image: str = "resolve:ssm:/aws/service/debian/release/12/latest/amd64"
    """AMI, or the SSM parameter that names it."""
    user: HostText = "admin"
    """Who logs in by ssh."""
    key_name: str
    """The EC2 key pair whose private key ssh has."""
    key: str | None = None
    """File with the private key (default: as ssh chooses)."""
    subnets: Annotated[list[HostText], Field(min_length=1)]
    """Tried in this order, as long as one has no capacity."""
    security_groups: Annotated[list[HostText], Field(min_length=1)]
    """They must let ssh in, and the hosts reach each other from `first_port` on."""
    reach: Literal["public", "private"] = "public"
    """Whether ssh goes to the public or the private address; hosts use private ones."""
    launch_timeout_s: Annotated[float, Field(gt=0)] = 600
    """How long to wait for instances until ssh answers."""


AnyFarm = Annotated[
    LocalFarm | SshFarm | SlurmFarm | Ec2Farm,
    Field(discriminator="kind"),
]


class RunFarmFile(RootModel[AnyFarm]):
    """What `--farm FILE` reads."""


class FarmFile:
    """A checked farm file and where its values came from."""

    def __init__(self, path: Path) -> None:
        """Read and check it.

        Raises:
            InputError: one line for each thing wrong, with its place.
        """
        self.path = path.absolute()
        self.source: Source = read_users_yaml(self.path)
        self.farm: AnyFarm = checked(RunFarmFile, self.source).root

    @property
    def name(self) -> str:
        """The farm's name: its file's."""
        return self.path.stem

    def error(self, path: KeyPath, message: str) -> InputError:
        """Return an error that points at the value at `path`."""
        return self.source.error(path, message)


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
