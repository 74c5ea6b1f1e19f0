# SPDX-License-Identifier: BSD-3-Clause
"""The blades of a plan that the configuration describes: the user's own hardware."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from firesim_common.positions import KeyPath

from firesim.topology.chipyard_firrtl import FirrtlDesign
from firesim.topology.counted_event import CountedEvent
from firesim.topology.plusargs import Option, Value


@dataclass(frozen=True)
class PlannedTraining:
    """What a user's blade is trained with; None where there is nothing."""

    elf: Path | None
    device_tree: Path | None
    traffic: Path | None
    console: Path | None
    max_cycles: int


@dataclass(frozen=True)
class PlannedBridge:
    """A kind of bridge that the user adds."""

    declaration: Path
    driver: Path
    """A shared object, or C++ to be compiled."""
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class PlannedBlade:
    """A user's blade, which the configuration describes."""

    name: str
    place: KeyPath
    """Where in the configuration it is described."""
    sources: tuple[Path, ...]
    top: str
    clock: str
    reset: str
    reset_active: Literal["high", "low", "auto"]
    """The level at which it resets; auto = found out by use and name."""
    reset_cycles: int
    clock_ratios: Mapping[str, str]
    events: tuple[CountedEvent, ...]
    include_dirs: tuple[Path, ...]
    defines: Mapping[str, str | None]
    parameters: Mapping[str, str]
    data_files: tuple[Path, ...]
    bridges: tuple[PlannedBridge, ...]
    memory_base: int
    device_tree: Path | None
    device_tree_address: int
    assertions: str
    synthesis: bool
    training: PlannedTraining | None
    wrapper: str = ""
    """Verilog of its top module, around a chip of Chipyard without a harness."""
    traces: str = ""
    """Verilog that binds trace ports into cores that have none."""
    firrtl: FirrtlDesign | None = None
    """FIRRTL of a Chipyard design: the Verilog that firtool makes of it is the source."""
    memory_mib: int | None = None
    """Its memory where a node says nothing; None = the usual."""
    plusargs: Mapping[str, Value] = field(default_factory=dict)
    """Options of a simulator's command line, by name."""
    options: tuple[Option, ...] = ()
    """Those that readers of generated files ask for."""
    asked: tuple[str, ...] | None = None
    """Those that their system tasks ask for; None where nobody has looked."""
    decided: tuple[str, ...] = ()
    """In sentences what was made of files that Chipyard has generated."""
