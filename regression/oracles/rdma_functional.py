# SPDX-License-Identifier: BSD-3-Clause
"""The functional model of the RDMA NIC: its packets are the RTL's, byte for byte, at any time.

The bare-metal programs run unchanged on functional nodes. Random messages between two of them, and
between one and a node in RTL, must have the packets and memories of the reference in Python. Four
queue pairs with several messages on the wire must each have the packets of the RTL in their order.
Test-case files must be answered as they say, and faults of links made up for and counted. Sums that
the NIC makes are NumPy's, and rates of congestion control those of their reference. One hash for
threads, batches, and runs that go on from a snapshot.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import yaml

from regression.oracles import rdma_bytes
from regression.support import allreduce, rdma_faults, rdma_incast_runs
from regression.support.captured_frames import frames_in
from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.rdma_case_runs import CASES, case_config, check_case
from regression.support.rdma_cases import read_case
from regression.support.rdma_incast import recipe as incast_recipe
from regression.support.rdma_traffic import Stream, Traffic, functional, recipe, stream_recipe
from regression.support.roce import is_roce
from regression.support.simulate import Run
from regression.support.snapshots import equal_from_snapshots

WAYS: dict[str, tuple[str, ...]] = {
    "both": (),
    "the client": ("node0",),
    "the server": ("node1",),
}
"""Which nodes are functional; the others are in RTL."""
_FIRST_PSN = 0xFFFFF0
_QP = slice(47, 50)
"""Where a frame has the queue pair that it is for."""
Flow = tuple[bytes, bytes]


def _in_pages(config: Config) -> Config:
    """Return the same with the memory of both nodes scattered over pages."""
    nodes = config["workload"]["nodes"]
    paged = {name: {"args": [*node["args"], "pages=1"]} for name, node in nodes.items()}
    return merged(config, {"workload": {"nodes": paged}})


def _messages(experiment: Experiment) -> tuple[int, int]:
    """Return how many messages and packets were as the reference has them.

    Raises:
        ExperimentError: one was not.
    """
    rows, messages, packets = [], 0, 0
    count = 20 if experiment.quick else 200
    for mtu in (256, 1_024) if experiment.quick else (256, 512, 1_024, 2_048, 4_096):
        seed = experiment.seed % 1_000_000 + mtu
        traffic = Traffic(count, 4 * mtu, mtu, _FIRST_PSN, seed, 16 * mtu)
        wanted = rdma_bytes.expected(traffic)
        base = recipe(traffic, threads=1)
        configs = {way: functional(base, *nodes) for way, nodes in WAYS.items()}
        configs["both, in pages"] = _in_pages(configs["both"])
        for way, config in configs.items():
            name = f"{way.replace(', ', '-').replace(' ', '-')}-{mtu}"
            found = rdma_bytes.check(run_cluster(experiment, name, config), wanted)
            rows.append([mtu, way, count, found])
            messages += count
            packets += found
    columns = ["MTU (bytes)", "functional", "messages", "packets"]
    experiment.table("Packets and memories that are the reference's", columns, rows)
    return messages, packets


def _flows(run: Run) -> dict[Flow, list[bytes]]:
    """Return the packets of each sender to each queue pair, in their order."""
    found: dict[Flow, list[bytes]] = defaultdict(list)
    for one in filter(is_roce, frames_in(run.folder)):
        found[one.source, one.data[_QP]].append(one.data)
    return found


def _several(experiment: Experiment) -> int:
    """Return the packets of four queue pairs, which are those of the RTL.

    Raises:
        ExperimentError: they are not.
    """
    stream = Stream("write", 1_024, 16, 2_048, 4, 0, 640, pairs=4, interrupts=1)
    config = stream_recipe(stream, captures=True)
    rtl = run_cluster(experiment, "pairs-rtl", config)
    model = run_cluster(experiment, "pairs-functional", functional(config))
    wanted, found = _flows(rtl), _flows(model)
    if len(wanted) != 2 * stream.pairs or found != wanted:
        sizes = [sorted(map(len, flows.values())) for flows in (wanted, found)]
        raise ExperimentError(f"{model.folder}: the flows are others: {sizes}.")
    return sum(map(len, found.values()))


def _cases(experiment: Experiment) -> int:
    """Return the test-case files that were answered as they say.

    Raises:
        ExperimentError: one was not.
    """
    paths = sorted(CASES.glob("*.yaml"))
    for path in paths:
        case = read_case(path)
        traffic = experiment.folder / f"{path.stem}.traffic"
        traffic.write_text(case.traffic())
        config = functional(case_config(case, traffic), "node1")
        check_case(run_cluster(experiment, f"case-{path.stem}", config), case)
    return len(paths)


def _one_message(experiment: Experiment, operation: str, name: str, rules: list[Config]) -> Run:
    traffic = Traffic(1, 4_096, 1_024, 0xFFFFFE, experiment.seed % 1_000_000, 8_192)
    config = functional(rdma_faults.one_message(traffic, operation, rules))
    return run_cluster(experiment, f"{operation}-{name}", config)


def _faults(experiment: Experiment) -> tuple[int, int]:
    """Return how many faults there were, and how many were made up for and counted."""
    runs = held = 0
    for operation in rdma_faults.OPERATIONS:
        clean = _one_message(experiment, operation, "clean", [])
        memories = rdma_faults.memory_lines(clean)
        for node in ("node0", "node1"):
            sent = rdma_faults.counters(clean, node)["sent"]
            for kind in rdma_faults.KINDS:
                for packet in range(1, sent + 1):
                    rule = rdma_faults.fault_rule(kind, node, packet)
                    name = f"{kind}-{node}-{packet}"
                    ran = _one_message(experiment, operation, name, [rule])
                    same = rdma_faults.memory_lines(ran) == memories
                    runs += 1
                    held += same and rdma_faults.noticed(ran, kind)
    return runs, held


def _sums(experiment: Experiment) -> bool:
    """Return whether rings have NumPy's sums, by a NIC that adds and sends by itself."""
    blade = {
        "description": "A core with an RDMA NIC that adds",
        "extends": "rocket-1-big-rdma",
        "parts": [{"part": "rdma", "options": {"reduce": 1}}],
    }
    path = (experiment.folder / "adds.yaml").resolve()
    path.write_text(yaml.safe_dump(blade))
    node: Config = {"blade": str(path), "memory": {"size_mib": 16}}
    good = True
    for kind in ("int32", "fp32"):
        for lost in (0, 2):
            ring = allreduce.Ring(nodes=4, bytes=8_192, type=kind, segment=520, window=2)
            ring = replace(ring, lost_percent=lost, timeout=int(lost > 0), seed=experiment.seed)
            ring = ring.by("sequenced")
            config = functional(allreduce.recipe(ring, threads=1), node=node)
            run = run_cluster(experiment, f"ring-{kind}-{lost}", config)
            good = good and allreduce.seen(ring, run).exact
    return good


