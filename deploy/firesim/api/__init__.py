# SPDX-License-Identifier: BSD-3-Clause
"""FireSim from Python; `import firesim` has these names."""

from firesim.api.objects import (
    Gateway,
    Job,
    Link,
    Memory,
    Node,
    Placement,
    Simulation,
    Switch,
    System,
    Topology,
    Workload,
)
from firesim.api.reasons import Why, ask_why
from firesim.api.results import Results, compare
from firesim.api.run import InputError, Run, load, parse
from firesim.api.samples import Sample, sample
from firesim.api.sweeps import Sweep

__all__ = [
    "Gateway",
    "InputError",
    "Job",
    "Link",
    "Memory",
    "Node",
    "Placement",
    "Results",
    "Run",
    "Sample",
    "Simulation",
    "Sweep",
    "Switch",
    "System",
    "Topology",
    "Why",
    "Workload",
    "ask_why",
    "compare",
    "load",
    "parse",
    "sample",
]
