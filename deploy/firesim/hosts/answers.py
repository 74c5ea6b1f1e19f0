# SPDX-License-Identifier: BSD-3-Clause
"""What the agent on a host answers, by the request: every answer has one of these shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from firesim_common.errors import cut
from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")


@dataclass(frozen=True)
class About:
    """What a host is."""

    hostname: str
    folder: str
    """Where runs are, absolute."""
    cores: int
    memory_bytes: int
    free_bytes: int
    """On the disk of the folder."""
    machine: str
    """x86_64 or another architecture."""
    processor: str
    flags: frozenset[str]
    """Of the processor, as the kernel names them."""
    libc: str
    time_s: float
    """Its clock."""
    boot_id: str


@dataclass(frozen=True)
class Load:
    """How busy a host is."""

    load: float
    """Processes that run or wait, over the last minute."""
    available_bytes: int
    """Of memory."""
    free_bytes: int
    """Of disk."""
    sent_bytes: int
    received_bytes: int


@dataclass(frozen=True)
class RunState:
    """What became of the process of a run."""

    started: bool
    alive: bool
    exit_status: int | None
    """None while it lives, and when it was killed."""


@dataclass(frozen=True)
class Notice:
    """What EC2 says of taking a host away."""

    action: str
    """terminate, stop or hibernate; empty while it stays."""
    time: str
    problem: str
    """Why nobody knows, empty when EC2 has answered."""


@dataclass(frozen=True)
class Nothing:
    """Done, and no more to say."""


@dataclass(frozen=True)
class Port:
    """The first of some free ports."""

    port: int


@dataclass(frozen=True)
class Missing:
    """Contents that are not on the host."""

    missing: set[str]


@dataclass(frozen=True)
class Freed:
    """Disk that is free again."""

    freed_bytes: int


@dataclass(frozen=True)
class Asked:
    """Whether a process lived and was asked to end."""

    asked: bool


@dataclass(frozen=True)
class Ended:
    """Whether a process had to be ended."""

    ended: bool


@dataclass(frozen=True)
class Runs:
    """Whether the process of each run lives, by the run's name."""

    runs: dict[str, bool]


@dataclass(frozen=True)
class Listing:
    """Size and time of change of each result, by path."""

    files: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class Digest:
    """The hash of a result's beginning."""

    sha256: str
    missing_bytes: int


@dataclass(frozen=True)
class Body:
    """Bytes of a result."""

    body: bytes


@dataclass(frozen=True)
class Answer:
    """A line of a control socket."""

    answer: str


def shaped(verb: str, answer: dict[str, Any], shape: type[T]) -> T:
    """Return the answer to a request as an object of its class.

    Raises:
        ValueError: it has another shape.
    """
    try:
        return TypeAdapter(shape).validate_python(answer)
    except ValidationError as error:
        wrong = error.errors()[0]
        key = ".".join(str(part) for part in wrong["loc"]) or "answer"
        found = "nothing" if wrong["type"] == "missing" else cut(repr(wrong["input"]))
        raise ValueError(
            f'found {found} as "{key}" of the answer to "{verb}", expected what this version of '
            "the agent says"
        ) from error
