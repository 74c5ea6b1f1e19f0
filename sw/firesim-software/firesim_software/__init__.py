# SPDX-License-Identifier: BSD-3-Clause
"""Target software: bare-metal programs, their builder, device trees, and QEMU as an oracle."""

from __future__ import annotations

from firesim_software.builder import ProgramError, link, own_program, program
from firesim_software.devicetree import DeviceTreeError, device_tree, own_device_tree
from firesim_software.workload import Argument, Workload, programs, workload

__all__ = [
    "Argument",
    "DeviceTreeError",
    "ProgramError",
    "Workload",
    "device_tree",
    "link",
    "own_device_tree",
    "own_program",
    "program",
    "programs",
    "workload",
]
