# SPDX-License-Identifier: BSD-3-Clause
"""A sweep from Python on a farm of hosts: killed twice, gone on with, the hashes of runs alone.

The hosts, two (three without --quick), are namespaces of this computer, each with its own sshd and
disk. A program that does `import firesim` sweeps link latency and switching latency with the
switch on one host and the nodes on others: four points with --quick, twenty without. It is ended
by Ctrl-C and by kill -9 on the way. In the end each point has the token hash that it has as a run
alone on this computer, none with a result was simulated twice, and no process of ours is left.
"""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import firesim
from firesim_common.tools import python_command

from regression.support.experiment import (
    Experiment,
    ExperimentError,
    NotHereError,
    Verdict,
    experiment_named,
)
from regression.support.hosts.bed import TestHost, farm_text, test_bed, why_not
from regression.support.hosts.life_cycle import processes_left

LATENCY, SWITCHING = "system.link.latency", "system.switch.switching_latency_cycles"
LIMIT_S = 600.0
SETTLED_S = 30.0
POLL_S = 0.05
CYCLES = 40_000_000
GOOD = {"passed", "max_cycles"}
"""How a point ends: the longer its links, the fewer of its pings come before the cut."""
PROGRAM = """\
import json, signal, sys
import firesim
signal.signal(signal.SIGINT, signal.default_int_handler)
firesim.load(sys.argv[1]).sweep(json.loads(sys.argv[2]), sys.argv[3], jobs=2)
"""


def _run(cycles: int) -> firesim.Run:
    """Return a run of two pairs of nodes that ping each other until it is cut off."""
    ping = ["role=client", "count=1024"]
    return firesim.Run(
        name="pings",
        system=firesim.System(
            topology=firesim.Topology(named="rack_4"),
            node=firesim.Node(memory=firesim.Memory(size_mib=16)),
        ),
        workload=firesim.Workload(
            node=firesim.Job(program="ping", args=["role=server"]),
            nodes={
                "node0": firesim.Job(args=[*ping, "peer=${node1.mac}"]),
                "node2": firesim.Job(args=[*ping, "peer=${node3.mac}"]),
            },
        ),
        simulation=firesim.Simulation(engine="functional", max_cycles=cycles),
    )


def _axes(quick: bool) -> dict[str, list[Any]]:
    latencies = ["500ns", "1us"] if quick else ["500ns", "1us", "2us", "4us", "8us"]
    return {LATENCY: latencies, SWITCHING: [10, 100] if quick else [10, 30, 100, 300]}


@experiment_named("python-api")
def run(experiment: Experiment) -> Verdict:
    """Hold when the table is whole, each hash is the one of a run alone, and nothing is left."""
    if reason := why_not():
        raise NotHereError(reason)
    axes = _axes(experiment.quick)
    here = _run(CYCLES // 2 if experiment.quick else CYCLES)
    folder = experiment.folder / "sweep"
    with test_bed(2 if experiment.quick else 3) as hosts:
        farm = experiment.folder / "lab.yaml"
        farm.write_text(farm_text(hosts))
        recipe = experiment.folder / "recipe.yaml"
        recipe.write_text(here.changed({"placement.run_farm": str(farm)}).yaml())
        began_s = time.monotonic()
        done = _interrupted(recipe, axes, folder)
        sweep = firesim.load(recipe).sweep(axes, folder, jobs=2)
        wall_s = time.monotonic() - began_s
        now = _records(folder)
        again = [name for name, at in done.items() if now.get(name) != at]
        used = _hosts_used([sweep.point(number) for number in range(len(sweep))])
        left = _left(hosts)
    table = sweep.frame
    alone = [
        here.changed({key: row[key] for key in axes}).run(report=False).token_hash
        for row in table.to_dict("records")
    ]
    rows = [
        (row["point"], row[LATENCY], row[SWITCHING], row["state"], row["token_hash"], expected)
        for row, expected in zip(table.to_dict("records"), alone, strict=True)
    ]
    columns = ("point", "latency", "switching (cycles)", "state", "on the farm", "alone here")
    experiment.table("points", columns, rows)
    wrong = sum(row[4] != row[5] or row[3] not in GOOD for row in rows)
    wrong += len(set(alone)) != len(alone)
    experiment.keep(points=len(rows), wrong=wrong, again=again, left=left, hosts=sorted(used))
    is_right = not (wrong or again or left) and len(used) == len(hosts)
    return Verdict(
        is_right,
        f"{len(rows)} points on {len(used)} hosts in {wall_s:.0f} s, killed twice, {wrong} wrong, "
        f"{len(again)} simulated twice, {len(left)} processes left",
        "none wrong, none twice, none left, every host used",
    )


def _interrupted(recipe: Path, axes: dict[str, list[Any]], folder: Path) -> dict[str, int]:
    """Begin the sweep twice and end it in its midst; return when each point was first done.

    Raises:
        ExperimentError: a program ended by itself, or did no point.
    """
    first: dict[str, int] = {}
    for number in (signal.SIGINT, signal.SIGKILL):
        program = _started(recipe, axes, folder)
        limit = time.monotonic() + LIMIT_S
        while len(_records(folder)) <= len(first):
            if program.poll() is not None or time.monotonic() > limit:
                raise ExperimentError(f"the sweep came to no point: see {folder.parent}")
            time.sleep(POLL_S)
        program.send_signal(number)
        program.wait(timeout=LIMIT_S)
        _end_left_alone(folder)
        first = {**_records(folder), **first}
    return first


def _started(recipe: Path, axes: dict[str, list[Any]], folder: Path) -> subprocess.Popen[bytes]:
    words = (str(recipe), json.dumps(axes), str(folder))
    with (folder.parent / "program.log").open("ab") as log:
        return subprocess.Popen(python_command("-c", PROGRAM, *words), stderr=log)


def _end_left_alone(folder: Path) -> None:
    """End what a killed program has left running on the hosts, as the message of a sweep says."""
    done = _records(folder)
    for record in sorted(folder.glob("point-*/hosts.json")):
        if record.parent.name not in done:
            words = ("-m", "firesim.cli.main", "kill", str(record.parent))
            subprocess.run(python_command(*words), check=True, capture_output=True)


def _records(folder: Path) -> dict[str, int]:
    """Return when each point that is over and has a result was written."""
    return {
        file.stem: file.stat().st_mtime_ns
        for file in folder.glob("point-*.json")
        if json.loads(file.read_text())["state"] in GOOD
    }


def _hosts_used(points: Sequence[firesim.Results]) -> set[str]:
    """Return the hosts that simulated a part of any point."""
    records = [json.loads((one.folder / "hosts.json").read_text()) for one in points]
    return {name for record in records for name in record["hosts"]}


def _left(hosts: Sequence[TestHost]) -> list[str]:
    """Return the processes on hosts that are not their own, once they had time to end."""
    limit = time.monotonic() + SETTLED_S
    while True:
        found = [
            f"{host.name}: {line}"
            for host in hosts
            for line in processes_left(host.run, ["sshd: /usr/sbin"])
        ]
        if not found or time.monotonic() > limit:
            return found
        time.sleep(POLL_S)
