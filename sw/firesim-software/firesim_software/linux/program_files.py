# SPDX-License-Identifier: BSD-3-Clause
"""The ELF files of a workload's root file system by their paths on the node, for profilers.

They are taken from the very image that nodes boot. Our own programs have no symbols there, to be
small; here the same are built once more with symbols, all addresses equal.
"""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from firesim_common.cache import cached

from firesim_software.linux import rootfs
from firesim_software.linux.agent import PROGRAMS, agent_programs
from firesim_software.linux.cpio import read_entries
from firesim_software.linux.description import Description
from firesim_software.linux.errors import run
from firesim_software.linux.guest import guest_program, place_on_node
from firesim_software.linux.kernel_modules import kernel_module, place_of_module

_ELF = b"\x7fELF"


def _in_image(found: Description, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Give the regular files of the root file system; `folder` is for what is unpacked."""
    if found.base != "debian":
        for entry in read_entries(rootfs.initramfs(found).read_bytes()):
            if stat.S_ISREG(entry.mode):
                yield entry.name, entry.data
        return
    run(["debugfs", "-R", f"rdump / {folder}", str(rootfs.disk_image(found))])
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield str(path.relative_to(folder)), path.read_bytes()


def _unpacked(found: Description) -> Path:
    """Return a folder with the ELF files of a workload's root file system and nothing else."""

    def build(folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="firesim-root-") as name:
            for path, data in _in_image(found, Path(name)):
                if not data.startswith(_ELF):
                    continue
                place = folder / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)

    return cached("linux-program-files", [*rootfs.root_key(found), Path(__file__)], build)


def program_files(found: Description) -> dict[str, Path]:
    """Return the programs and libraries of a workload by their paths on the node, without the `/`.

    Raises:
        LinuxError: a part of the root file system cannot be built.
    """
    folder = _unpacked(found)
    files = {
        str(path.relative_to(folder)): path for path in sorted(folder.rglob("*")) if path.is_file()
    }
    for name, (plain, symbols) in _ours(found).items():
        # An overlay may have put another file there.
        if name in files and files[name].read_bytes() == plain.read_bytes():
            files[name] = symbols
    return files


def _ours(found: Description) -> dict[str, tuple[Path, Path]]:
    """Return our own programs by their paths: as nodes have them, and with symbols."""
    agents, named = agent_programs(), agent_programs(symbols=True)
    made = {f"usr/bin/{name}": (agents / name, named / name) for name in PROGRAMS}
    places = {place_on_node(name): name for name in found.programs}
    if found.base == "programs":
        places["bin/sh"] = rootfs.LAUNCHER
    for place, name in places.items():
        made[place] = guest_program(name), guest_program(name, symbols=True)
    for name in found.modules:
        plain = kernel_module(name, found.kernel)
        made[place_of_module(name)] = plain, kernel_module(name, found.kernel, symbols=True)
    init = rootfs.init_program(found.base), rootfs.init_program(found.base, symbols=True)
    return made | {"init": init, rootfs.INIT_ON_DISK: init}
