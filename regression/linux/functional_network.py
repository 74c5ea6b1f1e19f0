# SPDX-License-Identifier: BSD-3-Clause
"""A functional network beside the exact one: what it carries, that it repeats, and what it gains.

Functional Linux nodes on one switch, with the network exact and functional in turn: idle (what a
stretch of target time costs once all have booted), idle behind short links, idle in two processes,
and busy (pings, TCP streams and memcached, every answer checked); and two bare-metal nodes between
which a stream passes at full rate, every byte checked. The functional runs are made again with time
cut at random: the same must happen in the same cycles.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
from dataclasses import dataclass
from statistics import median
from typing import Any

from firesim.build.simulator import simulator

from regression.linux.linux_cluster import reached
from regression.support.cluster import Cluster, Config, merged, run_cluster
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.linux import CLOCK_HZ, linux_config, loads, streams
from regression.support.simulate import Run

DRIFT_CYCLES = 320_000
"""The default bound, 100 us."""
BOOTED_MS = 60
"""Target time until when every node has booted and waits at its shell."""
SHORT_LINK_CYCLES = 100
LIMIT_S = 400
GOAL_IDLE, GOAL_PROCESSES = 5.0, 5.0
"""Times as fast while a rack idles: in one process (processor time), in two (wall time)."""
JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A rack of Linux nodes that idles for `idle_ms` behind links of `link_cycles`."""

    name: str
    idle_ms: int
    link_cycles: int = 6_400
    in_two: bool = False
    """Two processes, that wait for each other more than they work."""
    boot_ms: int = BOOTED_MS
    """Target time before it that is not measured."""

    def seconds(self, result: JsonObject) -> float:
        """Return what a run took of what this case is about."""
        return float(result["wall_s" if self.in_two else "cpu_s"])


def _network(config: Config, mode: str) -> Config:
    return merged(config, {"simulation": {"network": mode}})


# --- Idle ---


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _in_two(experiment: Experiment, name: str, config: Config) -> JsonObject:
    """Simulate every second node in a process of its own; return the result.

    Raises:
        ExperimentError: a process failed.
    """
    folder = experiment.folder / name
    description = Cluster(experiment, config).description(folder)
    places = [
        {"name": "a", "host": "127.0.0.1", "port": _free_port() - 1, "threads": 1},
        {"name": "b", "host": "127.0.0.1", "port": 1, "threads": 1},
    ]
    for index, node in enumerate(description["nodes"]):
        node["process"] = "ab"[index % 2]
    for switch in description["switches"]:
        switch["process"] = "a"
    file = folder / "description.json"
    file.write_text(json.dumps({**description, "processes": places}))
    binary = simulator()
    command = [str(binary), "--process"]
    running = [subprocess.Popen([*command, one, str(file)], stderr=subprocess.PIPE) for one in "ab"]
    try:
        for one in running:
            _, errors = one.communicate(timeout=LIMIT_S)
            if one.returncode not in (0, 1):  # 1: the limit of cycles ended it
                said = errors.decode(errors="replace").strip()
                raise ExperimentError(f"{file}: exit status {one.returncode}: {said}")
    finally:
        for one in running:
            if one.poll() is None:
                one.kill()
                one.wait()
    result: JsonObject = json.loads((folder / "result.json").read_text())
    return result


def _until_s(experiment: Experiment, case: Case, config: Config, name: str, end_ms: int) -> float:
    """Return the host seconds until so much target time is over."""
    cycles = int(end_ms * CLOCK_HZ / 1e3)
    limited = merged(config, {"simulation": {"max_cycles": cycles}})
    where = f"{name}-{end_ms}ms"
    if case.in_two:
        result = _in_two(experiment, where, limited)
    else:
        result = run_cluster(experiment, where, limited).result
    if (result["reason"], result["end_cycle"]) != ("max_cycles", cycles):
        raise ExperimentError(f"{where}: ended with {result['reason']}, expected an idle rack.")
    return case.seconds(result)


