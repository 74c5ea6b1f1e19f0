# SPDX-License-Identifier: BSD-3-Clause
"""Reads qcow2 images (versions 2 and 3, as qemu-img writes them by default) into raw files."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAGIC = b"QFI\xfb"
_HEADER = struct.Struct(">4sIQIIQIIQ")
_V3_BYTES = 104
_OFFSET = 0x00FF_FFFF_FFFF_FE00
_COMPRESSED, _ZERO = 1 << 62, 1
_DIRTY = 1
_SECTOR_BYTES = 512


class Qcow2Error(ValueError):
    """An image cannot be read; the message says what it is."""


@dataclass(frozen=True)
class Qcow2:
    """The header of an image."""

    version: int
    cluster_bits: int
    size_bytes: int
    """Of the disk in it."""
    table_offset: int
    table_entries: int

    @property
    def cluster_bytes(self) -> int:
        """Bytes of a cluster, the unit that is there or not."""
        return 1 << self.cluster_bits


def read_header(path: Path) -> Qcow2:
    """Return the header of an image.

    Raises:
        Qcow2Error: it is cut off, stands on another file, is encrypted, or of a kind not read here.
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        header = stream.read(_V3_BYTES)
    if len(header) < _HEADER.size:
        raise Qcow2Error("a cut-off one")
    _, version, backing, _, bits, size, encrypted, entries, table = _HEADER.unpack_from(header)
    features = 0
    if version == 3 and len(header) == _V3_BYTES:
        features = struct.unpack_from(">Q", header, _HEADER.size + 24)[0]
    # An image may name any file of the host as its base, and it may come from anybody.
    if backing:
        raise Qcow2Error("one that stands on another file")
    if encrypted:
        raise Qcow2Error("an encrypted one")
    if version not in (2, 3) or features & ~_DIRTY or not 9 <= bits <= 21:
        raise Qcow2Error("one with features that are not read here")
    covered = 1 << (2 * bits - 3)
    if entries < -(-size // covered) or table + 8 * entries > path.stat().st_size:
        raise Qcow2Error("a cut-off one")
    return Qcow2(version, bits, size, table, -(-size // covered))


def to_raw(path: Path, made: Path) -> None:
    """Write the disk of an image as a raw, sparse file.

    Raises:
        Qcow2Error: the image is not whole, or of a kind that is not read here.
        OSError: it cannot be read or written.
    """
    image = read_header(path)
    with path.open("rb") as source, made.open("wb") as raw:
        raw.truncate(image.size_bytes)
        at = 0
        for entry in _table(source, image.table_offset, image.table_entries):
            covered = image.cluster_bytes // 8
            if offset := entry & _OFFSET:
                for index, cluster in enumerate(_table(source, offset, covered)):
                    _copy(source, raw, image, cluster, at + index * image.cluster_bytes)
            at += covered * image.cluster_bytes


def _table(source: BinaryIO, offset: int, entries: int) -> tuple[int, ...]:
    source.seek(offset)
    data = source.read(8 * entries)
    if len(data) < 8 * entries:
        raise Qcow2Error("a cut-off one")
    return struct.unpack(f">{entries}Q", data)


def _copy(source: BinaryIO, raw: BinaryIO, image: Qcow2, entry: int, at: int) -> None:
    """Write one cluster of the disk, nothing where it holds zeros."""
    room = min(image.cluster_bytes, image.size_bytes - at)
    if room <= 0 or not entry:
        return
    if entry & _COMPRESSED:
        data = _decompressed(source, image, entry)
    elif not entry & _OFFSET or (image.version == 3 and entry & _ZERO):
        return
    else:
        source.seek(entry & _OFFSET)
        data = source.read(image.cluster_bytes)
    if len(data) < room:
        raise Qcow2Error("a cut-off one")
    raw.seek(at)
    raw.write(data[:room])


def _decompressed(source: BinaryIO, image: Qcow2, entry: int) -> bytes:
    bits = 62 - (image.cluster_bits - 8)
    offset = entry & ((1 << bits) - 1)
    sectors = (entry >> bits & ((1 << (image.cluster_bits - 8)) - 1)) + 1
    source.seek(offset)
    data = source.read(sectors * _SECTOR_BYTES - offset % _SECTOR_BYTES)
    try:
        return zlib.decompressobj(-15).decompress(data, image.cluster_bytes)
    except zlib.error as error:
        raise Qcow2Error("one with a broken cluster") from error
