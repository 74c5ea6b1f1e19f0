# SPDX-License-Identifier: BSD-3-Clause
"""Root file systems of Linux workloads: a small initramfs, or Debian on a disk."""

from __future__ import annotations

import re
import shlex
import shutil
import stat
import tempfile
from pathlib import Path

from firesim_common.cache import KeyPart, cached
from firesim_common.user_path import lies_in

from firesim_software.builder import ADDRESS_MAP
from firesim_software.linux import agent, debian, disk, packages
from firesim_software.linux.agent import agent_programs
from firesim_software.linux.cpio import Entry, archive, entries
from firesim_software.linux.description import Description
from firesim_software.linux.errors import LinuxError, run
from firesim_software.linux.guest import guest_program, place_on_node
from firesim_software.linux.kernel import LINUX
from firesim_software.linux.kernel_modules import kernel_module, place_of_module

INIT = LINUX / "init"
LAUNCHER = "launcher"
"""The program that stands in for a shell where there is none."""
INIT_ON_DISK = "usr/sbin/firesim-init"
JOBS = "etc/firesim"
BUSYBOX = ["busybox-static"]
LINKS = ("sh", "env")
"""What of busybox has a file name: scripts start with these. The shell finds every other applet by
itself; a link to each would cost 20,000 instructions at each boot."""


def init_program(base: str, *, symbols: bool = False) -> Path:
    """Return the first process of a node with a base, built when it is new.

    With `symbols` it is not that of nodes, but the same with a symbol table.

    Raises:
        LinuxError: the compiler is missing, or it does not compile.
    """
    version = run([agent.COMPILER, "--version"]).splitlines()[0]
    shared = [agent.FOLDER / name for name in ("start.S", "memory.c", "node.c", "job.c")]
    sources = [*shared, *sorted(INIT.glob("*.c"))]
    flags = [*agent.FLAGS, *([] if base == "programs" else ["-DFIRESIM_HAS_SHUTDOWN"])]
    if symbols:
        flags = agent.with_symbols(flags)

    def build(folder: Path) -> None:
        command = [agent.COMPILER, *flags, *agent.INCLUDES, "-o", str(folder / "init")]
        run([*command, *map(str, sources)])

    key: list[KeyPart] = [version, " ".join(flags), INIT, agent.FOLDER, ADDRESS_MAP]
    places = [INIT, agent.FOLDER, ADDRESS_MAP]
    return cached("linux-init", key, build, places=places) / "init"


_SEND = """\
firesim_output() {
  if [ -f "$1" ]; then
    printf 'firesim-output: %s\\n' "$1"
    base64 "$1"
    echo firesim-output-end
  elif [ -d "$1" ]; then
    for firesim_file in "$1"/* "$1"/.[!.]* "$1"/..?*; do
      [ -d "$firesim_file" ] && [ -L "$firesim_file" ] || firesim_output "$firesim_file"
    done
  fi
}"""
"""Sends a file, or all files below a folder; links to folders inside it are not followed."""


def _script(command: str, outputs: list[str]) -> str:
    """Return a job as a file: the user's script, then what is to leave over the console."""
    lines = ["#!/bin/sh", command.rstrip()]
    if outputs:
        lines = ["#!/bin/sh", "(", command.rstrip(), ")", "firesim_status=$?", _SEND]
        for output in outputs:
            lines.append(f"for firesim_each in {_pattern(output)}; do")
            lines.append('firesim_output "$firesim_each"; done')
        lines.append("exit $firesim_status")
    return "\n".join(lines) + "\n"


def _pattern(path: str) -> str:
    """Return a path as the shell takes it: `*`, `?` and `[...]` match, all else is as it stands."""
    parts = re.split(r"([*?]|\[[^]]+\])", path)
    return "".join(
        part if index % 2 else shlex.quote(part) for index, part in enumerate(parts) if part
    )


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)


