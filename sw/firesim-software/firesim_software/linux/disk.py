# SPDX-License-Identifier: BSD-3-Clause
"""Disk images: an ext2 file system made of a folder, without root, bit for bit the same every time.

`mke2fs -d` fills it. It takes owners and times from the folder, which depend on who made it and
when: both are set afterwards, in the inodes themselves. The file is sparse.
"""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path

from firesim_software.linux.errors import LinuxError, run

BLOCK_BYTES = 4096
INODE_BYTES = 128
INODES_SPARE = 2048
TIME_S = 1_577_836_800
"""All times in an image, in seconds since 1970: 2020-01-01."""
UUID = "f1e51000-0000-4000-8000-000000000001"
_SUPERBLOCK = 1024
_INODE_TIMES = 8
_MIB = 1 << 20


def _measure(folder: Path) -> tuple[int, int]:
    """Return how many blocks and inodes the content of a folder takes, directories included."""
    blocks, inodes = 1, 16
    for path in folder.rglob("*"):
        inodes += 1
        if path.is_symlink():
            continue
        size_bytes = path.stat().st_size if path.is_file() else BLOCK_BYTES
        data = -(-size_bytes // BLOCK_BYTES)
        blocks += data + data // 512 + 1
    return blocks, inodes


def _own_by_root(image: Path) -> None:
    """Give every inode to root and TIME_S; the layout is that of ext2 with inodes of 128 bytes."""
    with image.open("r+b") as file:
        file.seek(_SUPERBLOCK)
        superblock = file.read(1024)
        per_group, inodes = struct.unpack_from("<I", superblock, 40)[0], superblock[0:4]
        groups = -(-int.from_bytes(inodes, "little") // per_group)
        file.seek(BLOCK_BYTES)
        descriptors = file.read(32 * groups)
        for group in range(groups):
            table = struct.unpack_from("<I", descriptors, 32 * group + 8)[0] * BLOCK_BYTES
            file.seek(table)
            data = bytearray(file.read(per_group * INODE_BYTES))
            for at in range(0, len(data), INODE_BYTES):
                if not any(data[at : at + 2]):
                    continue
                struct.pack_into("<H", data, at + 2, 0)
                struct.pack_into("<III", data, at + _INODE_TIMES, TIME_S, TIME_S, TIME_S)
                struct.pack_into("<H", data, at + 24, 0)
                struct.pack_into("<I", data, at + 100, 0)
                struct.pack_into("<HH", data, at + 120, 0, 0)
            file.seek(table)
            file.write(data)


def ext2_image(folder: Path, image: Path, *, free_mib: int = 64, label: str = "root") -> Path:
    """Write an ext2 image of `folder` with `free_mib` MiB of free space to `image`; return it.

    Raises:
        LinuxError: mke2fs is missing or failed.
    """
    program = shutil.which("mke2fs", path=f"{os.environ.get('PATH', '')}:/sbin:/usr/sbin")
    if program is None:
        raise LinuxError("mke2fs is not installed: apt-get install e2fsprogs")
    blocks, inodes = _measure(folder)
    inodes += INODES_SPARE
    used_bytes = blocks * BLOCK_BYTES + inodes * INODE_BYTES
    size_mib = -(-used_bytes * 21 // (20 * _MIB)) + free_mib + 1
    image.unlink(missing_ok=True)
    features = "none,sparse_super,large_file,filetype"
    options = f"hash_seed={UUID},root_owner=0:0,lazy_itable_init=0,nodiscard"
    command = [program, "-q", "-t", "ext2", "-b", str(BLOCK_BYTES), "-I", str(INODE_BYTES)]
    command += ["-N", str(inodes), "-m", "0", "-O", features, "-U", UUID, "-E", options]
    command += ["-L", label, "-d", str(folder), str(image), f"{size_mib}M"]
    run(command, environment={"E2FSPROGS_FAKE_TIME": str(TIME_S), "MKE2FS_CONFIG": os.devnull})
    _own_by_root(image)
    return image
