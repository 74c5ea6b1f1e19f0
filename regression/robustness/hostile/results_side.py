# SPDX-License-Identifier: BSD-3-Clause
"""Broken input of newer readers in Python: results folders, bitstreams, archives in a bucket."""

from __future__ import annotations

import io
import random
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firesim.bitstream.database import bitstream_file, read_database
from firesim.bitstream.forms import check_builds
from firesim.config.bitstream import BUILDS, LoadedBuilds
from firesim.config.keep import S3Place
from firesim.report.page import write_report
from firesim.report.results import read_results
from firesim.results.compare import compare
from firesim.run.again import run_of
from firesim.snapshots.bucket import unpacked
from firesim_common.paths import ROOT
from firesim_common.printable import printable

from regression.robustness.hostile.mutate import mutated, mutated_archive
from regression.robustness.hostile.mutate_values import mutated_values

HWDB = (
    b"reflector-8: {bitstream: a.bit, fingerprint: 0123456789abcdef, board: ulx3s,\n"
    b"  frequency_mhz: 25.0, built: '2026-11-23T14:00:00Z', tools: {yosys: '0.44'}}\n"
    b"image: {agfi: agfi-0123abcd, afi: afi-01, region: us-east-1, fingerprint: 0123456789abcdef,\n"
    b"  board: f2, frequency_mhz: 250, built: '2026-11-23T14:00:00Z'}\n"
    b"far: {bitstream: 'file:a.bit', fingerprint: 0123456789abcdef, board: ulx3s,\n"
    b"  frequency_mhz: 2.5e1, built: now}\n"
)
_FILES = (
    "result.json",
    "run.json",
    "versions.json",
    "peers.json",
    "metrics.json",
    "description.json",
    "config.yaml",
    "status.jsonl",
    "switch0/throughput.csv",
    "switch0/ports.json",
    "node0/memory.json",
)
"""Of a results folder; which one is broken says the first line of a case."""
_LARGEST_COPIED = 1 << 20


@dataclass(frozen=True)
class Folder:
    """A results folder whose files are broken one by one."""

    base: Path

    def good(self) -> list[bytes]:
        """Return each of its files, behind its name."""
        files = [name for name in _FILES if (self.base / name).is_file()]
        return [name.encode() + b"\n" + (self.base / name).read_bytes() for name in files]

    def take(self, data: bytes, folder: Path) -> None:
        """Read a copy with the file of a case as those do who list, compare or report runs."""
        first, _, content = data.partition(b"\n")
        name = first.decode(errors="replace")
        copied = folder / "run"
        for file in [one for one in self.base.rglob("*") if "snapshots" not in one.parts]:
            if file.is_file() and file.stat().st_size <= _LARGEST_COPIED:
                place = copied / file.relative_to(self.base)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, place)
        (copied / (name if name in _FILES else _FILES[0])).write_bytes(content)
        run_of(copied)
        read_results(copied)
        write_report(copied)
        compare(copied, self.base)


def _hwdb(data: bytes, folder: Path) -> None:
    file = folder / "hwdb.yaml"
    file.write_bytes(data)
    (folder / "a.bit").write_bytes(b"bits")
    for name, entry in read_database(file).items():
        local = entry.bitstream is not None and "//" not in entry.bitstream
        if local and not bitstream_file(file, name, entry).is_file():
            raise ValueError("there is no such file")


def _builds(data: bytes, folder: Path) -> None:
    (folder / "case.yaml").write_bytes(data)
    check_builds(LoadedBuilds(folder / "case.yaml"), [])


def _bucket(data: bytes, folder: Path) -> None:
    target = folder / "in"
    target.mkdir()
    unpacked(io.BytesIO(data), target, S3Place("bucket", "case"))
    if bad := [path for path in folder.rglob("*") if not path.is_relative_to(target)]:
        raise ValueError(f"{bad[0]} is outside of the target")
    names = [path.name for path in target.iterdir() if path.is_symlink() or path.is_dir()]
    if names or any(printable(path.name) != path.name for path in target.iterdir()):
        raise ValueError(f"{names} are no plain files")


def _archive() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in ("snapshot.json", "node0.state", "n" * 120):
            info = tarfile.TarInfo(name)
            info.size = 100
            archive.addfile(info, io.BytesIO(b"x" * 100))
    return out.getvalue()


Change = Callable[[bytes, random.Random], bytes]
Taker = tuple[list[bytes], Callable[[bytes, Path], None], float, Change]


def takers(base: Path) -> dict[str, Taker]:
    """Return good inputs, what takes one, its share of the cases, and how it is broken, by name."""
    folder = Folder(base)
    # Their files, seen from anywhere.
    builds = [
        file.read_bytes().replace(b"../..", str(ROOT).encode())
        for file in sorted(BUILDS.glob("*.yaml"))
    ]
    return {
        "results": (folder.good(), folder.take, 0.1, mutated_values),
        "hwdb": ([HWDB], _hwdb, 1.0, mutated),
        "builds": (builds, _builds, 1.0, mutated),
        "bucket": ([_archive()], _bucket, 1.0, mutated_archive),
    }
