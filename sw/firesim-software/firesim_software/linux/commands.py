# SPDX-License-Identifier: BSD-3-Clause
"""What users do with Linux workloads: build, launch in QEMU, test against a reference, clean."""

from __future__ import annotations

import base64
import difflib
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TextIO

from firesim_common.cache import content_key
from firesim_common.paths import cache_root

from firesim_software.linux import locked, packages, virt
from firesim_software.linux.description import REFERENCE, describe, workloads
from firesim_software.linux.errors import LinuxError
from firesim_software.linux.firmware import firmware
from firesim_software.linux.guest import VERBS_PACKAGES
from firesim_software.linux.image import LinuxImage, workload
from firesim_software.linux.rootfs import package_names

FIRST_LINE = "firesim: init"
_OUTPUT, _OUTPUT_END = "firesim-output: ", "firesim-output-end"
"""Before and after a file that a node sends."""
MOST_LINE_CHARACTERS, MOST_OUTPUT_CHARACTERS = 1 << 16, 1 << 28
"""Longer lines come in pieces; longer files are none."""
_QEMU_BOOTARGS = "console=hvc0 firesim.finisher=0x100000"


def build(name: str) -> LinuxImage:
    """Build a workload and return what a node boots.

    Raises:
        LinuxError: it cannot be built.
    """
    return workload(name)


def lock() -> Path:
    """Choose Debian's newest packages for all workloads of this repository; return the file.

    Raises:
        LinuxError: the mirror does not answer, or lacks one of them.
    """
    packages.update()
    asked = {tuple(package_names(describe(name))): None for name in workloads()}
    asked[VERBS_PACKAGES] = None
    sets = {names: packages.resolve_by_lists(names) for names in asked if names}
    locked.write(sets, time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()))
    return locked.FILE


def _qemu(
    image: LinuxImage, folder: Path, *, bootargs: str, memory_mib: int, cores: int
) -> list[str]:
    if image.disk is not None:
        raise LinuxError(
            f'workload "{image.name}": found a root disk, expected an initramfs to boot in QEMU, '
            "which has no block device of ours; run it on a functional node."
        )
    words = image.bootargs.replace("console=ttySIF0", _QEMU_BOOTARGS)
    return virt.command(
        folder,
        firmware=firmware(qemu=True),
        kernel=image.kernel,
        initrd=image.initrd,
        initrd_address=image.initrd_address,
        bootargs=f"{words} {bootargs}".strip(),
        memory_mib=memory_mib or image.memory_mib,
        cores=cores,
    )


def boot(
    name: str,
    *,
    bootargs: str = "",
    memory_mib: int = 0,
    cores: int = 1,
    exact: bool = False,
    timeout_s: float = 60,
) -> tuple[str, int]:
    """Boot a workload in QEMU; return the console's text and the exit code (0 passed).

    Nobody types on its console. `exact` runs one instruction per nanosecond of target time, so that
    counts of instructions are the same each time.

    Raises:
        LinuxError: it cannot be built, or does not end in time.
    """
    image = build(name)
    with tempfile.TemporaryDirectory(prefix="firesim-linux-") as folder:
        words = _qemu(image, Path(folder), bootargs=bootargs, memory_mib=memory_mib, cores=cores)
        if exact:
            words += ["-icount", "shift=0,align=off,sleep=off"]
        return virt.run(words, timeout_s=timeout_s)


def launch(name: str, *, bootargs: str = "", memory_mib: int = 0, cores: int = 1) -> int:
    """Boot a workload in QEMU with its console on this terminal; return QEMU's exit status.

    Raises:
        LinuxError: it cannot be built.
    """
    image = build(name)
    with tempfile.TemporaryDirectory(prefix="firesim-linux-") as folder:
        words = _qemu(image, Path(folder), bootargs=bootargs, memory_mib=memory_mib, cores=cores)
        return virt.attach(words)


def user_part(console: str) -> str:
    """Return a console's text from the first line of init on, without what the kernel says after.

    Raises:
        LinuxError: init never ran.
    """
    lines = console.replace("\r\n", "\n").splitlines()
    if FIRST_LINE not in lines:
        tail = "\n".join(lines[-20:])
        raise LinuxError(f'found no line "{FIRST_LINE}" on the console, expected one:\n{tail}')
    own = lines[lines.index(FIRST_LINE) + 1 :]
    return "\n".join(line for line in own if not line.startswith("reboot: ")) + "\n"


def outputs(console: TextIO) -> Iterator[tuple[str, bytes]]:
    """Yield the files a node sent over its console, with their paths on the node.

    What is not whole, too long, has no printable name or is not base64 is text like any other. No
    more is in memory than one such file: a node can print as much as the disk has room for.
    """
    name, content, size = "", list[str](), 0
    for piece in iter(partial(console.readline, MOST_LINE_CHARACTERS), ""):
        line = piece.replace("\r", "").removesuffix("\n")
        if line.startswith(_OUTPUT):
            name, content, size = line.removeprefix(_OUTPUT), [], 0
        elif line == _OUTPUT_END and name.strip() and name.isprintable():
            with suppress(ValueError):
                yield name, base64.b64decode("".join(content))
            name, content = "", []
        elif name:
            content.append(line)
            size += len(line) + 1
            if size > MOST_OUTPUT_CHARACTERS:
                name, content = "", []


def test(name: str, *, timeout_s: float = 60) -> str:
    """Boot a workload in QEMU and compare its console with `console.txt` beside its description.

    Returns the differences, empty when there are none.

    Raises:
        LinuxError: it cannot be built or run, failed, or has no reference.
    """
    reference = describe(name).folder / REFERENCE
    if not reference.is_file():
        raise LinuxError(f"found no {reference}, expected what the console should say.")
    console, code = boot(name, timeout_s=timeout_s)
    if code != 0:
        raise LinuxError(
            f'workload "{name}": found exit code {code}, expected 0:\n{console[-2000:]}'
        )
    wanted, got = reference.read_text().splitlines(), user_part(console).splitlines()
    return "\n".join(difflib.unified_diff(wanted, got, str(reference), "console", lineterm=""))


def clean(name: str) -> list[Path]:
    """Remove a workload's root file systems from the cache; return what was removed.

    The kernel and packages, which others use too, stay.

    Raises:
        LinuxError: there is no such workload.
    """
    from firesim_software.linux.rootfs import root_key

    key = content_key(root_key(describe(name)))
    found = [cache_root() / kind / key for kind in ("linux-initramfs", "linux-disk")]
    removed = [folder for folder in found if folder.is_dir()]
    for folder in removed:
        shutil.rmtree(folder)
    return removed
