# SPDX-License-Identifier: BSD-3-Clause
"""What a host needs for its part of a run: files by content, at places of the run's folder.

A description names files by where they are here. On a host they are links below `files/` to the
store, so that the description, relative to its folder, is the same on every host.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from firesim_common.tools import ToolError

from firesim.hosts.agent import FILES
from firesim.hosts.client import HostClient, sha256_of

PROGRAM = f"{FILES}/firesim-sim"
LIBRARIES = f"{FILES}/lib"
OPAQUE = frozenset({"settings", "results"})
"""Keys whose values are the user's own, or no file."""
GLIBC = re.compile(r"^(linux-vdso|ld-linux.*|lib(c|m|pthread|dl|rt|resolv|util|mvec|nsl))\.so")
"""What must be the host's own."""


class Bundler:
    """Gives each file one place; looks at each content once, for as many runs as there are."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.hashes: dict[tuple[Path, int, int], str] = {}
        self.libraries: dict[tuple[Path, ...], dict[str, Path]] = {}

    def sha256(self, file: Path) -> str:
        """Return the hash of a file's content."""
        about = file.stat()
        key = (file, about.st_size, about.st_mtime_ns)  # A later run may have another file there.
        if key not in self.hashes:
            self.hashes[key] = sha256_of(file)
        return self.hashes[key]

    def place(self, file: Path) -> str:
        """Return where a file is on a host: its folder is the content's, its name its own."""
        return f"{FILES}/{self.sha256(file)[:16]}/{_plain(file.name)}"

    def rewritten(self, value: Any) -> Any:
        """Return a part of a description with files named by their places on a host."""
        if isinstance(value, dict):
            return {k: v if k in OPAQUE else self.rewritten(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.rewritten(item) for item in value]
        return self.place(Path(value)) if _is_file(value) else value

    def bundle(self, part: Any, program: Path) -> dict[str, Path]:
        """Return what a host needs, by place: the program, its libraries, the files of its part.

        Raises:
            ToolError: the libraries cannot be found out.
        """
        made = {self.place(file): file for file in _files(part)}
        objects = (program, *(file for file in made.values() if file.suffix == ".so"))
        if objects not in self.libraries:
            self.libraries[objects] = _libraries(objects)
        libraries = self.libraries[objects]
        return {PROGRAM: program, **made, **{f"{LIBRARIES}/{n}": p for n, p in libraries.items()}}

    def send(self, client: HostClient, bundle: Mapping[str, Path]) -> int:
        """Copy the contents that a host lacks; return the bytes copied.

        Raises:
            HostLost, HostError: the host is gone or refuses.
        """
        by_hash = {self.sha256(file): file for file in bundle.values()}
        lacking = client.missing(list(by_hash))
        for sha256 in sorted(lacking):
            client.put(by_hash[sha256], sha256)
        return sum(by_hash[sha256].stat().st_size for sha256 in lacking)


def _plain(name: str) -> str:
    """Return a file's name with what the agent takes for a path's part only."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)


def _is_file(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("/") and Path(value).is_file()


def _files(value: Any) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in OPAQUE:
                yield from _files(item)
    elif isinstance(value, list):
        for item in value:
            yield from _files(item)
    elif _is_file(value):
        yield Path(value)


def _libraries(objects: Sequence[Path]) -> dict[str, Path]:
    """Return the shared libraries of some programs except for those of glibc, by name.

    Raises:
        ToolError: ldd cannot say.
    """
    words = ["ldd", *(str(file) for file in objects)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0 or "not found" in done.stdout:
        raise ToolError(f"ldd: {done.stdout.strip()} {done.stderr.strip()}")
    found = re.findall(r"^\s*(\S+) => (/\S+) \(0x", done.stdout, re.MULTILINE)
    return {name: Path(path) for name, path in found if not GLIBC.match(name)}
