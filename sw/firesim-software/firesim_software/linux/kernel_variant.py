# SPDX-License-Identifier: BSD-3-Clause
"""Variants of the kernel: the usual one with the patches of a folder of `linux/variants`.

A variant has the usual kernel's configuration, source and drivers, and whatever its patches change.
The usual kernel does not know of them, so that no variant makes anybody build that one again; most
objects of a variant are those of the usual kernel, and come from ccache.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from firesim_common.cache import cached
from firesim_common.errors import unknown

from firesim_software.linux import kernel_source
from firesim_software.linux.errors import LinuxError, run
from firesim_software.linux.kernel import LINUX, Kernel, build_inputs, build_kernel, kept, kernel

VARIANTS = LINUX / "variants"
USUAL = "usual"
"""The name of the kernel without patches."""


def kernel_names() -> list[str]:
    """Return the names of all kernels, the usual one first."""
    return [USUAL, *sorted(path.name for path in VARIANTS.iterdir() if patches(path.name))]


def patches(name: str) -> list[Path]:
    """Return the patches of a variant, in the order in which they are put in."""
    return sorted((VARIANTS / name).glob("*.patch"))


def _patch(tree: Path, name: str) -> None:
    """Put the patches of a variant into a tree of hard links: `patch` writes new files."""
    for path in patches(name):
        options = ["-s", "-p1", "--fuzz=0", "--no-backup-if-mismatch", "-i", str(path)]
        run(["patch", *options], cwd=tree)


def _build(name: str, folder: Path) -> None:
    print(f'kernel "{name}": building', file=sys.stderr, flush=True)
    config = kernel().config

    def configure(tree: Path, make: list[str], environment: dict[str, str]) -> None:
        _patch(tree, name)
        shutil.copy2(config, tree / "build/.config")
        run([*make, "olddefconfig"], cwd=tree, environment=environment)

    build_kernel(kernel_source.source(), folder, configure)


def named_kernel(name: str) -> Kernel:
    """Return a kernel by its name, built when it, or the usual one, is new.

    Raises:
        LinuxError: there is none of this name, or it cannot be built.
    """
    if name not in kernel_names():
        raise LinuxError(unknown(name, "one of the kernels", kernel_names()))
    if name == USUAL:
        return kernel()
    key = [*build_inputs(), kernel().config, *patches(name), Path(__file__)]
    return kept(cached("linux-kernel-variant", key, lambda into: _build(name, into)))
