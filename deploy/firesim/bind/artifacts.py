# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the files a user gives, before anything starts: ELF programs and disk images."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from pathlib import Path

from firesim_common.address_map import DEVICE_TREE_BASE, DEVICE_TREE_BYTES, DRAM_BASE

from firesim.bind.disk_images import ImageError, image_format, qcow2_bytes

SECTOR_BYTES = 512
_MACHINE_RISCV = 243
_MACHINES = {3: "x86", 40: "Arm", 62: "x86-64", 183: "AArch64", 8: "MIPS", 21: "PowerPC64"}
_KINDS = {1: "an object file", 3: "a shared or position-independent program"}
_PT_LOAD = 1
_FLOAT_ABI = 0x6
_FLOAT_ABIS = {2: "lp64f", 4: "lp64d", 6: "lp64q"}
"""By these bits of an ELF file's flags; none of them is lp64."""
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")


class ArtifactError(ValueError):
    """A file cannot be used; the message says what was found and what was expected."""


@dataclass(frozen=True)
class Segment:
    """A loaded part of an ELF file, by physical address."""

    start: int
    end: int


@dataclass(frozen=True)
class Room:
    """Where a program may lie; addresses and sizes in bytes."""

    memory_bytes: int
    memory_base: int = DRAM_BASE
    device_tree: int | None = DEVICE_TREE_BASE
    """Address of the device tree; None when there is none."""
    fpu: bool = True
    """The cores of a blade of ours have a floating-point unit."""


def check_elf(path: Path, room: Room) -> list[Segment]:
    """Check that a file is a RISC-V 64-bit ELF that fits a blade of ours; return its segments.

    Raises:
        ArtifactError: it is not, it passes values in registers that the cores do not have, or a
            segment lies outside memory or over the device tree.
    """
    data = _read(path)
    segments = _segments(path, data)
    _check_place(path, segments, room)
    if not room.fpu:
        _check_float_abi(path, data)
    entry = _HEADER.unpack_from(data)[4]
    if entry != DRAM_BASE:
        raise ArtifactError(
            f'found the entry point 0x{entry:x} in "{path.name}", expected 0x{DRAM_BASE:x}, '
            "where the boot ROM jumps to."
        )
    return segments


def _check_float_abi(path: Path, data: bytes) -> None:
    """Refuse a program that passes values in floating-point registers."""
    flags = _HEADER.unpack_from(data)[7]
    abi = _FLOAT_ABIS.get(flags & _FLOAT_ABI)
    if abi is not None:
        raise ArtifactError(
            f'found the {abi} ABI in "{path.name}", expected lp64: the cores of its blade have no '
            "floating-point unit (-march=rv64imac -mabi=lp64)."
        )


def check_any_elf(path: Path, room: Room) -> None:
    """Check that a file is an executable ELF of any processor that fits one of the user's blades.

    Raises:
        ArtifactError: it is not, or a segment lies outside memory or over the device tree.
    """
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    data = _read(path)
    try:
        elf = ELFFile(io.BytesIO(data))
        if not elf.little_endian:
            raise ArtifactError(
                f'found a big-endian ELF file "{path.name}", expected little-endian.'
            )
        parts = [part.header for part in elf.iter_segments("PT_LOAD") if part["p_memsz"]]
    except (ELFError, ValueError, KeyError, OverflowError, struct.error) as error:
        raise ArtifactError(f'found no whole ELF file in "{path.name}", expected one.') from error
    if any(part["p_offset"] + part["p_filesz"] > len(data) for part in parts):
        raise ArtifactError(f'found a cut-off segment in "{path.name}", expected a whole ELF file.')
    segments = [Segment(part["p_paddr"], part["p_paddr"] + part["p_memsz"]) for part in parts]
    _check_place(path, segments, room)


