# SPDX-License-Identifier: BSD-3-Clause
"""FireSim: a cycle-exact simulator of whole datacenter clusters.

The names of the Python API are those of `firesim.api`, which is imported when one is first used.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
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
    "Simulation",
    "Sweep",
    "Switch",
    "System",
    "Topology",
    "Workload",
    "compare",
    "load",
    "parse",
]

if TYPE_CHECKING:
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
    from firesim.api.results import Results, compare
    from firesim.api.run import InputError, Run, load, parse
    from firesim.api.sweeps import Sweep


def __getattr__(name: str) -> Any:
    """Return a name of the API."""
    if name not in __all__:
        raise AttributeError(f"module 'firesim' has no attribute '{name}'")
    import firesim.api

    return getattr(firesim.api, name)


def __dir__() -> list[str]:
    """Return the names of the API, too."""
    return sorted([*globals(), *__all__])