def _idle_s(experiment: Experiment, case: Case, config: Config, name: str) -> float:
    """Return the host seconds for a second of target time, after the boot or with it."""
    whole = _until_s(experiment, case, config, name, case.boot_ms + case.idle_ms)
    boot = _until_s(experiment, case, config, name, case.boot_ms) if case.boot_ms else 0.0
    return max(whole - boot, 1e-4) / case.idle_ms * 1e3


def measure_idle(experiment: Experiment, nodes: int) -> dict[str, float]:
    """Return how many times faster a functional network is in each case, and print them."""
    quick = experiment.quick
    cases = [
        Case("2 us links", 5000 if quick else 20_000),
        Case("100-cycle links", 50 if quick else 200, SHORT_LINK_CYCLES),
        Case("2 us links, two processes, with boot", 10 if quick else 60, in_two=True, boot_ms=0),
    ]
    gains, rows = {}, []
    for number, case in enumerate(cases):
        over: Config = {
            "system": {"link": {"latency": None, "latency_cycles": case.link_cycles}},
            "simulation": {"threads": 1},
        }
        config = linux_config(f"rack_{nodes}", "linux-base", over)
        took: dict[str, list[float]] = {"exact": [], "functional": []}
        for turn in range(experiment.arguments.repeat):
            for mode, kept in took.items():
                name = f"idle-{number}-{mode}-{turn}"
                kept.append(_idle_s(experiment, case, _network(config, mode), name))
        exact, functional = (median(kept) for kept in took.values())
        gains[case.name] = exact / functional
        clock = "wall" if case.in_two else "CPU"
        rows.append(
            [case.name, clock, f"{exact:.3f}", f"{functional:.4f}", f"{exact / functional:.1f}"]
        )
    experiment.table(
        f"{nodes} idle Linux nodes: host seconds for a second of target time",
        ["links of the system", "seconds of", "exact", "functional", "times faster"],
        rows,
    )
    return gains


# --- Busy ---


def _check_whole(run: Run) -> int:
    """Return how many frames nodes sent; all of them came out of their links at the switch.

    Raises:
        ExperimentError: a node failed, or a frame was lost or doubled.
    """
    if run.result["reason"] != "ended" or any(n["exit_code"] != 0 for n in run.result["nodes"]):
        raise ExperimentError(f"{run.folder}: not every node passed.")
    ports = run.result["switches"][0]["statistics"]["ports"]
    sent = 0
    for index, node in enumerate(run.result["nodes"]):
        there, back = run.traffic(f"{node['name']}--tor0")
        if (
            not node["statistics"]["nic"]["packets_out"]
            == there["packets"]
            == (ports[index]["packets_in"])
        ):
            raise ExperimentError(f"{run.folder}: frames of {node['name']} were lost or doubled.")
        if back["packets"] != ports[index]["packets_out"]:
            raise ExperimentError(f"{run.folder}: frames to {node['name']} were lost or doubled.")
        sent += int(there["packets"])
    dropped = sum(port["dropped_queue_full"] for port in ports)
    if dropped:
        raise ExperimentError(f"{run.folder}: the switch dropped {dropped} frames.")
    return sent


def _events(run: Run) -> JsonObject:
    """Return what a run did, without what depends on the host."""
    result = run.result
    nodes = [{**node, "cpu_s": 0, "advances": 0} for node in result["nodes"]]
    switches = [switch["statistics"] for switch in result["switches"]]
    consoles = [run.console(node["name"]) for node in nodes]
    return {
        "end": [result["end_cycle"], result["network"]],
        "models": [nodes, switches, result["links"]],
        "consoles": consoles,
    }


def _check_linux(run: Run, nodes: int) -> None:
    """Check what the nodes say of their pings, streams and loads.

    Raises:
        ExperimentError: one was not whole.
    """
    for index in range(nodes):
        name = f"node{index}"
        console = run.console(name)
        answered = reached(console, name)
        if index % 2:
            streams(console, name, 1)
        failures = loads(console, name, 1)[0].failures if index else 0
        if answered != nodes - 1 or failures:
            raise ExperimentError(f"{run.folder}: {name} reached {answered}, {failures} failures.")


