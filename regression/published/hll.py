# SPDX-License-Identifier: BSD-3-Clause
"""HyperLogLog in the NIC's stream: its registers, and what it costs the stream.

A sender's UDP packets pass the unit of another node's NIC, which counts their keys. After sequences
and random keys, many different ones and few, in packets of several sizes, all 65,536 registers must
be those of a reference, byte for byte; those of a million keys have a known SHA-256. For packets of
64 to 1,408 bytes the unit itself takes the time from the first flit to the last one, with keys not
counted and counted, towards memory and not: both may differ by 0.3 % at most (ratio). Throughput
itself is that of a core that posts each packet, and is no published one's. One hash for threads,
batches and both RTL engines, and captures and event counters change nothing. Functional nodes have
the same registers, one hash, and a run of theirs that goes on from a snapshot is the same.
"""

from __future__ import annotations

import hashlib

from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.hll import (
    Speed,
    Stream,
    captured_registers,
    keys_of,
    nodes_of,
    raw_estimate,
    recipe,
    registers_of,
    speeds,
    told,
)
from regression.support.simulate import Run
from regression.support.snapshots import equal_from_snapshots
from regression.support.target_digest import digest
from regression.support.ways import run_ways

GOLDEN_KEYS = 1 << 20
GOLDEN_SHA256, GOLDEN_LARGEST, GOLDEN_ESTIMATE = "1d6feaf899df07c9", 20, 1_041_361
"""Of keys 0 to 1,048,575, worked out with mmh3 5.3."""
HASH = "0c7ad9191a181fdf"
"""Of the small stream."""
SMALL = Stream("sequence", 4_097, bytes=1_000)
MOST_DIFFERENCE = 0.003
SNAPSHOTS = 2
"""From which functional nodes go on."""
PUBLISHED_GBPS = (84.7399, 84.9599)
"""Without and with HyperLogLog, 512 bytes (FpgaNIC, figure 9)."""
CLOCK_GHZ = 3.2


def _streams(experiment: Experiment) -> list[Stream]:
    """Return the streams to be counted; random keys are by the experiment's seed."""
    seed = experiment.seed & 0xFFFF_FFFF
    few = Stream("random", 3_000, bytes=64, seed=seed, distinct=5, consume=0)
    if experiment.quick:
        return [few]
    random = [
        Stream("random", 200_001, bytes=size, seed=seed + size, consume=size % 3 % 2)
        for size in (64, 512, 1_024)
    ]
    return [
        few,
        Stream("sequence", 4, bytes=4),
        *random,
        Stream("random", 100_000, bytes=8_192, seed=seed, distinct=1 << 12),
        Stream("sequence", GOLDEN_KEYS),
    ]


def _functional(experiment: Experiment) -> tuple[int, int]:
    """Return how many runs with functional nodes had right registers and one hash, and of how many.

    A million keys go by with them in a second, and so are those of the quick form too.
    """
    small, golden = registers_of(keys_of(SMALL)), Stream("sequence", GOLDEN_KEYS)
    counted = run_cluster(
        experiment, "functional-golden", recipe(golden, engine="functional", captures=True)
    )
    registers = captured_registers(counted)
    good = [
        hashlib.sha256(registers).hexdigest().startswith(GOLDEN_SHA256)
        and _right(counted, golden, registers)
    ]
    ways: dict[str, Config] = {
        "one-thread": {"threads": 1},
        "random-batches": {"threads": 2, "random_batch_seed": experiment.seed | 1},
    }
    hashes = set()
    for name, way in ways.items():
        config = recipe(SMALL, engine="functional", **way)
        run = run_cluster(experiment, f"functional-{name}", config)
        hashes.add(run.token_hash)
        good.append(_right(run, SMALL, small) and len(hashes) == 1)
    equal = equal_from_snapshots(experiment, recipe(SMALL, engine="functional"), SNAPSHOTS)
    return sum(good) + equal, len(good) + SNAPSHOTS


def _right(run: Run, stream: Stream, registers: bytes) -> bool:
    """Return whether the counter told what the reference says of its stream."""
    found = told(run)
    counted = (found.packets, found.keys, found.dropped) == (stream.packets, stream.count, 0)
    estimate = abs(found.estimate - raw_estimate(registers)) <= 1
    same = found.digest == digest(registers, 0) and found.empty == registers.count(0)
    return counted and estimate and same


