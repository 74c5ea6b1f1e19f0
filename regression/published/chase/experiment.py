# SPDX-License-Identifier: BSD-3-Clause
"""Pointer chase over servers: GETs, active messages, injected code (Three-Chains, 2022).

A table of pointers lies on several servers. The client fetches each entry (GET from software, or in
RTL also READ from an RDMA NIC), or sends a function that goes on by itself from server to server:
by its number (active message), or with RV64 code in the frame, which is left out once the receiver
has it. Absolute: values found, every message of every node, sizes of frames, and the latency law: a
fetch takes two traversals of the network a step, a chase one for each forward. Shape: chase ahead
of fetches, by more the longer the network; fetches the same for any number of servers; active
messages a little ahead of injected code. A server that restarts makes its senders send code
again, and broken frames are refused and counted.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from itertools import pairwise

from regression.published.chase.frames import (
    ACTIVE,
    ADDRESSES_BYTES,
    ETHERTYPE,
    broken,
    counted,
    head_of,
    mutants,
)
from regression.published.chase.measure import (
    CLOCK_HZ,
    INCREMENTS,
    TICK_CYCLES,
    Incremented,
    Measured,
    chased,
    incremented,
    names,
    printed,
    recipe,
    run_config,
)
from regression.published.chase.pictures import plot_breakdown, plot_depths, plot_ratios, plot_scale
from regression.published.chase.reference import FETCHES, Chase, sweep
from regression.support.captured_frames import frames_in
from regression.support.claims import tell
from regression.support.cluster import merged
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.traffic import mac_of

GOLDEN_XOR, GOLDEN_FORWARDS = 0xE67C, {1: 0, 2: 32_689}
LINK_CYCLES = 320
"""Of a link; with a switch between, 0.2 us from node to node."""
LAW_ERROR = 0.002
"""Part by which a slope may miss the law: the time base has 100 cycles."""
REFUSED_BY_CALLS = ("address", "depth", "destination")
"""Reasons that the function called finds, and not who calls it."""
_REFUSED = re.compile(r"^refused (\w+)=(\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    engine: str
    """Of times; values and messages of the whole table are on functional nodes."""
    modes: tuple[str, ...]
    """Whose times are taken; a READ needs the RDMA NIC, which is in RTL alone."""
    golden: tuple[tuple[int, str], ...]
    """Servers and mode of chases over the whole table."""
    servers: tuple[int, ...]
    latencies_us: tuple[float, ...]
    """From node to node."""
    entries: int
    depth: int
    starts: int
    increments: int
    hostile: int


QUICK = Scale(
    engine="functional",
    modes=("get", "active", "fat"),
    golden=((1, "fat"), (2, "fat")),
    servers=(1, 2, 4),
    latencies_us=(0.2, 10.0),
    entries=1_024,
    depth=64,
    starts=4,
    increments=10,
    hostile=40,
)
FULL = Scale(
    engine="rtl",
    modes=("read", "get", "active", "fat"),
    golden=(
        *((1, mode) for mode in ("get", "active", "binary", "fat")),
        *((2, mode) for mode in ("get", "active", "binary", "fat")),
        *((servers, mode) for servers in (4, 8, 16, 32) for mode in ("get", "active", "fat")),
        (256, "fat"),
    ),
    servers=(1, 2, 4, 8, 16, 32),
    latencies_us=(0.2, 0.5, 1.0, 2.0, 5.0, 10.0),
    entries=1_024,
    depth=256,
    starts=4,
    increments=100,
    hostile=400,
)


def _link_cycles(latency_us: float) -> int:
    """Return the latency of each of the two links from node to node."""
    return round(latency_us * 1e-6 * CLOCK_HZ / 2)


def _golden(experiment: Experiment, scale: Scale) -> bool:
    """Return whether chases over the whole table find the golden values and send as they must."""
    rows, right = [], True
    for servers, mode in scale.golden:
        chase = Chase(servers, mode)
        found = chased(experiment, f"golden-{servers}-{mode}", chase, LINK_CYCLES, "functional")
        (xor,) = found.values.values()
        wanted = 0 if mode == "get" else GOLDEN_FORWARDS.get(servers, found.forwards)
        right &= xor == GOLDEN_XOR and found.forwards == wanted
        rows.append([servers, mode, hex(xor), found.forwards, found.run.token_hash])
    columns = ["servers", "mode", "values found", "forwards", "token hash"]
    experiment.table("65,536 entries, 16 chases of 4,096", columns, rows)
    return right


def _swept(experiment: Experiment, scale: Scale) -> dict[tuple[int, str], Measured]:
    """Return chases of all depths, by servers and mode."""
    depths = sweep(scale.depth)
    return {
        (servers, mode): chased(
            experiment,
            f"sweep-{servers}-{mode}",
            Chase(servers, mode, scale.entries, depths, scale.starts),
            LINK_CYCLES,
            scale.engine,
        )
        for servers in scale.servers
        for mode in scale.modes
    }


@dataclass(frozen=True)
class Law:
    """What two servers show over the latencies."""

    error: float
    """The largest part by which a slope misses the law."""
    times_us: dict[str, list[float]]
    """Of a chase, by mode."""
    limit: float
    """The lead of a chase over GETs if latency were all that takes time."""

    def leads(self, fetch: str) -> list[float]:
        """Return how much faster injected code is than a way to fetch, by latency."""
        pairs = zip(self.times_us[fetch], self.times_us["fat"], strict=True)
        return [slow / fast for slow, fast in pairs]


def _law(experiment: Experiment, scale: Scale) -> Law:
    """Run all modes over the latencies and compare slopes with the messages in a row."""
    rows, worst = [], 0.0
    times: dict[str, list[float]] = {}
    on_path: dict[str, int] = {}
    for mode in scale.modes:
        runs = [
            chased(
                experiment,
                f"law-{mode}-{latency}",
                Chase(2, mode, scale.entries, (scale.depth,), scale.starts),
                _link_cycles(latency),
                scale.engine,
            )
            for latency in scale.latencies_us
        ]
        first = runs[0]
        times[mode] = [run.us(scale.depth) for run in runs]
        on_path[mode] = first.on_path[scale.depth]
        for latency, run in zip(scale.latencies_us[1:], runs[1:], strict=True):
            moved = (run.ticks[scale.depth] - first.ticks[scale.depth]) * TICK_CYCLES
            longer = 2 * (_link_cycles(latency) - _link_cycles(scale.latencies_us[0]))
            messages, wanted = moved / longer, on_path[mode]
            worst = max(worst, abs(messages / wanted - 1))
            rows.append([mode, latency, f"{messages:.2f}", wanted, f"{messages / wanted - 1:+.3%}"])
    columns = ["mode", "latency (us)", "traversals by slope", "messages in a row", "error"]
    experiment.table("The latency law, two servers", columns, rows)
    return Law(worst, times, on_path["get"] / on_path["fat"])


def _increments(experiment: Experiment, scale: Scale) -> tuple[bool, dict[str, Incremented]]:
    """Return whether all frames of increments have the published sizes, and the times."""
    rows, exact, found = [], True, {}
    for way in INCREMENTS:
        ran = incremented(experiment, way, scale.increments, LINK_CYCLES, scale.engine)
        sizes = []
        for frame in frames_in(ran.run.folder):
            head = head_of(frame.data)
            if head and (head.type == ACTIVE or head.name.startswith(b"incr")):
                whole = len(frame.data) - ADDRESSES_BYTES >= head.frame_bytes
                sizes.append(head.frame_bytes if whole else head.code_at)
        cut = way.name == "cached"
        steady = sizes[2:] if cut else sizes
        exact &= len(sizes) == 2 * scale.increments and set(steady) == {way.frame_bytes}
        found[way.name] = ran
        times = (ran.transmission_us, ran.lookup_us, ran.execution_us, ran.total_us)
        rows.append([way.name, *sorted(set(steady)), *(f"{time:.3f}" for time in times)])
    columns = ["increment", "frame (bytes)", "transmission (us)", "lookup (us)", "execution (us)"]
    experiment.table("One increment", [*columns, "total (us)"], rows)
    return exact, found


def _restart(experiment: Experiment) -> bool:
    """Return whether servers that restart are sent code again, and all values are right."""
    chase = Chase(4, "fat", 1_024, (64,), 8, {0: 5, 3: 40})
    found = chased(experiment, "restart", chase, LINK_CYCLES, "functional")
    nodes = {node: printed(found.run, node) for node in names(4)}
    keys = ("whole", "cut", "unknown", "again", "registered")
    rows = [[node, *(counts[key] for key in keys)] for node, counts in nodes.items()]
    experiment.table(
        "Servers 0 and 3 restart after 5 and 40 calls",
        ["node", "sent whole", "cut", "sent back", "sent again", "functions registered"],
        rows,
    )
    return all(nodes[f"s{server}"]["unknown"] > 0 for server in (0, 3))


def _hostile(experiment: Experiment, scale: Scale) -> tuple[int, bool]:
    """Return the broken frames sent, and whether each was refused for its reason."""
    chase = Chase(2, "fat", 1_024, (256,), 16)
    frames = [*broken(chase.entries), *mutants(random.Random(experiment.seed), scale.hostile)]
    stranger = ("stranger", frames[0][1])
    member, target, other = (bytes.fromhex(mac_of(at).replace(":", "")) for at in (0, 1, 3))
    lines = []
    for index, (reason, frame) in enumerate([*frames, stranger]):
        source = other if reason == "stranger" else member
        data = target + source + ETHERTYPE + frame
        lines.append(f"{400_000 + index * 8_000} frame {data.hex()}")
    file = experiment.folder / "hostile.traffic"
    file.write_text("\n".join(lines) + "\n")
    config = merged(
        recipe(chase, LINK_CYCLES, "functional"),
        {
            "system": {
                "topology": {"tree": {"tor": [*names(2), "hostile"]}},
                "nodes": {"hostile": {"blade": "traffic", "traffic": str(file)}},
            }
        },
    )
    calls = sum(reason in REFUSED_BY_CALLS for reason, frame in frames if frame[12] == ACTIVE)
    found = run_config(experiment, "hostile", chase, config, calls)
    refused = {key: int(value) for key, value in _REFUSED.findall(found.run.console("s0"))}
    wanted = dict(counted([*frames, stranger]))
    rows = [[key, wanted.get(key, 0), refused.get(key, 0)] for key in sorted({*wanted, *refused})]
    experiment.table("Broken frames", ["reason", "sent", "refused"], rows)
    return len(lines), refused == wanted


def _one_hash(experiment: Experiment) -> bool:
    """Return whether RTL blades give one hash a mode, for threads, batches and both engines."""
    ways: dict[str, dict[str, object]] = {
        "1 thread": {"threads": 1, "captures": True},
        "2 threads, random batches": {"threads": 2, "random_batch_seed": experiment.seed | 1},
    }
    if not experiment.quick:
        ways["Verilator"] = {"rtl_engine": "verilator"}
    rows, one = [], True
    for mode in ("fat", "read"):
        chase = Chase(2, mode, 64, (8,), 2)
        found = [
            chased(experiment, f"hash-{mode}-{index}", chase, LINK_CYCLES, "rtl", **way).run
            for index, way in enumerate(ways.values())
        ]
        one &= len({run.token_hash for run in found}) == 1
        rows += [
            [mode, name, run.token_hash, run.end_cycle]
            for name, run in zip(ways, found, strict=True)
        ]
    experiment.table("One hash a mode, in RTL", ["mode", "way", "token hash", "end cycle"], rows)
    return one


def _shapes(scale: Scale, swept: dict[tuple[int, str], Measured], law: Law) -> dict[str, bool]:
    """Return the published claims of shape, and whether each is so here."""
    depth = scale.depth
    gets = [swept[servers, "get"].us(depth) for servers in scale.servers]
    several = [servers for servers in scale.servers if servers > 1]
    ahead = [
        swept[servers, "fat"].us(depth) / swept[servers, "active"].us(depth) - 1
        for servers in several
    ]
    return {
        "injected code beats GET and READ": all(
            swept[servers, "fat"].us(depth) < swept[servers, mode].us(depth)
            for servers in scale.servers
            for mode in FETCHES
            if mode in scale.modes
        ),
        "GET is flat in the number of servers": max(gets) < 1.02 * min(gets),
        "chases take longer with more servers": all(
            swept[a, "fat"].us(depth) < swept[b, "fat"].us(depth)
            for a, b in pairwise(scale.servers)
        ),
        "active messages are ahead, by less than 10 %": all(0 < one < 0.1 for one in ahead),
        "its lead comes nearer to that of latency alone": all(
            abs(law.limit - far) < abs(law.limit - near) and min(near, far) > 1
            for mode in FETCHES
            if mode in scale.modes
            for near, far in pairwise(law.leads(mode))
        ),
    }


@experiment_named("chase")
def run(experiment: Experiment) -> Verdict:
    """Hold when values, messages and sizes are exact, the law holds, and claims of shape do."""
    scale = QUICK if experiment.quick else FULL
    golden = _golden(experiment, scale)
    law = _law(experiment, scale)
    exact, increments = _increments(experiment, scale)
    swept = _swept(experiment, scale)
    sent, refused = _hostile(experiment, scale)
    checks = {
        "golden values and forwards": golden,
        "sizes of frames": exact,
        "latency law": law.error < LAW_ERROR,
        "restarted servers are sent code again": _restart(experiment),
        "broken frames are refused": refused,
        "one hash in RTL": _one_hash(experiment),
        **_shapes(scale, swept, law),
    }
    plot_depths(experiment, swept, scale.servers[-1])
    plot_scale(experiment, swept, scale.depth)
    plot_ratios(experiment, law.times_us, scale.latencies_us, law.limit)
    plot_breakdown(experiment, increments)
    tell(experiment, checks)
    lead = swept[scale.servers[-1], "get"].us(scale.depth)
    lead /= swept[scale.servers[-1], "fat"].us(scale.depth)
    experiment.keep(
        checks=checks, law_error=law.error, times_us=law.times_us, broken_frames=sent, lead=lead
    )
    figure = (
        f"{sum(checks.values())} of {len(checks)} hold: 0x{GOLDEN_XOR:x} in {len(scale.golden)} "
        f"clusters, law within {law.error:.3%}, {sent} broken frames; {scale.servers[-1]} servers: "
        f"code {lead:.2f} times as fast as GETs"
    )
    return Verdict(all(checks.values()), figure, f"all, law within {LAW_ERROR:.1%}")
