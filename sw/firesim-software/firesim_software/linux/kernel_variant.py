# SPDX-License-Identifier: BSD-3-Clause
"""Variants of the kernel: the usual one with what a folder of `linux/variants` has.

A variant has the usual kernel's configuration, source and drivers, whatever its patches change,
drivers of its own, and the options of its `kernel.config`. The usual kernel does not know of them,
so that no variant makes anybody build that one again.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from firesim_common.cache import cached
from firesim_common.errors import unknown

from firesim_software.linux import kernel_source
from firesim_software.linux.errors import LinuxError, run
from firesim_software.linux.kernel import (
    DRIVERS,
    LINUX,
    Kernel,
    build_inputs,
    build_kernel,
    kept,
    kernel,
    unmet,
)

VARIANTS = LINUX / "variants"
USUAL = "usual"
"""The name of the kernel without any of this."""


def kernel_names() -> list[str]:
    """Return the names of all kernels, the usual one first."""
    return [USUAL, *sorted(path.name for path in VARIANTS.iterdir() if parts(path.name))]


def parts(name: str) -> list[Path]:
    """Return what a variant is made of: its patches, its drivers, its options."""
    return [*patches(name), *drivers(name), *fragments(name)]


def fragments(name: str) -> list[Path]:
    """Return the file of a variant's options, if it has some."""
    return sorted((VARIANTS / name).glob("kernel.config"))


def drivers(name: str) -> list[Path]:
    """Return the folder of a variant's own drivers, if it has one: Kconfig, Makefile, sources."""
    return sorted((VARIANTS / name).glob("drivers"))


def patches(name: str) -> list[Path]:
    """Return the patches of a variant, in the order in which they are put in."""
    return sorted((VARIANTS / name).glob("*.patch"))


def _patch(tree: Path, name: str) -> None:
    """Put the patches of a variant into a tree of hard links: `patch` writes new files."""
    for path in patches(name):
        options = ["-s", "-p1", "--fuzz=0", "--no-backup-if-mismatch", "-i", str(path)]
        run(["patch", *options], cwd=tree)


def _add_drivers(tree: Path, name: str) -> None:
    """Put the drivers of a variant below the usual ones, in a folder with the variant's name."""
    usual = tree / "drivers/firesim"
    for folder in drivers(name):
        shutil.copytree(folder, usual / name)
        with (usual / "Kconfig").open("a") as kconfig:
            kconfig.write(f'source "drivers/firesim/{name}/Kconfig"\n')
        with (usual / "Makefile").open("a") as makefile:
            makefile.write(f"obj-y += {name}/\n")


def has_modules(name: str) -> bool:
    """Return whether a kernel can load modules."""
    return any("CONFIG_MODULES=y" in path.read_text().splitlines() for path in fragments(name))


def configured_tree(name: str, tree: Path) -> None:
    """Copy a kernel's source to `tree`, with drivers, patches, and its options in `build`.

    The files are hard links where `tree` is on the file system of the cache.

    Raises:
        LinuxError: the source is missing, or the kernel cannot be built.
    """
    source, config = kernel_source.source(), named_kernel(name).config
    links = source.stat().st_dev == tree.parent.stat().st_dev
    run(["cp", "-al" if links else "-a", str(source), str(tree)])
    shutil.copytree(DRIVERS, tree / "drivers" / "firesim")
    if name != USUAL:
        _patch(tree, name)
        _add_drivers(tree, name)
    (tree / "build").mkdir()
    shutil.copy2(config, tree / "build" / ".config")


def _build(name: str, folder: Path) -> None:
    print(f'kernel "{name}": building', file=sys.stderr, flush=True)
    usual = kernel().config

    def configure(tree: Path, make: list[str], environment: dict[str, str]) -> None:
        _patch(tree, name)
        _add_drivers(tree, name)
        config = tree / "build/.config"
        # Of an option that is set twice, the last line counts.
        config.write_text("".join(path.read_text() for path in [usual, *fragments(name)]))
        run([*make, "olddefconfig"], cwd=tree, environment=environment)
        for path in fragments(name):
            if lost := unmet(path.read_text(), config.read_text()):
                expected = "expected the kernel to be able to have it."
                raise LinuxError(f"{path}: found {lost[0]}, {expected}")

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
    key = [*build_inputs(), kernel().config, *parts(name), Path(__file__)]
    return kept(cached("linux-kernel-variant", key, lambda into: _build(name, into)))