def _bulk(bytes_: int) -> Config:
    sender = ["role=sender", "peer=${node1.mac}", f"bytes={bytes_}", "polls=1000000000"]
    return {
        "system": {"topology": "two_nodes", "link": {"latency": "2us"}},
        "workload": {
            "node": {"program": "bandwidth"},
            "nodes": {"node0": {"args": sender}, "node1": {"args": ["role=receiver"]}},
        },
        "simulation": {"engine": "functional", "throughput_interval_cycles": 0},
    }


def measure_busy(experiment: Experiment, nodes: int) -> dict[str, float]:
    """Return how many times faster a functional network is under load; checks what it carries."""
    bulk_mib = 16 if experiment.quick else 64
    cases = {
        f"{nodes} Linux nodes: pings, TCP, memcached": linux_config(
            f"rack_{nodes}", "linux-cluster"
        ),
        f"{bulk_mib} MiB at full rate, bare metal": _bulk(bulk_mib << 20),
    }
    gains, rows = {}, []
    for number, (case, config) in enumerate(cases.items()):
        took: dict[str, list[float]] = {"exact": [], "functional": []}
        frames, target_ms = {}, {}
        for turn in range(experiment.arguments.repeat):
            for mode, kept in took.items():
                single = merged(_network(config, mode), {"simulation": {"threads": 1}})
                run = run_cluster(experiment, f"busy-{number}-{mode}-{turn}", single)
                kept.append(float(run.result["cpu_s"]))
                frames[mode] = _check_whole(run)
                target_ms[mode] = run.end_cycle / CLOCK_HZ * 1e3
                if number == 0:
                    _check_linux(run, nodes)
        _check_repeats(experiment, f"busy-{number}", config, run)
        exact, functional = (median(kept) for kept in took.values())
        gains[case] = exact / functional
        for mode, seconds in (("exact", exact), ("functional", functional)):
            cells = [f"{frames[mode]:,}", f"{target_ms[mode]:.1f}", f"{seconds:.2f}"]
            rows.append([f"{case}, {mode}", *cells, f"{exact / seconds:.2f}"])
    experiment.table(
        "Under load, one thread; every answer and byte checked, no frame lost",
        ["", "frames sent", "target time (ms)", "CPU (s)", "times faster"],
        rows,
    )
    return gains


def _check_repeats(experiment: Experiment, name: str, config: Config, run: Run) -> None:
    """Make a functional run again, time cut at random, with two threads.

    Raises:
        ExperimentError: anything happened in another cycle, or the result looks exact.
    """
    over = {"simulation": {"threads": 2, "random_batch_seed": experiment.seed}}
    again = run_cluster(experiment, f"{name}-again", merged(_network(config, "functional"), over))
    if _events(again) != _events(run):
        raise ExperimentError(f"{again.folder}: differs from {run.folder}, expected the same.")
    network = {"mode": "functional", "max_drift_cycles": DRIFT_CYCLES}
    if run.result["network"] != network or run.result["token_hash"] is not None:
        raise ExperimentError(f"{run.folder}: found {run.result['network']}, expected {network}.")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nodes", type=int, default=0, help="how many (default: 8, quick 4)")
    parser.add_argument("--repeat", type=int, default=0, help="of each run (default: 3, quick 1)")


@experiment_named("functional-network", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when nothing is lost, runs repeat, and what idles gets that much faster."""
    arguments = experiment.arguments
    arguments.repeat = arguments.repeat or (1 if experiment.quick else 3)
    nodes: int = arguments.nodes or (4 if experiment.quick else 8)
    busy = measure_busy(experiment, nodes)
    idle = measure_idle(experiment, nodes)
    experiment.keep(times_faster={**idle, **busy}, nodes=nodes)
    one, short, two = idle.values()
    linux, bulk = busy.values()
    return Verdict(
        one >= GOAL_IDLE and two >= GOAL_PROCESSES,
        f"no frame lost, runs repeat; idle {one:.1f} x as fast, {short:.0f} x behind short links, "
        f"{two:.1f} x in two processes; busy {linux:.2f} x, at full rate {bulk:.2f} x,",
        f"{GOAL_IDLE:g} x idle and {GOAL_PROCESSES:g} x in two processes",
        timed_only=True,
    )
