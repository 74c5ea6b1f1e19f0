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
from firesim.snapshots.files import snapshots_of
from firesim.watch.status import StatusReader
from firesim.work.folder import is_alive, load_simulator, saved_result
from firesim_common.tools import bytecode_environment, python_command

from regression.robustness.faults.own_processes import left_of

LIMIT_S = 900.0
"""What takes longer hangs; a loaded computer is slow."""
POLL_S = 0.005
LONGEST_POLL_S = 0.1
STATUS_S = 0.05
"""Wall time between two status lines, the shortest there is."""
AFTER_THE_END = 0.15
"""Of all faults in the middle of a run, this share comes while its manager writes the report."""
RECIPE = f"""\
name: faulty
system: {{topology: two_nodes, node: {{memory: {{size_mib: 16}}}}}}
workload:
  node: {{program: quickstart, args: [role=server]}}
  nodes:
    node0: {{args: [role=client, "peer=${{node1.mac}}", count=40, bytes=2097152]}}
simulation:
  engine: functional
  threads: 1
  status_interval_s: {STATUS_S}
  throughput_interval_cycles: 0
  snapshots: {{interval_cycles: 300_000, keep: 2}}
"""
"""Ten snapshots, so that there is one to go on from nearly everywhere, in 0.2 s of simulation."""


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

    def until_cycle(self, cycle: int) -> None:
        """Wait until the simulator on this computer has simulated so far; 0: until it simulates."""
        reader = StatusReader(self.results / "status.jsonl")

        def is_there() -> bool:
            status = reader.update()
            begun = status is not None and status.cycle >= cycle
            # The manager may record the simulator after its first status.
            return begun and load_simulator(self.results) is not None

        self.until(is_there, f"cycle {cycle}")

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


@dataclass(frozen=True)
class Base:
    """The recipe, and what a run of it is when nothing happens to it."""

    recipe: Path
    environment: dict[str, str]
    token_hash: str = ""
    end_cycle: int = 0
    start_s: float = 1.0
    """Wall time from the command to the first cycle."""
    report_s: float = 0.5
    """Wall time from the last cycle to the end of the command."""


@dataclass
class Rig:
    """A folder for the runs of one fault, and its chance."""

    base: Base
    folder: Path
    rng: random.Random
    started: list[Started] = field(default_factory=list)

    def new_results(self) -> Path:
        """Return a folder for results that is not there yet."""
        return self.folder / f"run-{len(self.started)}"

    def words(self, results: Path, *more: str) -> list[str]:
        """Return the command that runs the recipe."""
        command = ["runworkload", "-c", str(self.base.recipe), "--results", str(results), *more]
        return [str(word) for word in python_command("-m", "firesim.cli.main", *command)]

    def start(
        self,
        results: Path | None = None,
        *,
        words: Sequence[str] | None = None,
        wrapper: Sequence[str] = (),
        environment: dict[str, str] | None = None,
        before: Callable[[], None] | None = None,
        output: int | None = None,
    ) -> Started:
        """Start the run, or another command, in a session of its own.

        With `output`, a descriptor, only what is said of faults goes to the log.
        """
        results = results or self.new_results()
        log = results.with_suffix(".log")
        with log.open("wb") as stream:
            process = subprocess.Popen(
                [*wrapper, *(words or self.words(results))],
                stdin=subprocess.DEVNULL,
                stdout=stream if output is None else output,
                stderr=stream,
                env=self.base.environment | (environment or {}),
                start_new_session=True,
                preexec_fn=before,
            )
        self.started.append(Started(process, results, log))
        return self.started[-1]

    def sometime(self, run: Started, after_the_end: float = AFTER_THE_END) -> None:
        """Wait for a moment of the run by chance: in target time, so load moves it by little."""
        share = self.rng.uniform(0.0, 1.0 + after_the_end)
        if share <= 1.0:
            run.until_cycle(int(share * self.base.end_cycle))
            time.sleep(self.rng.uniform(0.0, STATUS_S))
        else:
            run.until((run.results / "result.json").exists, "the end of the simulation")
            time.sleep(self.rng.uniform(0.0, self.base.report_s))

    def settle(self, run: Started, *, resumable: bool = True) -> str:
        """Check the end of a run that something happened to; return how it ended.

        Raises:
            Broken: it did not end in order, something is left, or its result is another one.
        """
        status, said = run.end()
        if "Traceback" in said:
            raise Broken(f"a stack trace:\n{said[-2000:]}")
        self.nothing_left()
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
        """Go on with a lost run from its last snapshot, or run again: the hash is the same.

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
        expected = self.base.token_hash
        if expected and found != expected:
            raise Broken(f"the hash {found}, expected {expected}:\n{said[-2000:]}")

    def nothing_left(self) -> None:
        """Wait for the end of all that runs have started, except for runs that still go on.

        Raises:
            Broken: one stays.
        """
        limit, poll_s = time.monotonic() + LIMIT_S / 4, POLL_S
        while left := left_of([run.process for run in self.started]):
            if time.monotonic() > limit:
                raise Broken(f"left behind: {left}")
            time.sleep(poll_s)
            poll_s = min(1.5 * poll_s, LONGEST_POLL_S)


def _saved(results: Path) -> bool:
    finished = saved_result(results).get("reason") == "ended"
    return not finished and (results / "config.yaml").is_file() and bool(snapshots_of(results))


def make_base(folder: Path) -> Base:
    """Run the recipe once as it should be; return what came of it.

    Raises:
        Broken: it did not end as it should.
    """
    simulator()  # not in the time of a run
    folder.mkdir(parents=True)
    recipe = folder / "faulty.yaml"
    recipe.write_text(RECIPE)
    environment = bytecode_environment(folder / "pycache")
    rig = Rig(Base(recipe, environment), folder, random.Random(0))
    for _ in range(2):  # The first one compiles, and builds what is missing.
        began = time.monotonic()
        run = rig.start()
        run.until_cycle(0)
        start_s = time.monotonic() - began
        status, said = run.end()
        if status != 0:
            raise Broken(f"the run without a fault ended with {status}:\n{said[-2000:]}")
    result = json.loads((run.results / "result.json").read_text())
    report_s = max(0.1, time.monotonic() - began - start_s - float(result["wall_s"]))
    hash_, end = str(result["token_hash"]), int(result["end_cycle"])
    return Base(recipe, environment, hash_, end, start_s, report_s)
