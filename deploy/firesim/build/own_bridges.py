# SPDX-License-Identifier: BSD-3-Clause
"""Bridges of the user's own: their declarations read, their drivers compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firesim_common.tools import ToolError

from firesim.build.model_library import CompileError, model_library
from firesim.topology.plan import PlannedBlade

SHARED, SOURCE = ".so", ".cc"


@dataclass(frozen=True)
class OwnDrivers:
    """What a node needs for the bridges of the user's own."""

    libraries: tuple[Path, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Of each kind, by its key."""


def own_drivers(blade: PlannedBlade) -> OwnDrivers:
    """Return the drivers of a blade's own bridges, compiled where they are C++.

    Raises:
        GoldenGateError: a bad declaration.
        ToolError: a driver does not compile.
    """
    from goldengate.bridges import read_declaration

    libraries = dict.fromkeys(driver_library(bridge.driver) for bridge in blade.bridges)
    settings = {
        read_declaration(bridge.declaration).key: dict(bridge.settings) for bridge in blade.bridges
    }
    return OwnDrivers(tuple(libraries), settings)


def driver_library(driver: Path) -> Path:
    """Return the shared object of a driver, compiled if it is C++.

    Raises:
        ToolError: it does not compile.
    """
    if driver.suffix == SHARED:
        return driver
    try:
        return model_library(driver)
    except CompileError as error:
        raise ToolError(f'found "{driver.name}" that does not compile: {error}.') from error
