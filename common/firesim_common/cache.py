# SPDX-License-Identifier: BSD-3-Clause
"""Content-addressed build cache: a folder per (kind, hash of every input).

The inputs that a step is given are hashed before it runs. What it reads besides, which only it
knows, is seen while it runs (`watch`), and kept with the result; a result is used again when every
file that its step read is the same, and every name that it looked for in vain still is none.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.content import KeyPart, content_key, files_of
from firesim_common.errors import InputError
from firesim_common.locks import locked
from firesim_common.paths import cache_root
from firesim_common.progress import cached_step
from firesim_common.reads import (
    Places,
    Reads,
    Record,
    is_fixed,
    read_records,
    seen_now,
    write_records,
)

__all__ = ["KeyPart", "built", "cached", "content_key", "watched_step"]

built: Counter[str] = Counter()
"""How many results of each kind this process has made, those that were not kept included."""

MOST_TRIES = 3
"""How often a step is done again because an input has changed while it ran."""
SEARCHED = (
    "CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX"
).split()
"""Variables by which compilers find files."""
_COARSE = 5
"""Linux's CLOCK_REALTIME_COARSE, the time of the last tick."""
Build = Callable[[Path], None]


@dataclass(frozen=True)
class WatchedStep:
    """Where the processes of a step write what they read, and where they may have other files."""

    log: Path
    scratch: Path
    own: list[Path] = field(default_factory=list)
    """Folders whose files are no inputs."""
    stands_for: dict[str, str] = field(default_factory=dict)
    """The user's paths by those that processes see in their place."""


_watched: ContextVar[WatchedStep | None] = ContextVar("_watched", default=None)


def watched_step() -> WatchedStep | None:
    """Return the step that is being done and whose reading is to be watched, if one is."""
    return _watched.get()


def cached(
    kind: str, key_parts: Iterable[KeyPart], build: Build, *, places: Sequence[Path] | None = None
) -> Path:
    """Return the folder holding the result of `build` for these inputs, building it if missing.

    `build(folder)` fills an empty temporary folder, which is then renamed into place, so that a
    folder in the cache is always complete. Processes that want the same result wait for the first.
    When `build` raises, nothing is kept; what one that was killed leaves goes with the next one.
    A build during which an input changes is done again.

    With `places`, what its processes read (those started with `watch.watched`) are inputs, too:
    `places` are the files and folders from which it finds them.

    Raises:
        InputError: an input changes again and again.
    """
    step = _Step(kind, list(key_parts), build, Places.of(places) if places is not None else None)
    for _ in range(MOST_TRIES):
        step.key = content_key(step.parts)
        if (found := step.known() or step.make()) is not None:
            return found
    raise InputError(
        f"{step.unsettled}: changed {MOST_TRIES} times while it was read ({kind}), expected it to "
        "stay as it is during a build."
    )


