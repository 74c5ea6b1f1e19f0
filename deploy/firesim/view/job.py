# SPDX-License-Identifier: BSD-3-Clause
"""Something that a page has begun and that takes a while: one at a time, its end is asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from firesim_common.errors import InputError
from firesim_common.printable import printable

MOST_ERROR = 4000
"""Characters shown of what went wrong: a compiler can say much."""


class Job:
    """The last thing of its kind that was begun; any thread."""

    def __init__(self, kind: str, gate: threading.Semaphore | None = None) -> None:
        """Take the word that says what is done, and what bounds how many such jobs go on."""
        self.kind, self.gate = kind, gate or threading.Semaphore()
        self._lock = threading.Lock()
        self._state: dict[str, Any] = {"state": "none"}

    def begin(self, about: dict[str, Any], work: Callable[[], dict[str, Any]]) -> None:
        """Do `work` in a thread; `about` says for whom and what.

        Raises:
            InputError: the one before has not ended.
        """
        with self._lock:
            if self._state["state"] == "going" or not self.gate.acquire(blocking=False):
                raise InputError(f"{self.kind}: found another that goes on, expected its end.")
            self._state = {"state": "going", **about}
        threading.Thread(target=self._do, args=(about, work), daemon=True).start()

    def _do(self, about: dict[str, Any], work: Callable[[], dict[str, Any]]) -> None:
        try:
            state = {"state": "done", **about, **work()}
        except Exception as error:  # Of any step of a run: the page says it, nobody else would.
            text = printable(str(error) or type(error).__name__)[:MOST_ERROR]
            state = {"state": "failed", **about, "error": text}
        with self._lock:
            self._state = state
            self.gate.release()

    def state(self) -> dict[str, Any]:
        """Return how it is: none, going, done with what came of it, or failed with an error."""
        with self._lock:
            return self._state
