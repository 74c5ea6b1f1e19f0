# SPDX-License-Identifier: BSD-3-Clause
"""The software of a plan's nodes: programs and Linux images, built where they are missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import firesim_software

from firesim.build.rtl_blade import Blade
from firesim.topology.plan import Plan, PlannedNode
from firesim.work.steps import Steps

if TYPE_CHECKING:
    from firesim_software.linux.image import LinuxImage


@dataclass(frozen=True)
class ProcessFiles:
    """By what the processes of a Linux workload are known."""

    types: Path
    """Where the kernel's structures have their fields."""
    files: Mapping[str, Path]
    """Programs and libraries by their paths on a node, without the first `/`."""


@dataclass(frozen=True)
class Software:
    """What was built."""

    blades: Mapping[str, Blade]
    """The blades of ours that it runs on."""
    programs: Mapping[tuple[str, bool], Path]
    """By name, and whether the cores they run on have a floating-point unit."""
    images: Mapping[str, LinuxImage]
    """By the name of the Linux workload."""
    processes: Mapping[str, ProcessFiles]
    """Of the workloads whose processes traces name."""

    def program(self, node: PlannedNode) -> Path | None:
        """Return the bare-metal program of a node, ours or the user's."""
        if node.program is None:
            return node.elf
        return self.programs[node.program, _has_fpu(node, self.blades)]


def software(plan: Plan, blades: Mapping[str, Blade], steps: Steps) -> Software:
    """Build the programs and images of a plan, whose blades of ours are given.

    Raises:
        ToolError, LinuxError: a build step failed.
    """
    images = _images(plan, steps)
    return Software(blades, _programs(plan, blades, steps), images, _processes(plan, steps))


def _programs(
    plan: Plan, blades: Mapping[str, Blade], steps: Steps
) -> dict[tuple[str, bool], Path]:
    found = {}
    wanted = {(node.program, _has_fpu(node, blades)) for node in plan.nodes if node.program}
    for name, fpu in sorted(wanted):
        with steps.step(f"building the program {name}"):
            found[name, fpu] = firesim_software.program(name, fpu=fpu)
    return found


def _has_fpu(node: PlannedNode, blades: Mapping[str, Blade]) -> bool:
    """Return whether the cores of a node have a floating-point unit; those of a user may."""
    return node.blade not in blades or blades[node.blade].cores.fpu


def _images(plan: Plan, steps: Steps) -> dict[str, LinuxImage]:
    names = sorted({node.linux for node in plan.nodes if node.linux})
    if not names:
        return {}
    from firesim_software.linux.image import workload

    found = {}
    for name in names:
        with steps.step(f"building the Linux workload {name}"):
            found[name] = workload(name)
    return found


def _processes(plan: Plan, steps: Steps) -> dict[str, ProcessFiles]:
    names = sorted({n.linux for n in plan.nodes if n.linux and n.instruments.trace_processes})
    if not names:
        return {}
    from firesim_software.linux.description import describe
    from firesim_software.linux.kernel_types import kernel_types
    from firesim_software.linux.program_files import program_files

    with steps.step("reading the kernel's types and programs' symbols"):
        found = {name: describe(name) for name in names}
        return {
            name: ProcessFiles(kernel_types(one.kernel), program_files(one))
            for name, one in found.items()
        }