class _Step:
    """One step of a build with what it is given."""

    def __init__(
        self, kind: str, parts: list[KeyPart], build: Build, places: Places | None
    ) -> None:
        self.kind, self.parts, self.build, self.places = kind, parts, build, places
        if places is not None:
            searched = [f"{name}={os.environ[name]}" for name in SEARCHED if name in os.environ]
            self.parts = [*parts, *searched]
        self.parent = cache_root() / kind
        self.key = ""
        self.unsettled = "an input"
        self.last: dict[str, tuple[int, ...]] = {}
        """States of the inputs after the try before."""

    @property
    def records(self) -> Path:
        """The file of what results for this key have read."""
        return self.parent / f".{self.key}.reads"

    def known(self) -> Path | None:
        """Return the result for the inputs as they are now, if it is kept."""
        if self.places is None:
            folder = self.parent / self.key
            return folder if folder.is_dir() else None
        hashes: dict[str, str | None] = {}
        for record in read_records(self.records):
            folder = self.parent / record.result
            if record.holds(self.places, hashes) and folder.is_dir():
                return folder
        return None

    def make(self) -> Path | None:
        """Build the result, unless another process has; None if an input changed meanwhile."""
        self.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.parent / f".{self.key}.lock"):
            if (found := self.known()) is not None:
                return found
            # Left by one that was killed: the lock is ours. The slash leaves out plain files.
            for left in self.parent.glob(f".{self.key}.*/"):
                shutil.rmtree(left, ignore_errors=True)
            work = Path(tempfile.mkdtemp(prefix=f".{self.key}.", dir=self.parent))
            try:
                return self._make_in(work)
            finally:
                shutil.rmtree(work, ignore_errors=True)

    def _make_in(self, work: Path) -> Path | None:
        built[self.kind] += 1
        began = _next_tick()
        if self.places is None:
            with _watching(None), cached_step(self.kind):
                self.build(work)
            return self._keep(work, self.key) if self._is_settled(began, ()) else None
        with tempfile.TemporaryDirectory(prefix="firesim-watch-") as name:
            scratch = Path(name)
            watched = WatchedStep(scratch / "log", scratch / "tmp")
            watched.log.touch()
            watched.scratch.mkdir()
            with _watching(watched), cached_step(self.kind):
                self.build(work)
            own = [work, scratch, work.resolve(), scratch.resolve(), *watched.own]
            reads = Reads.of_log(watched.log, own, watched.stands_for)
        return self._keep_with(reads, work, began)

    def _keep_with(self, reads: Reads, work: Path, began: int) -> Path | None:
        assert self.places is not None
        self.places.check_seen(reads.files)
        seen = seen_now(reads, self.places)
        if not self._is_settled(began, sorted(reads.files)) or seen is None:
            return None
        files, missing, leads = seen
        listed = [f"{name} {digest}" for name, digest in files.items()]
        links = [f"{name} {to}" for name, to in leads.items()]
        result = content_key([self.key, "reads", *listed, "misses", *missing, "leads", *links])
        names = [*files, *missing, *leads, *leads.values()]
        fixed = is_fixed(names, self.places, self._texts(reads))
        roots = list(self.places.roots) if fixed else None
        record = Record(result, self.places.shape, roots, files, missing, leads)
        others = [one for one in read_records(self.records) if one != record]
        folder = self._keep(work, result)
        write_records(self.records, [record, *others])
        return folder

    def _texts(self, reads: Reads) -> Iterator[bytes]:
        """Yield all that could say where the places are."""
        for part in self.parts:
            if not isinstance(part, Path):
                yield part.encode() if isinstance(part, str) else part
        for path in [*files_of(self.parts), *map(Path, reads.files)]:
            if path.is_file():
                yield path.read_bytes()

    def _keep(self, work: Path, name: str) -> Path:
        final = self.parent / name
        try:
            work.replace(final)
        except OSError:
            if not final.is_dir():  # else it was kept before, by one that was killed thereafter
                raise
        return final

    def _is_settled(self, began: int, read: Iterable[str]) -> bool:
        """Return whether no input was changed since a time; if one is, say which it was."""
        inputs = [*map(str, files_of(self.parts)), *read]
        now = {path: _state(path) for path in inputs}
        changed = [
            path
            for path, state in now.items()
            # Clocks of file servers differ: what stayed through the whole of a second try is fine.
            if not state or (state[0] >= began and self.last.get(path) != state)
        ]
        self.last = now
        if changed:
            self.unsettled = changed[0]
        return not changed and content_key(self.parts) == self.key


@contextmanager
def _watching(step: WatchedStep | None) -> Iterator[None]:
    token = _watched.set(step)
    try:
        yield
    finally:
        _watched.reset(token)


def _state(path: str) -> tuple[int, ...]:
    """Return what changes when a file does, the time first; nothing when it is gone."""
    try:
        found = Path(path).stat()
    except OSError:
        return (0,) if Path(path).is_symlink() else ()
    return found.st_ctime_ns, found.st_mtime_ns, found.st_size, found.st_ino


def _next_tick() -> int:
    """Return the time, once every file that is written from now on gets this one or a later one.

    A file gets the time of the last tick, or, on newer kernels, the exact one.
    """
    now = time.time_ns()
    while time.clock_gettime_ns(_COARSE) < now:
        time.sleep(0.001)
    return now
