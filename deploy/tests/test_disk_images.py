# SPDX-License-Identifier: BSD-3-Clause
"""Disk images in formats of virtual machines: qcow2 is read, others and compressed ones refused."""

from __future__ import annotations

import random
import struct
import zlib
from pathlib import Path

import pytest
from firesim.bind.artifacts import ArtifactError, check_disk_image
from firesim.bind.disk_images import raw_image

CLUSTER_BITS = 9
CLUSTER = 1 << CLUSTER_BITS
ENTRIES = CLUSTER // 8


def qcow2(disk: bytes, version: int = 3, *, backing: int = 0, features: int = 0) -> bytes:
    """Return an image of small clusters: plain, compressed, of zeros by a flag, or not there."""
    clusters = [disk[at : at + CLUSTER] for at in range(0, len(disk), CLUSTER)]
    tables = -(-len(clusters) // ENTRIES)
    first = CLUSTER * (1 + -(-tables * 8 // CLUSTER))
    head = struct.pack(">4sIQIIQIIQ", b"QFI\xfb", version, backing, 0, CLUSTER_BITS, len(disk), 0,
                       tables, CLUSTER)  # fmt: skip
    head += bytes(24) + struct.pack(">QQQII", features, 0, 0, 4, 104)
    level1, level2, data = b"", b"", b""
    start = first + tables * CLUSTER
    for number, content in enumerate(clusters):
        content = content.ljust(CLUSTER, b"\0")
        at = start + len(data)
        if not any(content):
            entry = 1 if version == 3 and number % 2 else 0
        elif number % 3 == 0:
            packer = zlib.compressobj(9, zlib.DEFLATED, -12)
            packed = packer.compress(content) + packer.flush()
            sectors = (at % 512 + len(packed) + 511) // 512 - 1
            entry = 1 << 62 | sectors << (62 - (CLUSTER_BITS - 8)) | at
            data += packed + bytes(-len(packed) % 512)
        else:
            entry = 1 << 63 | at
            data += content
        level2 += struct.pack(">Q", entry)
    level2 += bytes(tables * CLUSTER - len(level2))
    for table in range(tables):
        used = any(level2[table * CLUSTER : (table + 1) * CLUSTER])
        level1 += struct.pack(">Q", 1 << 63 | first + table * CLUSTER if used else 0)
    return (head.ljust(CLUSTER, b"\0") + level1).ljust(first, b"\0") + level2 + data


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("version", [2, 3])
def test_a_qcow2_image_is_the_disk_in_it(tmp_path: Path, version: int) -> None:
    choose = random.Random(version)
    words = [b"some words of a guest, " * 23, choose.randbytes(CLUSTER // 2) * 2, bytes(CLUSTER)]
    disk = b"".join(choose.choice(words)[:CLUSTER].ljust(CLUSTER, b"x") for _ in range(150))
    disk = bytes(2 * ENTRIES * CLUSTER) + disk
    image = tmp_path / "disk.qcow2"
    image.write_bytes(qcow2(disk, version))
    assert check_disk_image(image) == len(disk) // 512
    assert raw_image(image).read_bytes() == disk
    plain = tmp_path / "disk.img"
    plain.write_bytes(disk)
    assert raw_image(plain) == plain


COMMAND = '"qemu-img convert -f {0} -O raw disk {1}"'
REFUSED = {
    b"KDMV": "found a vmdk image",
    b"conectix": "found a vpc image",
    bytes(64) + b"\x7f\x10\xda\xbe": "found a vdi image",
    b"vhdxfile": "found a vhdx image",
    b"\x1f\x8b\x08": 'found a file compressed with gzip "disk", expected a disk image as the guest '
    'sees it: "gunzip -k disk"',
    b"\xfd7zXZ\0": 'found a file compressed with xz "disk"',
    b"\x28\xb5\x2f\xfd": 'found a file compressed with zstd "disk"',
    b"BZh91AY&SY": 'found a file compressed with bzip2 "disk"',
    b"PK\x03\x04": 'found a file compressed with zip "disk"',
}


@pytest.mark.parametrize("start", REFUSED)
def test_other_formats_are_refused_with_what_to_do(tmp_path: Path, start: bytes) -> None:
    image = tmp_path / "disk"
    image.write_bytes(start.ljust(1024, b"\0"))
    with pytest.raises(ArtifactError) as refused:
        check_disk_image(image)
    assert str(refused.value).startswith(REFUSED[start])
    if " image" in REFUSED[start].partition('"')[0]:
        name = REFUSED[start].split()[2]
        assert f'expected raw or qcow2: "qemu-img convert -f {name} -O raw disk disk.img".' in str(
            refused.value
        )


def test_a_fixed_vhd_is_known_by_its_end(tmp_path: Path) -> None:
    image = tmp_path / "disk"
    image.write_bytes(bytes(1024) + b"conectix".ljust(512, b"\0"))
    with pytest.raises(ArtifactError, match="found a vpc image"):
        check_disk_image(image)


@pytest.mark.parametrize(
    ("image", "what"),
    [
        (qcow2(bytes(4096), backing=104), "one that stands on another file"),
        (qcow2(bytes(4096), features=4), "one with features that are not read here"),
        (qcow2(bytes(4096), 4), "one with features that are not read here"),
        (qcow2(bytes(4096))[:40], "a cut-off one"),
    ],
)
def test_a_qcow2_image_that_is_not_whole_is_refused(
    tmp_path: Path, image: bytes, what: str
) -> None:
    (tmp_path / "disk.qcow2").write_bytes(image)
    with pytest.raises(ArtifactError) as refused:
        check_disk_image(tmp_path / "disk.qcow2")
    assert str(refused.value) == (
        f'found a qcow2 image "disk.qcow2", {what}, expected a whole one with nothing outside, or '
        'a raw one: "qemu-img convert -f qcow2 -O raw disk.qcow2 disk.img".'
    )
