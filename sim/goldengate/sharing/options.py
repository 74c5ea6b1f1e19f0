# SPDX-License-Identifier: BSD-3-Clause
"""What of a design is shared, as asked for and as done (`sharing.json`)."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FILE = "sharing.json"
WANTED = "wanted.json"
"""What the process that runs the passes is asked for."""
MOST_THREADS = 16


@dataclass(frozen=True)
class Sharing:
    """What to share."""

    multi_cycle_memories: bool = False
    """Memories with many ports are served by one read and one write port."""
    fame5_threads: int = 1
    """Targets of a supernode, which share one copy of the logic."""
    scan_chain: bool = False
    """The host can take out the state of the target, and put another one in."""

    def __bool__(self) -> bool:
        return self.multi_cycle_memories or self.fame5_threads > 1 or self.scan_chain

    def key(self) -> list[str | Path]:
        """Return what a form that shares depends on beside what every form does, for the cache."""
        return [repr(self), *sorted(Path(__file__).parent.glob("*.py"))] if self else []


PLAIN = Sharing()
"""Nothing is shared."""


@dataclass(frozen=True)
class SharedMemory:
    """A memory of the target whose ports share one of each kind."""

    name: str
    rows: int
    width_bits: int
    reads: int
    writes: int
    block: bool
    """Whether it is laid out for block memory."""


@dataclass(frozen=True)
class Shared:
    """What is shared in a form, and how many host cycles a target cycle takes at least."""

    host_cycles: int
    memories: list[SharedMemory] = field(default_factory=list)
    fame5_threads: int = 1

    @staticmethod
    def read(folder: Path) -> Shared:
        """Read what is beside a form."""
        found: dict[str, Any] = json.loads((folder / FILE).read_text())
        memories = [SharedMemory(**one) for one in found.pop("memories")]
        return Shared(**found, memories=memories)

    def write(self, folder: Path) -> None:
        """Write it beside a form."""
        (folder / FILE).write_text(json.dumps(dataclasses.asdict(self), indent=1) + "\n")