def _counted(experiment: Experiment) -> tuple[bool, int]:
    """Return whether all registers were those of the reference, and how many streams there were."""
    rows, holds, streams = [], True, _streams(experiment)
    for index, stream in enumerate(streams):
        run = run_cluster(experiment, f"stream-{index}", recipe(stream, threads=1, captures=True))
        expected = registers_of(keys_of(stream))
        registers = captured_registers(run)
        same = registers == expected and _right(run, stream, expected)
        if stream.keys == "sequence" and stream.count == GOLDEN_KEYS:
            sha256 = hashlib.sha256(registers).hexdigest()
            experiment.keep(sha256=sha256)
            same &= sha256.startswith(GOLDEN_SHA256) and max(registers) == GOLDEN_LARGEST
            same &= told(run).estimate == GOLDEN_ESTIMATE
        holds &= same
        kinds = f"below {stream.distinct}" if stream.distinct else "any"
        told_and_right = told(run).estimate, max(registers), "yes" if same else "no"
        rows.append([stream.keys, kinds, stream.count, stream.bytes, *told_and_right])
    columns = ["keys", "which", "number", "bytes a packet", "raw estimate", "largest register"]
    experiment.table("Streams (measured)", [*columns, "all registers right"], rows)
    return holds, len(streams)


def _difference(experiment: Experiment, found: list[Speed]) -> float:
    """Return the greatest share by which the unit changes the throughput of any size."""
    by_key = {(one.bytes, one.consume, one.count): one for one in found}
    rows, differences = [], []
    for size, consume in sorted({(one.bytes, one.consume) for one in found}):
        off, on = by_key[size, consume, False], by_key[size, consume, True]
        differences.append(abs(on.bytes_a_cycle / off.bytes_a_cycle - 1))
        rates = [f"{one.bytes_a_cycle * 8 * CLOCK_GHZ:.4f}" for one in (off, on)]
        goes = "the unit" if consume else "memory"
        rows.append([size, goes, off.cycles, on.cycles, *rates, f"{differences[-1]:.3%}"])
    columns = ["payload (bytes)", "goes to", "cycles without", "with"]
    columns += ["payload without (Gb/s)", "with", "difference"]
    experiment.table("Throughput (measured)", columns, rows)
    return max(differences)


def _speeds_differ_by(experiment: Experiment) -> tuple[float, bool]:
    """Return the greatest difference, and whether every packet was found."""
    packets = 16 if experiment.quick else 48
    config = nodes_of(["mode=speed", "keys=random", f"packets={packets}"], ["mode=speed"])
    found = speeds(run_cluster(experiment, "speed", config))
    whole = all(one.packets == packets and one.keys == packets * one.bytes // 4 for one in found)
    return _difference(experiment, found), whole


def _hashes(experiment: Experiment) -> tuple[int, int]:
    """Return how many runs of the small stream had its hash and registers, and how many were."""
    more: dict[str, Config] = {
        "captures-and-counters": {"captures": True, "autocounter": {"enabled": True}}
    }
    expected = registers_of(keys_of(SMALL))
    runs = run_ways(experiment, lambda **simulation: recipe(SMALL, **simulation), more)
    good = [run.token_hash == HASH and _right(run, SMALL, expected) for run in runs.values()]
    return sum(good), len(good)


@experiment_named("hll")
def run(experiment: Experiment) -> Verdict:
    """Hold when registers are right, throughput stays, and there is one hash."""
    right, streams = _counted(experiment)
    difference, whole = _speeds_differ_by(experiment)
    good, ways = _hashes(experiment)
    functional, runs = _functional(experiment)
    experiment.keep(greatest_difference=difference, published_gbps=PUBLISHED_GBPS, hash=HASH)
    holds = right and whole and difference <= MOST_DIFFERENCE
    holds &= good == ways and functional == runs
    return Verdict(
        holds,
        f"registers of {streams} streams right: {right}; throughput with and without within "
        f"{difference:.2%}; {good} of {ways} runs with hash {HASH}; {functional} of {runs} with "
        "functional nodes right",
        f"all right, {MOST_DIFFERENCE:.1%}, all, all",
    )
