# SPDX-License-Identifier: BSD-3-Clause
"""The Linux driver of the RDMA NIC in RTL: nodes that booted as functional ones go on there.

Two Linux nodes run Debian's ibv_rc_pingpong over the NIC by its driver. They boot on functional
nodes and are saved shortly before the first packet of RDMA: programs are connected by TCP in RTL,
the driver sets queue pairs up there, and all messages pass between the NICs in RTL to the end. So
they do between a node in RTL and a functional one. Both ends must print their result, no kernel may
complain, and the messages of both directions must be those of the functional run, byte for byte.
One hash for one thread and two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from regression.support.captured_frames import Frame, read_capture
from regression.support.cluster import Config, merged
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.linux import COMPLAINT
from regression.support.own_kernel import add_kernel_argument, check_kernel
from regression.support.rdma_linux import (
    BLADE,
    DRIVER,
    LINUX,
    between,
)
from regression.support.roce import is_roce
from regression.support.simulate import Run
from regression.support.warm import WarmStart

COUNT, SIZE, MTU = 10, 2_048, 1_024
BEFORE_CYCLES = 100_000
"""How long before the first packet nodes are saved."""
WHOLE_CYCLES = 400_000_000
MOST_CYCLES = 30_000_000
"""In RTL: until the client has printed what it said, by a program of its own."""
ENGINES: dict[str, Mapping[str, str]] = {
    "both in RTL": {},
    "the client functional": {LINUX: "functional"},
}
_OPCODE_AT = 42
_SENDS = range(6)
"""Opcodes of packets of SENDs."""


def _config(engines: Mapping[str, str]) -> Config:
    words = f"ibv_rc_pingpong -d {{device}} -g 1 -n {COUNT} -s {SIZE} -m {MTU} -c"
    over: Config = {"simulation": {"engines": dict(engines)}}
    return merged(between(DRIVER, DRIVER, words), over)


def _messages(run: Run) -> list[Frame]:
    """Return the packets of RoCEv2 that came into the switch, by cycle."""
    (path,) = run.folder.rglob("capture*.pcapng")
    return [one for one in read_capture(path) if one.inbound and is_roce(one)]


def _sent(frames: list[Frame]) -> dict[bytes, list[bytes]]:
    """Return the packets of SENDs by who sent them; what is acknowledged when depends on time."""
    found: dict[bytes, list[bytes]] = {}
    for one in frames:
        if one.data[_OPCODE_AT] in _SENDS:
            found.setdefault(one.source, []).append(one.data)
    return found


def _problem(run: Run, expected: dict[bytes, list[bytes]]) -> str:
    """Return what is wrong with a run that went on; empty: nothing."""
    for node in (BLADE, LINUX):
        text = run.console(node)
        if complaint := COMPLAINT.search(text):
            return f"{node} says {complaint[0]!r}"
        if not re.search(rf"{COUNT} iters in [\d.]+ seconds", text) or "invalid data" in text:
            return f"the ping-pong of {node} is incomplete, or has wrong data"
    return "" if _sent(_messages(run)) == expected else "messages are not those of the whole run"


def _gone_on(experiment: Experiment, rows: list[list[object]], how: str) -> list[str]:
    """Save two nodes and go on with one thread and with two; return what is wrong.

    Raises:
        ExperimentError: the functional nodes sent nothing.
    """
    warm = WarmStart(experiment, _config(ENGINES[how]), experiment.folder / how.replace(" ", "-"))
    whole = warm.whole(WHOLE_CYCLES)
    frames = _messages(whole)
    expected = _sent(frames)
    if [len(sent) for sent in expected.values()] != [COUNT * SIZE // MTU] * 2:
        raise ExperimentError(f"{whole.folder}: found no whole ping-pong.")
    at = frames[0].cycle - BEFORE_CYCLES
    warm.save([at])
    runs = [warm.go_on(at, at + MOST_CYCLES, threads) for threads in (1, 2)]
    wrong = [what for run in runs if (what := _problem(run, expected))]
    if runs[0].token_hash != runs[1].token_hash:
        wrong.append(f"hashes {runs[0].token_hash} and {runs[1].token_hash}")
    done = _messages(runs[0])
    cycles = done[-1].cycle - done[0].cycle if done else 0
    rows.append([how, at, runs[0].end_cycle - at, len(done), cycles, runs[0].token_hash])
    return [f"{how}: {what}" for what in wrong]


@experiment_named("rdma-warm", add_kernel_argument)
def run(experiment: Experiment) -> Verdict:
    """Hold when ping-pongs end well in RTL, with the messages of the functional run."""
    check_kernel(experiment)
    rows: list[list[object]] = []
    names = list(ENGINES)[: 1 if experiment.quick else None]
    wrong = [what for how in names for what in _gone_on(experiment, rows, how)]
    experiment.table(
        "Linux nodes that go on in RTL (measured)",
        ["which", "saved (cycle)", "went on (cycles)", "packets", "in (cycles)", "token hash"],
        rows,
    )
    for what in wrong:
        experiment.say(what)
    experiment.keep(rows=rows, wrong=wrong)
    return Verdict(
        not wrong,
        f"{len(names)} ping-pongs of {COUNT} messages to and fro went on in RTL to their end, "
        f"with {len(wrong)} faults",
        "none, one hash each",
    )
