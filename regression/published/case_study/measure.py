# SPDX-License-Identifier: BSD-3-Clause
"""Runs one step of the case study: on functional nodes, or in RTL from a warm start.

On functional nodes nuttcp streams. In RTL `exchange` does, which never sleeps: nuttcp waits for
30 ms of target time before it sends. The nodes boot on the functional blade and go on where the
stream begins, with a trace of every call stack and the NIC's counters, which change no cycle.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from firesim.report.console import records
from firesim.report.flamegraph import merge_folded

from regression.published.case_study.steps import Step
from regression.support.cluster import Cluster, Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError
from regression.support.linux import CLOCK_HZ, check_one_thread, streams
from regression.support.simulate import Run
from regression.support.warm import REGION_LIMIT_CYCLES, WarmStart, region_cycle

RTL_LIMIT_CYCLES = 100_000_000
SETTLE = "usleep 5000; firesim-start-roi; "
"""Before the sender's stream in RTL: by then the receiver listens."""
SEEN: Config = {
    "simulation": {
        "engine": "rtl",
        "tracing": {"enabled": True, "outputs": ["folded"]},
        "autocounter": {"enabled": True, "interval_cycles": 1_000_000},
    }
}
TO_PEER, TO_ITSELF = "networked", "loopback"
"""Kinds of streams."""
LEVELS = ("not_empty", "at_least_one_quarter", "at_least_half", "at_least_three_quarters", "full")
"""Of the NIC's send-request queue, each a counter of the cycles in which it is so full."""


@dataclass(frozen=True)
class Carried:
    """What a stream carried, and how fast; `retransmissions` counts segments, where it is known."""

    gbps: float
    kibibytes: float
    retransmissions: int | None


@dataclass(frozen=True)
class Measured:
    """One step on one machine."""

    step: Step
    cores: int
    job: str
    stream: Carried
    token_hash: str
    stacks: dict[str, Counter[str]] = field(default_factory=dict)
    """In RTL: by node, the cycles of each call stack."""
    occupancy: tuple[float, ...] = ()
    """In RTL: of the sender, the share of cycles in which the send queue is at least so full."""
    engine_copies: tuple[int, ...] = ()
    """In RTL, with a copy engine: the operations of each node's."""

    @property
    def gbps(self) -> float:
        """The bandwidth of the stream."""
        return self.stream.gbps

    @property
    def folder(self) -> str:
        """Return the name of the folder with its results."""
        return folder_name(self.step, self.cores, self.job)


def folder_name(step: Step, cores: int, job: str) -> str:
    """Return a name for a run: letters, digits and hyphens."""
    words = "".join(c if c.isalnum() else " " for c in step.name).split()
    return "-".join([str(cores), job, *words]).lower()


def _sender(job: str) -> str:
    return "node1" if job == TO_PEER else "node0"


def _with_nuttcp(step: Step, cores: int, job: str, kibibytes: int) -> Config:
    nuttcp = f"{step.under}nuttcp"
    receive = f"{nuttcp} -1 --nofork > /dev/null"
    peer = "node0" if job == TO_PEER else "127.0.0.1"
    send = f"until {nuttcp} -fparse -n {kibibytes}k {peer} 2> /dev/null; do usleep 5000; done"
    if job == TO_PEER:
        return step.config(cores, send, receive)
    return step.config(cores, f"{receive} & {send}")


def _with_exchange(step: Step, cores: int, job: str, kibibytes: int) -> Config:
    peer = "172.16.0.2" if job == TO_PEER else "127.0.0.1"
    send = f"exchange server={peer} pings=1 bytes={kibibytes << 10}"
    if job == TO_PEER:
        return step.config(cores, f"{SETTLE}{send}", "exchange pings=1")
    return step.config(cores, f"exchange pings=1 & {SETTLE}{send}; wait")


