# SPDX-License-Identifier: BSD-3-Clause
"""How often something may be done: a page that asks too often is told so."""

from __future__ import annotations

import threading
import time
from collections import deque


class Rate:
    """Counts what was done in the last second; any thread."""

    def __init__(self, most: int) -> None:
        """Take how many may be done in a second."""
        self.most = most
        self._done: deque[float] = deque()
        self._lock = threading.Lock()

    def has_room(self) -> bool:
        """Return whether one more may be done, and count it if so."""
        now = time.monotonic()
        with self._lock:
            while self._done and now - self._done[0] >= 1:
                self._done.popleft()
            if len(self._done) >= self.most:
                return False
            self._done.append(now)
            return True
