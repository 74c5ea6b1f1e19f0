# SPDX-License-Identifier: BSD-3-Clause
"""Linux for the blades: kernel, firmware, root file systems, and workloads made of them."""

from __future__ import annotations

from firesim_software.linux.commands import boot, build, clean, launch, lock, outputs, test
from firesim_software.linux.description import Description, describe, workloads
from firesim_software.linux.errors import LinuxError
from firesim_software.linux.image import LinuxImage, workload
from firesim_software.linux.kernel import Kernel, kernel

__all__ = [
    "Description",
    "Kernel",
    "LinuxError",
    "LinuxImage",
    "boot",
    "build",
    "clean",
    "describe",
    "kernel",
    "launch",
    "lock",
    "outputs",
    "test",
    "workload",
    "workloads",
]