def _check_place(path: Path, segments: list[Segment], room: Room) -> None:
    if not segments:
        raise ArtifactError(f'found no part to load in "{path.name}", expected a linked program.')
    top = room.memory_base + room.memory_bytes
    tree = room.device_tree
    for part in segments:
        if part.start < room.memory_base or part.end > top:
            raise ArtifactError(
                f'found a segment at 0x{part.start:x} to 0x{part.end:x} in "{path.name}", '
                f"expected it inside the memory 0x{room.memory_base:x} to 0x{top:x}."
            )
        if tree is not None and part.start < tree + DEVICE_TREE_BYTES and part.end > tree:
            raise ArtifactError(
                f'found a segment at 0x{part.start:x} to 0x{part.end:x} in "{path.name}", '
                f"which overlaps the device tree at 0x{tree:x}."
            )


def _read(path: Path) -> bytes:
    if not path.is_file():
        raise ArtifactError(f'found "{path.name}", expected a file that exists.')
    try:
        return path.read_bytes()
    except OSError as error:
        raise ArtifactError(f'cannot read "{path}": {error.strerror}.') from error


def _check_identity(name: str, data: bytes) -> None:
    """Refuse what is not a little-endian 64-bit ELF file."""
    if data[:4] != b"\x7fELF":
        raise ArtifactError(f'found no ELF header in "{name}", expected a RISC-V 64-bit ELF file.')
    if len(data) >= 6 and data[4] != 2:
        raise ArtifactError(f'found a 32-bit ELF file "{name}", expected a 64-bit one.')
    if len(data) >= 6 and data[5] != 1:
        raise ArtifactError(f'found a big-endian ELF file "{name}", expected little-endian.')
    if len(data) < _HEADER.size:
        raise ArtifactError(f'found only {len(data)} bytes in "{name}", expected a whole ELF file.')


def _segments(path: Path, data: bytes) -> list[Segment]:
    name = path.name
    _check_identity(name, data)
    header = _HEADER.unpack_from(data)
    kind, machine, table, size, count = header[1], header[2], header[5], header[9], header[10]
    if machine != _MACHINE_RISCV:
        found = _MACHINES.get(machine, f"machine {machine}")
        raise ArtifactError(f'found a program for {found} in "{name}", expected RISC-V.')
    if kind != 2:
        found = _KINDS.get(kind, "no program")
        raise ArtifactError(f'found {found} in "{name}", expected a statically linked program.')
    if count and (size != _SEGMENT.size or table + count * size > len(data)):
        raise ArtifactError(
            f'found a cut-off program table in "{name}", expected a whole ELF file.'
        )
    parts = []
    for index in range(count):
        word = _SEGMENT.unpack_from(data, table + index * size)
        what, offset, physical, in_file, in_memory = word[0], word[2], word[4], word[5], word[6]
        if what != _PT_LOAD or in_memory == 0:
            continue
        if offset + in_file > len(data) or in_file > in_memory:
            raise ArtifactError(f'found a cut-off segment in "{name}", expected a whole ELF file.')
        parts.append(Segment(physical, physical + in_memory))
    return parts


def check_tree_file(path: Path) -> None:
    """Check that a device tree is there, by a name that says its form; what is in it dtc reads.

    Raises:
        ArtifactError: it is missing, or of another name.
    """
    if not path.is_file():
        raise ArtifactError(f'found "{path.name}", expected a device tree that exists.')
    if path.suffix not in (".dts", ".dtb"):
        raise ArtifactError(f'found "{path.name}", expected a name that ends in .dts or .dtb.')


def check_disk_image(path: Path) -> int:
    """Check a disk image; return its size in sectors.

    Raises:
        ArtifactError: missing, empty, too large or not a whole number of sectors.
    """
    try:
        if not path.is_file():
            raise ArtifactError(f'found "{path.name}", expected a disk image that exists.')
        is_raw = image_format(path) == "raw"
        size = path.stat().st_size if is_raw else qcow2_bytes(path)
    except ImageError as error:
        raise ArtifactError(str(error)) from error
    except OSError as error:
        raise ArtifactError(f'cannot read "{path}": {error.strerror}.') from error
    if size == 0 or size % SECTOR_BYTES:
        raise ArtifactError(
            f'found {size} bytes in "{path.name}", expected a multiple of {SECTOR_BYTES}.'
        )
    if size // SECTOR_BYTES >= 1 << 32:
        raise ArtifactError(f'found {size} bytes in "{path.name}", expected less than 2 TiB.')
    return size // SECTOR_BYTES
