# SPDX-License-Identifier: BSD-3-Clause
"""What the JSON files of a results folder hold, as far as a report reads it.

The folder may be a stranger's, so that kinds and sizes are checked when a file is read. What makes
the page counts on them: an exception there is a defect of ours, and is not made a sentence.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from firesim_common.errors import InputError, cut
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

MOST_CYCLES = 2**53
"""A month of target time, and whole as a float."""
LEAST_S, MOST_S = 1e-9, 1e12
MOST_HZ = 1e15


def _seconds(value: float) -> float:
    if value and not LEAST_S <= value <= MOST_S:
        raise ValueError("no time that a run takes")
    return value


def _clock(value: float) -> float:
    if value and not 1 <= value <= MOST_HZ:
        raise ValueError("no clock that a target has")
    return value


Count = Annotated[int, Field(ge=0, lt=2**64)]
Cycles = Annotated[int, Field(ge=0, lt=MOST_CYCLES)]
Seconds = Annotated[float, AfterValidator(_seconds)]
Name = Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")]
File = Annotated[str, Field(max_length=4096, pattern=r"^[^\x00]*$")]
Clock = Annotated[float, AfterValidator(_clock)]


class _File(TypedDict, total=False):
    log: File | None
    statistics: File | None
    file: File | None
    directory: File | None
    size_bytes: Count | None
    trigger: dict[str, Any] | None


class _Bridges(TypedDict, total=False):
    uart: _File | None
    memory: _File | None
    autocounter: _File | None
    tracerv: _File | None
    nic: dict[str, Any] | list[dict[str, Any]] | None


class _Named(TypedDict):
    name: Name


class _Node(_Named, total=False):
    kind: Name
    bridges: _Bridges | None


class _Switch(_Named, total=False):
    switching_latency_cycles: Cycles
    statistics: File | None
    throughput: File | None
    throughput_interval_cycles: Cycles | None
    ports: list[Any]


class _Model(TypedDict):
    model: Name


class _End(_Model, total=False):
    port: Count


class _Latency(TypedDict):
    a: _End
    b: _End
    latency_cycles: Cycles


class _Link(_Latency, total=False):
    name: str | None


class _Description(TypedDict, total=False):
    clock_hz: Clock | None
    nodes: list[_Node]
    switches: list[_Switch]
    links: list[_Link]


class _Ended(_Named, total=False):
    exit_code: int | None
    ended_at_cycle: Cycles | None
    cycles: Cycles | None
    cpu_s: Seconds | None


class _Way(TypedDict, total=False):
    packets: Count
    flits: Count


class _Carried(TypedDict, total=False):
    a_to_b: _Way | None
    b_to_a: _Way | None


class _Network(TypedDict, total=False):
    functional_before_cycle: Cycles | None
    max_drift_cycles: Cycles


class _Result(TypedDict, total=False):
    end_cycle: Cycles
    wall_s: Seconds
    cpu_s: Seconds
    nodes: list[_Ended]
    links: list[_Carried]
    network: _Network | None


class _Live(TypedDict, total=False):
    cycle: Cycles
    packets_in: Count
    packets_out: Count


class _Status(TypedDict, total=False):
    wall_s: Seconds
    models: list[_Live]


class _Saved(TypedDict, total=False):
    cycle: Cycles


class _Versions(TypedDict, total=False):
    snapshot: _Saved | None


class _Port(TypedDict, total=False):
    port: Count


DESCRIPTION: TypeAdapter[Any] = TypeAdapter(_Description)
RESULT: TypeAdapter[Any] = TypeAdapter(_Result)
STATUS: TypeAdapter[Any] = TypeAdapter(_Status)
VERSIONS: TypeAdapter[Any] = TypeAdapter(_Versions)
PORTS: TypeAdapter[Any] = TypeAdapter(list[_Port])


def check(value: Any, shape: TypeAdapter[Any], file: Path) -> None:
    """Return when what a file holds has a shape.

    Raises:
        InputError: it has not; one sentence.
    """
    try:
        shape.validate_python(value, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        what = cut(f"{place}: {first['msg']}")
        raise InputError(
            f"{file}: found files of another kind ({what}), expected those that a run leaves."
        ) from error