def functional(
    experiment: Experiment, step: Step, cores: int, job: str, kibibytes: int, check: bool
) -> Measured:
    """Run a step on functional nodes; with `check` once more with one thread."""
    config = _with_nuttcp(step, cores, job, kibibytes)
    name = folder_name(step, cores, job)
    run = run_cluster(experiment, name, config)
    if check:
        check_one_thread(experiment, name, config, run)
    sender = _sender(job)
    stream = streams(run.console(sender), sender, 1)[0]
    carried = Carried(stream.mbps / 1e3, stream.megabytes * 1024, stream.retransmissions)
    return Measured(step, cores, job, carried, run.token_hash)


def in_rtl(experiment: Experiment, step: Step, cores: int, job: str, kibibytes: int) -> Measured:
    """Boot a step on functional nodes and run its stream in RTL.

    Raises:
        ExperimentError: the stream did not end.
    """
    config = _with_exchange(step, cores, job, kibibytes)
    warm = WarmStart(experiment, config, experiment.folder / folder_name(step, cores, job))
    at = region_cycle(warm.whole(REGION_LIMIT_CYCLES))
    warm.save([at])
    seen = Cluster(experiment, merged(config, SEEN))
    warm.rtl = seen.description(warm.folder / "seen")
    run = warm.go_on(at, at + RTL_LIMIT_CYCLES, experiment.threads)
    if run.result["reason"] != "ended":
        raise ExperimentError(f"{run.folder}: the run ended with {run.result['reason']}.")
    nodes = [str(node["name"]) for node in run.result["nodes"]]
    stacks = {node: _stacks(run.folder / node, cores) for node in nodes}
    counters = {node: _counted(run.folder / node / "counters.csv") for node in nodes}
    occupancy = tuple(
        counters[_sender(job)].share(f"nic_send_requests_{level}") for level in LEVELS
    )
    copies = tuple(
        counted.rise("near_core_operations") for counted in counters.values() if step.engine_bytes
    )
    return Measured(step, cores, job, _exchanged(run), run.token_hash, stacks, occupancy, copies)


def _exchanged(run: Run) -> Carried:
    """Return the stream as its receiver counted and checked it.

    Raises:
        ExperimentError: there is none, or a word was wrong.
    """
    found = [record for record in records(run.console("node0")) if record.kind == "tcp"]
    values = [record.number(name) for record in found for name in ("bytes", "cycles", "errors")]
    match values:
        case [float(total), float(cycles), 0]:
            return Carried(8 * total / cycles * CLOCK_HZ / 1e9, total / 1024, None)
    raise ExperimentError(f"{run.folder}: found {values}, expected one stream without an error.")


def _stacks(folder: Path, cores: int) -> Counter[str]:
    return Counter(merge_folded([folder / f"trace/hart{hart}.folded" for hart in range(cores)]))


@dataclass(frozen=True)
class Counted:
    """Counters of a node in RTL, from the first row to the last."""

    path: Path
    first: dict[str, str]
    last: dict[str, str]

    def rise(self, event: str) -> int:
        """Return how often an event was counted.

        Raises:
            ExperimentError: no counter, or more than one, is called so.
        """
        names = [name for name in self.last if name.endswith(event)]
        if len(names) != 1:
            raise ExperimentError(
                f"{self.path}: found {len(names)} counters of {event}, expected one."
            )
        return int(self.last[names[0]]) - int(self.first[names[0]])

    def share(self, event: str) -> float:
        """Return the share of cycles in which an event was counted."""
        return self.rise(event) / self.rise("cycle")


def _counted(path: Path) -> Counted:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return Counted(path, rows[0], rows[-1])


def own_share(stacks: Counter[str], *functions: str) -> float:
    """Return the share of the cycles in which a function itself ran, or one of several."""
    own = sum(n for stack, n in stacks.items() if stack.rsplit(";", 1)[-1] in functions)
    return own / max(1, sum(stacks.values()))
