# SPDX-License-Identifier: BSD-3-Clause
"""Disk images that are not what a disk holds: qcow2 is converted, others are refused in words.

A blade's disk takes the bytes of a file as they are. An image in a format of a virtual machine, or
a compressed one, would reach the guest as noise.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from firesim_common.cache import cached
from firesim_common.tools import ToolError

from firesim.bind.qcow2 import MAGIC, Qcow2Error, read_header, to_raw

QCOW2 = "qcow2"
_FORMATS = (
    (0, MAGIC, QCOW2),
    (0, b"KDMV", "vmdk"),
    (0, b"# Disk DescriptorFile", "vmdk"),
    (64, b"\x7f\x10\xda\xbe", "vdi"),
    (0, b"conectix", "vpc"),
    (0, b"vhdxfile", "vhdx"),
    (0, b"QED\0", "qed"),
)
"""Offset and bytes by which the formats of virtual machines are known, by their names in qemu."""
_COMPRESSED = (
    (b"\x1f\x8b\x08", "gzip", "gunzip -k"),
    (b"\xfd7zXZ\0", "xz", "unxz -k"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unzstd"),
    (b"BZh", "bzip2", "bunzip2 -k"),
    (b"PK\x03\x04", "zip", "unzip"),
    (b"\x04\x22\x4d\x18", "lz4", "unlz4"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z x"),
)
_SECTOR_BYTES = 512


class ImageError(ValueError):
    """An image cannot be used; the message says what was found and what to do."""


def image_format(path: Path) -> str:
    """Return the format of an image, `raw` or `qcow2`.

    Raises:
        ImageError: it is compressed, or in a format that is not read.
        OSError: it cannot be read.
    """
    size = path.stat().st_size
    with path.open("rb") as stream:
        start = stream.read(_SECTOR_BYTES)
        stream.seek(max(0, size - _SECTOR_BYTES))
        end = stream.read(8)
    for magic, what, tool in _COMPRESSED:
        if start.startswith(magic):
            raise ImageError(
                f'found a file compressed with {what} "{path.name}", expected a disk image as the '
                f'guest sees it: "{tool} {path.name}".'
            )
    name = next((name for at, magic, name in _FORMATS if start[at:].startswith(magic)), None)
    if name is None and end == b"conectix":
        name = "vpc"  # A fixed disk: raw except for a sector at its end.
    if name is None:
        return "raw"
    if name != QCOW2:
        raise ImageError(
            f'found a {name} image "{path.name}", expected raw or qcow2: "{_command(path, name)}".'
        )
    return QCOW2


def _command(path: Path, name: str) -> str:
    made = path.with_suffix(".img").name
    made = f"{path.name}.raw" if made == path.name else made
    return f"qemu-img convert -f {name} -O raw {path.name} {made}"


def qcow2_bytes(path: Path) -> int:
    """Return the size of the disk in a qcow2 image.

    Raises:
        ImageError: it is not whole, or of a kind that is not read here.
        OSError: it cannot be read.
    """
    try:
        return read_header(path).size_bytes
    except Qcow2Error as error:
        raise ImageError(
            f'found a qcow2 image "{path.name}", {error}, expected a whole one with nothing '
            f'outside, or a raw one: "{_command(path, QCOW2)}".'
        ) from error


def raw_image(path: Path) -> Path:
    """Return an image as a raw file: itself, or what is made of it, from the cache.

    Raises:
        ToolError: it cannot be converted.
    """
    try:
        if image_format(path) == "raw":
            return path
        with path.open("rb") as stream:
            key = hashlib.file_digest(stream, "sha256").hexdigest()
    except (ImageError, OSError) as error:
        raise ToolError(f"{path}: {error}") from error

    def build(folder: Path) -> None:
        try:
            to_raw(path, folder / "disk.img")
        except (Qcow2Error, OSError) as error:
            raise ToolError(f"{path}: found a qcow2 image, {error}.") from error

    return cached("disk-image", [key, Path(__file__).parent / "qcow2.py"], build) / "disk.img"
