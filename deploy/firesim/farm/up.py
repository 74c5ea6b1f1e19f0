# SPDX-License-Identifier: BSD-3-Clause
"""The hosts of a farm that are up, connected, with nothing of lost runs left on them."""

from __future__ import annotations

from pathlib import Path

from firesim_common.errors import InputError

from firesim.farm.base import FarmError, RunFarm
from firesim.farm.file import FarmFile
from firesim.farm.left import clear
from firesim.farm.make import make_farm
from firesim.hosts.host import Host
from firesim.hosts.ready import ReadyHost, close_all, connected


def farm_of(path: Path) -> tuple[FarmFile, RunFarm]:
    """Return a farm and its file; nothing is started or asked.

    Raises:
        InputError: the file is wrong.
    """
    file = FarmFile(path)
    return file, make_farm(file)


def hosts_up(farm: RunFarm) -> list[Host]:
    """Return the hosts of a farm that are up; nothing is started on them.

    Raises:
        InputError: none is, or their supplier does not answer.
    """
    try:
        hosts = farm.hosts()
    except FarmError as error:
        raise InputError(str(error)) from error
    if not hosts:
        raise InputError(
            f"{farm.name}: found no host up, expected some: firesim launchrunfarm starts them."
        )
    return hosts


def up(farm: RunFarm, answering: bool = False) -> list[ReadyHost]:
    """Return the hosts of a farm that are up, connected; with `answering` those that answer.

    Raises:
        InputError: none is, or one does not answer or does not fit.
    """
    found = connected(hosts_up(farm), answering)
    try:
        clear(farm.path, found)
    except BaseException:
        close_all(found)
        raise
    return found
