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

from firesim_common.cache import KeyPart, cached
from firesim_common.errors import unknown
from firesim_common.paths import cache_root, plain_work

from firesim_software.linux import kernel_source
from firesim_software.linux.errors import LinuxError, run
from firesim_software.linux.kernel import CROSS, DRIVERS, JOBS, LINUX, Kernel, kernel

VARIANTS = LINUX / "variants"
USUAL = "usual"
"""The name of the kernel without patches."""
_FILES = ("arch/riscv/boot/Image", "vmlinux", "System.map")


def kernel_names() -> list[str]:
    """Return the names of all kernels, the usual one first."""
    return [USUAL, *sorted(path.name for path in VARIANTS.iterdir() if patches(path.name))]


def patches(name: str) -> list[Path]:
    """Return the patches of a variant, in the order in which they are put in."""
    return sorted((VARIANTS / name).glob("*.patch"))


def _environment(tree: Path) -> dict[str, str]:
    """Return what makes two builds of a variant equal, bit for bit, as the usual kernel's are."""
    debug = f"-g1 -fdebug-prefix-map={tree}=/usr/src/linux"
    return {
        "ARCH": "riscv",
        "CROSS_COMPILE": CROSS,
        "KBUILD_BUILD_TIMESTAMP": "1970-01-01",
        "KBUILD_BUILD_USER": "firesim",
        "KBUILD_BUILD_HOST": "firesim",
        "KBUILD_BUILD_VERSION": "1",
        "KCFLAGS": debug,
        "KAFLAGS": debug,
        "CCACHE_DIR": str(cache_root() / "linux-ccache"),
        "CCACHE_MAXSIZE": "1G",
        "CCACHE_SLOPPINESS": "time_macros",
        "CCACHE_DEPEND": "1",
        "LC_ALL": "C",
        "TZ": "UTC",
    }


def _patch(tree: Path, name: str) -> None:
    """Put the patches of a variant into a tree of the usual kernel.

    The source is hard-linked to the one that all builds share: `patch` writes new files.
    """
    for path in patches(name):
        run(
            ["patch", "-s", "-p1", "--fuzz=0", "--no-backup-if-mismatch", "-i", str(path)], cwd=tree
        )


def _build(name: str, folder: Path) -> None:
    print(f'kernel "{name}": building', file=sys.stderr, flush=True)
    source, config = kernel_source.source(), kernel().config
    with plain_work(folder) as work:
        tree = work / "tree"
        run(["cp", "-al" if work == folder else "-a", str(source), str(tree)])
        shutil.copytree(DRIVERS, tree / "drivers" / "firesim")
        _patch(tree, name)
        build = tree / "build"
        build.mkdir()
        shutil.copy2(config, build / ".config")
        cache = "ccache " if shutil.which("ccache") else ""
        make = ["make", "-s", f"-j{JOBS}", "O=build", f"CC={cache}{CROSS}gcc"]
        make.append(f"HOSTCC={cache}gcc")
        environment = _environment(tree)
        run([*make, "olddefconfig"], cwd=tree, environment=environment)
        run([*make, "Image"], cwd=tree, environment=environment)
        for path in _FILES:
            shutil.copy2(build / path, folder / Path(path).name)
        shutil.copy2(build / ".config", folder / "config")
        shutil.rmtree(tree)


def named_kernel(name: str) -> Kernel:
    """Return a kernel by its name, built when it, or the usual one, is new.

    Raises:
        LinuxError: there is none of this name, or it cannot be built.
    """
    if name not in kernel_names():
        raise LinuxError(unknown(name, "one of the kernels", kernel_names()))
    if name == USUAL:
        return kernel()
    version = run([f"{CROSS}gcc", "--version"]).splitlines()[0]
    key: list[KeyPart] = [version, *kernel_source.inputs(), kernel().config, DRIVERS]
    key += [*patches(name), Path(__file__)]
    folder = cached("linux-kernel-variant", key, lambda into: _build(name, into))
    return Kernel(
        image=folder / "Image",
        vmlinux=folder / "vmlinux",
        system_map=folder / "System.map",
        config=folder / "config",
    )
