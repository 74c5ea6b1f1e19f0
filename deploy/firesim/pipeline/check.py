# SPDX-License-Identifier: BSD-3-Clause
"""The first three steps for a configuration that is only looked at: nothing is started."""

from __future__ import annotations

from firesim.config.loaded import Loaded
from firesim.pipeline.bind import Bound, bind
from firesim.pipeline.resolve import resolve


def check(loaded: Loaded) -> Bound:
    """Return what a configuration means and where it would run.

    Raises:
        InputError: the system, a name or a file is wrong.
    """
    return bind(resolve(loaded), hosts="foreseen")
