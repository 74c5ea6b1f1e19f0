# SPDX-License-Identifier: BSD-3-Clause
"""A blade's device tree and shape from its blade file alone: nothing is elaborated for it."""

from __future__ import annotations

from pathlib import Path

from firesim_common.cache import cached

from firesim.build.rtl_blade import load_blade
from firesim.build.rtl_device_tree import device_tree_source


def blade_device_tree(name: str) -> Path:
    """Return the device tree source of a blade, the same text as in `rtl.blade_rtl(name)`.

    Raises:
        InputError: no such blade, or a bad blade file.
    """
    source = device_tree_source(load_blade(name))

    def build(folder: Path) -> None:
        (folder / "blade.dts").write_text(source)

    return cached("blade-tree", [source], build) / "blade.dts"
