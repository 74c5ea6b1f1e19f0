# SPDX-License-Identifier: BSD-3-Clause
"""The whole life cycle of runs on a farm, by the commands that a user types.

Each step is begun and killed at random moments, then done, then done again. A run that is over
must have the hash that it has on this computer alone, one whose manager is killed must be found
again and end with the same, and when the farm is given back, nothing of it is left.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from typing import IO, Any

import yaml

from regression.support.experiment import Experiment, ExperimentError, Verdict
from regression.support.snapshots import pair_config

QUICKSTART = ("-c", "quickstart", "-x", "simulation.engine=functional")
QUICKSTART_HASH = "b79643426619b78e"
LONG_PINGS = 1000
"""Pings of a run that is killed: some seconds on a busy machine."""
COMMAND_LIMIT_S = 240.0
GONE_LIMIT_S = 20.0


@dataclass
class LifeCycle:
    """One farm's, in a folder of the experiment's."""

    experiment: Experiment
    farm: Path
    left: Callable[[], list[str]]
    """Says what is left of runs and hosts that should be gone."""
    rows: list[tuple[str, int, bool, float]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(self.experiment.seed)
        self.kills = 1 if self.experiment.quick else 5
        self.folder = self.experiment.folder
        self.results = self.folder / "runs"
        self.environment = {**os.environ, "FIRESIM_RESULTS": str(self.results)}

    def words(self, *words: str) -> list[str]:
        """Return the words of one command of FireSim."""
        return [sys.executable, "-P", "-m", "firesim.cli.main", *words]

    def command(self, *words: str, output: IO[str] | int = PIPE) -> subprocess.Popen[str]:
        """Start one command of FireSim in a session of its own."""
        return subprocess.Popen(
            self.words(*words),
            cwd=self.folder,
            env=self.environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def done(self, *words: str) -> str:
        """Run a command to its end; return what it prints.

        Raises:
            ExperimentError: its exit status is not 0.
        """
        process = self.command(*words)
        try:
            printed, _ = process.communicate(timeout=COMMAND_LIMIT_S)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        if process.returncode != 0:
            raise ExperimentError(f"firesim {' '.join(words)}: {printed.strip()[-2000:]}")
        return printed

    def killed(self, delay_s: float, *words: str) -> None:
        """Start a command and kill it and what it has started after a while."""
        process = self.command(*words)
        time.sleep(delay_s)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def step(self, *words: str, most_s: float) -> None:
        """Do a step that is interrupted at random moments, then done, then done again."""
        for _ in range(self.kills):
            self.killed(self.random.uniform(0.3, most_s), *words)
        begun = time.monotonic()
        self.done(*words)
        whole_s = time.monotonic() - begun
        self.done(*words)
        self.rows.append((words[0], self.kills, True, whole_s))

    def run_whole(self) -> None:
        """Run quickstart on the farm; its hash is known."""
        begun = time.monotonic()
        folder = self.results / "whole"
        self.done("runworkload", *QUICKSTART, *self.on_farm, "--results", str(folder))
        self.check("runworkload", folder, QUICKSTART_HASH, begun, kills=0)

    def run_without_manager(self) -> None:
        """Kill the manager of a run, and each that attaches, until one may see the end."""
        config = self.long_run()
        expected = self.alone(config)
        folder = self.results / "killed"
        begun = time.monotonic()
        self.done("boot", "-c", config, *self.on_farm, "--results", str(folder))
        for _ in range(self.kills):
            self.killed(self.random.uniform(0.5, 3), "attach", str(folder))
        self.done("attach", str(folder))
        self.check("attach", folder, expected, begun, self.kills)

    def end_a_run(self) -> None:
        """Kill a run in its middle, twice; nothing of it may go on."""
        folder = self.results / "ended"
        self.done("boot", "-c", self.long_run(), *self.on_farm, "--results", str(folder))
        begun = time.monotonic()
        self.killed(self.random.uniform(0.2, 1.5), "kill", "--grace", "2")
        self.done("kill", "--grace", "2")
        self.done("kill", "--grace", "2")
        self.rows.append(("kill", 1, True, time.monotonic() - begun))

    def check(self, step: str, folder: Path, expected: str, begun: float, kills: int) -> None:
        """Compare the hash of a run that is over."""
        found = _result(folder)["token_hash"]
        if found != expected:
            self.faults.append(f"{step}: found the hash {found}, expected {expected}")
        self.rows.append((step, kills, found == expected, time.monotonic() - begun))

    def gone(self, when: str) -> None:
        """Note what is left of the runs, or of the farm, when all should be gone."""
        limit = time.monotonic() + GONE_LIMIT_S
        while (found := self.left()) and time.monotonic() < limit:
            time.sleep(0.2)
        self.faults += [f"left {when}: {one}" for one in found]

    @property
    def on_farm(self) -> tuple[str, str]:
        """The option that names the farm."""
        return ("--farm", str(self.farm))

    def verdict(self) -> Verdict:
        """Print the table and say whether all holds."""
        self.experiment.table(
            "Steps",
            ["step", "killed before", "as expected", "then done in (s)"],
            [
                (step, kills, "yes" if right else "NO", f"{wall_s:.1f}")
                for step, kills, right, wall_s in self.rows
            ],
        )
        for fault in self.faults:
            self.experiment.say(fault)
        self.experiment.keep(steps=self.rows, faults=self.faults)
        right = sum(row[2] for row in self.rows)
        killed = sum(row[1] for row in self.rows)
        return Verdict(
            not self.faults,
            f"{right} of {len(self.rows)} steps right, killed {killed} times and repeated; "
            f"{len(self.faults)} faults,",
            "all right and nothing left",
        )

    def long_run(self, latency_cycles: int = 6_400) -> str:
        """Return the file of a run of some seconds; with longer links it takes longer."""
        config = pair_config("functional", LONG_PINGS, 1 << 20)
        config["system"]["link"] = {"latency_cycles": latency_cycles}
        file = self.folder / f"long-{latency_cycles}.yaml"
        file.write_text(yaml.safe_dump(config))
        return str(file)

    def alone(self, config: str) -> str:
        """Return the hash of a run on this computer alone."""
        folder = self.results / f"alone-{Path(config).stem}"
        self.done("runworkload", "-c", config, "--results", str(folder))
        return str(_result(folder)["token_hash"])


def whole_life(
    life: LifeCycle,
    launch_s: float,
    end_s: float,
    more: Callable[[LifeCycle], None] = lambda life: None,
) -> Verdict:
    """Go through all steps; launching and ending are killed within that number of seconds.

    `more` is what else is done while the farm is up.
    """
    farm = life.on_farm
    life.step("launchrunfarm", *farm, "--yes", most_s=launch_s)
    life.step("infrasetup", *QUICKSTART, *farm, most_s=4)
    life.run_whole()
    life.run_without_manager()
    life.end_a_run()
    more(life)
    life.step("terminaterunfarm", *farm, "--yes", most_s=end_s)
    life.gone("on the farm")
    return life.verdict()


def processes_left(run: Callable[..., str], servers: Sequence[str]) -> list[str]:
    """Return the processes of a host but its servers, and what lists them."""
    lines = run("ps", "axo", "args=").splitlines()
    mine = re.compile(r"^(ps |\[|" + "|".join(map(re.escape, servers)) + ")")
    return [line[:100] for line in lines if not mine.match(line)]


def _result(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return found
