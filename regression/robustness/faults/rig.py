# SPDX-License-Identifier: BSD-3-Clause
"""A real run from the command line, and what must hold when something has happened to it."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from firesim.build.simulator import simulator
from firesim.run.folder import is_alive, load_simulator, saved_result
from firesim.run.snapshots import snapshots_of
from firesim_common.tools import python_command

LIMIT_S = 900.0
"""What takes longer hangs; a loaded computer is slow."""
POLL_S = 0.005
RECIPE = """\
name: faulty
system: {{topology: two_nodes, node: {{memory: {{size_mib: 16}}}}}}
workload:
  node: {{program: quickstart, args: [role=server]}}
  nodes:
    node0: {{args: [role=client, "peer=${{node1.mac}}", count={pings}, bytes={bytes}]}}
simulation:
  engine: functional
  threads: 1
  status_interval_s: 0.05
  throughput_interval_cycles: 0
  snapshots: {{interval_cycles: {interval}, keep: 2}}
"""


class Broken(Exception):
    """What a run must never do, in a sentence."""


@dataclass
class Started:
    """A run that has been started by the command line."""

    process: subprocess.Popen[bytes]
    results: Path
    log: Path

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait for a condition, or for the end of the run."""
        limit = time.monotonic() + LIMIT_S
        while not condition() and self.process.poll() is None:
            if time.monotonic() > limit:
                raise Broken(f"{what} did not happen within {LIMIT_S:g} s")
            time.sleep(POLL_S)

    def until_simulating(self) -> None:
        """Wait until the simulator simulates."""
        status = self.results / "status.jsonl"
        self.until(lambda: status.exists() and status.stat().st_size > 0, "the first status")

    def simulator(self) -> int | None:
        """Return the process id of the simulator, None when it does not run."""
        record = load_simulator(self.results)
        return record.pid if record is not None and is_alive(record) else None

    def signal_simulator(self, number: signal.Signals) -> None:
        """Send the simulator a signal, if it runs."""
        pid = self.simulator()
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def signal_manager(self, number: signal.Signals) -> None:
        """Send the manager a signal, if it runs."""
        if self.process.poll() is None:
            self.process.send_signal(number)

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit status and what was said."""
        try:
            status = self.process.wait(timeout=LIMIT_S)
        except subprocess.TimeoutExpired as error:
            self.process.kill()
            self.process.wait()
            raise Broken(f"the run did not end within {LIMIT_S:g} s") from error
        return status, self.log.read_text(errors="replace") if self.log.exists() else ""


@dataclass
class Rig:
    """The recipe, the hash that it always has, and folders for runs."""

    folder: Path
    rng: random.Random
    recipe: Path
    token_hash: str = ""
    whole_s: float = 0.0
    """Wall time of the simulation alone."""
    environment: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    runs: int = 0

    def new_results(self) -> Path:
        """Return a folder for results that is not there yet."""
        self.runs += 1
        return self.folder / f"run-{self.runs:04d}"

    def words(self, results: Path, *more: str) -> list[str]:
        """Return the command that runs the recipe."""
        command = ["runworkload", "-c", str(self.recipe), "--results", str(results), *more]
        return [str(word) for word in python_command("-m", "firesim.cli.main", *command)]

    def start(
        self,
        results: Path | None = None,
        *,
        words: Sequence[str] | None = None,
        wrapper: Sequence[str] = (),
        environment: dict[str, str] | None = None,
        before: Callable[[], None] | None = None,
    ) -> Started:
        """Start the run, or another command, in a session of its own."""
        results = results or self.new_results()
        log = results.with_suffix(".log")
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [*wrapper, *(words or self.words(results))],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                env=self.environment | (environment or {}),
                start_new_session=True,
                preexec_fn=before,
            )
        return Started(process, results, log)

    def sometime(self) -> None:
        """Wait for a part of the run, by chance."""
        time.sleep(self.rng.uniform(0.0, self.whole_s))

    def settle(self, run: Started, *, resumable: bool = True) -> str:
        """Check the end of a run that something happened to; return how it ended.

        Raises:
            Broken: it did not end in order, something is left, or its result is another one.
        """
        status, said = run.end()
        if "Traceback" in said:
            raise Broken(f"a stack trace:\n{said[-2000:]}")
        self.nothing_left(run.results)
        if status == 0:
            printed = re.search(r"^token hash ([0-9a-f]+)$", said, re.MULTILINE)
            kept = saved_result(run.results).get("token_hash")
            self._same(kept or (printed and printed[1]), said)
            return "same hash"
        if status > 0 and not said.strip():
            raise Broken(f"exit status {status} without a word")
        self.next_run_works(run.results if resumable else None)
        return "same hash after --resume" if resumable and _saved(run.results) else "a sentence"

    def next_run_works(self, lost: Path | None) -> str:
        """Go on with a lost run from its last snapshot, or run anew: the hash is the same.

        Returns what it said.
        """
        results = self.new_results()
        words = self.words(results)
        if lost is not None and _saved(lost):
            again = ["runworkload", "--resume", str(lost), "--results", str(results)]
            words = [str(word) for word in python_command("-m", "firesim.cli.main", *again)]
        status, said = self.start(results, words=words).end()
        if status != 0:
            raise Broken(f"the next run ended with {status}:\n{said[-2000:]}")
        self._same(saved_result(results).get("token_hash"), said)
        return said

    def _same(self, found: object, said: str) -> None:
        if self.token_hash and found != self.token_hash:
            raise Broken(f"the hash {found}, expected {self.token_hash}:\n{said[-2000:]}")

    def nothing_left(self, results: Path) -> None:
        """Wait for the end of all processes that belong to a run.

        Raises:
            Broken: one stays.
        """
        limit = time.monotonic() + LIMIT_S / 4
        while left := processes_of(results):
            if time.monotonic() > limit:
                raise Broken(f"left behind: {left}")
            time.sleep(POLL_S)


def _saved(results: Path) -> bool:
    finished = saved_result(results).get("reason") == "ended"
    return not finished and (results / "config.yaml").is_file() and bool(snapshots_of(results))


def processes_of(results: Path) -> list[str]:
    """Return the commands of living processes that name a results folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            stat = (entry / "stat").read_text()
        except OSError:
            continue
        is_dead = stat.rpartition(")")[2].split()[0] in "ZX"
        if f"{results}/" in f"{command} /" and not is_dead:
            found.append(command[:200])
    return found


def make_rig(folder: Path, rng: random.Random, *, quick: bool) -> Rig:
    """Return a rig whose recipe has been run once as it should.

    Raises:
        Broken: it did not end as it should.
    """
    simulator()  # not in the time of a run
    folder.mkdir(parents=True)
    recipe = folder / "faulty.yaml"
    pings, size = (20, 1 << 20) if quick else (100, 4 << 20)
    recipe.write_text(RECIPE.format(pings=pings, bytes=size, interval=300_000))
    rig = Rig(folder, rng, recipe)
    run = rig.start()
    status, said = run.end()
    if status != 0:
        raise Broken(f"the run without a fault ended with {status}:\n{said[-2000:]}")
    result = json.loads((run.results / "result.json").read_text())
    rig.token_hash, rig.whole_s = str(result["token_hash"]), float(result["wall_s"])
    return rig
