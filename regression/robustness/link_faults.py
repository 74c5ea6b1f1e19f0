# SPDX-License-Identifier: BSD-3-Clause
"""Faults of links: software sees exactly what was done, and the same is done however it is run.

A node streams to another one, which checks every word. Each of the first frames in turn is lost,
doubled, corrupted and overtaken, and the receiver must find exactly the wrong words that follow
from it. Then four nodes stream over links that lose, double, delay, reorder and corrupt frames by
seed: on several threads, in random batches, by both RTL engines, on two hosts and from a snapshot
the token hash, the counts and the list of what was done must be the same. With rules that take no
frame, all of it is as without faults.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from regression.support.cluster import Config, merged
from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.hosts.lab import hash_of, loaded, whole_run
from regression.support.simulate import Run
from regression.support.snapshots import Simulated, outcome, saved_folders

FRAMES, FRAME_BYTES = 12, 128
HEAD_BYTES = 40
WORDS = (FRAME_BYTES - HEAD_BYTES) // 8
"""Of the pattern in a frame."""
FIRST = 2
"""The number of the stream's first frame on its link, behind the announcement."""
PATTERN_BIT = 8 * (HEAD_BYTES - 2)
KINDS = ("lost", "doubled", "corrupt", "overtaken")
SAVED_CYCLE = 26_111
START, END = 20_000, 40_000


def _stream(rules: list[Config]) -> Config:
    sender = ["role=sender", "peer=${node1.mac}"]
    size = [f"bytes={FRAMES * FRAME_BYTES}", f"size={FRAME_BYTES}"]
    return {
        "system": {
            "topology": "two_nodes",
            "node": {"memory": {"size_mib": 16}},
            "link": {"latency_cycles": 640, "faults": {"rules": rules}},
        },
        "workload": {
            "node": {"program": "bandwidth"},
            "nodes": {"node0": {"args": sender + size}, "node1": {"args": ["role=receiver"]}},
        },
        "simulation": {
            "engine": "functional",
            "captures": False,
            "throughput_interval_cycles": 0,
        },
    }


def _rules(kind: str, index: int) -> tuple[list[Config], int]:
    """Return what happens to frame `index` of the stream, and the wrong words that follow.

    A frame in the place of another one has a wrong number and a wrong pattern. The receiver waits
    for as many frames as were announced, so a lost one is made up for by a copy of the one after.
    """
    at = {"sender": "node0", "frames": [FIRST + index]}
    moved = WORDS + 1
    if kind == "lost":
        copy = {"sender": "node0", "frames": [FIRST + index + 1], "fault": "duplicate"}
        return [{"fault": "drop", **at}, copy], moved
    if kind == "doubled":
        return [{"fault": "duplicate", **at}], moved * (FRAMES - 1 - index)
    if kind == "corrupt":
        return [{"fault": "corrupt", "bits": [PATTERN_BIT + 3, PATTERN_BIT + 77], **at}], 2
    return [{"fault": "behind", "behind_frames": 1, **at}], 2 * moved


def _wrong_words(run: Run) -> int:
    line = next(line for line in run.console("node1").splitlines() if "received" in line)
    return int(dict(word.split("=") for word in line.split()[1:])["errors"])


def _one_by_one(experiment: Experiment, count: int) -> tuple[int, int]:
    """Return the runs, and those in which software saw what it should."""
    rows, good = [], 0
    for kind in KINDS:
        for index in range(count):
            rules, expected = _rules(kind, index)
            name = f"{kind}-{index}"
            found = _wrong_words(Simulated(experiment, _stream(rules), name).run("run"))
            good += found == expected
            rows.append((kind, index, expected, found))
    columns = ("what", "frame of the stream", "wrong words expected", "found (measured)")
    experiment.table("Each frame in turn", columns, rows)
    return len(rows), good


def _by_seed(engine: str) -> Config:
    some = {"match": {"ethertype": 0x88B5}}
    senders = {
        f"node{i}": {"args": ["role=sender", "peer=${node3.mac}", f"start={START}", f"end={END}"]}
        for i in range(3)
    }
    return {
        "system": {
            "topology": "rack_4",
            "node": {"memory": {"size_mib": 16}, "nic_bandwidth_gbps": 40},
            "link": {
                "latency_cycles": 200,
                "faults": {
                    "seed": 5,
                    "rules": [
                        {"fault": "drop", "probability": "1/7", **some},
                        {"fault": "duplicate", "every": 5, "sender": "nodes"},
                        {"fault": "delay", "cycles": 900, "probability": "10%"},
                        {"fault": "behind", "behind_frames": 2, "probability": 0.1},
                        {"fault": "bit_errors", "probability": "1/20000"},
                    ],
                },
            },
        },
        "workload": {
            "node": {"program": "saturate"},
            "nodes": {
                **{name: {"args": [*job["args"], "size=512"]} for name, job in senders.items()},
                "node3": {"args": ["role=receiver", f"end={END + 5000}"]},
            },
        },
        "simulation": {"engine": engine, "captures": False, "throughput_interval_cycles": 0},
    }


