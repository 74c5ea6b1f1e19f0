# SPDX-License-Identifier: BSD-3-Clause
"""Settings of activity: in which cycles the toggles of a node's wires are counted."""

from __future__ import annotations

from firesim.config.watched import Watched


class Activity(Watched):
    """Toggles of the wires of an RTL node, as NODE/activity.saif and .csv; changes no cycle."""
