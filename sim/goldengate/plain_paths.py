# SPDX-License-Identifier: BSD-3-Clause
"""Paths that every tool takes: links without blanks, quotes and the like to what the user named.

The reader takes a command as one line of words, and Verilator writes makefiles: neither has a way
to write a path with blanks. Where a request has such a path, it is compiled through links in a
temporary folder; what the tools then say of the links is said of the files again.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.paths import is_plain
from firesim_common.watch import stands_for

from goldengate.errors import GoldenGateError
from goldengate.state import Request


@dataclass
class Links:
    """The links of one compilation."""

    folder: Path
    of_folder: dict[Path, Path] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    """What stands for each link in messages."""

    def to_folder(self, path: Path) -> Path:
        """Return a folder, or a link to it."""
        if is_plain(path):
            return path
        if path not in self.of_folder:
            link = self.folder / f"folder{len(self.of_folder)}"
            link.symlink_to(path, target_is_directory=True)
            self.of_folder[path] = link
            self.shown[str(link)] = str(path)
        return self.of_folder[path]

    def to_file(self, path: Path) -> Path:
        """Return a file, or a link to it, or a file behind a link to its folder.

        Of a path with other letters than ASCII's it is a copy: the reader follows links, and the
        places it then names have lost those letters.
        """
        if is_plain(path.name) and str(path).isascii():
            return self.to_folder(path.parent) / path.name
        suffix = path.suffix if is_plain(path.suffix) else ""
        link = self.folder / f"file{len(self.shown)}" / f"source{suffix}"
        link.parent.mkdir()
        if str(path).isascii():
            link.symlink_to(path)
        else:
            with suppress(OSError):  # One that cannot be read is refused in words by `rewrite`.
                shutil.copyfile(path, link)
        self.shown[str(link)] = str(path)
        return link

    def output(self, path: Path) -> Path:
        """Return where results are made, a folder of its own: make follows links."""
        if is_plain(path):
            return path
        made = self.folder / "out"
        made.mkdir()
        self.shown[str(made)] = str(path)
        return made

    def restored(self, text: str, *, escaped: bool = False) -> str:
        """Return a text with the files in place of their links; `escaped` as in JSON."""
        # The longest first: folder10 begins with folder1.
        for link, path in sorted(self.shown.items(), key=lambda item: -len(item[0])):
            text = text.replace(link, json.dumps(path)[1:-1] if escaped else path)
        return text


def _temporary() -> str | None:
    """Return where the links may be, None for the system's own choice."""
    usual = tempfile.gettempdir()
    if is_plain(usual):
        return None
    return next((folder for folder in ("/tmp", "/var/tmp") if os.access(folder, os.W_OK)), None)


def _through(links: Links, request: Request) -> Request:
    sources = [links.to_file(Path(path)) for path in request.sources]
    folders = [links.to_folder(Path(path)) for path in request.include_dirs]
    # A file in a folder of its own has no longer the includes beside it.
    folders += [links.to_folder(Path(path).parent) for path in request.sources]
    return dataclasses.replace(
        request,
        sources=[str(path) for path in sources],
        include_dirs=[str(path) for path in dict.fromkeys(folders)],
        out=str(links.output(Path(request.out))),
    )


@contextmanager
def with_plain_paths(request: Request) -> Iterator[tuple[Request, Links | None]]:
    """Give a request with absolute paths that every tool takes, and its links if there are any.

    Raises:
        GoldenGateError: raised inside, with the files in place of their links.
    """
    paths = [*request.sources, *request.include_dirs, request.out]
    if all(map(is_plain, paths)):
        yield request, None
        return
    with tempfile.TemporaryDirectory(prefix="firesim-paths-", dir=_temporary()) as folder:
        links = Links(Path(folder))
        plain = _through(links, request)
        stands_for(links.folder, links.shown)
        try:
            yield plain, links
            if plain.out != request.out:
                shutil.copytree(plain.out, request.out, dirs_exist_ok=True)
        except GoldenGateError as error:
            raise GoldenGateError(links.restored(str(error))) from error
