# SPDX-License-Identifier: BSD-3-Clause
"""The Debian base: a root file system of riscv64 packages, as it comes on a disk.

It is a usable Debian of about 50 MB: shell, core utilities, network tools, apt and dpkg. Packages
are unpacked and recorded in dpkg's database as installed, without having run a maintainer script:
users and alternatives are made by `packages.finish`, everything else such scripts do (services,
caches) is missing.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from firesim_software.linux.agent import agent_programs
from firesim_software.linux.errors import run
from firesim_software.linux.locked import Package
from firesim_software.linux.packages import fetch, install

BASE = (
    "apt base-files base-passwd bash coreutils dash diffutils dpkg findutils grep gzip hostname "
    "iproute2 iputils-ping less mawk mount net-tools procps sed tar util-linux"
).split()
ROOT_DEVICE = "/dev/fsblk0"
"""The disk as the kernel calls it; the command line wants `root=/dev/fsblk0 rw`."""


def _record(packages: Sequence[Package], root: Path) -> None:
    database = root / "var/lib/dpkg"
    (database / "info").mkdir(parents=True, exist_ok=True)
    stanzas = []
    for package in packages:
        control = run(["dpkg-deb", "-f", str(fetch(package))])
        name, rest = control.split("\n", 1)
        stanzas.append(f"{name}\nStatus: install ok installed\n{rest.rstrip()}\n")
    (database / "status").write_text("\n".join(stanzas))
    (database / "available").touch()


def debian_root(root: Path, extra: Sequence[str] = ()) -> list[Package]:
    """Fill `root` with Debian's base, the packages `extra` and the agent's programs.

    Returns the packages with their versions.

    Raises:
        LinuxError: a package cannot be had.
    """
    packages = install([*BASE, *(name for name in extra if name not in BASE)], root)
    _record(packages, root)
    for program in sorted(agent_programs().iterdir()):
        shutil.copy2(program, root / "usr/bin" / program.name)
    (root / "proc").mkdir(exist_ok=True)
    return packages
