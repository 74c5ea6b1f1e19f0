# SPDX-License-Identifier: BSD-3-Clause
"""Files of a node's disk after a run: its image with what was written over it, read by debugfs.

The file system is the guest's and may be broken in any way. It is never mounted: debugfs (of
e2fsprogs) reads it in a process of its own with a time limit, names are taken only if they stay in
the folder of the node, and there are limits to number and size of files.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECTOR_BYTES = 512
MOST_FILES = 10_000
MOST_BYTES = 1 << 32
"""Of all files of a node together."""
MOST_DEPTH = 64
LIMIT_S = 120
"""Of one call of debugfs."""
_COPIED_BYTES = 1 << 20
_ENTRY = re.compile(r"/(\d+)/([0-7]+)/\d+/\d+/([^/]*)/(\d*)/")
_INODE = re.compile(r"Inode:\s*(\d+)\s+Type:\s*(\w[\w ]*?)\s+Mode:")
_SIZE = re.compile(r"\bSize:\s*(\d+)")


@dataclass
class Found:
    """What was read of a disk."""

    files: list[str] = field(default_factory=list)
    """Paths in the guest's file system."""
    missing: list[str] = field(default_factory=list)
    """A sentence for each path without a file."""


def read_disk(image: Path, overlay: Path, wanted: tuple[str, ...], folder: Path) -> Found:
    """Copy files and folders of a disk into `folder`, by their paths from the root on.

    Raises:
        OSError: the disk of the results is full, or debugfs is not installed.
    """
    written = overlay.with_name(f"{overlay.name}.sectors")
    if not written.is_file():
        return Found(missing=[f"{path}: the run did not end by itself" for path in wanted])
    with tempfile.TemporaryDirectory(dir=overlay.parent, prefix=".disk-") as work:
        disk = Path(work) / "disk"
        _merge(image, overlay, written, disk)
        reader = _Reader(disk, Path(work), folder)
        for path in wanted:
            reader.take(path)
        return reader.found


def _merge(image: Path, overlay: Path, written: Path, disk: Path) -> None:
    """Make the disk as the guest has left it, sparse where the image is."""
    command = ["cp", "--sparse=always", "--reflink=auto", "--", str(image), str(disk)]
    subprocess.run(command, check=True, capture_output=True)
    disk.chmod(0o600)
    with overlay.open("rb") as source, disk.open("r+b") as target:
        for line in written.read_text().splitlines():
            first, count = map(int, line.split())
            source.seek(first * SECTOR_BYTES)
            target.seek(first * SECTOR_BYTES)
            left = count * SECTOR_BYTES
            while left and (data := source.read(min(left, _COPIED_BYTES))):
                target.write(data)
                left -= len(data)


class _Reader:
    """Reads one disk."""

    def __init__(self, disk: Path, work: Path, folder: Path) -> None:
        self.disk, self.work, self.folder = disk, work, folder
        self.found = Found()
        self.bytes = 0

    def take(self, path: str) -> None:
        """Copy a file, or a folder with all that is in it."""
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if ".." in parts:
            self.found.missing.append(f'{path}: expected a path without ".."')
            return
        said = self._debugfs(f'stat "/{"/".join(parts)}"')
        node = _INODE.search(said)
        if node is None:
            why = "no such file" if "not found" in said else "no file system of ext2, ext3 or ext4"
            self.found.missing.append(f"{path}: {why} on the disk")
        elif node[2] == "regular":
            size = _SIZE.search(said)
            self._copy(int(node[1]), parts, int(size[1]) if size else 0)
        elif node[2] == "directory":
            before = len(self.found.files)
            self._folder(int(node[1]), parts)
            if len(self.found.files) == before:
                self.found.missing.append(f"{path}: a folder without files")
        else:
            self.found.missing.append(f"{path}: neither a file nor a folder")

    def _folder(self, inode: int, parts: list[str]) -> None:
        if len(parts) > MOST_DEPTH:
            self.found.missing.append(f"/{'/'.join(parts)}: deeper than {MOST_DEPTH} folders")
            return
        for number, mode, name, size in self._entries(inode):
            if len(self.found.files) >= MOST_FILES:
                return
            if stat.S_ISDIR(mode):
                self._folder(number, [*parts, name])
            elif stat.S_ISREG(mode):
                self._copy(number, [*parts, name], size)

    def _entries(self, inode: int) -> Iterator[tuple[int, int, str, int]]:
        """Yield inode, mode, name and bytes of what is in a folder, in the order of names."""
        seen = {}
        for found in _ENTRY.finditer(self._debugfs(f"ls -p <{inode}>")):
            number, mode, name = int(found[1]), int(found[2], 8), found[3]
            if number and name not in ("", ".", "..") and "\0" not in name:
                seen[name] = (number, mode, int(found[4] or 0))
        for name, (number, mode, size) in sorted(seen.items()):
            yield number, mode, name, size

    def _copy(self, inode: int, parts: list[str], size: int) -> None:
        shown = f"/{'/'.join(parts)}"
        if size > MOST_BYTES - self.bytes:
            self.found.missing.append(f"{shown}: more than {MOST_BYTES >> 30} GiB in all")
            return
        held = self.work / "file"
        held.unlink(missing_ok=True)
        self._debugfs(f"dump <{inode}> file")
        target = self.folder.joinpath(*parts)
        try:
            self.bytes += held.lstat().st_size
            target.parent.mkdir(parents=True, exist_ok=True)
            held.replace(target)
        except OSError as error:
            self.found.missing.append(f"{shown}: it cannot be a file here ({error.strerror})")
            return
        self.found.files.append(shown)

    def _debugfs(self, request: str) -> str:
        """Return what debugfs says; it reads only, and writes into its own folder."""
        tool = shutil.which("debugfs", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
        if tool is None:
            raise FileNotFoundError(0, "debugfs is not installed: apt-get install e2fsprogs")
        try:
            done = subprocess.run(
                [tool, "-R", request, str(self.disk)],
                cwd=self.work,
                capture_output=True,
                timeout=LIMIT_S,
                check=False,
                env={"LC_ALL": "C.UTF-8", "PAGER": "cat", "DEBUGFS_PAGER": "cat"},
            )
        except subprocess.TimeoutExpired:
            return ""
        return (done.stdout + done.stderr).decode(errors="replace")
