# SPDX-License-Identifier: BSD-3-Clause
"""The Protobuf unit against the Python library: random schemas and messages, bad ones, speed.

Random .proto files go through the generator; messages of them are made by the library. The object
that the unit makes is serialised again in software and must have the library's bytes. Messages are
plain, two in one, with unknown fields, with packed fields that are not and the other way round,
and up to 100 inside each other. What the library refuses the unit must refuse, and memory beside
the arena must stay as it was. Software on the same core must come to the same arena, byte for
byte. Then cycles by class of field, beside figure 6.11. One hash for threads and RTL engines.
"""

from __future__ import annotations

import hashlib
import random
import statistics
from collections.abc import Iterator
from pathlib import Path

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.near_core_cases import Outcome, hashes
from regression.support.protobuf_cases import BLADE, Case, build, check, run_cases
from regression.support.protobuf_messages import (
    MESSAGES,
    Types,
    broken,
    fill,
    library_reads,
    nested,
    schema_text,
    unknown,
)
from regression.support.protobuf_speed import classes, proto_text

PUBLISHED = {"inline": 7.0, "allocating": 14.2}
"""Times an out-of-order core's software (BOOM, 2 GHz), figures 6.11a and 6.11c."""
DEEPEST = 100
VARINT_MESSAGES = "148a25c6ba23381d"
"""SHA-256 of the messages of five uint64, 0 to 10 bytes each, begins with it."""


