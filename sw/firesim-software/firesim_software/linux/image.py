# SPDX-License-Identifier: BSD-3-Clause
"""Linux workloads ready to be booted: firmware, kernel, root file system, command line."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from firesim_common.address_map import DRAM_BASE, KERNEL_BASE

from firesim_software.linux import rootfs
from firesim_software.linux.debian import ROOT_DEVICE
from firesim_software.linux.description import Description, describe
from firesim_software.linux.errors import LinuxError
from firesim_software.linux.firmware import firmware
from firesim_software.linux.kernel_variant import named_kernel

_ROUND = 2 << 20
_IMAGE_SIZE_AT = 16
BOOTARGS = "console=ttySIF0 panic=-1 fw_devlink=off"
"""No node has drivers that must wait for others, so the kernel need not look for that."""


@dataclass(frozen=True)
class LinuxImage:
    """What a node boots; addresses are those of docs/reference/interfaces/linux.md."""

    name: str
    firmware: Path
    """ELF file."""
    kernel: Path
    initrd: Path | None
    disk: Path | None
    """Image of the block device; not to be written."""
    vmlinux: Path
    """The kernel with DWARF, for profilers."""
    bootargs: str
    memory_mib: int
    """The least memory it boots in."""
    has_shell: bool = True
    """Whether a shell can run before its init."""

    @property
    def initrd_address(self) -> int:
        """Where the initramfs goes: the first multiple of 2 MiB after the kernel."""
        with self.kernel.open("rb") as file:
            (size,) = struct.unpack_from("<Q", file.read(64), _IMAGE_SIZE_AT)
        return int(-(-(KERNEL_BASE + size) // _ROUND) * _ROUND)

    def addresses_words(self, count: int, address: str) -> str:
        """Return the last words of a command line by which eth1 to eth`count` get addresses.

        `address` is what ifconfig takes; in it `$i` stands for the number of the interface. A
        shell sets them and goes on as init: so the image, and with it each cycle of the boot of a
        node with one link, is the same. Nothing where there is no shell.
        """
        if not count or not self.has_shell:
            return ""
        tool, key, init = (
            ("/usr/bin/busybox ifconfig", "rdinit", "init")
            if self.disk is None
            else ("/usr/sbin/ifconfig", "init", rootfs.INIT_ON_DISK)
        )
        loop = f"i=0;while [ $i -lt {count} ];do i=$((i+1));{tool} eth$i {address};done"
        return f'{key}=/bin/sh -- -c "{loop};exec /{init}"'

    def load(self, memory_bytes: int) -> list[tuple[Path, str, int | None]]:
        """Return what to put into a memory: file, format (elf or raw) and address (of raw).

        Raises:
            LinuxError: it does not fit.
        """
        parts: list[tuple[Path, str, int | None]] = [(self.firmware, "elf", None)]
        parts.append((self.kernel, "raw", KERNEL_BASE))
        end = self.initrd_address
        if self.initrd is not None:
            parts.append((self.initrd, "raw", end))
            end += self.initrd.stat().st_size
        if end > DRAM_BASE + memory_bytes:
            need, have = end - DRAM_BASE, memory_bytes
            raise LinuxError(
                f'workload "{self.name}": found {have >> 20} MiB of memory, expected at least '
                f"{-(-need >> 20)} MiB for kernel and initramfs."
            )
        return parts


def bootargs(found: Description) -> str:
    """Return the words of the kernel's command line that a workload needs on every node."""
    words = [BOOTARGS]
    if found.base == "debian":
        words.append(f"root={ROOT_DEVICE} rw init=/{rootfs.INIT_ON_DISK}")
    else:
        # Files can stay where the initramfs has them, and ramfs is cheaper to fill than tmpfs.
        words.append("rootfstype=ramfs")
    if found.bootargs:
        words.append(found.bootargs)
    return " ".join(words)


def workload(name: str) -> LinuxImage:
    """Return a Linux workload of `workloads/`, with everything it needs built.

    Raises:
        LinuxError: there is no such workload, or a part of it cannot be built.
    """
    found = describe(name)
    built = named_kernel(found.kernel)
    on_disk = found.base == "debian"
    return LinuxImage(
        name=name,
        firmware=firmware(),
        kernel=built.image,
        initrd=None if on_disk else rootfs.initramfs(found),
        disk=rootfs.disk_image(found) if on_disk else None,
        vmlinux=built.vmlinux,
        bootargs=bootargs(found),
        memory_mib=found.memory_mib,
        has_shell=found.base != "programs",
    )
