# SPDX-License-Identifier: BSD-3-Clause
"""A blade's device tree and shape from its blade file alone: nothing is elaborated for it."""

from __future__ import annotations

from pathlib import Path

from firesim.build.cache import cached
from firesim.build.rtl_blade import BLADES, load_blade
from firesim.build.rtl_device_tree import device_tree_source

_BUILD = Path(__file__).parent


def blade_device_tree(name: str) -> Path:
    """Return the device tree source of a blade, the same text as in `rtl.blade_rtl(name)`.

    Raises:
        InputError: no such blade, or a bad blade file.
    """
    blade = load_blade(name)

    def build(folder: Path) -> None:
        (folder / "blade.dts").write_text(device_tree_source(name, blade))

    code = [_BUILD / file for file in ("rtl_blade.py", "rtl_device_tree.py")]
    return cached("blade-tree", [name, BLADES / f"{name}.yaml", *code], build) / "blade.dts"
