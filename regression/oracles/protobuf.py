# SPDX-License-Identifier: BSD-3-Clause
"""The Protobuf unit against the Python library: random schemas and messages, bad ones, speed.

Random .proto files go through the generator; messages of them are made by the library. The object
that the unit makes is serialised again by the unit and must have the library's bytes. Messages are
plain, two in one, with unknown fields, with packed fields that are not and the other way round,
and up to 100 inside each other. What the library refuses the unit must refuse, and what has no
room; memory beside the arena and the buffer must stay as it was. Software on the same core must
come to the same arena and the same message, byte for byte. Then cycles by class of field in both
directions, beside figure 6.11. One hash for threads and RTL engines, and runs that go on from
snapshots in mid-operation. The full form has metasimulation; `unit-area` has the unit's area by its
settings.
"""

from __future__ import annotations

import hashlib
import random
import statistics
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.near_core_cases import engines, unit_of
from regression.support.near_core_runs import how_many, in_steps, input_arguments
from regression.support.protobuf_cases import BothWays, Case, build, check, run_cases
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
from regression.support.protobuf_speed import FieldClass, classes, proto_text

PUBLISHED = {
    "deserialise inline": ("6.11a", 7.0),
    "serialise inline": ("6.11b", 15.5),
    "deserialise allocating": ("6.11c", 14.2),
    "serialise allocating": ("6.11d", 10.1),
}
"""By direction and group: the figure, and times an out-of-order core's software (BOOM, 2 GHz)."""
FLEET = 6.2
"""The same of both directions of HyperProtoBench, figures 6.12 and 6.13."""
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
    """Measure classes of fields; return whether the unit is faster than software.

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
    found = _rates(batch, measured, outcomes)
    titles = ["figure", "way", "fields", "bytes", "unit", "software", "times software"]
    rows: list[list[object]] = [
        [PUBLISHED[f"{way} {one.group}"][0], way, one.name, len(one.data), *_shown(both)]
        for (way, one), both in found.items()
    ]
    experiment.table(
        "Bytes of serialised data a cycle", titles, sorted(rows, key=lambda row: str(row[0]))
    )
    means = _means(found)
    for group, (figure, published) in PUBLISHED.items():
        experiment.say(
            f"figure {figure}, {group}: geometric mean {means[group]} times software on the same "
            f"in-order core; published: {published} times an out-of-order core's"
        )
    rates = {f"{way} {one.name}": round(rate, 3) for (way, one), (rate, _) in found.items()}
    experiment.keep(bytes_a_cycle=rates, times_software=means)
    slower = [f"{way} {one.name}" for (way, one), (rate, slow) in found.items() if rate <= slow]
    experiment.say(f"classes in which the unit is no faster: {', '.join(slower) or 'none'}")
    ways = ("deserialise", "serialise")
    return not slower and all(_longer_is_faster(rates, way) for way in ways)


Rates = dict[tuple[str, FieldClass], tuple[float, float]]
"""By way and class of field: bytes of serialised data a cycle of the unit, and of software."""


def _rates(batch: int, measured: list[FieldClass], outcomes: list[BothWays]) -> Rates:
    found: Rates = {}
    for one, outcome in zip(measured, outcomes, strict=True):
        size = batch * len(one.data)
        found["deserialise", one] = (size / outcome.cycles, size / outcome.software)
        found["serialise", one] = (size / outcome.back_cycles, size / outcome.back_software)
    return found


def _shown(both: tuple[float, float]) -> list[str]:
    rate, slow = both
    return [f"{rate:.3f}", f"{slow:.3f}", f"{rate / slow:.1f}"]


def _means(found: Rates) -> dict[str, float]:
    """Return the geometric mean of times software, by the names of `PUBLISHED`."""
    gains: dict[str, list[float]] = {group: [] for group in PUBLISHED}
    for (way, one), (rate, slow) in found.items():
        gains[f"{way} {one.group}"].append(rate / slow)
    return {group: round(statistics.geometric_mean(all_), 1) for group, all_ in gains.items()}


def _longer_is_faster(rates: dict[str, float], way: str) -> bool:
    """Return whether bytes a cycle rise from short varints to middle and to long ones."""
    thirds = [(1, 4), (4, 7), (7, 11)]
    sizes = [
        statistics.mean(rates[f"{way} varint {size}"] for size in range(*third)) for third in thirds
    ]
    return sizes == sorted(sizes)


def _fleet_shaped(experiment: Experiment, outcomes: list[BothWays]) -> None:
    """Say how much faster single messages of random schemas are, each with cold descriptors."""
    timed = [one for one in outcomes if one.software and not one.status]
    times = {
        "deserialise": sum(one.software for one in timed) / sum(one.cycles for one in timed),
        "serialise": sum(one.back_software for one in timed)
        / sum(one.back_cycles for one in timed),
    }
    rounded = {way: round(gain, 1) for way, gain in times.items()}
    experiment.say(
        f"{len(timed)} messages in the fleet's shapes, each once, all cycles: {rounded} times "
        f"software on the same in-order core; published for HyperProtoBench, figures 6.12 and "
        f"6.13: {FLEET} times an out-of-order core's"
    )
    experiment.keep(fleet_times_software=rounded)


def _compared(
    experiment: Experiment, protos: Sequence[Path], cases: Sequence[Case], good: int
) -> tuple[bool, str]:
    """Run all messages, of which the first `good` are good."""
    outcomes = run_cases(experiment, "inputs", protos, cases)
    refused = sum(outcome.status != 0 for outcome in outcomes)
    _fleet_shaped(experiment, outcomes[:good])
    experiment.keep(inputs=len(cases), refused=refused)
    return refused > (len(cases) - good) // 2, (
        f"{len(cases)} messages as the library has them in both directions, {refused} refused, "
        "nothing beside an arena or a buffer changed"
    )


@experiment_named("protobuf", input_arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when all bytes are right, bad data is refused, and the unit beats software."""
    rng = random.Random(experiment.seed)
    good, bad = how_many(experiment, quick=(60, 20))
    made = schemas(2 if experiment.quick else 12, rng, experiment.folder / "schemas")
    protos = [proto for proto, _, _ in made]
    cases = [*inputs(good, made, rng), *faults(bad, made, rng)]
    few, unit = cases[: 4 if experiment.quick else 12], unit_of("protobuf")
    own = partial(build, protos, unit.opcode)
    steps = (
        lambda: _compared(experiment, protos, cases, good),
        lambda: (_speed(experiment), ""),
        lambda: engines(experiment, unit, few, few, own, check),
    )
    return in_steps(
        experiment,
        steps,
        "all the same, faster than software in each class, more bytes a cycle for longer varints, "
        "one hash",
    )
