# SPDX-License-Identifier: BSD-3-Clause
"""How fast the RDMA NIC is: goodput over a link of 2 us, and what a READ takes.

A client keeps up to 16 messages of 16 KiB on the wire. Goodput is counted from the completion of
the 17th message to that of the last one, and compared with MTU / (MTU + headers) of the link's
rate. The messages must be in memory. A READ of 8 bytes is timed over several latencies of the
links: each round trip passes every link twice, so its slope must be just that. Both cores sleep
meanwhile, as one that looks at memory again and again is in the way of what the NIC reads. What is
left is split by captures.
"""

from __future__ import annotations

import re

from regression.support.captured_frames import Frame, read_capture
from regression.support.cluster import Config, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.rdma_traffic import FULL_GBPS, WINDOW, Stream, stream_recipe
from regression.support.roce import HEADER_BYTES, READ_ONLY, READ_REQUEST, UDP_PORT
from regression.support.simulate import Run

GOAL = 0.97
LINKS = 2
"""From one node to the other, over a switch."""
LATENCIES = (2_520, 5_040, 7_560, 10_080)
"""Cycles of a link."""
GOAL_GBPS = 100
"""Rate of links, by its name. At the full rate the payload takes a node's whole memory port:
that is measured too, and no goal, since the core that posts work then waits for memory."""
FLIT_BYTES, CLOCK_GHZ = 8, 3.2
_LINE = re.compile(r"rdmaspeed messages=(\d+) bytes=(\d+) cycles=(\d+)")
_LATENCY = re.compile(r"latency=(\d+)")


def _number(pattern: re.Pattern[str], run: Run, group: int = 1) -> int:
    found = pattern.search(run.console("node0"))
    if found is None:
        raise ExperimentError(f"{run.folder}: found no line of the client.")
    return int(found[group])


def _memories_agree(run: Run, pairs: int) -> bool:
    """Return whether the server has the client's message, or the client the server's, each pair."""
    lines = [re.findall(r"rdmaspeed memory=(\S+)", run.console(f"node{i}")) for i in range(2)]
    return len(lines[0]) == 1 and len(lines[1]) == pairs and len({*lines[0], *lines[1]}) == 1


def _goodput(experiment: Experiment) -> tuple[float, bool, list[str]]:
    """Return the least share of the goal's rate, whether memories were right, and the hashes."""
    count = WINDOW + 17 if experiment.quick else WINDOW + 65
    operations = ("write", "read") if experiment.quick else ("write", "send", "read")
    rows, shares, agree, hashes = [], [], True, []
    for mtu in (1_024, 4_096):
        for operation in operations if mtu == 1_024 or not experiment.quick else ("write",):
            for gbps in (GOAL_GBPS,) if experiment.quick else (GOAL_GBPS, FULL_GBPS):
                traffic = Stream(operation, mtu, count, bandwidth_gbps=gbps)
                run = run_cluster(experiment, f"{operation}-{mtu}-{gbps}", stream_recipe(traffic))
                bytes_a_cycle = _number(_LINE, run, 2) / _number(_LINE, run, 3)
                line = gbps / FULL_GBPS * FLIT_BYTES
                share = bytes_a_cycle / line * (mtu + HEADER_BYTES) / mtu
                if gbps == GOAL_GBPS:
                    shares.append(share)
                agree = agree and _memories_agree(run, 1)
                exact = line * CLOCK_GHZ * 8
                rate = bytes_a_cycle * CLOCK_GHZ * 8
                rows.append((mtu, operation, f"{exact:.1f}", f"{rate:.1f}", f"{share:.4f}"))
                hashes.append(run.token_hash)
    experiment.table(
        "Goodput over links of 2 us (measured)",
        ("MTU (bytes)", "operation", "link (Gb/s)", "goodput", "of MTU / (MTU + headers)"),
        rows,
    )
    return min(shares), agree, hashes


def _passing(run: Run, opcode: int) -> tuple[Frame, Frame]:
    """Return the last packet with this opcode when it comes into the switch and when it leaves."""
    path = next(run.folder.rglob("capture*.pcapng"))
    found = [
        one
        for one in read_capture(path)
        if one.data[36:38] == UDP_PORT.to_bytes(2) and one.data[42] == opcode
    ]
    return [one for one in found if one.inbound][-1], [one for one in found if not one.inbound][-1]


def _latency(experiment: Experiment) -> tuple[list[int], bool]:
    """Return what is left of each READ's latency without links, and whether its parts stay."""
    rows, rests, parts = [], [], set()
    for latency in LATENCIES[:3] if experiment.quick else LATENCIES:
        traffic = Stream("read", 1_024, 8, 8, 1, 0, latency, interrupts=1)
        name = f"latency-{latency}"
        run = run_cluster(experiment, name, stream_recipe(traffic, captures=True))
        total = _number(_LATENCY, run)
        request, response = _passing(run, READ_REQUEST), _passing(run, READ_ONLY)
        switch = sum(out.cycle - into.cycle for into, out in (request, response))
        server = response[0].cycle - request[1].cycle - 2 * latency
        rests.append(total - 2 * LINKS * latency)
        parts.add((rests[-1] - switch - server, switch, server))
        rows.append((latency, total, rests[-1], rests[-1] - switch - server, switch, server))
    columns = ("link (cycles)", "READ", "without links", "client", "switch", "server")
    experiment.table("Latency of a READ of 8 bytes, cycles (measured)", columns, rows)
    return rests, len(parts) == 1


def _several(experiment: Experiment) -> tuple[bool, list[str]]:
    """Return whether four queue pairs at once, by interrupts, are right; hashes of two ways."""
    traffic = Stream("write", 1_024, 16, 2_048, 4, 0, 640, pairs=4, interrupts=1)
    ways: dict[str, Config] = {
        "one-thread": {"threads": 1},
        "random-batches": {"threads": 2, "random_batch_seed": experiment.seed | 1},
    }
    runs = [
        run_cluster(experiment, name, stream_recipe(traffic, **way)) for name, way in ways.items()
    ]
    served = re.search(r"interrupts=(\d+)", runs[0].console("node0"))
    good = _memories_agree(runs[0], traffic.pairs) and served is not None and int(served[1]) > 0
    return good, [run.token_hash for run in runs]


@experiment_named("rdma-speed")
def run(experiment: Experiment) -> Verdict:
    """Hold when goodput is at least its goal and the slope of latency is exact."""
    share, agree, goodput_hashes = _goodput(experiment)
    rests, steady = _latency(experiment)
    several, hashes = _several(experiment)
    exact = len(set(rests)) == 1 and steady
    experiment.keep(
        least_share=share,
        read_without_links_cycles=rests,
        token_hashes=[*goodput_hashes, *hashes],
    )
    holds = share >= GOAL and agree and exact and several and len(set(hashes)) == 1
    figure = (
        f"at least {100 * share:.1f} % of MTU / (MTU + headers) at {GOAL_GBPS} Gb/s; a READ takes "
        f"{2 * LINKS} link latencies and {rests[0]:,} cycles"
    )
    return Verdict(holds, figure, f"at least {100 * GOAL:.0f} %; a slope of exactly {2 * LINKS}")
