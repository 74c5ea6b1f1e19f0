# SPDX-License-Identifier: BSD-3-Clause
"""The fourth step: all that a bound plan needs is built, where it is not in the cache."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from firesim.bind.disk_images import raw_image
from firesim.bind.tohost import LOOKS, at_memory, unseen
from firesim.build.other_processor import NATIVE
from firesim.build.rtl_blade import load_blade
from firesim.build.simulator import simulator
from firesim.build.traffic import text_file
from firesim.pipeline.bind import Bound
from firesim.prepare.bridges import check_bridges
from firesim.prepare.counters import check_counters
from firesim.prepare.forms import BoardForm, board_forms, check_restored
from firesim.prepare.models import compiled
from firesim.prepare.nodes import node_files
from firesim.prepare.software import software
from firesim.prepare.switches import switch_libraries
from firesim.prepare.user_files import check_trees, make_drivers
from firesim.topology.describe import NodeFiles
from firesim.topology.plan import Plan, PlannedNode
from firesim.work.steps import Steps

TRAFFIC_FILE = "frames.traffic"
"""What is replayed of a capture."""


@dataclass(frozen=True)
class UserCode:
    """What only a tool could say of the user's files and bitstreams, and what it made of them."""

    forms: Mapping[str, BoardForm]
    """By blade, of those on FPGAs."""
    libraries: Mapping[Path, Path]
    """The shared objects of switches, by the files they are made of."""


@dataclass(frozen=True)
class Built:
    """A bound plan of which everything is built."""

    bound: Bound
    plan: Plan
    """The bound plan, with the user's files in the formats that the simulator reads."""
    binary: Path
    files: Mapping[str, NodeFiles]
    """Of each node that runs software, by name."""
    libraries: Mapping[Path, Path]
    """As of `UserCode`."""


def check_by_tools(bound: Bound, steps: Steps) -> UserCode:
    """Build what says whether the user's files and bitstreams are right.

    Raises:
        InputError: one is not.
        ToolError, GoldenGateError: a build step failed.
    """
    plan = bound.plan
    forms = board_forms(plan)
    if bound.origin is not None:
        check_restored(plan.servers, forms)
    check_trees(plan)
    libraries = switch_libraries(plan, steps)
    make_drivers(plan, steps)
    return UserCode(forms, libraries)


def build(bound: Bound, folder: Path, steps: Steps) -> Built:
    """Build what is missing (all cached) and write each node's device tree into `folder`.

    Raises:
        InputError: a user's file is wrong, or has nowhere to go.
        ToolError, GoldenGateError, LinuxError: a build step failed.
        ArtifactError: software does not fit its blade.
    """
    code = check_by_tools(bound, steps)
    plan = _converted(bound.plan, folder)
    march = bound.places.march if bound.places else NATIVE
    with ThreadPoolExecutor() as pool:  # Half of either keeps one processor busy.
        building = pool.submit(_simulator, steps, march)
        models = compiled(plan, code.forms, steps, march)
        binary = building.result()
    stock = [blade for blade in plan.blades() if blade not in plan.own_blades]
    made = software(plan, {blade: load_blade(blade) for blade in stock}, steps)
    files = node_files(plan, models, made, folder)
    for node in plan.servers:
        if node.tohost is not None and LOOKS.isdisjoint(files[node.name].bridges):
            at = files[node.name].looks_at_memory
            steps.say(at_memory(node) if at else unseen(plan, node))
    check_bridges(plan, files)
    check_counters(plan, files)
    return Built(bound, plan, binary, files, code.libraries)


def _simulator(steps: Steps, march: str) -> Path:
    with steps.step("building the simulator"):
        return simulator() if march == NATIVE else simulator(march)


def _converted(plan: Plan, folder: Path) -> Plan:
    """Return a plan with what the simulator reads, for user files in other formats."""

    def converted(node: PlannedNode) -> PlannedNode:
        if node.traffic is not None:
            made = folder / node.name / TRAFFIC_FILE
            return replace(node, traffic=text_file(node.traffic, plan.clock_hz, made))
        if node.disk_image is not None:
            return replace(node, disk_image=raw_image(node.disk_image))
        return node

    return replace(plan, nodes=tuple(map(converted, plan.nodes)))
