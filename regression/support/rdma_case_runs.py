# SPDX-License-Identifier: BSD-3-Clause
"""Runs of test-case files of the RDMA NIC: a node without a core sends packets to a target."""

from __future__ import annotations

import re
from pathlib import Path

from firesim_common.paths import ROOT

from regression.support.captured_frames import frames_in
from regression.support.cluster import Config
from regression.support.experiment import ExperimentError
from regression.support.rdma_cases import SOURCE, TARGET, RdmaCase
from regression.support.rdma_traffic import RDMA_NODE
from regression.support.roce import UDP_PORT
from regression.support.simulate import Run
from regression.support.target_digest import memory_digest

CASES = ROOT / "regression/oracles/rdma_cases"
_RECEIVED = re.compile(r"rdmatarget received=\d+ bytes=(\d+) status=0 flags=(\d+) immediate=(\S+)")


def case_config(case: RdmaCase, traffic: Path) -> Config:
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


def check_case(run: Run, case: RdmaCase) -> None:
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
