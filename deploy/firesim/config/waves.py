# SPDX-License-Identifier: BSD-3-Clause
"""Settings of waves: which cycles of a node are written for a wave viewer."""

from __future__ import annotations

from firesim.config.watched import Watched


class Waves(Watched):
    """The signals of an RTL node in some cycles, as NODE/waves.fst; changes no target cycle."""
