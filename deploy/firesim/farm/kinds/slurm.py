# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of a Slurm cluster as a run farm: one job a node, so that losing one ends no other.

The jobs are those of the user with the farm's name; Slurm itself is asked which there are.
"""

from __future__ import annotations

import getpass
import re
import shlex
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar, Literal

from firesim_common.errors import unknown
from pydantic import Field

from firesim.config.farm import Capacity, Count, FarmBase, HostText
from firesim.farm.base import FarmError, Launch, RunFarm, Say
from firesim.farm.file import FarmFile
from firesim.hosts.host import Host
from firesim.hosts.srun_link import HOLDER, PYTHON, SrunLink, own_environment

POLL_S = 0.5
CANCEL_LIMIT_S = 120.0
ASK_LIMIT_S = 60.0
WARNING_S = 60
"""So long before a job's time is over, what runs in it is asked to end."""
SCRIPT = "#!/bin/sh\nexec {program} hold $SLURM_JOB_ID\n"
HERE = {"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "REQUEUED", "RESIZING"}
"""States of a job that has not ended."""
NOT_YET_LOOKED_AT = "None"
"""Slurm's reason of a job that waits and that its scheduler has not met."""


class SlurmFarm(FarmBase, Capacity):
    """An allocation of a Slurm cluster; its nodes are the hosts."""

    HOSTS_NAMED: ClassVar[bool] = False

    kind: Literal["slurm"]
    nodes: Count
    """How many nodes."""
    partition: HostText | None = None
    """Default: the cluster's."""
    account: HostText | None = None
    """Who pays."""
    constraint: str | None = None
    """Features that the nodes must have, as sbatch takes them."""
    time_limit_min: Annotated[int, Field(ge=1)] = 60
    """Length of the allocation in minutes."""
    launch_timeout_s: Annotated[float, Field(gt=0)] = 600
    """How long to wait for the allocation."""


@dataclass(frozen=True)
class Job:
    """A job of the farm, as squeue has it."""

    number: str
    state: str
    reason: str
    started: str
    nodes: str


class Slurm(RunFarm):
    """Whole nodes of a Slurm cluster."""

    def __init__(self, name: str, config: SlurmFarm) -> None:
        """Take the farm's file."""
        super().__init__(name)
        self.config = config
        self.job_name = f"firesim-{name}"

    def missing(self) -> Launch:
        """Return the nodes that are neither there nor waited for."""
        count = self._missing_count(self._jobs())
        where = f" of partition {self.config.partition}" if self.config.partition else ""
        minutes = self.config.time_limit_min
        late = [job.number for job in self._jobs() if job.state == "TIMEOUT"]
        after = f"; job {late[-1]} has ended by its time limit" if late and count else ""
        return Launch([f"{count} nodes{where} for {minutes} min{after}"] if count else [])

    def launch(self, say: Say) -> None:
        """Ask for what is missing and wait for it.

        Raises:
            FarmError: Slurm refuses, or gives no nodes in time; jobs that wait go on waiting.
        """
        if missing := self._missing_count(self._jobs()):
            self._submit(missing, say)
            self._give_back_surplus()
        limit = time.monotonic() + self.config.launch_timeout_s
        said = ""
        while True:
            jobs = [job for job in self._jobs() if job.state in HERE]
            waiting = [job for job in jobs if job.state != "RUNNING"]
            if not waiting and len(jobs) >= self.config.nodes:
                return
            if len(jobs) < self.config.nodes:
                raise FarmError(
                    f"{self.name}: found {len(jobs)} jobs after asking for {self.config.nodes}, "
                    "expected none to end at once: has every node python3?"
                )
            why = f" ({waiting[0].reason})" if waiting[0].reason != NOT_YET_LOOKED_AT else ""
            reason = f"{len(waiting)} of {self.config.nodes} nodes wait{why}"
            if time.monotonic() > limit:
                raise FarmError(
                    f"{self.name}: found that {reason} after "
                    f"{self.config.launch_timeout_s:g} s, expected all; they stay in the queue: "
                    "launchrunfarm waits on, terminaterunfarm gives them up."
                )
            if reason != said:
                say(f"{self.name}: {reason}")
                said = reason
            time.sleep(POLL_S)

    def hosts(self) -> list[Host]:
        """Return the nodes of jobs that run, without those that Slurm itself has lost."""
        running = [job for job in self._jobs() if job.state == "RUNNING"]
        about = {job.number: self._node(job.nodes) for job in running}
        config = self.config
        return [
            Host(
                name=re.sub(r"[^A-Za-z0-9]+", "_", job.nodes),
                address=self._address(about[job.number].get("NodeAddr", job.nodes)),
                link=SrunLink(job.number, job.nodes),
                folder=config.folder,
                cores=config.cores,
                memory_bytes=None if config.memory_gib is None else int(config.memory_gib * 2**30),
                fpgas=config.fpgas,
                kind=f"Slurm job {job.number}",
                since=datetime.fromisoformat(job.started).astimezone(),
            )
            for job in sorted(running, key=lambda job: int(job.number))
            if not re.search(r"DOWN|NOT_RESPONDING|\*", about[job.number].get("State", ""))
        ]

    def terminate(self, say: Say) -> None:
        """End the farm's jobs and all that runs in them.

        Raises:
            FarmError: Slurm has not ended them in two minutes.
        """
        numbers = [job.number for job in self._jobs() if job.state in HERE]
        if not numbers:
            return
        running = [job.number for job in self._jobs() if job.state == "RUNNING"]
        if running:  # First in order: what Slurm does not keep track of is ended by the holder.
            self._run(["scancel", "--batch", "--signal=TERM", *running], may_fail=True)
            self._wait_for_end(running, limit_s=10)
        self._run(["scancel", *numbers], may_fail=True)
        if left := self._wait_for_end(numbers, CANCEL_LIMIT_S):
            raise FarmError(
                f"{self.name}: found job {left[0]} not ended {CANCEL_LIMIT_S:g} s after scancel, "
                "expected it ended; its node may be lost: ask the administrator of the cluster."
            )
        say(f"{self.name}: ended {len(numbers)} jobs")

    # --- what Slurm says ---

    def _jobs(self) -> list[Job]:
        """Return the farm's jobs, also those that have ended and are not yet forgotten."""
        words = ["squeue", "--noheader", "--array", "--states=all", f"--name={self.job_name}"]
        words += [f"--user={getpass.getuser()}", "--format=%A|%T|%r|%S|%N"]
        lines = self._run(words).splitlines()
        jobs = [Job(*(part.strip() for part in line.split("|", 4))) for line in lines]
        return sorted(jobs, key=lambda job: int(job.number))

    def _missing_count(self, jobs: Sequence[Job]) -> int:
        return max(0, self.config.nodes - sum(job.state in HERE for job in jobs))

    def _give_back_surplus(self) -> None:
        """End what two launches at once have asked for twice: the later jobs."""
        numbers = [job.number for job in self._jobs() if job.state in HERE]
        if surplus := numbers[self.config.nodes :]:
            self._run(["scancel", *surplus], may_fail=True)
            self._wait_for_end(surplus, CANCEL_LIMIT_S)

    def _wait_for_end(self, numbers: Sequence[str], limit_s: float) -> list[str]:
        limit = time.monotonic() + limit_s
        while True:
            here = {job.number for job in self._jobs() if job.state in HERE | {"COMPLETING"}}
            left = [number for number in numbers if number in here]
            if not left or time.monotonic() > limit:
                return left
            time.sleep(POLL_S / 5)

    def _node(self, name: str) -> dict[str, str]:
        line = self._run(["scontrol", "--oneliner", "show", "node", name])
        return dict(part.split("=", 1) for part in line.split() if "=" in part)

    def _address(self, text: str) -> str:
        try:
            return socket.gethostbyname(text)
        except OSError as error:
            raise FarmError(
                f'{self.name}: found the node address "{text}", expected one that this computer '
                "can look up."
            ) from error

    # --- asking for nodes ---

    def _submit(self, count: int, say: Say) -> None:
        config = self.config
        words = ["sbatch", "--parsable", f"--job-name={self.job_name}", f"--array=1-{count}"]
        words += ["--nodes=1", "--ntasks=1", "--exclusive", "--mem=0", "--no-requeue"]
        words += ["--output=/dev/null", "--error=/dev/null", "--chdir=/"]
        words += [f"--comment=FireSim run farm {self.name}", f"--time={config.time_limit_min}"]
        words += [f"--signal=B:TERM@{WARNING_S}"] if config.time_limit_min > 2 else []
        for key in ("partition", "account", "constraint"):
            if (value := getattr(config, key)) is not None:
                words.append(f"--{key}={value}")
        self._check_partition()
        script = SCRIPT.format(program=shlex.join([*PYTHON, HOLDER.read_text()]))
        number = self._run(words, script).strip().partition(";")[0]
        say(f"{self.name}: asked for {count} nodes, job {number}")

    def _check_partition(self) -> None:
        """Refuse a partition that there is not, or that has too few nodes."""
        words = ["sinfo", "--noheader", "--format=%P|%D"]
        count: dict[str, int] = {}
        default = ""
        for line in self._run(words).splitlines():
            name, _, nodes = line.strip().partition("|")
            default = name.rstrip("*") if name.endswith("*") else default
            count[name.rstrip("*")] = count.get(name.rstrip("*"), 0) + int(nodes)
        wanted = self.config.partition
        if wanted is not None and wanted not in count:
            found = unknown(wanted, "a partition of the cluster:", list(count))
            raise FarmError(f"{self.name}: partition: {found}")
        name = wanted or default
        if name in count and count[name] < self.config.nodes:
            raise FarmError(
                f"{self.name}: nodes: found {self.config.nodes}, expected at most the "
                f"{count[name]} of partition {name}."
            )

    def _run(self, words: Sequence[str], text: str = "", may_fail: bool = False) -> str:
        """Return what a program of Slurm writes.

        Raises:
            FarmError: there is none, it refuses, or it does not answer.
        """
        try:
            done = subprocess.run(
                list(words),
                input=text,
                capture_output=True,
                text=True,
                timeout=ASK_LIMIT_S,
                env=own_environment(),
                check=False,
            )
        except FileNotFoundError as error:
            raise FarmError(
                f"{self.name}: found no program {words[0]}, expected those of Slurm in PATH; "
                "start FireSim on a login node of the cluster."
            ) from error
        except subprocess.TimeoutExpired as error:
            raise FarmError(
                f"{self.name}: found no answer of {words[0]} in {ASK_LIMIT_S:g} s, expected that "
                "of a Slurm controller that is up."
            ) from error
        if done.returncode != 0 and not may_fail:
            lines = [line.partition("error: ")[2] or line for line in done.stderr.splitlines()]
            said = "; ".join(line.strip() for line in lines if line.strip()) or "nothing said"
            raise FarmError(f"{self.name}: {words[0]} refuses: {said}")
        return done.stdout


SETTINGS = SlurmFarm


def make(file: FarmFile) -> Slurm:
    """Return the farm that a file describes; nothing is started."""
    assert isinstance(file.farm, SlurmFarm)
    return Slurm(file.name, file.farm)


def stated_hosts(config: SlurmFarm) -> list[tuple[str, Capacity]]:
    """Return the nodes, which have names once they are allocated."""
    return [(f"node {index}", config) for index in range(config.nodes)]
