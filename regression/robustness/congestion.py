# SPDX-License-Identifier: BSD-3-Clause
"""Congestion in switches: pause loses nothing, marks are where they should be, circles are named.

Eight nodes send to one at once, over a root that cannot hold what comes. Without priority pause
frames are lost there; with it every frame arrives, and its hash is the same on several threads, in
random batches, on two hosts and from a snapshot, and with RTL nodes on 1 and 2 threads. Then two
nodes send IP to one link: which frames are marked is worked out again by the rule. At last five
switches in a ring pause each other in a circle: the run must end and say so.
"""

from __future__ import annotations

import re
from typing import Any

import yaml
from firesim.pipeline.run import run as run_recipe
from rich.console import Console

from regression.support.claims import tell
from regression.support.cluster import Config, merged
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.hosts.lab import hash_of, loaded, whole_run
from regression.support.simulate import Run
from regression.support.snapshots import Simulated, outcome, saved_folders

SENDERS = 8
START, LENGTH = 30_000, 12_000
BUFFER = 128 * 1024
PAUSE = {"pause_classes": [0], "xoff_bytes": 32_768, "xon_bytes": 16_384, "headroom_bytes": 45_000}
SAVED_CYCLE = 45_678
QUIET: Config = {"captures": False, "throughput_interval_cycles": 0}
FRAMES, FRAME_FLITS, MARKS_ABOVE = 40, 20, 1_000


def _incast(settings: Config) -> Config:
    """Return eight racks of one sender each, and one of the receiver."""
    sender = ["role=sender", f"peer=${{node{SENDERS}.mac}}", f"start={START}"]
    args = [*sender, f"end={START + LENGTH}", "size=2048"]
    stop = START + (SENDERS + 2) * LENGTH
    return {
        "system": {
            "topology": f"tree_{SENDERS + 1}_1",
            "node": {"memory": {"size_mib": 16}},
            "link": {"latency_cycles": 640},
            "switch": {"kind": "priority", "settings": settings, "buffer_bytes": BUFFER},
        },
        "workload": {
            "node": {"program": "saturate", "args": args},
            "nodes": {f"node{SENDERS}": {"args": ["role=receiver", f"end={stop}"]}},
        },
        "simulation": {"engine": "functional", **QUIET},
    }


def _frames(run: Run) -> tuple[int, int]:
    """Return the frames that were sent and that were received."""
    sent = 0
    for index in range(SENDERS):
        found = re.search(r"sent frames=(\d+)", run.console(f"node{index}"))
        sent += int(found[1]) if found else 0
    found = re.search(r"received frames=(\d+)", run.console(f"node{SENDERS}"))
    return sent, int(found[1]) if found else 0


def _sum(run: Run, key: str) -> int:
    """Return the sum of a counter over all ports."""
    return sum(
        int(port[key]) for one in run.result["switches"] for port in one["statistics"]["ports"]
    )


def _pause(experiment: Experiment) -> tuple[bool, str]:
    """Return whether pause loses nothing and dropping does, and the hash with pause."""
    rows = []
    hashes = {}
    good = True
    for name, settings in (("without pause", {}), ("with pause", PAUSE)):
        run = Simulated(experiment, _incast(settings), name.replace(" ", "-")).run("run")
        sent, received = _frames(run)
        lost = _sum(run, "dropped_queue_full")
        good = good and sent == received + lost and (lost == 0) == (settings is PAUSE)
        rows.append((name, sent, received, lost, _sum(run, "pauses_sent"), run.token_hash))
        hashes[name] = run.token_hash
    columns = ("switches", "frames sent", "received", "dropped", "pauses sent", "token hash")
    experiment.table("Eight to one (measured)", columns, rows)
    return good and rows[1][4] > 0, hashes["with pause"]


def _ways(experiment: Experiment, token_hash: str) -> dict[str, bool]:
    """Return which ways to run the incast gave the same."""
    config = _incast(PAUSE)
    batches = {"threads": 2, "random_batch_seed": experiment.seed | 1}
    several = Simulated(experiment, merged(config, {"simulation": batches}), "batches").run("run")
    system = Simulated(experiment, config, "saved")
    saved = system.run("saved", snapshots={"directory": "snapshots", "at_cycles": [SAVED_CYCLE]})
    again = system.run("again", restore=saved_folders(saved.folder)[0])
    recipe = experiment.folder / "incast.yaml"
    recipe.write_text(yaml.safe_dump(config, sort_keys=False))
    farm = ["placement.run_farm=two_processes"]
    hosts = whole_run(loaded(str(recipe), farm), experiment.folder / "two-hosts")
    return {
        "2 threads, random batches": several.token_hash == token_hash,
        "a snapshot": outcome(again) == outcome(saved) and again.token_hash == token_hash,
        "two hosts": hash_of(hosts) == token_hash,
    }