def _rates(experiment: Experiment) -> bool:
    """Return whether rates that senders read are the reference's, and nothing was lost."""
    incast = rdma_incast_runs.QUICK
    config = functional(incast_recipe(incast))
    seen = rdma_incast_runs.observed(experiment, incast, "incast", config)
    return rdma_incast_runs.as_the_reference(experiment, seen, nic_cycles=0) and seen.lost == 0


def _ways(experiment: Experiment) -> tuple[list[str], int, int]:
    """Return the hashes of two ways, and how many of how many snapshots went on as they should."""
    stream = Stream("write", 1_024, 16, 4_096, 4, 0, 640, pairs=4)
    ways: dict[str, Config] = {
        "one-thread": {"threads": 1},
        "random-batches": {"threads": 2, "random_batch_seed": experiment.seed | 1},
    }
    hashes = [
        run_cluster(experiment, name, functional(stream_recipe(stream, **simulation))).token_hash
        for name, simulation in ways.items()
    ]
    count = 4 if experiment.quick else 20
    config = functional(stream_recipe(stream))
    return hashes, equal_from_snapshots(experiment, config, count), count


@experiment_named("rdma-functional")
def run(experiment: Experiment) -> Verdict:
    """Hold when all packets, memories, answers, sums and rates are as they should be."""
    messages, packets = _messages(experiment)
    packets += _several(experiment)
    cases = _cases(experiment)
    faults, held = _faults(experiment)
    sums, rates = _sums(experiment), _rates(experiment)
    hashes, equal, snapshots = _ways(experiment)
    one_hash = len(set(hashes)) == 1
    experiment.keep(
        messages=messages,
        packets=packets,
        cases=cases,
        faults=faults,
        held=held,
        sums_exact=sums,
        rates_exact=rates,
        snapshots_equal=equal,
        token_hashes=hashes,
    )
    return Verdict(
        held == faults and sums and rates and one_hash and equal == snapshots,
        f"{packets} packets of {messages} random messages and of four queue pairs as the "
        f"reference and the RTL have them; {cases} test cases answered as their files say; "
        f"{held} of {faults} faults made up for; sums {'' if sums else 'NOT '}NumPy's, rates "
        f"{'' if rates else 'NOT '}the reference's; {'one hash' if one_hash else 'two hashes'}, "
        f"{equal} of {snapshots} snapshots went on the same",
        "every byte the same, all faults made up for, one hash",
    )
