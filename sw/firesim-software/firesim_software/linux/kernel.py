# SPDX-License-Identifier: BSD-3-Clause
"""Builds the kernel from Debian's source package: our configuration, our drivers, bit for bit.

The source tree is unpacked once and kept; each build gets a copy of it made of hard links, so that
the drivers' folder can be put in, and builds out of tree in a folder below it: all file names the
compiler sees are relative, which makes ccache hit and leaves no trace of where it was built.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.paths import cache_root, plain_work

from firesim_software.linux import kernel_source
from firesim_software.linux.errors import LinuxError, run

LINUX = Path(__file__).resolve().parents[2] / "linux"
CONFIG = LINUX / "kernel.config"
DRIVERS = LINUX / "drivers"
CROSS = "riscv64-linux-gnu-"
JOBS = 2


@dataclass(frozen=True)
class Kernel:
    """A built kernel: what is booted, and what profilers and debuggers read."""

    image: Path
    """Loaded at 0x8020_0000."""
    vmlinux: Path
    """ELF file with symbols and DWARF."""
    system_map: Path
    config: Path


Configure = Callable[[Path, list[str], dict[str, str]], None]
"""Writes `build/.config` in a tree, by `make` in an environment."""


def _configure(tree: Path, make: list[str], environment: dict[str, str]) -> None:
    run([*make, "tinyconfig"], cwd=tree, environment=environment)
    build = tree / "build"
    shutil.copy2(CONFIG, build / "ours.config")  # The script takes no paths with blanks.
    merge = ["scripts/kconfig/merge_config.sh", "-m", "-O", "build", "build/.config"]
    run([*merge, "build/ours.config"], cwd=tree, environment=environment)
    run([*make, "olddefconfig"], cwd=tree, environment=environment)
    lost = unmet(CONFIG.read_text(), (build / ".config").read_text(), DRIVERS.is_dir())
    if lost:
        raise LinuxError(f"{CONFIG}: found {lost[0]}, expected the kernel to be able to have it.")


def unmet(wanted: str, found: str, with_drivers: bool = True) -> list[str]:
    """Return the lines of the fragment `wanted` that the configuration `found` does not have."""
    have = set(found.splitlines())
    lost = []
    for line in wanted.splitlines():
        option = re.match(r"(?:# )?(CONFIG_\w+)(=\S+| is not set)$", line)
        if option is None or line in have:
            continue
        name, value = option.groups()
        absent = not re.search(rf"^{name}=", found, re.MULTILINE)
        if (value == " is not set" and absent) or (
            name.startswith("CONFIG_FIRESIM_") and not with_drivers
        ):
            continue
        lost.append(line)
    return lost


def _build(folder: Path) -> None:
    source = kernel_source.source()
    what = "kernel: building (about four minutes when nothing is in ccache)"
    print(what, file=sys.stderr, flush=True)
    build_kernel(source, folder, _configure)


def build_kernel(source: Path, folder: Path, configure: Configure) -> None:
    """Build a kernel of a source tree with our drivers; put what is wanted in `folder`.

    `configure` may change the copy of the tree: its files are hard links, so it writes new ones.
    """
    with plain_work(folder) as work:
        tree = work / "tree"
        run(["cp", "-al" if work == folder else "-a", str(source), str(tree)])
        _build_in(tree, folder, configure)


def _build_in(tree: Path, folder: Path, configure: Configure) -> None:
    """Build the kernel in a tree of its source, which goes; put what is wanted in `folder`."""
    target = tree / "drivers" / "firesim"
    if DRIVERS.is_dir():
        shutil.copytree(DRIVERS, target)
    else:
        target.mkdir()
        (target / "Kconfig").touch()
        (target / "Makefile").touch()
    (tree / "build").mkdir()
    cache = "ccache " if shutil.which("ccache") else ""
    # Functions and lines are all that profilers read. Types and variables would take 8 % of the
    # compiler's time.
    debug = f"-g1 -fdebug-prefix-map={tree}=/usr/src/linux"
    environment = {
        "ARCH": "riscv",
        "CROSS_COMPILE": CROSS,
        "KBUILD_BUILD_TIMESTAMP": "1970-01-01",
        "KBUILD_BUILD_USER": "firesim",
        "KBUILD_BUILD_HOST": "firesim",
        "KBUILD_BUILD_VERSION": "1",
        "CCACHE_DIR": str(cache_root() / "linux-ccache"),
        "CCACHE_MAXSIZE": "1G",
        "CCACHE_SLOPPINESS": "time_macros",
        "LC_ALL": "C",
        "TZ": "UTC",
    }
    if configure is _configure:
        # The compiler's own list of headers: to preprocess a file first takes a quarter as long as
        # compiling it does. Only there is an `.incbin` seen, after which nothing must be kept: the
        # stock configuration has one, whose file's sum is in the command.
        environment["CCACHE_DEPEND"] = "1"
    make = ["make", "-s", f"-j{JOBS}", "O=build", f"CC={cache}{CROSS}gcc"]
    make += [f"HOSTCC={cache}gcc", f"KCFLAGS={debug}", f"KAFLAGS={debug}"]
    configure(tree, make, environment)
    run([*make, "Image"], cwd=tree, environment=environment)
    build = tree / "build"
    for name in ("arch/riscv/boot/Image", "vmlinux", "System.map"):
        shutil.copy2(build / name, folder / Path(name).name)
    shutil.copy2(build / ".config", folder / "config")
    shutil.rmtree(tree)


def kernel() -> Kernel:
    """Return the kernel, built when its source, configuration or drivers are new.

    Raises:
        LinuxError: a tool or the source is missing, or it does not build.
    """
    return kept(cached("linux-kernel", [*build_inputs(), CONFIG], _build))


def build_inputs() -> list[KeyPart]:
    """Return what every kernel is made of, beside its configuration."""
    version = run([f"{CROSS}gcc", "--version"]).splitlines()[0]
    drivers = [DRIVERS] if DRIVERS.is_dir() else []
    return [version, *kernel_source.inputs(), Path(__file__), *drivers]


def kept(folder: Path) -> Kernel:
    """Return the kernel that `build_kernel` has put in a folder."""
    return Kernel(
        image=folder / "Image",
        vmlinux=folder / "vmlinux",
        system_map=folder / "System.map",
        config=folder / "config",
    )