def _done(folder: Path, before: int = 0) -> list[str]:
    """Return what was done to which frames from a cycle on, sorted."""
    rows = [
        f"{file.stem},{line}"
        for file in sorted((folder / "faults").glob("*.csv"))
        for line in file.read_text().splitlines()[1:]
    ]
    return sorted(row for row in rows if int(row.split(",")[1]) >= before)


def _ways(experiment: Experiment, engine: str, more: dict[str, Config]) -> tuple[int, int, str]:
    """Return the runs of the seeded system, those equal to the first one, and its hash."""
    ways = {
        "1 thread": {"threads": 1},
        "2 threads, random batches": {"threads": 2, "random_batch_seed": experiment.seed | 1},
        **more,
    }
    rows: list[tuple[Any, ...]] = []
    runs: list[Run] = []
    equal = 0
    for name, way in ways.items():
        config = merged(_by_seed(engine), {"simulation": way})
        run = Simulated(experiment, config, f"{engine}-{len(rows)}").run("run")
        runs.append(run)
        first = runs[0]
        same = run.result["links"] == first.result["links"] and run.token_hash == first.token_hash
        same = same and _done(run.folder) == _done(first.folder)
        equal += same
        rows.append((name, run.token_hash, len(_done(run.folder)), "yes" if same else "NO"))
    experiment.table(
        f"By seed, {engine}", ("run", "token hash (measured)", "things done", "equal"), rows
    )
    return len(rows), equal, runs[0].token_hash


def _from_snapshot(experiment: Experiment, engine: str) -> bool:
    """Return whether a run goes on from a snapshot as if it had never been saved."""
    system = Simulated(experiment, _by_seed(engine), f"{engine}-saved")
    whole = system.run("whole")
    saved = system.run("saved", snapshots={"directory": "snapshots", "at_cycles": [SAVED_CYCLE]})
    again = system.run("again", restore=saved_folders(saved.folder)[0])
    # A frame that came before and was undecided then is in the rows of both.
    done = set(_done(saved.folder)) == set(_done(whole.folder))
    done = done and set(_done(whole.folder, SAVED_CYCLE)) <= set(_done(again.folder))
    return done and outcome(again) == outcome(whole) == outcome(saved)


def _on_two_hosts(experiment: Experiment, expected: str) -> bool:
    recipe = experiment.folder / "by_seed.yaml"
    recipe.write_text(yaml.safe_dump(_by_seed("functional"), sort_keys=False))
    farm = ["placement.run_farm=two_processes"]
    done = whole_run(loaded(str(recipe), farm), experiment.folder / "two-hosts")
    rows = _done(experiment.folder / "two-hosts")
    one = _done(experiment.folder / "functional-0" / "run")
    experiment.say(f"two hosts: {hash_of(done)}, {len(rows)} things done")
    return hash_of(done) == expected and rows == one


def _nothing_taken(experiment: Experiment) -> bool:
    """Return whether rules without a frame of theirs leave the hash as it is."""
    never = [{"fault": "drop", "match": {"destination_port": 4791}}]
    plain = _stream([])
    del plain["system"]["link"]["faults"]
    hashes = {
        Simulated(experiment, config, name).run("run").token_hash
        for name, config in (("plain", plain), ("no-rules", _stream([])), ("never", _stream(never)))
    }
    return len(hashes) == 1


@experiment_named("link-faults")
def run(experiment: Experiment) -> Verdict:
    """Hold when software sees what was done, and the same is done in every way to run it."""
    runs, good = _one_by_one(experiment, 2 if experiment.quick else FRAMES - 1)
    ways, equal, token_hash = _ways(experiment, "functional", {})
    if not experiment.quick:
        rtl = {"RTL by Verilator": {"rtl_engine": "verilator"}}
        more, same, _ = _ways(experiment, "rtl", rtl)
        ways, equal = ways + more, equal + same
    engines = ("functional",) if experiment.quick else ("functional", "rtl")
    rest = {
        "nothing taken": _nothing_taken(experiment),
        "two hosts": _on_two_hosts(experiment, token_hash),
        **{f"snapshot, {one}": _from_snapshot(experiment, one) for one in engines},
    }
    for name, fine in rest.items():
        experiment.say(f"{name}: {'equal' if fine else 'NOT equal'}")
    experiment.keep(one_by_one=runs, seen=good, ways=ways, equal=equal, token_hash=token_hash)
    return Verdict(
        good == runs and equal == ways and all(rest.values()),
        f"{good} of {runs} faults seen by software as they should, {equal} of {ways} ways to run "
        f"equal, {sum(rest.values())} of {len(rest)} other comparisons equal",
        "all of them",
    )
