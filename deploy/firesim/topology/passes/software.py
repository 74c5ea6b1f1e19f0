# SPDX-License-Identifier: BSD-3-Clause
"""Settings of a node's software that need others beside them, or may not have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from firesim_common.positions import KeyPath

from firesim.config.loaded import Loaded
from firesim.config.workload import NO_TREE


def disk_outputs(
    loaded: Loaded, name: str, found: Mapping[str, tuple[Any, KeyPath]]
) -> tuple[str, ...]:
    """Return what is wanted of the disk of a node, which has to be an image file."""
    wanted, where = found["disk_outputs"]
    if wanted and found["disk_image"][0] is None:
        raise loaded.error(
            where, f'found disk_outputs for node "{name}", expected a disk_image beside it.'
        )
    return tuple(wanted)


def check_tree(
    loaded: Loaded, name: str, found: Mapping[str, tuple[Any, KeyPath]], of_user: bool
) -> None:
    """Refuse settings of the device tree of a node that runs software of ours."""
    tree, where = found["device_tree"]
    address, where_address = found["device_tree_address"]
    for is_chosen, text, place in (
        (tree == NO_TREE, f'device tree "{NO_TREE}"', where),
        (tree != NO_TREE and address is not None, "device tree address", where_address),
    ):
        if is_chosen and not of_user:
            text = f'found a {text} for node "{name}", expected it only with the key elf.'
            raise loaded.error(place, text)
