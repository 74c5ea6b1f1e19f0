# SPDX-License-Identifier: BSD-3-Clause
"""Drive a model of a FAME-1 form whose channels stall at random, for tests and experiments."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldengate.channels import Channel, node_name, of_nodes
from goldengate.errors import GoldenGateError
from goldengate.harness import Model
from goldengate.manifest import Manifest

PATIENCE = 400
"""Most host cycles for a token, of all channels taken together."""


@dataclass(frozen=True)
class Stalled:
    """What came out: the values of the target's outputs in each cycle, counters at the end."""

    outputs: list[dict[str, int]]
    counters: dict[str, int]
    host_cycles: int


def packed(channel: Channel, values: Mapping[str, int]) -> int:
    """Return the token of a channel for these values of its ports."""
    return sum(values[field.port] << field.low_bit for field in channel.fields)


def unpacked(channel: Channel, token: int) -> dict[str, int]:
    """Return the values of the ports of a channel."""
    return {
        field.port: token >> field.low_bit & ((1 << field.width_bits) - 1)
        for field in channel.fields
    }


def tokens_of(target: Manifest, values: Mapping[str, int]) -> dict[str, int]:
    """Return of the values of a model's outputs those that are tokens: counters are none."""
    counters = {counter.port for counter in target.counters}
    return {name: bits for name, bits in values.items() if name not in counters}


def run_stalled(
    library: Path,
    manifest: Manifest,
    inputs: Sequence[Mapping[str, int]],
    generator: random.Random,
    eagerness: tuple[float, ...] = (0.1, 0.5, 0.9, 1.0),
) -> Stalled:
    """Give each input channel its tokens, with random stalls everywhere; return what comes out.

    `library` is a model of the FAME-1 form whose manifest this is, clocked by the host; `inputs`
    has the values of all inputs of the target, or of all targets of a supernode, in each cycle.
    Each channel goes on with one of the probabilities of `eagerness`.

    Raises:
        GoldenGateError: the form does not go on.
    """
    assert manifest.fame1 is not None
    channels, counters = _ports(manifest)
    ins = [channel for channel in channels if channel.direction == "in"]
    outs = [channel for channel in channels if channel.direction == "out"]
    tokens = {one.name: [packed(one, values) for values in inputs] for one in ins}
    given = dict.fromkeys(tokens, 0)
    received: dict[str, list[int]] = {one.name: [] for one in outs}
    goes = {one.name: generator.choice(eagerness) for one in channels}
    with Model(library) as model:
        model.reset(2, manifest.fame1.reset)
        while any(len(stream) < len(inputs) for stream in received.values()):
            if model.cycle > PATIENCE * len(inputs):
                raise GoldenGateError("the stalled target makes no progress")
            for one in ins:
                offered = given[one.name] < len(inputs)
                offered = offered and generator.random() < goes[one.name]
                noise = generator.getrandbits(one.width_bits)
                model[f"{one.name}_valid"] = int(offered)
                model[f"{one.name}_bits"] = tokens[one.name][given[one.name]] if offered else noise
            for one in outs:
                model[f"{one.name}_ready"] = int(generator.random() < goes[one.name])
            result = model.step()
            for one in ins:
                given[one.name] += model[f"{one.name}_valid"] & result[f"{one.name}_ready"]
            for one in outs:
                if result[f"{one.name}_valid"] and model[f"{one.name}_ready"]:
                    received[one.name].append(result[f"{one.name}_bits"])
        outputs: list[dict[str, int]] = [{} for _ in inputs]
        for one in outs:
            for cycle, token in enumerate(received[one.name]):
                outputs[cycle] |= unpacked(one, token)
        return Stalled(outputs, {one: result[one] for one in counters}, model.cycle)


def _ports(manifest: Manifest) -> tuple[list[Channel], list[str]]:
    """Return the channels of a form, and the names of its counters."""
    fame1 = manifest.fame1
    assert fame1 is not None
    counters = [counter.port for counter in manifest.counters]
    if fame1.threads == 1:
        return fame1.channels, counters
    names = [node_name(one, port) for one in range(fame1.threads) for port in counters]
    return of_nodes(fame1.threads, fame1.channels), names


def of_supernode(nodes: Sequence[Sequence[Mapping[str, int]]]) -> list[dict[str, int]]:
    """Return the values of a supernode's ports in each cycle, from those of its targets."""
    return [
        {
            node_name(thread, name): bits
            for thread, one in enumerate(together)
            for name, bits in one.items()
        }
        for together in zip(*nodes, strict=True)
    ]
