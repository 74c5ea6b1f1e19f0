# SPDX-License-Identifier: BSD-3-Clause
"""The ZStd unit against the library (zstandard) in both directions: frames, bad ones, speed, ratio.

Text, code, zeros and noise of random sizes, made from the seed, in frames of the library: levels
-7 to 22, windows of 1 to 64 KiB, blocks that end anywhere, several frames, skippable ones. The unit
must make of them what the library makes; what the library refuses it must refuse, with the checksum
that software compares; of a broken frame that the library takes it must make the same or refuse it.
Data of the same kinds is compressed: the frame must be, byte for byte, what a reference in Python
and software on the same core make, and the library must read it. Memory beside the output must stay
as it was. Then cycles: near the core, on another chiplet (25 ns) and behind PCIe (200 ns), there
with a local cache, too, and of calls with the sizes of a fleet's, beside software on the same core,
and the ratio beside the library's, which must rise with the window and
with the hash table. One hash for threads and RTL engines.
The full form has metasimulation and runs that go on from snapshots in mid-operation. `unit-area`
has the unit's area by its settings.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial

from regression.oracles.snappy import WINDOWS, sampled
from regression.support.corpus import KINDS, corpus
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.fleet_calls import fleet_calls
from regression.support.near_core_cases import (
    SOFTWARE_BYTES,
    Outcome,
    check_outputs,
    engines,
    unit_of,
)
from regression.support.near_core_runs import how_many, in_steps, input_arguments
from regression.support.placements import (
    ALL_PLACEMENTS,
    NEAR,
    by_place,
    cache_is_idle,
    cycles_of,
    in_order,
)
from regression.support.ratios import ratio_shape
from regression.support.zstd_cases import Case, build, compression, run_cases
from regression.support.zstd_compressor import compressed as unit_compressed
from regression.support.zstd_frames import (
    broken,
    compressed,
    library_reads,
    not_taken,
    skippable,
)

PUBLISHED = 1.98
"""Bytes a cycle of the published unit: 64 KiB of history, 16 speculations, near the core."""
PUBLISHED_COMPRESSION = 1.75
"""The same of its compressor, with 2^14 entries."""
PUBLISHED_RATIO = 0.84
"""Of the library's ratio that it reaches."""
MOST_LOG, USUAL_LOG = 16, 12
"""Log2 of the bytes of the largest input, and of that of nine inputs in ten, or with `--quick`."""
_LARGE = 0.1
"""Share of larger inputs: they take most of the time, as the core checks each byte that it gets."""
_LEVEL = 3
"""The library's default, of the frames whose cycles are measured."""


def _size(rng: random.Random, most_log: int) -> int:
    """Return a size; half of the usual ones are below 64 bytes, and half of the large ones 256."""
    usual = most_log <= USUAL_LOG or rng.random() >= _LARGE
    return int(2 ** (rng.random() * (USUAL_LOG if usual else most_log))) - 1


def inputs(count: int, rng: random.Random, most_log: int = MOST_LOG) -> Iterator[Case]:
    """Yield frames of the library; `most_log` is log2 of the bytes of the largest.

    Raises:
        ExperimentError: the library does not read its own frame.
    """
    for index in range(count):
        data = corpus(KINDS[index % 4], _size(rng, most_log), rng)
        frames = compressed(data, rng)
        several = index % 10 == 9
        if several:
            more = corpus("text", rng.randint(0, 500), rng)
            frames = skippable(rng) + frames + skippable(rng) + compressed(more, rng)
            data += more
        if library_reads(frames, len(data)) != data:
            raise ExperimentError(f"input {index}: the library does not read its own frame.")
        software = rng.random() < 0.1 and len(data) <= SOFTWARE_BYTES
        yield Case(
            f"input {index}", frames, len(data), data, software=software, checksum=not several
        )


def _compression(name: str, data: bytes, window: int, table: int, software: bool) -> Case:
    """Return a compression.

    Raises:
        ExperimentError: the library does not read what the reference expects of the unit.
    """
    frame = unit_compressed(data, window, table)
    if library_reads(frame, len(data)) != data:
        raise ExperimentError(f"{name}: the library does not read the reference's frame.")
    operation = compression(window, table)
    return Case(name, data, len(frame), frame, software=software, operation=operation)


