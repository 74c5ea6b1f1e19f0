# SPDX-License-Identifier: BSD-3-Clause
"""The plan's part on running and observing: what changes no target cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from firesim.config.activity import Activity
from firesim.config.capture import Capture
from firesim.config.engines import Fpga, Functional, Metasim, Snapshots
from firesim.config.keep import MANAGER
from firesim.config.monitoring import Monitoring
from firesim.config.network import Network
from firesim.config.signals import Peek, Poke
from firesim.config.simulation import (
    AlwaysTrigger,
    Compression,
    CounterTrigger,
    TraceOutput,
    Trigger,
)
from firesim.config.waves import Waves
from firesim.engines import RtlEngine


@dataclass(frozen=True)
class PlannedRun:
    """How the whole system is run. Each field is the key of `simulation` with its name."""

    threads: int = 0
    """Worker threads; 0 = one for each core of the host."""
    batch_cycles: int = 0
    random_batch_seed: int = 0
    end_when: Literal["all", "first"] = "all"
    max_cycles: int = 0
    status_interval_s: float = 0.5
    warm_up_cycles: int = 0
    rtl_engine: RtlEngine = "auto"
    functional: Functional = field(default_factory=Functional)
    metasim: Metasim = field(default_factory=Metasim)
    fpga: Fpga = field(default_factory=Fpga)
    network: Network = field(default_factory=Network)
    snapshots: Snapshots = field(default_factory=Snapshots)
    monitoring: Monitoring = field(default_factory=Monitoring)


@dataclass(frozen=True)
class Instruments:
    """What is observed at a node, and what is set there by hand."""

    traced: bool = False
    trace_outputs: tuple[TraceOutput, ...] = ()
    trace_trigger: Trigger = field(default_factory=AlwaysTrigger)
    trace_processes: bool = False
    trace_inlined: bool = False
    trace_lines: bool = False
    timeline_bytes: int = 0
    """The most that each hart and device keeps for a timeline; 0 = nothing."""
    counted: bool = False
    counter_interval_cycles: int = 10_000
    counter_trigger: CounterTrigger = field(default_factory=AlwaysTrigger)
    metrics: Mapping[str, str] = field(default_factory=dict)
    """The user's own, expressions by name."""
    waves: Waves | None = None
    activity: Activity | None = None
    capture: Capture | None = None
    peeks: tuple[Peek, ...] = ()
    pokes: tuple[Poke, ...] = ()
    assert_trigger: Trigger = field(default_factory=AlwaysTrigger)
    print_trigger: Trigger = field(default_factory=AlwaysTrigger)
    console_terminal: bool = False
    """Whether the console is also a pseudo-terminal."""


@dataclass(frozen=True)
class PlannedPlacement:
    """Which hosts the parts run on, as far as the configuration says so."""

    run_farm: Path | None = None
    """The farm's file; None for one process on this computer."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """Hosts of single nodes and switches, by name."""
    costs: Path | None = None
    """Results folder of an earlier run."""
    resume: Literal["never", "automatic"] = "automatic"
    keep_snapshots: str = MANAGER
    """Where; see config/keep.py."""
    compression: Compression = "none"
