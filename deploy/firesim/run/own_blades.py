# SPDX-License-Identifier: BSD-3-Clause
"""Blades of the user's own: checks of their files before anything is built, and of what their
bridges make possible before anything is started."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from firesim_common.address_map import DEVICE_TREE_BASE
from firesim_common.positions import KeyPath
from firesim_common.tools import ToolError

from firesim.build.model import ends_itself
from firesim.build.own_bridges import SHARED, SOURCE, driver_library
from firesim.build.rtl_blade import load_blade
from firesim.build.traffic import check_traffic
from firesim.build.training import MEMORY_BYTES as TRAINING_MEMORY_BYTES
from firesim.config.load import Loaded
from firesim.config.system import TRAFFIC_BLADE
from firesim.run.artifacts import ArtifactError, Room, check_any_elf, check_device_tree
from firesim.run.steps import Steps
from firesim.topology.describe import NodeFiles
from firesim.topology.plan import Plan, PlannedBlade, PlannedNode


def check_own_blades(loaded: Loaded, plan: Plan, stock: list[str]) -> None:
    """Check names and files of the blades that the configuration describes.

    Raises:
        InputError: the first thing wrong.
    """
    for name, blade in plan.own_blades.items():
        if name in (*stock, TRAFFIC_BLADE):
            text = f'found "{name}", which is a blade of FireSim, expected a name of its own.'
            raise loaded.error(blade.place, text)
        for path, file, is_folder in _files_of(blade):
            if file.is_dir() != is_folder or not file.exists():
                what = "a folder" if is_folder else "a file"
                raise loaded.error(path, f'found "{file.name}", expected {what} that exists.')
        names = [file.name for file in blade.data_files]
        for index, data in enumerate(names):
            if data in names[:index]:
                place = (*blade.place, "data_files", index)
                raise loaded.error(place, f'found the name "{data}" twice, expected it once.')
        _check_trees(loaded, blade)
        _check_own_bridges(loaded, blade)
        _check_training(loaded, blade)
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


def _check_trees(loaded: Loaded, blade: PlannedBlade) -> None:
    trees: list[tuple[KeyPath, Path | None]] = [(("device_tree",), blade.device_tree)]
    if blade.training is not None:
        trees.append((("training", "device_tree"), blade.training.device_tree))
    for key, file in trees:
        if file is not None:
            try:
                check_device_tree(file)
            except ArtifactError as error:
                raise loaded.error((*blade.place, *key), str(error)) from error


def _check_own_bridges(loaded: Loaded, blade: PlannedBlade) -> None:
    """Read the declarations; that the drivers compile is seen when they are made."""
    from goldengate.bridges import bridge_kinds
    from goldengate.errors import GoldenGateError

    for index, bridge in enumerate(blade.bridges):
        place: KeyPath = (*blade.place, "bridges", index)
        try:
            bridge_kinds([other.declaration for other in blade.bridges[: index + 1]])
        except GoldenGateError as error:
            raise loaded.error((*place, "declaration"), str(error)) from error
        if bridge.driver.suffix not in (SHARED, SOURCE):
            text = f'found "{bridge.driver.name}", expected a name that ends in .so or .cc.'
            raise loaded.error((*place, "driver"), text)


def make_drivers(loaded: Loaded, plan: Plan, steps: Steps) -> None:
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
                    raise loaded.error(place, str(error)) from error


def _check_training(loaded: Loaded, blade: PlannedBlade) -> None:
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
        raise loaded.error((*blade.place, "training", "elf"), str(error)) from error


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


def check_bridges(loaded: Loaded, plan: Plan, files: Mapping[str, NodeFiles]) -> None:
    """Check that the bridges of each node take what the configuration gives it.

    Raises:
        InputError: the first thing that has nowhere to go, or a run that nothing can end.
    """
    for node in plan.nodes:
        if plan.own_blade(node) is not None:
            _check_node(loaded, plan, node, files[node.name].bridges)
    servers = [node for node in plan.nodes if node.traffic is None]
    ends = any(_can_end(files[node.name]) for node in servers)
    if servers and not ends and plan.run.max_cycles == 0:
        raise loaded.error(
            ("simulation", "max_cycles"),
            "found 0 and no node whose blade has a termination bridge, expected a last cycle: "
            "nothing else would end the run.",
        )


def _can_end(node: NodeFiles) -> bool:
    if "termination" in node.bridges:
        return True
    return node.manifest is not None and ends_itself(node.manifest.parent)


def _check_node(loaded: Loaded, plan: Plan, node: PlannedNode, has: Collection[str]) -> None:
    if "nic" in has and not plan.is_linked(node.name):
        raise loaded.error(
            ("system", "topology"),
            f'found no link at node "{node.name}", expected one to a switch: its blade has a NIC.',
        )
    given: list[tuple[str, str, object]] = [
        ("memory", "program", node.program),
        ("memory", "elf", node.elf),
        ("memory", "linux", node.linux),
        ("memory", "device_tree", node.device_tree),
        ("block_device", "disk_image", node.disk_image or node.disk_sectors),
    ]
    for bridge, key, value in given:
        if value and bridge not in has:
            raise loaded.error(
                node.places[key],
                f'found something for the {bridge} bridge of "{node.name}", expected nothing: its '
                f'blade "{node.blade}" has {" and ".join(sorted(has)) or "no bridge"} and no '
                f"{bridge}.",
            )
    if node.instruments.traced and "tracing" in node.places and "tracerv" not in has:
        raise loaded.error(
            node.places["tracing"],
            f'found "{node.name}", whose blade "{node.blade}" has no tracerv bridge, '
            "expected a node that can be traced.",
        )
