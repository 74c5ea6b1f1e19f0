"""Broken files: ELF programs and disk images, each with its message."""

from __future__ import annotations

from regression.bad_input_cases import Case
from regression.bad_input_files import CODE, elf

SYSTEM = "system:\n  topology: two_nodes\n  node:\n    memory: {size_mib: 16}\n"
ELF = SYSTEM + "workload:\n  node:\n    elf: a.elf\n"
DISK = SYSTEM + "workload:\n  node:\n    elf: a.elf\n    disk_image: disk.img\n"


def broken(name: str, message: str, content: bytes) -> Case:
    """Return a case in which only the program is broken."""
    return Case(name, message, ELF, {"a.elf": content})


ARTIFACT_CASES = [
    Case("no ELF file", "", ELF),
    broken("empty ELF", "", b""),
    broken("text as ELF", "", b"#!/bin/sh\necho hello\n"),
    broken("cut-off header", "", elf()[:40]),
    broken("cut-off table", "", elf()[:80]),
    broken("cut-off segment", "", elf(file_bytes=4096, memory_bytes=4096)),
    broken("x86 program", "", elf(machine=62)),
    broken("Arm program", "", elf(machine=183)),
    broken("32-bit program", "", elf(bits=1)),
    broken("big-endian program", "", elf(order=2)),
    broken("object file", "", elf(kind=1)),
    broken("shared program", "", elf(kind=3)),
    broken("nothing to load", "", elf(segments=0)),
    broken("below memory", "", elf(load=0x1000)),
    broken("above memory", "", elf(memory_bytes=0x200_0000)),
    broken("over the device tree", "", elf(memory_bytes=0x1F_0001)),
    broken("wrong entry", "", elf(entry=0x8000_0002)),
    Case("no disk image", "", DISK, {"a.elf": elf()}),
    Case("empty disk", "", DISK, {"a.elf": elf(), "disk.img": b""}),
    Case("part of a sector", "", DISK, {"a.elf": elf(), "disk.img": CODE * 200}),
    Case(
        "image and size",
        "",
        DISK + "    disk_sectors: 8\n",
        {"a.elf": elf(), "disk.img": bytes(512)},
    ),
]
