# SPDX-License-Identifier: BSD-3-Clause
"""The ZStd unit against the library (zstandard): frames of all levels, bad ones, bytes a cycle.

Text, code, zeros and noise of random sizes, made from the seed, in frames of the library: levels
-7 to 22, windows of 1 to 64 KiB, blocks that end anywhere, several frames, skippable ones. The unit
must make of them what the library makes; what the library refuses it must refuse, with the checksum
that software compares; of a broken frame that the library takes it must make the same or refuse it.
Memory beside the output must stay as it was. Then cycles: near the core, on another chiplet (25 ns)
and behind PCIe (200 ns), beside software on the same core. One hash for threads and RTL engines.
The full form has metasimulation, runs that go on from snapshots in mid-operation, and the unit's
area by its settings.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from regression.oracles.snappy import KINDS, PLACEMENTS, corpus
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.near_core_cases import (
    Outcome,
    check_outputs,
    hashes,
    snapshots_equal,
)
from regression.support.unit_area import areas
from regression.support.zstd_cases import BLADE, Case, build, run_cases
from regression.support.zstd_frames import (
    broken,
    compressed,
    library_reads,
    not_taken,
    skippable,
)

PUBLISHED = 1.98
"""Bytes a cycle of the published unit: 64 KiB of history, 16 speculations, near the core."""
_SPECULATIONS = (4, 16, 32)
_LEVEL = 3
"""The library's default, of the frames whose cycles are measured."""


def _size(rng: random.Random) -> int:
    """Return a size of up to 64 KiB; half of them are below 256 bytes."""
    return int(2 ** (rng.random() * 16)) - 1


def inputs(count: int, rng: random.Random) -> Iterator[Case]:
    """Yield frames of the library.

    Raises:
        ExperimentError: the library does not read its own frame.
    """
    for index in range(count):
        data = corpus(KINDS[index % 4], _size(rng), rng)
        frames = compressed(data, rng)
        several = index % 10 == 9
        if several:
            more = corpus("text", rng.randint(0, 500), rng)
            frames = skippable(rng) + frames + skippable(rng) + compressed(more, rng)
            data += more
        if library_reads(frames, len(data)) != data:
            raise ExperimentError(f"input {index}: the library does not read its own frame.")
        software = rng.random() < 0.1
        yield Case(
            f"input {index}", frames, len(data), data, software=software, checksum=not several
        )


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
        yield Case("not taken", frame, 200_000, None, statuses=(19,))
    text = corpus("text", 900, rng)
    yield Case("no room", compressed(text, rng), 899, None, statuses=(17,))


def _rates(experiment: Experiment, size: int) -> bool:
    """Measure cycles; return whether placements and speed-ups are in their order."""
    rng = random.Random(experiment.seed)
    cases, what = [], []
    for kind in KINDS:
        data = corpus(kind, size, rng)
        frame = compressed(data, rng, _LEVEL)
        for place, latency in PLACEMENTS.items():
            software = latency == 0
            cases.append(Case(f"rate {kind}", frame, size, data, latency, software, 1))
            what.append((kind, place, len(frame)))
    outcomes = [outcome for _, outcome in run_cases(experiment, "rates", cases)]
    return _rate_table(experiment, size, what, outcomes)


def _rate_table(
    experiment: Experiment, size: int, what: list[tuple[str, str, int]], outcomes: list[Outcome]
) -> bool:
    rows, rates, ordered = [], {}, True
    software, last = 0, 0.0
    for (kind, place, stored), outcome in zip(what, outcomes, strict=True):
        rate = size / outcome.cycles
        if outcome.software:
            software, last = outcome.software, float("inf")
            rates[kind] = round(rate, 2)
            ordered &= software > outcome.cycles
        ordered &= rate < last
        last = rate
        speed_up = software / outcome.cycles
        rows.append([kind, place, f"{size / stored:.2f}", f"{rate:.2f}", f"{speed_up:.1f}"])
    experiment.table(
        "Bytes of content a cycle, level 3",
        ["data", "place", "ratio", "bytes a cycle", "times software"],
        rows,
    )
    experiment.say(
        f"published at 2 GHz: {PUBLISHED} bytes a cycle with 16 speculations, 4.2 times a Xeon's "
        "software; the speed-ups here are over software on the same in-order core"
    )
    experiment.keep(bytes_a_cycle=rates)
    return ordered


def _area(experiment: Experiment) -> bool:
    """Show the unit's area by its settings; return whether less of each takes less."""
    whole = {"history_kib": 64, "speculations": 16}
    tables = {f"64 KiB, {n} speculations": {**whole, "speculations": n} for n in (16, 32, 4)}
    settings = {**tables, "2 KiB, 16 speculations": {**whole, "history_kib": 2}}
    found = areas(experiment, "zstd", "ZstdKernel", settings)
    experiment.say(
        "published in 16 nm: 1.9 mm2; with 2 KiB 8.6 % less, with 32 speculations 18 % more, with "
        "4 of them 10 % less"
    )
    luts = [found[f"64 KiB, {n} speculations"].lut for n in _SPECULATIONS]
    first, *_, short = found.values()
    return luts == sorted(luts) and short.bram_kbit < first.bram_kbit


@experiment_named("zstd")
def run(experiment: Experiment) -> Verdict:
    """Hold when all contents are right, bad data is refused, and placements are in their order."""
    rng = random.Random(experiment.seed)
    good, bad = (60, 60) if experiment.quick else (10_000, 2_000)
    cases = [*inputs(good, rng), *faults(bad, rng)]
    found = run_cases(experiment, "inputs", cases)
    refused = sum(outcome.status != 0 for _, outcome in found)
    stricter = sum(case.output is not None and outcome.status != 0 for case, outcome in found)
    ordered = _rates(experiment, 4_096 if experiment.quick else 65_536)
    shaped = experiment.quick or _area(experiment)
    few = cases[:24]
    elf = build(few, experiment.folder / "hashes")
    tokens = hashes(experiment, BLADE, elf, lambda run: check_outputs(run, few))
    same = len(set(tokens)) == 1
    equal, stops = 0, 0
    if not experiment.quick:
        equal, stops = snapshots_equal(experiment, BLADE, few[::6], build)
    went_on = f"; {equal} of {stops} snapshots equal" if stops else ""
    experiment.keep(
        inputs=len(found),
        refused=refused,
        stricter=stricter,
        token_hashes=tokens,
        snapshots=equal,
    )
    return Verdict(
        ordered
        and shaped
        and same
        and equal == stops
        and bad // 4 < refused
        and stricter <= bad // 10,
        f"{len(found)} inputs as the library has them, {refused} of them refused ({stricter} of "
        f"these the library takes), nothing beside an output changed; {len(set(tokens))} hash "
        f"of {len(tokens)} runs{went_on}",
        "all the same, near core before chiplet before PCIe, faster than software, less of a "
        "setting takes less, one hash",
    )
