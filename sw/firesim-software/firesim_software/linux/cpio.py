# SPDX-License-Identifier: BSD-3-Clause
"""Writes cpio archives (form "newc") for the kernel to unpack at boot, and reads them again.

They are the same bit for bit for the same files: entries are sorted, belong to root, and have no
times. The data of a file of a page or more starts at a page, for the driver `firesim_initramfs` to
leave it there. That of others starts at a multiple of 8 bytes, since the kernel copies it by words
as long as its alignment.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

_ALIGN_BYTES = 8
_PAGE_BYTES = 4096
_HEADER_BYTES = 110
_MAGIC = b"070701"
_FIELDS = 13
_TRAILER = "TRAILER!!!"


@dataclass(frozen=True)
class Entry:
    """A file, folder, link or device of an archive."""

    name: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)


def entries(folder: Path) -> list[Entry]:
    """Return everything below a folder as entries."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found.append(Entry(name, stat.S_IFLNK | 0o777, str(path.readlink()).encode()))
        elif path.is_dir():
            found.append(Entry(name, stat.S_IFDIR | stat.S_IMODE(path.stat().st_mode)))
        elif path.is_file():
            mode = stat.S_IFREG | stat.S_IMODE(path.stat().st_mode)
            found.append(Entry(name, mode, path.read_bytes()))
    return found


def archive(found: list[Entry]) -> bytes:
    """Return the archive of these entries."""
    out = bytearray()
    for number, entry in enumerate([*found, Entry(_TRAILER, 0)], start=1):
        name = entry.name.encode() + b"\0"
        if len(entry.data) >= _PAGE_BYTES:  # zeros before a header are skipped
            before_data = _HEADER_BYTES + len(name) - (_HEADER_BYTES + len(name)) % -_ALIGN_BYTES
            out += b"\0" * (-(len(out) + before_data) % _PAGE_BYTES)
        name += b"\0" * (-(len(out) + _HEADER_BYTES + len(name)) % _ALIGN_BYTES)
        fields = [number, entry.mode, 0, 0, 1, 0, len(entry.data), 0, 0, *entry.device]
        header = _MAGIC.decode() + "".join(f"{value:08x}" for value in [*fields, len(name), 0])
        out += header.encode() + name + entry.data
        out += b"\0" * (-len(out) % _ALIGN_BYTES)
    return bytes(out)


def read_entries(content: bytes) -> list[Entry]:
    """Return the entries of an archive that `archive` has made."""
    found, at = [], 0
    while (at := content.find(_MAGIC, at)) >= 0:
        fields = [int(content[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(_FIELDS)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        start = at + _HEADER_BYTES
        name = content[start : start + name_size].split(b"\0")[0].decode()
        data = start + name_size
        if name == _TRAILER:
            break
        found.append(Entry(name, mode, content[data : data + size], (fields[9], fields[10])))
        at = data + size
    return found
