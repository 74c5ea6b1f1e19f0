# SPDX-License-Identifier: BSD-3-Clause
"""Builds the SBI firmware that starts the kernel; its sources are in `linux/firmware/`."""

from __future__ import annotations

from pathlib import Path

from firesim_common.cache import KeyPart, cached

from firesim_software.builder import ADDRESS_MAP, COMMON, COMPILER, LIBRARY, LINK, compiler_version
from firesim_software.linux.errors import run
from firesim_software.linux.kernel import LINUX

FIRMWARE = LINUX / "firmware"


def firmware(*, qemu: bool = False) -> Path:
    """Return the firmware's ELF file, for our blades or for QEMU's machine `virt`.

    Raises:
        LinuxError: it does not compile; the message has file and line.
    """
    flags = [*COMMON, *LINK, "-Wl,--no-relax", *(["-DFIRESIM_QEMU_VIRT"] if qemu else [])]

    def build(folder: Path) -> None:
        sources = [*sorted(FIRMWARE.glob("*.S")), *sorted(FIRMWARE.glob("*.c"))]
        places = [f"-ffile-prefix-map={FIRMWARE}=firmware", f"-I{LIBRARY}"]
        places.append(f"-T{FIRMWARE / 'link.ld'}")
        run([COMPILER, *flags, *places, "-o", str(folder / "firmware.elf"), *map(str, sources)])

    key: list[KeyPart] = [compiler_version(), " ".join(flags), Path(__file__), FIRMWARE]
    key.append(ADDRESS_MAP)
    return cached("linux-firmware", key, build, places=[FIRMWARE, LIBRARY]) / "firmware.elf"
