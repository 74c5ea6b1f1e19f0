"""Linux for the blades: kernel, firmware, root file systems, and workloads made of them."""

from __future__ import annotations

from firesim_software.linux.errors import LinuxError
from firesim_software.linux.kernel import Kernel, kernel

__all__ = ["Kernel", "LinuxError", "kernel"]
