# SPDX-License-Identifier: BSD-3-Clause
"""The RDMA NIC and packets that must not do what they ask for: test-case files, on the wire.

Each case is a file: a node without a core sends its packets to a node with the RDMA NIC. What comes
back must be the file's answers, byte for byte, and nothing else: a NAK or silence, as the
specification says. The target's memory must be what the file says: untouched, unless a packet was
right. One hash for threads and batches.
"""

from __future__ import annotations

import re
from pathlib import Path

from firesim_common.paths import ROOT

from regression.support.captured_frames import frames_in
from regression.support.cluster import Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.rdma_cases import SOURCE, TARGET, RdmaCase, read_case
from regression.support.rdma_traffic import RDMA_NODE
from regression.support.roce import UDP_PORT
from regression.support.simulate import Run
from regression.support.target_digest import memory_digest

CASES = ROOT / "regression/oracles/rdma_cases"
_RECEIVED = re.compile(r"rdmatarget received=\d+ bytes=(\d+) status=0 flags=(\d+) immediate=(\S+)")
_QUICK = ("read", "stale_key", "forged_psn")


def _config(case: RdmaCase, traffic: Path) -> Config:
    """Return a node that sends the case's packets, and their target."""
    args = [f"{key}={value}" for key, value in case.target.model_dump().items()]
    return {
        "system": {
            "topology": "two_nodes",
            "link": {"latency": "200ns"},
            "nodes": {
                "node0": {"blade": "traffic", "traffic": str(traffic)},
                "node1": RDMA_NODE,
            },
        },
        "workload": {
            "nodes": {"node1": {"program": "rdmatarget", "args": [f"peer={SOURCE.mac}", *args]}}
        },
        "simulation": {"captures": True, "threads": 1},
    }


def _answers(run: Run) -> list[bytes]:
    """Return the frames of RoCEv2 that the target sent."""
    port = UDP_PORT.to_bytes(2)
    return [
        found.data
        for found in frames_in(run.folder)
        if found.source.hex(":") == TARGET.mac and found.data[36:38] == port
    ]


def check(run: Run, case: RdmaCase) -> None:
    """Compare a run with its case.

    Raises:
        ExperimentError: an answer, the memory or a completion is another one.
    """
    wanted = [data + bytes(-(len(data) + 2) % 8) for data in case.answers()]
    found = _answers(run)
    for index, (data, expected) in enumerate(zip(found, wanted, strict=False)):
        if data != expected:
            raise ExperimentError(f"answer {index}: found {data.hex()}, expected {expected.hex()}.")
    if len(found) != len(wanted):
        raise ExperimentError(f"found {len(found)} answers, expected {len(wanted)}.")
    console = run.console("node1")
    received = [(int(a), int(b), int(c, 16)) for a, b, c in _RECEIVED.findall(console)]
    expected_ones = [(one.bytes, one.flags, one.immediate) for one in case.received]
    if received != expected_ones:
        raise ExperimentError(f"found completions {received}, expected {expected_ones}.")
    if f"rdmatarget memory={memory_digest(case.memory_after()):x}" not in console.split("\n"):
        raise ExperimentError(f"the memory is not what it should be: {console[-200:]}")


@experiment_named("rdma-security")
def run(experiment: Experiment) -> Verdict:
    """Hold when every case has its answers, its memory, and one hash."""
    names = _QUICK if experiment.quick else sorted(path.stem for path in CASES.glob("*.yaml"))
    rows, held = [], 0
    for name in names:
        case = read_case(CASES / f"{name}.yaml")
        traffic = experiment.folder / f"{name}.traffic"
        traffic.write_text(case.traffic())
        ran = run_cluster(experiment, name, _config(case, traffic))
        try:
            check(ran, case)
            outcome = "as the file says"
            held += 1
        except ExperimentError as error:
            outcome = str(error)
        rows.append([name, case.about, len(case.expects), len(case.written), outcome])
    columns = ["case", "what it shows", "answers", "payloads written", "found"]
    experiment.table("Test cases", columns, rows)
    again = merged(
        _config(case, traffic),
        {"simulation": {"threads": 2, "random_batch_seed": experiment.seed | 1}},
    )
    hashes = [ran.token_hash, run_cluster(experiment, "batches", again).token_hash]
    experiment.keep(cases=len(names), held=held, token_hashes=hashes)
    return Verdict(
        held == len(names) and len(set(hashes)) == 1,
        f"{held} of {len(names)} cases answered as their files say, memory too; "
        f"{'one hash' if len(set(hashes)) == 1 else 'two hashes'}",
        "all, one hash",
    )
