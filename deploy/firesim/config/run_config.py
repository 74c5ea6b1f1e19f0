# SPDX-License-Identifier: BSD-3-Clause
"""The whole configuration file of a run."""

from __future__ import annotations

from firesim_common.base import Name, Strict

from firesim.config.simulation import Placement, Simulation
from firesim.config.system import System
from firesim.config.workload import Workload


class RunConfig(Strict):
    """What `firesim runworkload -c FILE` reads."""

    name: Name | None = None
    """Name of the run in the results folder (default: the file's name)."""
    include: str | list[str] | None = None
    """Files, or names of recipes, on which this file is laid: mappings key by key, anything else
    replaced; of several the later ones on the earlier ones. Paths in them are theirs."""
    system: System
    """What is modelled."""
    workload: Workload = Workload()
    """What software runs where."""
    simulation: Simulation = Simulation()
    """How it is simulated and what is observed."""
    placement: Placement = Placement()
    """Where it is simulated."""
