# SPDX-License-Identifier: BSD-3-Clause
"""FireSim: a cycle-exact simulator of whole datacenter clusters.

The names of the Python API are those of `firesim.api`, which is imported when one is first used.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from firesim.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Return a name of the API, or `__all__`, which has them."""
    # `from firesim import units` asks here for what it is then going to import.
    is_ours = name == "__all__" or not (name.startswith("_") or find_spec(f"firesim.{name}"))
    if is_ours:
        import firesim.api

        if name in ("__all__", *firesim.api.__all__):
            return getattr(firesim.api, name)
    raise AttributeError(f"module 'firesim' has no attribute '{name}'")


def __dir__() -> list[str]:
    """Return the names of the API, too."""
    import firesim.api

    return sorted({*globals(), *firesim.api.__all__})