def compressions(count: int, rng: random.Random, most_log: int = MOST_LOG) -> Iterator[Case]:
    """Yield data to be compressed, and some that its frame has no room for."""
    for index in range(count):
        kind = KINDS[index % 4]
        data = corpus(kind, _size(rng, most_log), rng)
        if index % 12 == 11:
            data = (data + corpus("text", _size(rng, most_log), rng)) * rng.randint(1, 3)
        elif index % 12 == 3:  # some bytes come a thousand times as often as others
            power = rng.choice((1, 3, 9))
            data = bytes(int(256 * rng.random() ** power) for _ in range(len(data)))
        window, table = rng.choice(WINDOWS), rng.randint(9, 14)
        name = f"compress {kind} {index}"
        software = rng.random() < 0.2 and len(data) <= SOFTWARE_BYTES
        case = _compression(name, data, window, table, software)
        yield case
        if index % 10 == 5:
            room = rng.randrange(case.room)
            yield Case("no room", data, room, None, statuses=(17,), operation=case.operation)


def faults(count: int, rng: random.Random) -> Iterator[Case]:
    """Yield broken frames, frames that are not taken, and too little room."""
    for index in range(count):
        data = corpus(("text", "code", "zeros")[index % 3], rng.randint(1, 900), rng)
        frame = broken(compressed(data, rng), rng)
        plain = library_reads(frame, 1 << 16)
        room = 1_000 if plain is None else len(plain)
        yield Case(
            f"bad {index}", frame, room, plain, software=True, checksum=True, may_refuse=True
        )
    for frame in not_taken(rng):
        yield Case("not taken", frame, 1_000, None, statuses=(19,))
    text = corpus("text", 900, rng)
    yield Case("no room", compressed(text, rng), 899, None, statuses=(17,))
    for operation in (2, compression(17, 14), compression(16, 15), compression(10, 9)):
        yield Case("no such operation", text, 2_000, None, statuses=(18,), operation=operation)


def _call(way: str, data: bytes, latency: int, software: bool, window: int = 16) -> Case:
    """Return one direction of data, run once before it is measured; the library's level is 3."""
    made = _made(way, data, window)
    if way == "compress":
        operation, source, output = compression(window, 14), data, made
    else:
        operation, source, output = 0, made, data
    return Case(way, source, len(output), output, latency, software, 1, operation=operation)


@lru_cache(maxsize=1)
def _made(way: str, data: bytes, window: int) -> bytes:
    """Return the frame of a call: the reference's, or the library's that is decompressed."""
    if way == "compress":
        return unit_compressed(data, window, 14)
    return compressed(data, random.Random(0), _LEVEL)


def _placed(
    experiment: Experiment, name: str, way: str, data: Sequence[bytes], window: int = 16
) -> tuple[list[dict[str, Outcome]], list[int], bool]:
    """Run data in all places; return outcomes, bytes when compressed, and whether in order."""
    cases = [
        _call(way, one, latency, latency == 0, window)
        for one in data
        for latency in ALL_PLACEMENTS.values()
    ]
    found = by_place([outcome for _, outcome in run_cases(experiment, name, cases)])
    near = [places[NEAR] for places in found]
    ordered = all(one.software > one.cycles for one in near)
    ordered &= all(in_order(cycles_of(places)) for places in found)
    frames = cases[:: len(ALL_PLACEMENTS)]
    stored = [case.room if way == "compress" else len(case.source) for case in frames]
    return found, stored, ordered


def _rates(experiment: Experiment, size: int) -> bool:
    """Measure frames of the library; return whether placements and speed-ups are in order."""
    rng = random.Random(experiment.seed)
    data = [corpus(kind, size, rng) for kind in KINDS]
    found, stored, ordered = _placed(experiment, "rates", "decompress", data)
    # The unit keeps the whole window.
    ordered &= all(cache_is_idle(cycles_of(places)) for places in found)
    rows = [
        [kind, place, f"{size / frame:.2f}", *_speed(size, places, place)]
        for kind, frame, places in zip(KINDS, stored, found, strict=True)
        for place in places
    ]
    experiment.table(
        f"Bytes of content a cycle, level {_LEVEL}",
        ["data", "place", "ratio", "bytes a cycle", "times software"],
        rows,
    )
    experiment.say(
        f"published at 2 GHz: {PUBLISHED} bytes a cycle with 16 speculations, 4.2 times a Xeon's "
        "software; the speed-ups here are over software on the same in-order core"
    )
    rates = [round(size / places[NEAR].cycles, 2) for places in found]
    experiment.keep(bytes_a_cycle=dict(zip(KINDS, rates, strict=True)))
    return ordered