def schemas(count: int, rng: random.Random, folder: Path) -> list[tuple[Path, Types, Types]]:
    """Write .proto files; return each with the library's types, and those of the other packing.

    Every second one has enums. A closed enum's unknown numbers are no fields for the library, so
    changed messages are made of the others.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for index in range(count):
        proto = folder / f"s{index}.proto"
        proto.write_text(schema_text(rng, f"s{index}", enums=index % 2 == 1))
        found.append((proto, Types(proto), Types(proto, flip_packed=True)))
    return found


def _message(index: int, types: Types, flipped: Types, name: str, rng: random.Random) -> bytes:
    """Return a serialised message, of one of five ways to come to it."""
    most = rng.choice((0.5, 1, 1, 2, 4, 15))
    first, other = types.new(name), flipped.new(name)
    fill(first, rng, 3, most)
    match index % 5:
        case 0:
            return bytes(first.SerializeToString())
        case 1:
            fill(other, rng, 3, most)
            return bytes(first.SerializeToString() + other.SerializeToString())
        case 2:
            between = b"".join(unknown(rng) for _ in range(rng.randint(1, 3)))
            fill(other, rng, 1, 2)
            return bytes(other.SerializeToString() + between + first.SerializeToString())
        case 3:
            fill(other, rng, 3, most)
            return bytes(other.SerializeToString())
        case _:
            deep = types.new("m0")
            nested(deep, rng.choice((1, 1, 2, 3, 12, 26, DEEPEST)), rng)
            return bytes(deep.SerializeToString())


def inputs(count: int, made: list[tuple[Path, Types, Types]], rng: random.Random) -> Iterator[Case]:
    """Yield messages that the library reads.

    Raises:
        ExperimentError: the library refuses a message of ours.
    """
    for index in range(count):
        _, types, flipped = made[index % len(made)]
        name = "m0" if index % 5 == 4 else f"m{rng.randrange(MESSAGES)}"
        data = _message(index, types, flipped, name, rng)
        again = library_reads(types.new(name), data)
        if again is None:
            raise ExperimentError(f"message {index}: the library refuses {data.hex()}.")
        software = rng.random() < 0.2
        message = f"{types.package}_{name}"
        yield Case(f"message {index}", message, data, again, software=software)


def faults(count: int, made: list[tuple[Path, Types, Types]], rng: random.Random) -> Iterator[Case]:
    """Yield bad messages: cut off, changed, varints too long, wrong keys, too deep, no room."""
    plain = made[::2]
    for index in range(count):
        _, types, flipped = plain[index % len(plain)]
        name = f"m{rng.randrange(MESSAGES)}"
        data = broken(_message(index % 4, types, flipped, name, rng), rng)
        again = library_reads(types.new(name), data)
        message = f"{types.package}_{name}"
        yield Case(f"bad {index}", message, data, again, software=True)
    _, types, _ = made[0]
    deep = types.new("m0")
    nested(deep, DEEPEST - 1, rng)
    inner = type(deep)(inner=type(deep)(inner=deep)).SerializeToString()
    if library_reads(types.new("m0"), inner) is not None:
        raise ExperimentError(f"the library reads {DEEPEST + 1} messages inside each other.")
    yield Case("too deep", f"{types.package}_m0", inner, None, software=True)
    data = deep.SerializeToString()
    yield Case("no room", f"{types.package}_m0", data, None, room=1_000)


def _speed(experiment: Experiment) -> bool:
    """Measure classes of fields; return whether the unit is faster than software in each.

    Raises:
        ExperimentError: the messages are not those of the published microbenchmark.
    """
    proto = experiment.folder / "speed.proto"
    proto.write_text(proto_text())
    batch = 4 if experiment.quick else 64
    measured = classes(Types(proto))
    numbers = b"".join(one.data for one in measured if one.message == "uint64s")
    if not hashlib.sha256(numbers).hexdigest().startswith(VARINT_MESSAGES):
        raise ExperimentError("the messages of five numbers are not those of the facts.")
    cases = [
        Case(one.name, f"speed_{one.message}", one.data, one.data, software=True, batch=batch)
        for one in measured
    ]
    outcomes = run_cases(experiment, "speed", [proto], cases)
    rows: list[list[object]] = []
    rates: dict[str, float] = {}
    gains: dict[str, list[float]] = {}
    for one, outcome in zip(measured, outcomes, strict=True):
        size = batch * len(one.data)
        rate, gain = size / outcome.cycles, outcome.software / outcome.cycles
        rates[one.name] = round(rate, 3)
        gains.setdefault(one.group, []).append(gain)
        slow = f"{size / outcome.software:.3f}"
        rows.append([one.group, one.name, len(one.data), f"{rate:.3f}", slow, f"{gain:.1f}"])
    experiment.table(
        "Bytes of serialised data a cycle",
        ["figure 6.11", "fields", "bytes", "unit", "software", "times software"],
        rows,
    )
    means = {group: round(statistics.geometric_mean(found), 1) for group, found in gains.items()}
    experiment.say(
        f"geometric means {means['inline']} (inline) and {means['allocating']} (allocating) times "
        f"software on the same in-order core; published: {PUBLISHED['inline']} and "
        f"{PUBLISHED['allocating']} times an out-of-order core's"
    )
    experiment.keep(bytes_a_cycle=rates, times_software=means)
    thirds = [(1, 4), (4, 7), (7, 11)]
    sizes = [statistics.mean(rates[f"varint {i}"] for i in range(*third)) for third in thirds]
    return sizes == sorted(sizes) and all(gain > 1 for found in gains.values() for gain in found)


def _refused(cases: list[Case], outcomes: list[Outcome]) -> int:
    """Return how many messages were refused."""
    return sum(outcome.status != 0 for _, outcome in zip(cases, outcomes, strict=True))


@experiment_named("protobuf")
def run(experiment: Experiment) -> Verdict:
    """Hold when all objects are right, bad data is refused, and the unit beats software."""
    rng = random.Random(experiment.seed)
    good, bad = (120, 40) if experiment.quick else (10_000, 2_000)
    made = schemas(2 if experiment.quick else 12, rng, experiment.folder / "schemas")
    protos = [proto for proto, _, _ in made]
    cases = [*inputs(good, made, rng), *faults(bad, made, rng)]
    refused = _refused(cases, run_cases(experiment, "inputs", protos, cases))
    faster = _speed(experiment)
    few = cases[:12]
    elf = build(protos, few, experiment.folder / "hashes")
    tokens = hashes(experiment, BLADE, elf, lambda run: check(run, few))
    same = len(set(tokens)) == 1
    experiment.keep(inputs=len(cases), refused=refused, token_hashes=tokens)
    return Verdict(
        faster and same and refused > bad // 2,
        f"{len(cases)} messages as the library has them, {refused} of them refused, nothing beside "
        f"an arena changed; {len(set(tokens))} hash of {len(tokens)} runs",
        "all the same, faster than software, more bytes a cycle for longer varints, one hash",
    )