def _add_workload(root: Path, found: Description) -> None:
    for name, command in {"command": found.command, **found.jobs}.items():
        if command:
            _write(root / JOBS / name, _script(command, found.outputs), 0o755)
    for name in found.programs:
        place = root / place_on_node(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(guest_program(name), place)
    for name in found.modules:
        place = root / place_of_module(name)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(kernel_module(name, found.kernel), place)
    for target, source in found.overlay.items():
        to, origin = root / target.lstrip("/"), found.folder / source
        if not lies_in(to, root):  # A link of a package leads there.
            raise LinuxError(f'overlay: found "{target}", expected a path within the root.')
        to.parent.mkdir(parents=True, exist_ok=True)
        if origin.is_dir():
            shutil.copytree(origin, to, dirs_exist_ok=True, symlinks=True)
        else:
            shutil.copy2(origin, to)


def _normalise(root: Path) -> None:
    """Give every file the mode it would have under any umask."""
    for path in root.rglob("*"):
        if path.is_symlink():
            continue
        runs = path.is_dir() or path.stat().st_mode & stat.S_IXUSR
        path.chmod(0o755 if runs else 0o644)


def _small_root(root: Path, found: Description) -> None:
    programs = root / "usr/bin"
    if found.base == "busybox":
        packages.install_small(package_names(found), root)
        programs.mkdir(parents=True, exist_ok=True)
        for name in LINKS:
            if not (programs / name).exists():
                (programs / name).symlink_to("busybox")
    else:
        programs.mkdir(parents=True)
        (root / "bin").mkdir()
        shutil.copy2(guest_program(LAUNCHER), root / "bin/sh")
    for path in agent_programs().iterdir():
        shutil.copy2(path, programs / path.name)
    shutil.copy2(init_program(found.base), root / "init")
    shutil.rmtree(root / "usr/share/initramfs-tools", ignore_errors=True)
    (root / "root").mkdir(exist_ok=True)
    _add_workload(root, found)
    _normalise(root)


def initramfs(found: Description) -> Path:
    """Return the initramfs of a workload whose base is not `debian`.

    Raises:
        LinuxError: a package cannot be had.
    """

    def build(folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="firesim-root-") as name:
            _small_root(Path(name), found)
            console = Entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
            content = [Entry("dev", stat.S_IFDIR | 0o755), console, *entries(Path(name))]
            (folder / "initramfs.cpio").write_bytes(archive(content))

    return cached("linux-initramfs", root_key(found), build) / "initramfs.cpio"


def disk_image(found: Description) -> Path:
    """Return the root disk of a workload whose base is `debian`.

    Raises:
        LinuxError: a package cannot be had.
    """

    def build(folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="firesim-root-") as name:
            root = Path(name)
            debian.debian_root(root, found.packages)
            shutil.copy2(init_program(found.base), root / INIT_ON_DISK)
            _add_workload(root, found)
            disk.ext2_image(root, folder / "root.img", free_mib=found.disk_mib)

    return cached("linux-disk", root_key(found), build) / "root.img"


def package_names(found: Description) -> list[str]:
    """Return the Debian packages that a workload's root file system is asked to hold."""
    base = {"debian": debian.BASE, "busybox": BUSYBOX}.get(found.base, [])
    return [*base, *found.packages] if base else []


def root_key(found: Description) -> list[KeyPart]:
    """Return all that a workload's root file system is made of, for the cache.

    Raises:
        LinuxError: its packages cannot be resolved.
    """
    here = Path(__file__).parent
    resolved = packages.resolve(package_names(found))
    key: list[KeyPart] = [found.model_dump_json(), init_program(found.base), agent_programs()]
    key += ["\n".join(map(str, resolved))]
    key += [here / name for name in ("rootfs.py", "cpio.py", "packages.py", "disk.py", "debian.py")]
    key += [guest_program(name) for name in [LAUNCHER, *found.programs]]
    key += [kernel_module(name, found.kernel) for name in found.modules]
    key += [found.folder / source for source in found.overlay.values()]
    return key