def _speed(size: int, places: Mapping[str, Outcome], place: str) -> list[str]:
    """Return bytes a cycle of a place, and how many times as fast as software it is."""
    cycles = places[place].cycles
    return [f"{size / cycles:.2f}", f"{places[NEAR].software / cycles:.1f}"]


def _compression_rates(experiment: Experiment, size: int) -> bool:
    """Measure compressions; return whether placements and speed-ups are in their order."""
    rng = random.Random(experiment.seed)
    data = [corpus(kind, size, rng) for kind in KINDS]
    library = [len(compressed(one, rng, _LEVEL, checksum=False)) for one in data]
    rows, rates, shares, ordered = [], {}, {}, True
    for window in (16, 11):
        name = f"compression-rates-{1 << window >> 10}"
        found, stored, fine = _placed(experiment, name, "compress", data, window)
        ordered &= fine
        for kind, frame, best, places in zip(KINDS, stored, library, found, strict=True):
            if window == 16:
                rates[kind] = round(size / places[NEAR].cycles, 2)
                shares[kind] = round(best / frame, 2)
            ratio = [f"{size / frame:.2f}", f"{best / frame:.2f}"]
            for place in places:
                cells = [*_speed(size, places, place), *ratio]
                rows.append([kind, 1 << window >> 10, place, *cells])
    titles = ["data", "window (KiB)", "place", "bytes a cycle", "times software", "ratio"]
    experiment.table(
        f"Compression: bytes of content a cycle; the library has level {_LEVEL}",
        [*titles, "by the library's"],
        rows,
    )
    experiment.say(
        f"published at 2 GHz: {PUBLISHED_COMPRESSION} bytes a cycle, 15.8 times a Xeon's software, "
        f"{PUBLISHED_RATIO} of its ratio; the speed-ups here are over software that makes the same "
        "frame on the same in-order core"
    )
    experiment.keep(compressed_bytes_a_cycle=rates, share_of_ratio=shares)
    return ordered


def _ratios(experiment: Experiment) -> bool:
    """Show ratios by the settings; return whether more of each gives a better one."""

    def library(data: bytes) -> bytes:
        return compressed(data, random.Random(experiment.seed), _LEVEL, checksum=False)

    return ratio_shape(experiment, sampled(experiment), unit_compressed, library)


def _compared(experiment: Experiment, cases: Sequence[Case], bad: int) -> tuple[bool, str]:
    """Run all inputs, of which about `bad` are bad."""
    found = run_cases(experiment, "inputs", cases)
    refused = sum(outcome.status != 0 for _, outcome in found)
    stricter = sum(case.output is not None and outcome.status != 0 for case, outcome in found)
    experiment.keep(inputs=len(found), refused=refused, stricter=stricter)
    return bad // 4 < refused and stricter <= bad // 10, (
        f"{len(found)} inputs as the library has them, {refused} of them refused ({stricter} of "
        "these the library takes), nothing beside an output changed"
    )


def _measured(experiment: Experiment) -> tuple[bool, str]:
    size = 2_048 if experiment.quick else 65_536
    ordered = _rates(experiment, size) and _compression_rates(experiment, size)
    ordered &= _ratios(experiment)
    return ordered & fleet_calls(experiment, "zstd", _call, run_cases), ""


@experiment_named("zstd", input_arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when all outputs are right, bad data is refused, and placements are in their order."""
    rng = random.Random(experiment.seed)
    good, bad = how_many(experiment, quick=(60, 60))
    made, _ = how_many(experiment, quick=(40, 0))
    log = USUAL_LOG if experiment.quick else MOST_LOG
    cases = [*inputs(good, rng, log), *compressions(made, rng, log), *faults(bad, rng)]
    few, unit = [*cases[:12], *cases[good : good + 12]], unit_of("zstd")
    far = () if experiment.quick else few[::5]
    own = partial(build, unit.opcode)
    steps = (
        lambda: _compared(experiment, cases, bad),
        lambda: _measured(experiment),
        lambda: engines(experiment, unit, few, far, own, check_outputs),
    )
    return in_steps(
        experiment,
        steps,
        "all the same, near core before chiplet before PCIe, faster than software, better ratios "
        "with more window and entries, one hash",
    )
