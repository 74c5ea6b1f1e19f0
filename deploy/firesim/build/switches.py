# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of switches that come with FireSim: a folder of target-design/switch/kinds each."""

from __future__ import annotations

from functools import cache

from firesim_common.base import Strict
from firesim_common.explain import checked
from firesim_common.paths import ROOT
from firesim_common.positions import read_yaml
from firesim_common.settings import Settings
from pydantic import Field

KINDS = ROOT / "target-design/switch/kinds"
FILE = "switch.yaml"


class SwitchKind(Strict):
    """What a kind says of itself; its C++ lies beside."""

    description: str
    """One line for people."""
    settings: Settings = Field(default_factory=dict)
    """What `system.switch.settings` may say of such a switch."""


@cache
def switch_names() -> list[str]:
    """Return the names of the kinds."""
    return sorted(path.parent.name for path in KINDS.glob(f"*/{FILE}"))


@cache
def switch_kind(name: str) -> SwitchKind:
    """Return a kind by its name.

    Raises:
        InputError: its file is bad.
    """
    path = KINDS / name / FILE
    return checked(SwitchKind, read_yaml(path, str(path.relative_to(ROOT))))
