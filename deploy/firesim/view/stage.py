# SPDX-License-Identifier: BSD-3-Clause
"""Where viewers and the files that they show are served: by the page's server, with another token.

A viewer is much code of others that reads what a guest has made. It never learns the token of the
page, so that whatever a file makes of it cannot act on the run; and it reaches no other computer.
"""

from __future__ import annotations

import re
import secrets
import threading
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from firesim_common.user_path import found_in

from firesim.view.libraries import LibraryError
from firesim.view.viewers import (
    LICENCE,
    OWN,
    VIEWERS,
    Viewer,
    fetched_viewer,
    kept_viewer,
)

POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self'; "
    "connect-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
MOST_FILES = 2000
"""Offered in all: of a sweep, runs that are looked at offer theirs."""
_NUMBER = re.compile(r"[0-9]{1,9}")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".png": "image/png",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True)
class Shown:
    """A file that is served."""

    path: Path
    kind: str


@dataclass(frozen=True)
class _Offered:
    path: Path
    within: Path
    viewer: Viewer


class Stage:
    """Knows the files that may be opened; any thread."""

    def __init__(self) -> None:
        """Begin with no file."""
        self.token = secrets.token_urlsafe(18)
        self._files: list[_Offered] = []
        self._lock, self._fetching = threading.Lock(), threading.Lock()

    def address(self, path: Path, within: Path, viewer: Viewer) -> str | None:
        """Return where a viewer opens a file, None if too many are offered.

        It is served as long as it lies in the folder `within`.
        """
        wanted = _Offered(path, within, viewer)
        with self._lock:
            if wanted not in self._files:
                if len(self._files) >= MOST_FILES:
                    return None
                self._files.append(wanted)
            return f"/{self.token}/open/{self._files.index(wanted)}"

    def opened(self, place: str, host: str) -> str:
        """Return where a viewer shows the file of an address, with the viewer fetched if need be.

        Raises:
            LookupError: there is no such file.
            LibraryError: the viewer cannot be had.
        """
        number = place.removeprefix("open/")
        found = self._file(number)
        if found is None:
            raise LookupError(place)
        self._fetch(found.viewer)
        url = f"http://{host}/{self.token}/file/{number}/{quote(found.path.name)}"
        return f"/{self.token}/{found.viewer.key}/{found.viewer.place.format(url=url)}"

    def shown(self, place: str) -> Shown | None:
        """Return the file at an address: a viewer's, or of a run; None where there is none."""
        first, _, rest = place.partition("/")
        if first == "file":
            found = self._file(rest.partition("/")[0])
            return None if found is None else Shown(found.path, "application/octet-stream")
        for viewer in VIEWERS:
            if viewer.key == first and (folder := kept_viewer(viewer)) is not None:
                path = OWN / viewer.own[rest] if rest in viewer.own else folder / rest
                if rest in viewer.own or (rest and found_in(path, folder) and path.is_file()):
                    return Shown(path, _TYPES.get(path.suffix, "application/octet-stream"))
        return None

    def licences(self) -> list[tuple[Viewer, str]]:
        """Return the viewers that are kept, each with where its licence is served."""
        kept = [one for one in VIEWERS if kept_viewer(one) is not None]
        return [(one, f"/{self.token}/{one.key}/{LICENCE}") for one in kept]

    def _file(self, number: str) -> _Offered | None:
        if not _NUMBER.fullmatch(number):
            return None
        with self._lock:
            found = self._files[int(number)] if int(number) < len(self._files) else None
        return found if found is not None and found_in(found.path, found.within) else None

    def _fetch(self, viewer: Viewer) -> None:
        """Fetch a viewer, which several pages may ask for at once."""
        with self._fetching:
            try:
                fetched_viewer(viewer)
            except LibraryError as error:
                raise LibraryError(
                    f"{viewer.name} {viewer.version} cannot be fetched ({error}). It is in the "
                    f"package {viewer.package} {viewer.package_version} of PyPI: open this once "
                    "with a network, and from then on none is needed."
                ) from error
