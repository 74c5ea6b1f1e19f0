# SPDX-License-Identifier: BSD-3-Clause
"""Libraries of other projects that the live page is better with: fetched once, and served here.

Each is an archive of the npm registry with its SHA-256. What is taken out of it is kept in the
cache, so that a later page needs no network; without a library the page does what it can alone.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

from firesim_common.cache import cached, content_key
from firesim_common.paths import cache_root
from firesim_common.printable import printable

KIND = "page-library"
ANSWER_S, WHOLE_S = 5.0, 30.0
"""Longest wait for a word of the registry, and for all of an archive."""
MOST_BYTES = 16 << 20
"""Of an archive."""
_PIECE = 1 << 16
_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
}


class LibraryError(RuntimeError):
    """A library cannot be had; the message says why."""


@dataclass(frozen=True)
class Library:
    """A package of the npm registry, one version of it."""

    name: str
    version: str
    licence: str
    home: str
    gives: str
    """What the page has with it."""
    without: str
    """What the page does without it."""
    archive: str
    sha256: str
    members: Mapping[str, str]
    """What is served, by the file of the archive that it is; a licence's text is among it."""

    @property
    def parts(self) -> list[str]:
        """What the folder of the cache depends on."""
        return [self.sha256, *(f"{name}={member}" for name, member in self.members.items())]

    @property
    def licence_file(self) -> str:
        """What the text of its licence is served as."""
        return next(name for name in self.members if name.endswith(".txt"))


XTERM = Library(
    name="xterm.js",
    version="6.0.0",
    licence="MIT",
    home="https://xtermjs.org",
    gives="consoles as terminals",
    without="consoles are shown as text",
    archive="https://registry.npmjs.org/@xterm/xterm/-/xterm-6.0.0.tgz",
    sha256="908e66e04af6c8dc6b00dd3b54de088e2e81e5ed866284fd6c2fb3c2d1c7a3f6",
    members={
        "xterm.js": "package/lib/xterm.js",
        "xterm.css": "package/css/xterm.css",
        "xterm-license.txt": "package/LICENSE",
    },
)
UPLOT = Library(
    name="uPlot",
    version="1.6.32",
    licence="MIT",
    home="https://github.com/leeoniya/uPlot",
    gives="charts",
    without="rates and counters are shown in figures alone",
    archive="https://registry.npmjs.org/uplot/-/uplot-1.6.32.tgz",
    sha256="4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d",
    members={
        "uplot.js": "package/dist/uPlot.iife.min.js",
        "uplot.css": "package/dist/uPlot.min.css",
        "uplot-license.txt": "package/LICENSE",
    },
)
LIBRARIES = (XTERM, UPLOT)


def kept_folder(kind: str, parts: Sequence[str]) -> Path | None:
    """Return the folder of the cache with what was fetched, None if it never was."""
    folder = cache_root() / kind / content_key(parts)
    return folder if folder.is_dir() else None


def check_hash(data: bytes, sha256: str) -> None:
    """Refuse what is not the wanted file.

    Raises:
        LibraryError: its hash is another.
    """
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        raise LibraryError(f"its SHA-256 is {found[:16]}..., not {sha256[:16]}...")


def kept(library: Library) -> Path | None:
    """Return the folder with a library's files, None if it was never fetched."""
    return kept_folder(KIND, library.parts)


def kept_libraries() -> list[Library]:
    """Return the libraries that a page can have."""
    return [one for one in LIBRARIES if kept(one) is not None]


def served(name: str) -> tuple[str, Path] | None:
    """Return the type and the path of a library's file, None where there is none of this name."""
    for library in LIBRARIES:
        if name in library.members and (folder := kept(library)) is not None:
            return _TYPES[Path(name).suffix], folder / name
    return None


def fetch_libraries(say: Callable[[str], None]) -> None:
    """Fetch the libraries that are not kept yet; `say` is told which cannot be had, and why."""
    for library in LIBRARIES:
        try:
            fetched(library)
        except LibraryError as error:
            say(
                f"{library.name} {library.version} cannot be fetched ({error}): {library.without}. "
                "The next firesim view tries again."
            )


def fetched(library: Library) -> Path:
    """Return the folder with a library's files, fetched if need be.

    Raises:
        LibraryError: there is no network, or what came is not what is wanted.
    """

    def build(folder: Path) -> None:
        data = _downloaded(library.archive)
        check_hash(data, library.sha256)
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for name, member in library.members.items():
                stream = archive.extractfile(member)
                assert stream is not None  # The hash says what is in it.
                (folder / name).write_bytes(stream.read())

    return kept(library) or cached(KIND, library.parts, build)


def _downloaded(url: str) -> bytes:
    """Return what is at an address.

    Raises:
        LibraryError: it cannot be had, is too large, or comes too slowly.
    """
    limit_s = time.monotonic() + WHOLE_S
    data = bytearray()
    try:
        with urllib.request.urlopen(url, timeout=ANSWER_S) as answer:
            while piece := answer.read(_PIECE):
                data += piece
                if len(data) > MOST_BYTES or time.monotonic() > limit_s:
                    raise LibraryError("it is too large, or comes too slowly")
    except (OSError, HTTPException) as error:
        raise LibraryError(printable(str(getattr(error, "reason", None) or error))) from error
    return bytes(data)
