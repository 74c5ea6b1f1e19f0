# SPDX-License-Identifier: BSD-3-Clause
"""The user's own blades: checks of their files before anything is built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from firesim_common.address_map import DEVICE_TREE_BASE
from firesim_common.positions import KeyPath
from firesim_common.settings import fault_of

from firesim.bind.artifacts import ArtifactError, Room, check_any_elf, check_tree_file
from firesim.build.bridge_drivers import SHARED, SOURCE
from firesim.build.rtl_blade import load_blade
from firesim.build.traffic import check_traffic
from firesim.build.training import MEMORY_BYTES as TRAINING_MEMORY_BYTES
from firesim.config.system import TRAFFIC_BLADE
from firesim.topology.plan import Plan, PlannedNode
from firesim.topology.plan_blades import PlannedBlade


def check_own_blades(plan: Plan, stock: list[str]) -> None:
    """Check names and files of the blades that the configuration describes.

    Raises:
        InputError: the first thing wrong.
    """
    for name, blade in plan.own_blades.items():
        if name in (*stock, TRAFFIC_BLADE):
            text = f'found "{name}", which is a blade of FireSim, expected a name of its own.'
            raise plan.error_at(blade.place, text)
        for path, file, is_folder in _files_of(blade):
            if file.is_dir() != is_folder or not file.exists():
                what = "a folder" if is_folder else "a file"
                raise plan.error_at(path, f'found "{file.name}", expected {what} that exists.')
        names = [file.name for file in blade.data_files]
        for index, data in enumerate(names):
            if data in names[:index]:
                place = (*blade.place, "data_files", index)
                raise plan.error_at(place, f'found the name "{data}" twice, expected it once.')
        for place, file in trees_of(blade):
            try:
                check_tree_file(file)
            except ArtifactError as error:
                raise plan.error_at(place, str(error)) from error
        _check_own_bridges(plan, blade)
        _check_training(plan, blade)
        if blade.training is not None and blade.training.traffic is not None:
            check_traffic(blade.training.traffic)


def _files_of(blade: PlannedBlade) -> Iterator[tuple[KeyPath, Path, bool]]:
    """List where each file or folder of a blade is named, the file, and whether it is a folder."""
    for key in ("sources", "include_dirs", "data_files"):
        for index, file in enumerate(getattr(blade, key)):
            yield (*blade.place, key, index), file, key == "include_dirs"
    for index, bridge in enumerate(blade.bridges):
        for key in ("declaration", "driver"):
            yield (*blade.place, "bridges", index, key), getattr(bridge, key), False
    if blade.device_tree is not None:
        yield (*blade.place, "device_tree"), blade.device_tree, False
    for key in ("elf", "device_tree", "traffic", "console"):
        file = getattr(blade.training, key, None)
        if file is not None:
            yield (*blade.place, "training", key), file, False


def trees_of(blade: PlannedBlade) -> list[tuple[KeyPath, Path]]:
    """Return the device trees that a blade names, each with where it does."""
    trees: list[tuple[KeyPath, Path | None]] = [(("device_tree",), blade.device_tree)]
    if blade.training is not None:
        trees.append((("training", "device_tree"), blade.training.device_tree))
    return [((*blade.place, *key), file) for key, file in trees if file is not None]


def _check_own_bridges(plan: Plan, blade: PlannedBlade) -> None:
    """Read the declarations; that the drivers compile is seen when they are made."""
    from goldengate.bridges import bridge_kinds, read_declaration
    from goldengate.errors import GoldenGateError

    for index, bridge in enumerate(blade.bridges):
        place: KeyPath = (*blade.place, "bridges", index)
        try:
            bridge_kinds([other.declaration for other in blade.bridges[: index + 1]])
        except GoldenGateError as error:
            raise plan.error_at((*place, "declaration"), str(error)) from error
        if bridge.driver.suffix not in (SHARED, SOURCE):
            text = f'found "{bridge.driver.name}", expected a name that ends in .so or .cc.'
            raise plan.error_at((*place, "driver"), text)
        declared = read_declaration(bridge.declaration).settings
        if declared and (fault := fault_of(declared, bridge.settings)):
            raise plan.error_at((*place, "settings", *fault[0]), fault[1])


def _check_training(plan: Plan, blade: PlannedBlade) -> None:
    training = blade.training
    if training is None or training.elf is None:
        return
    tree = training.device_tree or blade.device_tree
    room = Room(
        TRAINING_MEMORY_BYTES,
        blade.memory_base,
        blade.device_tree_address if tree else None,
    )
    try:
        check_any_elf(training.elf, room)
    except ArtifactError as error:
        raise plan.error_at((*blade.place, "training", "elf"), str(error)) from error


def room_of(plan: Plan, node: PlannedNode) -> Room:
    """Return where a program of a node may lie."""
    blade = plan.own_blade(node)
    tree = tree_address(plan, node) if node.has_device_tree else None
    if blade is None:
        fpu = load_blade(node.blade).cores.fpu
        return Room(node.memory_bytes, device_tree=tree, fpu=fpu)
    has_tree = node.device_tree is not None or blade.device_tree is not None
    return Room(node.memory_bytes, blade.memory_base, tree if has_tree else None)


def tree_address(plan: Plan, node: PlannedNode) -> int:
    """Return where the device tree of a node lies, if it has one: a byte address."""
    if node.device_tree_address is not None:
        return node.device_tree_address
    blade = plan.own_blade(node)
    return DEVICE_TREE_BASE if blade is None else blade.device_tree_address
