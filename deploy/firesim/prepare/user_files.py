# SPDX-License-Identifier: BSD-3-Clause
"""What only a tool can say of the user's files: device trees are read, drivers compiled."""

from __future__ import annotations

from pathlib import Path

from firesim_common.positions import KeyPath
from firesim_common.tools import ToolError
from firesim_software import DeviceTreeError, own_device_tree

from firesim.bind.artifacts import ArtifactError
from firesim.bind.own_blades import trees_of
from firesim.build.bridge_drivers import driver_library
from firesim.topology.plan import Plan
from firesim.work.steps import Steps


def check_trees(plan: Plan) -> None:
    """Let dtc read the device trees of nodes and of the user's blades.

    Raises:
        InputError: one is not well formed.
    """
    trees = [place for blade in plan.own_blades.values() for place in trees_of(blade)]
    trees += [
        (node.places["device_tree"], node.device_tree) for node in plan.nodes if node.device_tree
    ]
    seen: dict[Path, KeyPath] = {}
    for place, path in trees:
        seen.setdefault(path, place)
    for path, place in seen.items():
        try:
            check_device_tree(path)
        except ArtifactError as error:
            raise plan.error_at(place, str(error)) from error


def check_device_tree(path: Path) -> None:
    """Check that a file is a device tree, in source form or as a blob, by having it completed.

    Raises:
        ArtifactError: dtc or we cannot read it.
    """
    try:
        own_device_tree(path, memory_bytes=1 << 20, bootargs="", mac="00:00:00:00:00:00")
    except DeviceTreeError as error:
        raise ArtifactError(str(error).replace(str(path), path.name)) from error


def make_drivers(plan: Plan, steps: Steps) -> None:
    """Compile the drivers of the user's own bridges, where they are C++ (cached).

    Raises:
        InputError: one does not compile.
    """
    for blade in plan.own_blades.values():
        for index, bridge in enumerate(blade.bridges):
            with steps.step(f"building the driver {bridge.driver.name}"):
                try:
                    driver_library(bridge.driver)
                except ToolError as error:
                    place = (*blade.place, "bridges", index, "driver")
                    raise plan.error_at(place, str(error)) from error
