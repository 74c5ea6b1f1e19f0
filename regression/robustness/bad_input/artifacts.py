# SPDX-License-Identifier: BSD-3-Clause
"""Broken files: ELF programs and disk images, each with its message."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.files import CODE, elf

SYSTEM = "system:\n  topology: two_nodes\n  node:\n    memory: {size_mib: 16}\n"
ELF = SYSTEM + "workload:\n  node:\n    elf: a.elf\n"
DISK = SYSTEM + "workload:\n  node:\n    elf: a.elf\n    disk_image: disk.img\n"


def broken(name: str, message: str, content: bytes) -> Case:
    """Return a case in which only the program is broken."""
    return Case(name, message, ELF, {"a.elf": content})


ARTIFACT_CASES = [
    Case(
        "no ELF file",
        'bad.yaml:7: workload.node.elf: found "a.elf", expected a file that exists.',
        ELF,
    ),
    broken(
        "empty ELF",
        (
            'bad.yaml:7: workload.node.elf: found no ELF header in "a.elf", expected a '
            "RISC-V 64-bit ELF file."
        ),
        b"",
    ),
    broken(
        "text as ELF",
        (
            'bad.yaml:7: workload.node.elf: found no ELF header in "a.elf", expected a '
            "RISC-V 64-bit ELF file."
        ),
        b"#!/bin/sh\necho hello\n",
    ),
    broken(
        "cut-off header",
        (
            'bad.yaml:7: workload.node.elf: found only 40 bytes in "a.elf", expected a '
            "whole ELF file."
        ),
        elf()[:40],
    ),
    broken(
        "cut-off table",
        (
            'bad.yaml:7: workload.node.elf: found a cut-off program table in "a.elf", '
            "expected a whole ELF file."
        ),
        elf()[:80],
    ),
    broken(
        "cut-off segment",
        (
            'bad.yaml:7: workload.node.elf: found a cut-off segment in "a.elf", '
            "expected a whole ELF file."
        ),
        elf(file_bytes=4096, memory_bytes=4096),
    ),
    broken(
        "x86 program",
        (
            'bad.yaml:7: workload.node.elf: found a program for x86-64 in "a.elf", '
            "expected RISC-V."
        ),
        elf(machine=62),
    ),
    broken(
        "Arm program",
        (
            'bad.yaml:7: workload.node.elf: found a program for AArch64 in "a.elf", '
            "expected RISC-V."
        ),
        elf(machine=183),
    ),
    broken(
        "32-bit program",
        (
            'bad.yaml:7: workload.node.elf: found a 32-bit ELF file "a.elf", expected a '
            "64-bit one."
        ),
        elf(bits=1),
    ),
    broken(
        "big-endian program",
        (
            'bad.yaml:7: workload.node.elf: found a big-endian ELF file "a.elf", '
            "expected little-endian."
        ),
        elf(order=2),
    ),
    broken(
        "object file",
        (
            'bad.yaml:7: workload.node.elf: found an object file in "a.elf", expected a '
            "statically linked program."
        ),
        elf(kind=1),
    ),
    broken(
        "shared program",
        (
            "bad.yaml:7: workload.node.elf: found a shared or position-independent "
            'program in "a.elf", expected a statically linked program.'
        ),
        elf(kind=3),
    ),
    broken(
        "nothing to load",
        (
            'bad.yaml:7: workload.node.elf: found no part to load in "a.elf", expected '
            "a linked program."
        ),
        elf(segments=0),
    ),
    broken(
        "below memory",
        (
            "bad.yaml:7: workload.node.elf: found a segment at 0x1000 to 0x1004 in "
            '"a.elf", expected it inside the memory 0x80000000 to 0x81000000.'
        ),
        elf(load=0x1000),
    ),
    broken(
        "above memory",
        (
            "bad.yaml:7: workload.node.elf: found a segment at 0x80000000 to 0x82000000 "
            'in "a.elf", expected it inside the memory 0x80000000 to 0x81000000.'
        ),
        elf(memory_bytes=0x200_0000),
    ),
    broken(
        "over the device tree",
        (
            "bad.yaml:7: workload.node.elf: found a segment at 0x80000000 to 0x801f0001 "
            'in "a.elf", which overlaps the device tree at 0x801f0000.'
        ),
        elf(memory_bytes=0x1F_0001),
    ),
    broken(
        "wrong entry",
        (
            "bad.yaml:7: workload.node.elf: found the entry point 0x80000002 in "
            '"a.elf", expected 0x80000000, where the boot ROM jumps to.'
        ),
        elf(entry=0x8000_0002),
    ),
    Case(
        "no disk image",
        (
            'bad.yaml:8: workload.node.disk_image: found "disk.img", expected a disk '
            "image that exists."
        ),
        DISK,
        {"a.elf": elf()},
    ),
    Case(
        "empty disk",
        (
            'bad.yaml:8: workload.node.disk_image: found 0 bytes in "disk.img", '
            "expected a multiple of 512."
        ),
        DISK,
        {"a.elf": elf(), "disk.img": b""},
    ),
    Case(
        "part of a sector",
        (
            'bad.yaml:8: workload.node.disk_image: found 800 bytes in "disk.img", '
            "expected a multiple of 512."
        ),
        DISK,
        {"a.elf": elf(), "disk.img": CODE * 200},
    ),
    Case(
        "compressed disk",
        (
            'bad.yaml:8: workload.node.disk_image: found a file compressed with gzip "disk.img", '
            'expected a disk image as the guest sees it: "gunzip -k disk.img".'
        ),
        DISK,
        {"a.elf": elf(), "disk.img": b"\x1f\x8b\x08".ljust(512, b"\0")},
    ),
    Case(
        "disk of another virtual machine",
        (
            'bad.yaml:8: workload.node.disk_image: found a vmdk image "disk.img", expected raw or '
            'qcow2: "qemu-img convert -f vmdk -O raw disk.img disk.img.raw".'
        ),
        DISK,
        {"a.elf": elf(), "disk.img": b"KDMV".ljust(512, b"\0")},
    ),
    Case(
        "qcow2 image on another file",
        (
            'bad.yaml:8: workload.node.disk_image: found a qcow2 image "disk.img", one that stands '
            "on another file, expected a whole one with nothing outside, or a raw one: "
            '"qemu-img convert -f qcow2 -O raw disk.img disk.img.raw".'
        ),
        DISK,
        {"a.elf": elf(), "disk.img": b"QFI\xfb\0\0\0\2\0\0\0\0\0\0\0\x48".ljust(512, b"\0")},
    ),
    Case(
        "image and size",
        (
            "bad.yaml:6: workload.node: found disk_image and disk_sectors, expected one "
            "of the two."
        ),
        DISK + "    disk_sectors: 8\n",
        {"a.elf": elf(), "disk.img": bytes(512)},
    ),
    Case(
        "tree of our own program at an address",
        "bad.yaml:7: workload.node.device_tree_address: found a device tree address for node "
        '"node0", expected it only with the key elf.',
        SYSTEM + "workload:\n  node:\n    device_tree_address: 0x80f0_0000\n    program: hello\n",
    ),
    Case(
        "Linux without a tree",
        'bad.yaml:7: workload.node.device_tree: found a device tree "none" for node "node0", '
        "expected it only with the key elf.",
        SYSTEM + "workload:\n  node:\n    device_tree: none\n    linux: linux-hello\n",
    ),
    Case(
        "tree both left out and moved",
        "bad.yaml:6: workload.node: found device_tree none and device_tree_address, expected one "
        "of them.",
        SYSTEM
        + "workload:\n  node: {elf: a.elf, device_tree: none, device_tree_address: 0x8000_0000}\n",
        {"a.elf": elf()},
    ),
    Case(
        "tree outside memory",
        'bad.yaml:8: workload.node.device_tree_address: found 0x81000000 for "node0", expected '
        "0x80000000 to 0x80ff0000: 64 KiB inside its memory.",
        ELF + "    device_tree_address: 0x8100_0000\n",
        {"a.elf": elf()},
    ),
    Case(
        "program over the moved tree",
        'bad.yaml:7: workload.node.elf: found a segment at 0x80000000 to 0x80200000 in "a.elf", '
        "which overlaps the device tree at 0x80100000.",
        ELF + "    device_tree_address: 0x8010_0000\n",
        {"a.elf": elf(memory_bytes=0x20_0000)},
    ),
]
