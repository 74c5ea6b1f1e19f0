# SPDX-License-Identifier: BSD-3-Clause
"""What bridges are told, and the user's own drivers, compiled."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firesim_common.settings import Settings, with_defaults
from firesim_common.tools import ToolError

from firesim.build.model_library import CompileError, model_library
from firesim.topology.plan_blades import PlannedBlade

SHARED, SOURCE = ".so", ".cc"


@dataclass(frozen=True)
class OwnDrivers:
    """What a node needs for the user's own bridges."""

    libraries: tuple[Path, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Of each kind, by its key."""


NO_DRIVERS = OwnDrivers()


def own_drivers(blade: PlannedBlade) -> OwnDrivers:
    """Return the drivers of a blade's own bridges, compiled where they are C++.

    Raises:
        GoldenGateError: a bad declaration.
        ToolError: a driver does not compile.
    """
    from goldengate.bridges import read_declaration

    libraries = dict.fromkeys(driver_library(bridge.driver) for bridge in blade.bridges)
    settings = {}
    for bridge in blade.bridges:
        kind = read_declaration(bridge.declaration)
        settings[kind.key] = with_defaults(kind.settings, bridge.settings)
    return OwnDrivers(tuple(libraries), settings)


def declared_settings(blade: PlannedBlade | None = None) -> dict[str, Settings]:
    """Return the settings of our kinds of bridges, and of the bridges of a user's blade.

    Raises:
        GoldenGateError: a bad declaration.
    """
    from goldengate.bridges import bridge_kinds

    own = [bridge.declaration for bridge in blade.bridges] if blade is not None else []
    return {kind.key: kind.settings for kind in bridge_kinds(own).values() if kind.settings}


def bridge_settings(
    kinds: Collection[str], given: Mapping[str, Mapping[str, Any]], drivers: OwnDrivers = NO_DRIVERS
) -> dict[str, dict[str, Any]]:
    """Return the settings of a node's bridges: those given, those of a blade, then defaults."""
    told = {kind: with_defaults(one, {}) for kind, one in declared_settings().items()}
    told |= {kind: dict(one) for kind, one in drivers.settings.items()}
    return {kind: {**one, **given.get(kind, {})} for kind, one in told.items() if kind in kinds}


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
