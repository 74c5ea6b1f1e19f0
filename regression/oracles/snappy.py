# SPDX-License-Identifier: BSD-3-Clause
"""The Snappy unit against the library (cramjam): both ways, bad data, bytes a cycle, placements.

Text, code, zeros and noise of random sizes, made from the seed. What the unit compresses must be,
byte for byte, what a reference in Python makes, and the library must read it. The unit must read
the library's streams and random ones with every element; what the library refuses it must refuse,
and memory beside the output must stay as it was. Then cycles: near the core, on another chiplet
(25 ns) and behind PCIe (200 ns), there with a local cache, too, which must help where history is
read back; with histories of 64 and 2 KiB, and of calls with the sizes of a fleet's, beside software
on the same core. The ratio must rise with the history and with the hash table. One hash for threads
and RTL engines. The full form has metasimulation and runs that go on from snapshots in
mid-operation. `unit-area` has the unit's area by its settings.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial

import cramjam

from regression.support.cluster import run_cluster
from regression.support.corpus import KINDS, corpus
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.fleet_calls import WAYS, fleet_calls
from regression.support.near_core_cases import (
    SOFTWARE_BYTES,
    Outcome,
    check_outputs,
    engines,
    recipe,
    unit_of,
)
from regression.support.near_core_runs import how_many, in_steps, input_arguments
from regression.support.placements import (
    ALL_PLACEMENTS,
    CACHED,
    NEAR,
    PCIE,
    by_place,
    cache_is_idle,
    cycles_of,
    in_order,
)
from regression.support.ratios import ratio_shape
from regression.support.snappy_cases import (
    Case,
    build,
    compression,
    decompression,
    run_cases,
)
from regression.support.snappy_format import broken, compressed, stream, varint

WINDOWS = range(11, 17)
PUBLISHED = {"decompress": 5.7, "compress": 2.92}
"""Bytes a cycle of the published unit, 64 KiB of history, near the core."""
_FAULT = re.compile(r"fault status=(\d+) page=(\d+)")


def _size(rng: random.Random) -> int:
    """Return a size of up to 16 KiB; half of them are below 150 bytes."""
    return int(2 ** (rng.random() * 14)) - 1 + rng.randint(0, 3)


def library_reads(data: bytes) -> bytes | None:
    """Return what the library makes of a stream, or None when it refuses it."""
    try:
        return bytes(cramjam.snappy.decompress_raw(data))
    except cramjam.DecompressionError:
        return None


def _compression(name: str, data: bytes, window: int, table: int, software: bool) -> Case:
    """Return a compression.

    Raises:
        ExperimentError: the library does not read what the reference expects of the unit.
    """
    wanted = compressed(data, window, table)
    if library_reads(wanted) != data:
        raise ExperimentError(f"{name}: the library does not read the reference's stream.")
    return Case(name, compression(window, table), data, len(wanted), wanted, software=software)


def _decompression(name: str, data: bytes, window: int, room: int, software: bool) -> Case:
    return Case(name, decompression(window), data, room, library_reads(data), software=software)


def inputs(count: int, rng: random.Random) -> Iterator[Case]:
    """Yield compressions, and decompressions of the library's and of random streams."""
    for index in range(count):
        kind, window, software = KINDS[index % 4], rng.choice(WINDOWS), rng.random() < 0.1
        data = corpus(kind, _size(rng), rng)
        software &= len(data) <= SOFTWARE_BYTES
        name = f"{kind} {index}"
        match index // 4 % 3:
            case 0:
                yield _compression(name, data, window, rng.randint(9, 14), software)
            case 1:
                made = bytes(cramjam.snappy.compress_raw(data))
                yield _decompression(name, made, window, len(data), software)
            case _:
                size = len(data) if index % 20 else 20 * len(data)
                made = stream(rng, min(size, 100_000))
                plain = library_reads(made)
                if plain is None:
                    raise ExperimentError(f"{name}: the library refuses a stream of ours.")
                yield _decompression(name, made, window, len(plain), software)


def faults(count: int, rng: random.Random) -> Iterator[Case]:
    """Yield bad streams: cut off, longer, changed, noise, wrong lengths, and too little room."""
    for length in ([0xFF, 0xFF, 0xFF, 0xFF, 0x10], [0xFF] * 5, [0x80], [], [1], [5, 0x10, 65, 66]):
        yield _decompression(f"length {length}", bytes(length), 11, 300, software=True)
    for index in range(count):
        data = broken(rng)
        plain = library_reads(data)
        room = 300 if plain is None else len(plain)
        yield _decompression(f"bad {index}", data, rng.choice(WINDOWS), room, software=True)
    good = varint(400) + b"".join(b"\xec" + bytes(60) for _ in range(6)) + b"\x9c" + bytes(40)
    yield Case("no room", decompression(16), good, 399, None)
    yield Case("no room", compression(16, 14), bytes(range(256)), 200, None)


Rated = tuple[str, str, int, int, int]
"""Direction, kind of data, log2 of the history, bytes of plain data and of the output."""


def _rates(experiment: Experiment, size: int) -> bool:
    """Measure cycles; return whether placements and speed-ups are in their order."""
    rng = random.Random(experiment.seed)
    cases: list[Case] = []
    what: list[Rated] = []
    for kind in KINDS:
        data = corpus(kind, size, rng)
        for window in (16, 11):
            for way in WAYS:
                for latency in ALL_PLACEMENTS.values():
                    cases.append(_call(way, data, latency, latency == 0 and window == 16, window))
                what.append((way, kind, window, size, cases[-1].room))
    found = [outcome for _, outcome in run_cases(experiment, "rates", cases)]
    return _rate_table(experiment, what, by_place(found))


