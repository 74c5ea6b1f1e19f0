# SPDX-License-Identifier: BSD-3-Clause
"""From a farm's file to the farm, and to the hosts that it asks for, by its kind."""

from __future__ import annotations

from typing import Any, Protocol, cast

from firesim.config.farm import Capacity, FarmBase
from firesim.farm.base import RunFarm
from firesim.farm.file import FarmFile, kind_module


class Kind(Protocol):
    """What the file of a kind has."""

    SETTINGS: type[FarmBase]

    def make(self, file: FarmFile) -> RunFarm:
        """Return the farm that a file describes; nothing is started."""

    def stated_hosts(self, config: Any) -> list[tuple[str, Capacity]]:
        """Return the hosts that a farm's file asks for: their names, and what they can take."""


def _kind(farm: FarmBase) -> Kind:
    return cast(Kind, kind_module(farm.kind))


def make_farm(file: FarmFile) -> RunFarm:
    """Return the farm that a file describes; nothing is started."""
    farm = _kind(file.farm).make(file)
    farm.path = file.path
    return farm


def stated_hosts(farm: FarmBase) -> list[tuple[str, Capacity]]:
    """Return the hosts that a farm's file asks for: their names, and what they can take."""
    return _kind(farm).stated_hosts(farm)
