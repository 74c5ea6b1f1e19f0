# SPDX-License-Identifier: BSD-3-Clause
"""The engines: what evaluates a blade, and all that depends on which one it is.

Nothing else in the manager knows an engine by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Engine = Literal["rtl", "metasim", "functional", "fpga"]
RtlEngine = Literal["auto", "generated", "verilator"]
DEFAULT: Engine = "rtl"


@dataclass(frozen=True)
class EngineKind:
    """What an engine is and can do; where nothing is said, what `rtl` is."""

    name: Engine
    is_rtl: bool = True
    """Whether it evaluates the blade's RTL, exact to the cycle; else only its software runs."""
    compiles_rtl: bool = True
    """Whether the blade's RTL is compiled for this computer before a run."""
    platform: Literal["none", "simulated", "board"] = "none"
    """What the target is behind: nothing, its host's side compiled with it, or that on an FPGA."""
    saved_as: str = "RTL"
    """What a node of it is in a snapshot, for people."""
    ns_per_cycle: float = 1000.0
    """Time that a busy cycle of a single-core blade takes on one core, as the ledgers measure it,
    rounded; only ratios count."""
    shows_signals: bool = True
    """Whether waves, peeks and pokes are possible."""
    observes_cycles: bool = True
    """Whether captures are possible."""
    restores_software: bool = True
    """Whether it goes on from the state of a functional node."""

    @property
    def on_board(self) -> bool:
        """Whether the target is on an FPGA."""
        return self.platform == "board"

    @property
    def is_metasimulation(self) -> bool:
        """Whether the target is in the form for an FPGA, compiled for this computer."""
        return self.platform == "simulated"


def engine_names(fits: Callable[[EngineKind], bool]) -> str:
    """Return the names of the engines that fit, as a sentence has them: "rtl, metasim or fpga"."""
    *names, last = [kind.name for kind in ENGINES.values() if fits(kind)]
    return f"{', '.join(names)} or {last}" if names else last


_KINDS = (
    EngineKind("rtl"),
    EngineKind(
        "metasim",
        platform="simulated",
        saved_as="metasimulated",
        ns_per_cycle=18_000.0,
        restores_software=False,
    ),
    EngineKind(
        "functional",
        is_rtl=False,
        compiles_rtl=False,
        saved_as="functional",
        ns_per_cycle=8.0,
        shows_signals=False,
        observes_cycles=False,
    ),
    EngineKind(
        "fpga",
        compiles_rtl=False,
        platform="board",
        saved_as="on an FPGA",
        shows_signals=False,
        restores_software=False,
    ),
)
ENGINES: Mapping[str, EngineKind] = {kind.name: kind for kind in _KINDS}