def _rtl(experiment: Experiment) -> bool:
    """Return whether pause loses nothing among RTL nodes, with one hash for 1 and 2 threads."""
    runs = [
        Simulated(
            experiment,
            merged(_incast(PAUSE), {"simulation": {"engine": "rtl", "threads": threads}}),
            f"rtl-{threads}",
        ).run("run")
        for threads in (1, 2)
    ]
    for run in runs:
        sent, received = _frames(run)
        experiment.say(f"RTL: {sent} frames sent, {received} received, hash {run.token_hash}")
    sent, received = _frames(runs[0])
    same = runs[0].token_hash == runs[1].token_hash
    return same and sent == received > 0 and _sum(runs[0], "pauses_sent") > 0


def _ip_frame(to: int, source: int, tos: int) -> str:
    """Return an IPv4 frame as a traffic file has it; the checksum is right."""
    header = bytearray.fromhex(f"45{tos:02x}002e00000000401100 00ac100002ac100003")
    total = sum(int.from_bytes(header[i : i + 2], "big") for i in range(0, 20, 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    header[10:12] = (~total & 0xFFFF).to_bytes(2, "big")
    addresses = bytes.fromhex(f"00126d0000{to:02x}00126d0000{source:02x}0800")
    return (addresses + header).ljust(FRAME_FLITS * 8 - 2, b"\0").hex()


def _marks(experiment: Experiment) -> bool:
    """Return whether as many frames are marked as the rule says.

    Both nodes send without a gap: of two frames that come in the same cycles one can leave. So
    before the frames of round i there wait i frames, and one more before its second one; of these
    the one that is leaving has not given back its room.
    """
    folder = experiment.folder / "marks"
    folder.mkdir()
    for node, tos in ((0, 0x02), (1, 0xB9)):
        lines = (
            f"{1000 + i * FRAME_FLITS} frame {_ip_frame(4, 2 + node, tos)}" for i in range(FRAMES)
        )
        (folder / f"node{node}.traffic").write_text("\n".join(lines) + "\n")
    (folder / "node2.traffic").write_text("9000 00:12:6D:00:00:02 64\n")
    frame_bytes = 8 * FRAME_FLITS
    settings = {"ecn_least_bytes": MARKS_ABOVE, "ecn_most_bytes": MARKS_ABOVE}
    config: Config = {
        "system": {
            "topology": "rack_3",
            "node": {"blade": "traffic"},
            "nodes": {f"node{i}": {"traffic": str(folder / f"node{i}.traffic")} for i in range(3)},
            "switch": {"kind": "priority", "settings": settings},
        },
        "simulation": QUIET,
    }
    run = Simulated(experiment, config, "marked").run("run")
    waiting = [(i * frame_bytes, (i + 1) * frame_bytes) for i in range(FRAMES)]
    expected = sum(bytes_before > MARKS_ABOVE for pair in waiting for bytes_before in pair)
    found = _sum(run, "ecn_marked")
    experiment.say(f"marks: {found} of {2 * FRAMES} frames, expected {expected}")
    return found == expected


def _circle(experiment: Experiment) -> bool:
    """Return whether a ring that pauses itself ends with a message that names the circle."""
    jobs: dict[str, Any] = {
        f"node{i}": {"args": [f"peer=${{node{(i + 2) % 5}.mac}}"]} for i in range(5)
    }
    args = ["role=sender", f"start={START}", f"end={START + 60_000}", "size=2048"]
    for job in jobs.values():
        job["args"] = [*args, *job["args"]]
    config = {
        "system": {
            "topology": "ring_5_1",
            "node": {"memory": {"size_mib": 16}},
            "link": {"latency_cycles": 640},
            "switch": {
                "kind": "priority",
                "buffer_bytes": 1 << 20,
                "settings": {**PAUSE, "watchdog_cycles": 30_000},
            },
        },
        "workload": {"node": {"program": "saturate"}, "nodes": jobs},
        "simulation": {"engine": "functional", **QUIET},
    }
    recipe = experiment.folder / "ring.yaml"
    recipe.write_text(yaml.safe_dump(config, sort_keys=False))
    done = run_recipe(
        loaded(str(recipe), ()), results=experiment.folder / "ring", console=Console(quiet=True)
    )
    experiment.say(f"ring: {done.message}")
    return "pauses wait in a circle: " in done.message and done.message.count("→") == 5


@experiment_named("congestion")
def run(experiment: Experiment) -> Verdict:
    """Hold when nothing is lost, marks are right, and a circle is named."""
    lossless, token_hash = _pause(experiment)
    checks = {
        "pause loses nothing": lossless,
        **_ways(experiment, token_hash),
        "marks as by the rule": _marks(experiment),
        "a circle is named": _circle(experiment),
        **({} if experiment.quick else {"RTL nodes": _rtl(experiment)}),
    }
    tell(experiment, checks)
    experiment.keep(token_hash=token_hash, **{k.replace(" ", "_"): v for k, v in checks.items()})
    good = sum(checks.values())
    return Verdict(good == len(checks), f"{good} of {len(checks)} claims hold,", "all of them")
