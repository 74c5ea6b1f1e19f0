# SPDX-License-Identifier: BSD-3-Clause
"""Content-addressed build cache: a folder per (kind, hash of every input)."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from firesim_common.build_nothing import may_build
from firesim_common.paths import cache_root
from firesim_common.progress import cached_step

KeyPart = str | bytes | Path


def _files_below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and "target" not in path.parts:
            yield path


def content_key(key_parts: Iterable[KeyPart]) -> str:
    """Hash the inputs of a build step to 24 hex digits.

    A string or bytes part counts by value. A path counts by file content (a folder: by the names
    and contents of all files below it), not by where it is.

    Raises:
        FileNotFoundError: a path part does not exist.
    """
    digest = hashlib.sha256()

    def feed(tag: bytes, data: bytes) -> None:
        digest.update(tag + len(data).to_bytes(8, "little") + data)

    for part in key_parts:
        if isinstance(part, bytes):
            feed(b"b", part)
        elif isinstance(part, str):
            feed(b"s", part.encode())
        elif part.is_dir():
            for path in _files_below(part):
                feed(b"n", str(path.relative_to(part)).encode())
                feed(b"f", path.read_bytes())
        else:
            feed(b"f", part.read_bytes())
    return digest.hexdigest()[:24]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def cached(kind: str, key_parts: Iterable[KeyPart], build: Callable[[Path], None]) -> Path:
    """Return the folder holding the result of `build` for these inputs, building it if missing.

    `build(folder)` fills an empty temporary folder, which is then renamed into place, so that a
    folder in the cache is always complete. Processes that want the same result wait for the first.
    When `build` raises, nothing is kept; what one that was killed leaves goes with the next one.
    """
    parent = cache_root() / kind
    final = parent / content_key(key_parts)
    if final.is_dir():
        return final
    may_build(kind)
    parent.mkdir(parents=True, exist_ok=True)
    with _locked(parent / f".{final.name}.lock"):
        if final.is_dir():
            return final
        # Left by one that was killed: the lock is ours. The slash leaves out the lock's own file.
        for left in parent.glob(f".{final.name}.*/"):
            shutil.rmtree(left, ignore_errors=True)
        work = Path(tempfile.mkdtemp(prefix=f".{final.name}.", dir=parent))
        try:
            with cached_step(kind):
                build(work)
            work.replace(final)
        except BaseException:
            shutil.rmtree(work, ignore_errors=True)
            raise
    return final
