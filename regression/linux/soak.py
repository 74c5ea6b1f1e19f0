# SPDX-License-Identifier: BSD-3-Clause
"""Linux nodes under load for long, with a snapshot every few seconds: nothing grows, one hash.

Each node pings the next one, hashes memory and writes files without end, up to a target cycle. The
simulator saves all of it again and again and keeps the last snapshots. Its memory and its open
files are sampled: neither may be more in the last quarter than in the second one. The run must
end with the token hash of one beside it that is never saved, and so must a run from the last
snapshot.
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regression.support.cluster import Cluster
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.simulate import Run, simulate
from regression.support.snapshots import saved_folders

COMMAND = (
    "n=0; while :; do n=$((n+1)); "
    "ping -c 3 -i 0.01 -q 172.16.0.$((2 + (${node.index} + 1) % NODES)) > /dev/null "
    "&& echo pinged $n; dd if=/dev/zero of=/tmp/f bs=64k count=8 2> /dev/null; "
    "md5sum /tmp/f; rm /tmp/f; done"
)
CLOCK_HZ = 3_200_000_000
SAMPLE_S = 0.1
SPARE_BYTES = 24 << 20
"""The host's allocator and caches may take so much more or less."""
KEEP = 2
LEAST_SNAPSHOTS = 8


@dataclass
class Samples:
    """Memory in bytes and open files of a process, sampled while it runs."""

    resident: list[int]
    files: list[int]

    def grown(self) -> tuple[int, int]:
        """Return by how much memory and files grew from the second quarter to the last one.

        Of files the fewest count: a leak keeps them, while a snapshot that is being written has
        some open for a moment.
        """
        return _growth(self.resident, statistics.median), _growth(self.files, min)


def _growth(values: list[int], typical: Callable[[list[int]], float]) -> int:
    quarter = len(values) // 4
    early, late = values[quarter : 2 * quarter], values[3 * quarter :]
    return int(typical(late) - typical(early)) if early else 0


def config(nodes: int, cycles: int) -> dict[str, Any]:
    """Return a rack of functional Linux nodes that never end by themselves."""
    command = COMMAND.replace("NODES", str(nodes))
    return {
        "system": {"topology": f"rack_{nodes}", "link": {"latency": "2us"}},
        "workload": {"node": {"linux": "linux-base", "command": command}},
        "simulation": {
            "engine": "functional",
            "throughput_interval_cycles": 0,
            "max_cycles": cycles,
        },
    }


class Watched:
    """Samples the simulator of a results folder in a thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.samples = Samples([], [])
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        while not self.over.wait(SAMPLE_S):
            pid = _process_of(self.folder)
            try:
                pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
            except (OSError, IndexError):
                continue
            self.samples.resident.append(pages * 4096)
            self.samples.files.append(files)

    def __enter__(self) -> Samples:
        self.thread.start()
        return self.samples

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


def _process_of(folder: Path) -> int | None:
    """Return the id of the simulator that simulates a folder's description."""
    wanted = str(folder / "description.json").encode()
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if wanted in words and words[0].endswith(b"firesim-sim"):
            return int(entry.name)
    return None


def _limited(description: dict[str, Any], folder: Path, **over: Any) -> Run:
    return simulate({**description, **over}, folder, expect=(0, 1), timeout_s=4 * 3600)


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nodes", type=int, default=0, help="how many nodes (default: 8)")
    parser.add_argument("--seconds", type=float, default=0, help="wall time of the watched run")
    parser.add_argument("--interval", type=float, default=0, help="seconds between snapshots")


@experiment_named("soak", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when neither memory nor files grow and every hash is that of the run never saved."""
    arguments = experiment.arguments
    nodes: int = arguments.nodes or (2 if experiment.quick else 8)
    seconds: float = arguments.seconds or (10 if experiment.quick else 3600)
    interval_s: float = arguments.interval or (1 if experiment.quick else 5)
    probe_cycles = CLOCK_HZ // 20
    base = Cluster(experiment, config(nodes, probe_cycles)).description(experiment.folder / "base")
    probe = _limited(base, experiment.folder / "probe")
    # Two runs share the host, so each gets half as far in the watched time.
    cycles = max(2 * probe_cycles, int(probe_cycles / max(probe.wall_s, 0.01) * seconds / 2))
    began_s = time.monotonic()
    wanted = max(LEAST_SNAPSHOTS, round(seconds / interval_s))
    interval = cycles // (wanted + 1)
    snapshots = {"directory": "snapshots", "interval_cycles": interval, "keep": KEEP}
    folder = experiment.folder / "saved"
    with ThreadPoolExecutor(1) as beside, Watched(folder) as samples:
        other = beside.submit(_limited, base, experiment.folder / "whole", max_cycles=cycles)
        saved = _limited(base, folder, max_cycles=cycles, snapshots=snapshots)
        whole = other.result()
    made = int(saved.result["snapshots"][-1]["cycle"]) // interval
    last = saved_folders(folder)[-1]
    again = _limited(
        base, experiment.folder / "again", max_cycles=cycles, restore={"snapshot": str(last)}
    )
    memory, files = samples.grown()
    pinged = sum(whole.console(f"node{index}").count("pinged") for index in range(nodes))
    hashes = {one.token_hash for one in (whole, saved, again)}
    checks = {
        f"one hash: {', '.join(sorted(hashes))}": len(hashes) == 1,
        f"{made} snapshots": made >= wanted,
        f"every node pinged: {pinged} rounds": pinged >= nodes,
        f"memory grew by {memory / (1 << 20):,.1f} MiB": memory <= SPARE_BYTES,
        f"open files grew by {files}": files <= 0,
    }
    for text, holds in checks.items():
        experiment.say(f"{'yes' if holds else 'NO '}  {text}")
    wall_s = time.monotonic() - began_s
    experiment.keep(
        nodes=nodes,
        cycles=cycles,
        snapshots=made,
        memory_growth_bytes=memory,
        file_growth=files,
        samples=len(samples.resident),
    )
    figure = (
        f"{nodes} Linux nodes, {cycles / CLOCK_HZ:.2f} s of target time in {wall_s:.0f} s, "
        f"{made} snapshots, {sum(checks.values())} of {len(checks)} checks,"
    )
    return Verdict(all(checks.values()), figure, "every check holds")
