# SPDX-License-Identifier: BSD-3-Clause
"""Broken states of blades in RTL, which the engine and the drivers of the bridges read.

A model needs a compiler and firesim-sim as it is, so each case is a process of its own, and this is
not part of --quick. The simulator itself says which hash a changed file would need.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import struct
from pathlib import Path

from firesim.build.launch import finish
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim_common.errors import InputError

from regression.robustness.hostile.findings import Finding, Tally

TARGET = "rtl-state"
SAVED_AT, CYCLES = 50_000, 52_000
RECIPE = f"""\
system: {{topology: two_nodes, node: {{blade: rocket-1-small, memory: {{size_mib: 16}}}}}}
workload: quickstart
simulation: {{engine: rtl, max_cycles: {CYCLES}, snapshots: {{at_cycles: [{SAVED_AT}]}}}}
"""
NODE = "node0"
LIMIT_S = 900.0
EDGES = (0, 1, 0x7FFF_FFFF, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
_HASH = re.compile(r"(\S+) has been changed: its hash is ([0-9a-f]{16}), expected")


def base_snapshot(folder: Path) -> Path:
    """Run two blades in RTL in a folder; return their snapshot, in the middle of a ping.

    Raises:
        InputError: they did not run as they always do.
    """
    outcome = run(load_text(RECIPE), results=folder / "rtl")
    if outcome.reason != "max_cycles":
        raise InputError(f"{outcome.folder}: found the end {outcome.reason}: {outcome.message}")
    return outcome.folder / f"snapshots/cycle-{SAVED_AT}"


def try_cases(snapshot: Path, first: int, cases: int, folder: Path) -> Tally:
    """Give the simulator the given number of broken states of a node, from a seed on."""
    tally = Tally(TARGET)
    shutil.copytree(snapshot, folder / "evil")
    file = folder / "evil" / f"{NODE}.state"
    good = file.read_bytes()
    description = json.loads((snapshot.parents[1] / "description.json").read_text())
    description |= {"results": "results", "restore": {"snapshot": str(folder / "evil")}}
    description["snapshots"] = {"directory": "snapshots"}
    (folder / "case.json").write_text(json.dumps(description))
    for seed in range(first, first + cases):
        state = broken(good, random.Random(f"{TARGET} {seed}"))
        file.write_bytes(state)
        _declare(folder / "evil", file.name, len(state))
        status, said = _said(folder / "case.json")
        tally.cases += 1
        tally.accepted += status in (0, 1)
        if status not in (0, 1, 2, 3) or "internal error" in said or (status > 1 and not said):
            tally.findings.append(Finding(seed, f"exit status {status}: {said[-300:]}"))
    return tally


def broken(good: bytes, rng: random.Random) -> bytes:
    """Return a state with a few numbers or bytes changed; now and then it is cut."""
    data = bytearray(good)
    for _ in range(rng.randint(1, 4)):
        # Sections of drivers are short, and stand behind that of the engine.
        at = rng.randrange(len(data)) if rng.random() < 0.3 else len(data) - rng.randint(1, 4000)
        if rng.random() < 0.7:
            at = max(data.rfind(b"u", 0, max(at, 0)) + 1, 0)
            data[at : at + 8] = struct.pack("<Q", rng.choice(EDGES))
        else:
            data[max(at, 0)] ^= 1 << rng.randrange(8)
    return bytes(data[: rng.randrange(len(data))] if rng.random() < 0.05 else data)


def _said(what: Path, *options: str) -> tuple[int, str]:
    done = finish(what, options=options, limit_s=LIMIT_S)
    return done.returncode, done.stderr.strip()


def _declare(folder: Path, name: str, size: int) -> None:
    """Write size and hash of a file into the index, and the index's own hash."""
    path = folder / "snapshot.json"
    index = json.loads(path.read_text())
    entry = next(model["state"] for model in index["models"] if model["state"]["file"] == name)
    entry["bytes"] = size
    path.write_text(json.dumps(index))
    while found := _HASH.search(_said(folder, "--check-snapshot")[1]):
        place = index if found[1] == path.name else entry
        place["hash"] = found[2]
        path.write_text(json.dumps(index))
