# SPDX-License-Identifier: BSD-3-Clause
"""The manager is killed with -9 in the middle of a run; attach finds it, and nothing is missing.

A run in two processes on this computer (`deploy/farms/two_processes.yaml` with a folder of its own)
loses its manager at random moments. `firesim attach` must find it each time, and in the end the
results must be complete and the hash that of an undisturbed run.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

from firesim.work.folder import saved_result
from firesim_common.tools import python_command

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.hosts.lab import hash_of, loaded, whole_run

RECIPE = "quickstart"
LIMIT_S = 300.0


@experiment_named("detach")
def run(experiment: Experiment) -> Verdict:
    """Hold when each run ends with all results and the hash of the undisturbed one."""
    chance = random.Random(experiment.seed)
    here = whole_run(loaded(RECIPE, []), experiment.folder / "here")
    farm = experiment.folder / "farm.yaml"
    farm.write_text(f"kind: local\nprocesses: 2\nfolder: {experiment.folder}/hosts\n")
    wanted = {str(path.relative_to(here.folder)) for path in here.folder.rglob("*.log")}
    rows = []
    wrong = 0
    for index in range(1 if experiment.quick else 10):
        root = experiment.folder / f"results-{index}"
        kills, found, folder = _killed_again_and_again(root, farm, chance)
        files = {str(path.relative_to(folder)) for path in folder.rglob("*.log")}
        missing = sorted(wanted - files - {"run.log"})
        left = len(list(experiment.folder.glob("hosts/*/runs/*")))
        wrong += found != hash_of(here) or bool(missing) or left != 0
        rows.append((index, kills, found, " ".join(missing) or "none", left))
    columns = ("run", "managers killed", "token hash", "missing results", "left behind")
    experiment.table("runs", columns, rows)
    experiment.keep(runs=[list(row) for row in rows], expected=hash_of(here))
    return Verdict(
        wrong == 0,
        f"{len(rows)} runs, {sum(int(row[1]) for row in rows)} managers killed, {wrong} wrong",
        "none wrong",
    )


def _killed_again_and_again(root: Path, farm: Path, chance: random.Random) -> tuple[int, str, Path]:
    """Return how many managers were killed, the hash in the end and the results folder."""
    words = ["runworkload", "-c", RECIPE, "--farm", str(farm)]
    kills = 0
    limit = time.monotonic() + LIMIT_S
    while time.monotonic() < limit:
        manager = _start(root, words)
        records = list(root.glob("*/hosts.json"))
        while not records and manager.poll() is None and time.monotonic() < limit:
            time.sleep(0.02)
            records = list(root.glob("*/hosts.json"))
        if not records:
            raise ExperimentError("the run did not begin")
        try:
            manager.wait(timeout=chance.uniform(0.2, 1.5) if kills < 3 else LIMIT_S)
        except subprocess.TimeoutExpired:
            manager.kill()
            manager.wait()
            kills += 1
            words = ["attach", str(records[0].parent)]
            continue
        folder = records[0].parent
        return kills, str(saved_result(folder).get("token_hash", "")), folder
    raise ExperimentError(f"the run did not end within {LIMIT_S:.0f} s")


def _start(root: Path, words: list[str]) -> subprocess.Popen[bytes]:
    command = [*python_command("-m", "firesim.cli.main"), *words]
    return subprocess.Popen(
        [str(word) for word in command],
        env={**os.environ, "FIRESIM_RESULTS": str(root)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
