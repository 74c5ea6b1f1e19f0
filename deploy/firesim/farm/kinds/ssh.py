# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that somebody else keeps up, reached by ssh."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from typing import Annotated, Literal

from firesim_common.base import Name
from firesim_common.user_path import user_path
from pydantic import Field

from firesim.config.farm import Capacity, FarmBase, HostText, Ipv4, Port
from firesim.farm.base import FarmError, Launch, RunFarm, Say
from firesim.farm.file import FarmFile
from firesim.hosts.host import Host
from firesim.hosts.ssh_link import SshLink


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


def host_name(config: SshHost) -> str:
    """Return the name of a host: its own, or its address with what no name may have as `_`."""
    if config.name is not None:
        return config.name
    text = re.sub(r"[^A-Za-z0-9]+", "_", config.address)
    return text if text[0].isalpha() else f"host_{text}"


class Ssh(RunFarm):
    """Externally provisioned hosts."""

    def __init__(self, name: str, config: SshFarm, folder: Path) -> None:
        """Take the farm's file; paths in it are relative to `folder`."""
        super().__init__(name)
        self.config = config
        self.folder = folder

    def missing(self) -> Launch:
        """Return that nothing is missing: the hosts are not ours to start."""
        return Launch([])

    def launch(self, say: Say) -> None:
        """Do nothing: the hosts are not ours to start."""

    def hosts(self) -> list[Host]:
        """Return the hosts of the file; whether they answer shows when they are used."""
        return [
            Host(
                name=host_name(config),
                address=config.network_address or self._network_address(config.address),
                link=SshLink(
                    config.address,
                    config.user,
                    config.port,
                    self._file(config.key),
                    self._file(config.known_hosts),
                ),
                folder=config.folder,
                cores=config.cores,
                memory_bytes=None if config.memory_gib is None else int(config.memory_gib * 2**30),
                fpgas=config.fpgas,
                kind="ssh",
            )
            for config in self.config.hosts
        ]

    def terminate(self, say: Say) -> None:
        """Do nothing: the hosts are not ours to end."""

    def _file(self, text: str | None) -> Path | None:
        return None if text is None else self.folder / user_path(text)

    def _network_address(self, address: str) -> str:
        """Return the IPv4 address of a name of DNS or of ~/.ssh/config."""
        from paramiko.config import SSHConfig

        file = Path("~/.ssh/config").expanduser()
        settings = SSHConfig.from_path(str(file)) if file.is_file() else SSHConfig()
        looked_up = settings.lookup(address).get("hostname", address)
        try:
            return socket.gethostbyname(looked_up)
        except OSError as error:
            raise FarmError(
                f'{self.name}: found the address "{address}", expected one that can be looked up, '
                "or the key network_address."
            ) from error


SETTINGS = SshFarm


def make(file: FarmFile) -> Ssh:
    """Return the farm that a file describes; nothing is started."""
    assert isinstance(file.farm, SshFarm)
    return Ssh(file.name, file.farm, file.path.parent)


def stated_hosts(config: SshFarm) -> list[tuple[str, Capacity]]:
    """Return the hosts that a farm's file asks for: their names, and what they can take."""
    return [(host_name(host), host) for host in config.hosts]
