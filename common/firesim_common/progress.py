# SPDX-License-Identifier: BSD-3-Clause
"""Which steps of a build run, how long each has taken, and how long it should take.

A long step says here that it goes on; a display of progress listens. What a step took is kept in
the cache folder, and is what the next one of its name should take; before that, what it took on a
machine of two cores.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.paths import cache_root

CACHED = {
    "rocket": ("elaborating the SoC", 60.0),
    "peripherals": ("elaborating the parts", 60.0),
    "rtl": ("joining SoC and parts", 5.0),
    "synthesis": ("synthesizing for an FPGA", 540.0),
    "module-synthesis": ("synthesizing a module", 30.0),
    "linux-source": ("unpacking the kernel's source", 20.0),
    "linux-kernel": ("compiling the kernel", 300.0),
    "linux-initramfs": ("making the initramfs", 5.0),
    "linux-disk": ("making the disk", 60.0),
}
"""Steps that the cache tells of, by the kind of their result: words, and seconds on two cores."""
TIMES = "step-times.json"
WORTH_KEEPING_S = 1.0


@dataclass(frozen=True)
class Step:
    """A step that runs."""

    what: str
    expected_s: float | None
    began_s: float = field(default_factory=time.monotonic)

    @property
    def spent_s(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.began_s

    def __str__(self) -> str:
        about = "" if self.expected_s is None else f" of about {self.expected_s:.0f} s"
        return f"{self.what}, {self.spent_s:.0f} s{about}"


Listener = Callable[[Step, bool], None]
"""Called with a step when it begins (False) and when it is over (True)."""
_lock = threading.Lock()
_listeners: Counter[Listener] = Counter()


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell `listener` of steps while the body runs."""
    with _lock:
        _listeners[listener] += 1
    try:
        yield
    finally:
        with _lock:
            _listeners[listener] -= 1
            if not _listeners[listener]:
                del _listeners[listener]


def _tell(step: Step, is_over: bool) -> None:
    with _lock:
        listeners = list(_listeners)
    for listener in listeners:
        listener(step, is_over)


@contextmanager
def step(what: str, usual_s: float | None = None, size_bytes: int | None = None) -> Iterator[None]:
    """Say that a step runs while the body does; `usual_s` is what it took elsewhere.

    With the size of what it works on, only steps of the same name on about as much foretell it.
    """
    about = "" if size_bytes is None else f", below {1 << size_bytes.bit_length()} bytes"
    now = Step(what, _times().get(what + about, usual_s))
    _tell(now, False)
    try:
        yield
    except BaseException:
        _tell(now, True)
        raise
    spent_s = now.spent_s
    _tell(now, True)
    if spent_s >= WORTH_KEEPING_S:
        _keep(what + about, spent_s)


@contextmanager
def cached_step(kind: str) -> Iterator[None]:
    """Say that a result of a kind is made while the body runs, if it is one that takes long."""
    if kind not in CACHED:
        yield
        return
    with step(*CACHED[kind]):
        yield


def expected_s(what: str) -> float | None:
    """Return the seconds that a step of this name took here last, None when it never ran."""
    return _times().get(what)


def _times() -> dict[str, float]:
    """Return what steps took here, by name."""
    with suppress(OSError, ValueError):
        found = json.loads((cache_root() / TIMES).read_text())
        if isinstance(found, dict):
            return {str(k): float(v) for k, v in found.items() if isinstance(v, int | float)}
    return {}


def _keep(what: str, spent_s: float) -> None:
    file = cache_root() / TIMES
    part = Path(f"{file}.{os.getpid()}.{threading.get_ident()}")
    with suppress(OSError):
        part.write_text(json.dumps({**_times(), what: round(spent_s, 1)}, indent=1) + "\n")
        part.replace(file)
