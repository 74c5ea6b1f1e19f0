# SPDX-License-Identifier: BSD-3-Clause
"""This computer as a run farm: several processes, each with a share of the cores."""

from __future__ import annotations

import os
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from firesim.config.farm import Capacity, FarmBase
from firesim.farm.base import Launch, RunFarm, Say
from firesim.farm.file import FarmFile
from firesim.hosts.channel import LocalLink
from firesim.hosts.host import Host


class LocalFarm(FarmBase, Capacity):
    """This computer, in several processes."""

    HERE: ClassVar[bool] = True

    kind: Literal["local"]
    processes: Annotated[int, Field(ge=1, le=64)] = 2
    """How many; each counts as a host with its share of the cores."""


class Local(RunFarm):
    """Processes on this computer."""

    def __init__(self, name: str, config: LocalFarm) -> None:
        """Take the farm's file."""
        super().__init__(name)
        self.config = config

    def missing(self) -> Launch:
        """Return that nothing is missing."""
        return Launch([])

    def launch(self, say: Say) -> None:
        """Do nothing: this computer is up."""

    def hosts(self) -> list[Host]:
        """Return one host for each process."""
        config = self.config
        cores = config.cores or len(os.sched_getaffinity(0))
        all_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        usable_bytes = all_bytes if config.memory_gib is None else int(config.memory_gib * 2**30)
        return [
            Host(
                name=f"local{index}",
                address="127.0.0.1",
                link=LocalLink(),
                folder=f"{config.folder.rstrip('/')}/local{index}",
                cores=max(1, cores // config.processes + (index < cores % config.processes)),
                memory_bytes=usable_bytes // config.processes,
                fpgas=config.fpgas if index == 0 else 0,
                kind="this computer",
            )
            for index in range(config.processes)
        ]

    def terminate(self, say: Say) -> None:
        """Do nothing: this computer stays up."""


SETTINGS = LocalFarm


def make(file: FarmFile) -> Local:
    """Return the farm that a file describes; nothing is started."""
    assert isinstance(file.farm, LocalFarm)
    return Local(file.name, file.farm)


def stated_hosts(config: LocalFarm) -> list[tuple[str, Capacity]]:
    """Return this computer, of which the FPGAs are with the first process."""
    return [("local0", config)]