def _call(way: str, data: bytes, latency: int, software: bool, window: int = 16) -> Case:
    """Return one direction of data, run once before it is measured."""
    made = _made(way, data, window)
    if way == "compress":
        operation, source, output = compression(window, 14), data, made
    else:
        operation, source, output = decompression(window), made, data
    return Case(way, operation, source, len(output), output, latency, software, 1)


@lru_cache(maxsize=1)
def _made(way: str, data: bytes, window: int) -> bytes:
    """Return the stream of a call: the reference's, or the library's that is decompressed."""
    if way == "compress":
        return compressed(data, window, 14)
    return bytes(cramjam.snappy.compress_raw(data))


def _as_placed(way: str, kind: str, window: int, cycles: Mapping[str, int]) -> bool:
    """Return whether places are in their order, and a local cache helps where history is read."""
    if way == "compress" or window == 16:
        return in_order(cycles) and cache_is_idle(cycles)
    return in_order(cycles) and (kind in ("zeros", "noise") or cycles[CACHED] < cycles[PCIE])


def _rate_table(
    experiment: Experiment, what: list[Rated], outcomes: list[dict[str, Outcome]]
) -> bool:
    software: dict[tuple[str, str], int] = {}
    rows, rates, ordered = [], {}, True
    for (way, kind, window, plain, output), places in zip(what, outcomes, strict=True):
        near = places[NEAR]
        if near.software:
            software[way, kind] = near.software
            rates[f"{way} {kind}"] = round(plain / near.cycles, 2)
            ordered &= near.software > near.cycles
        ordered &= _as_placed(way, kind, window, cycles_of(places))
        ratio = f"{plain / output:.2f}" if way == "compress" else ""
        for place, outcome in places.items():
            speed = [
                f"{plain / outcome.cycles:.2f}",
                f"{software[way, kind] / outcome.cycles:.1f}",
            ]
            rows.append([way, kind, 1 << window >> 10, place, *speed, ratio])
    experiment.table(
        "Bytes of plain data a cycle",
        ["operation", "data", "history (KiB)", "place", "bytes a cycle", "times software", "ratio"],
        rows,
    )
    experiment.say(
        f"published at 2 GHz: {PUBLISHED['decompress']} and {PUBLISHED['compress']} bytes a cycle, "
        "more than 10 and 16 times a Xeon's software; the speed-ups here are over software on the "
        "same in-order core"
    )
    experiment.keep(bytes_a_cycle=rates)
    return ordered


def _page_fault(experiment: Experiment) -> None:
    """Run the program with virtual addresses and a page that is missing once.

    Raises:
        ExperimentError: the unit does not report that page.
    """
    config = recipe(unit_of("snappy").blade, experiment.folder, threads=1)
    config["workload"] = {
        "node": {"program": "snappy", "args": ["translate=1", "bytes=16384", "window=11"]}
    }
    console = run_cluster(experiment, "pages", config).console("node0")
    found = _FAULT.search(console)
    if not found or (found[1], found[2]) != ("2", "1"):
        raise ExperimentError(f"a missing page: found {console!r}, expected a fault in page 1.")


def sampled(experiment: Experiment) -> dict[str, bytes]:
    """Return data of the two kinds that compression finds something in, for ratios."""
    rng = random.Random(experiment.seed)
    size = 1 << 16 if experiment.quick else 1 << 18
    return {kind: corpus(kind, size, rng) for kind in ("text", "code")}


def _ratios(experiment: Experiment) -> bool:
    """Show ratios by the settings; return whether more of each gives a better one."""

    def library(data: bytes) -> bytes:
        return bytes(cramjam.snappy.compress_raw(data))

    experiment.say("published: 1.1 % above software at 64 KiB, 0.5 % below at 32, 8 % below at 2")
    return ratio_shape(experiment, sampled(experiment), compressed, library)


def _compared(experiment: Experiment, cases: Sequence[Case], bad: int) -> tuple[bool, str]:
    """Run all inputs, of which about `bad` are bad."""
    found = run_cases(experiment, "inputs", cases)
    refused = sum(case.output is None for case, _ in found)
    experiment.keep(inputs=len(found), refused=refused)
    return refused > bad // 4, (
        f"{len(found)} inputs as the library and the reference have them, {refused} of them "
        "refused, nothing beside an output changed"
    )


def _speed(experiment: Experiment) -> tuple[bool, str]:
    ordered = _rates(experiment, 4_096 if experiment.quick else 65_536) and _ratios(experiment)
    ordered &= fleet_calls(experiment, "snappy", _call, run_cases)
    _page_fault(experiment)
    return ordered, ""


@experiment_named("snappy", input_arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when all outputs are right, bad data is refused, and placements are in their order."""
    rng = random.Random(experiment.seed)
    good, bad = how_many(experiment, quick=(144, 60))
    cases = [*inputs(good, rng), *faults(bad, rng)]
    few, unit = cases[:24], unit_of("snappy")
    far = () if experiment.quick else few[::6]
    own = partial(build, unit.opcode)
    steps = (
        lambda: _compared(experiment, cases, bad),
        lambda: _speed(experiment),
        lambda: engines(experiment, unit, few, far, own, check_outputs),
    )
    return in_steps(
        experiment,
        steps,
        "all the same, near core before chiplet before PCIe, faster than software, better ratios "
        "with more history and entries, one hash",
    )
