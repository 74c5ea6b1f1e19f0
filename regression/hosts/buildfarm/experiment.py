# SPDX-License-Identifier: BSD-3-Clause
"""Bitstreams built in parallel on hosts, by the commands of a user, and none of it left behind.

Three hosts are namespaces of this computer with a real sshd each; the tools are in a folder that
they share. Three builds run at the same time with Yosys and nextpnr: two that a ULX3S takes, and
one that is too slow for its clock. Ctrl-C ends all at the first synthesis, and SIGTERM too. The
next manager is killed when a build is at place and route; its jobs go on, and a third manager finds
them and ends with the reports, the database and the one failure. A fourth has nothing to build.
Then one build runs on an instance of EC2 (moto, whose instances are such hosts), launched for it
and given back; with --quick it is one that is built already.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from firesim.bitstream.database import bitstream_file, read_database
from firesim.bitstream.forms import build_design, design_form
from firesim.config.bitstream import LoadedBuilds
from firesim_common.tools import ToolError

from regression.hosts.buildfarm.designs import GOOD, LATE, install_tools, write_recipes
from regression.support.experiment import (
    Experiment,
    ExperimentError,
    NotHereError,
    Verdict,
    experiment_named,
)
from regression.support.hosts.bed import Bed, TestHost, farm_text, why_not
from regression.support.hosts.cloud import cloud
from regression.support.hosts.life_cycle import processes_left

LIMIT_S = 1200.0
FAILED, INTERRUPTED = 3, 130
CLOUD = "sum-3"
SERVERS = ["sshd: /usr/sbin"]


class Manager:
    """Starts `firesim buildbitstream` with a cache of the experiment's own."""

    def __init__(self, experiment: Experiment) -> None:
        self.folder = experiment.folder
        self.rows: list[list[object]] = []
        self.faults: list[str] = []
        self.environment = {**os.environ, "FIRESIM_CACHE": str(self.folder / "cache")}

    def start(self, name: str, recipes: Path, *more: str) -> subprocess.Popen[str]:
        """Start one; what it prints goes to NAME.log."""
        words = [sys.executable, "-P", "-m", "firesim.cli.main", "buildbitstream", str(recipes)]
        words += ["--results", str(self.folder / "results" / name), *more]
        with (self.folder / f"{name}.log").open("w") as log:
            return subprocess.Popen(
                words,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )

    def text(self, name: str) -> str:
        """Return what one has printed."""
        return (self.folder / f"{name}.log").read_text()

    def until(
        self, name: str, process: subprocess.Popen[str], holds: Callable[[str], bool]
    ) -> None:
        """Wait until what one has printed is so."""
        limit = time.monotonic() + LIMIT_S
        while not holds(self.text(name)):
            if process.poll() is not None or time.monotonic() > limit:
                process.kill()
                process.wait()
                raise ExperimentError(f"{name}: ended too early: {self.text(name)[-1500:]}")
            time.sleep(0.05)

    def step(self, what: str, right: bool, note: str) -> None:
        """Note how a step went."""
        self.rows.append([what, "yes" if right else "NO", note])
        if not right:
            self.faults.append(f"{what}: {note}")


def _left(hosts: list[TestHost]) -> list[str]:
    """Return what is left of builds on hosts: processes, folders of jobs, temporary files."""
    found = []
    for host in hosts:
        found += [f"{host.name}: {line}" for line in processes_left(host.run, SERVERS)]
        jobs = host.run("sh", "-c", "ls -d /root/.firesim/runs/* /tmp/yowasp* 2>/dev/null || true")
        found += [f"{host.name}: {line}" for line in jobs.split()]
    return found


def _interrupted(manager: Manager, recipes: Path, hosts: list[TestHost]) -> None:
    for number, what in ((signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM")):
        name = f"interrupted by {what}"
        process = manager.start(name, recipes)
        manager.until(name, process, lambda text: "synthesis" in text)
        process.send_signal(number)
        status = process.wait(timeout=LIMIT_S)
        left = _left(hosts)
        manager.step(what, status == INTERRUPTED and not left, f"status {status}, left {left}")


def _killed(manager: Manager, recipes: Path, hosts: list[TestHost]) -> None:
    process = manager.start("killed", recipes)
    everything = [*GOOD, LATE]

    def routing(text: str) -> bool:
        return sum(f"{name}: synthesis" in text for name in everything) == 3 and "place" in text

    manager.until("killed", process, routing)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    going = [host for host in hosts if "open_tools_job" in host.run("ps", "axo", "args=")]
    manager.step("manager killed", len(going) == 3, f"{len(going)} of 3 jobs go on")


def _whole(manager: Manager, recipes: Path, hosts: list[TestHost]) -> None:
    process = manager.start("whole", recipes)
    status = process.wait(timeout=LIMIT_S)
    text = manager.text("whole")
    late = [line for line in text.splitlines() if line.startswith(f"{LATE}: ") and "found" in line]
    right = status == FAILED and "expected at least 25" in " ".join(late)
    manager.step("found again", right, f"status {status}, {' '.join(late) or text[-800:]}")
    _check_database(manager, recipes, GOOD)
    left = _left(hosts)
    manager.step("nothing left", not left, f"{left}")
    again = manager.start("again", recipes, "--only", GOOD[0], "--only", GOOD[1])
    status = again.wait(timeout=LIMIT_S)
    there = manager.text("again").count("there already on") + manager.text("again").count(
        ": there already"
    )
    manager.step("built before", status == 0 and there >= 2, f"status {status}, {there} there")


def _check_database(manager: Manager, recipes: Path, names: tuple[str, ...]) -> None:
    """Compare the entries with the designs and the files that they name."""
    database = recipes.parent / "hwdb.yaml"
    entries = read_database(database) if database.is_file() else {}
    loaded = LoadedBuilds(recipes)
    for name in names:
        entry = entries.get(name)
        expected = design_form(build_design(loaded, name)).manifest.design_hash
        if entry is None or entry.fingerprint != expected:
            manager.step(f"entry {name}", False, f"found {entry}, expected {expected}")
            continue
        file = bitstream_file(database, name, entry)  # Its SHA-256 is compared.
        tools = ", ".join(f"{tool} {version}" for tool, version in entry.tools.items())
        drawn = (file.parent / "utilisation.svg").is_file()
        size = f"{file.stat().st_size:,} bytes, {expected}, {tools}"
        manager.step(f"entry {name}", drawn and entry.board == "ulx3s", size)
    extra = set(entries) - {*GOOD, CLOUD}
    manager.step("no entry of the failed one", not extra, f"{sorted(entries)}")


def _on_the_cloud(manager: Manager, bed: Bed, name: str) -> None:
    """Build on an instance that is launched for it and given back."""
    with cloud(manager.folder, bed) as sky:
        farm = manager.folder / "cloud.yaml"
        farm.write_text(sky.farm_text("instance_type: c7a.4xlarge, count: 1"))
        recipes = write_recipes(manager.folder / "cloud-builds.yaml", [name], "cloud.yaml")
        manager.environment.update({k: v for k, v in os.environ.items() if k.startswith("AWS")})
        process = manager.start("cloud", recipes, "--yes")
        status = process.wait(timeout=LIMIT_S)
        up = len(sky.instances())
        launched = len(sky.asked)
        right = status == 0 and up == 0 and launched == 1
        note = f"status {status}, {launched} launched, {up} still up"
        manager.step("EC2", right, note if right else note + manager.text("cloud")[-800:])
        _check_database(manager, recipes, (name,))


@experiment_named("buildfarm", mostly_waits=True)
def run(experiment: Experiment) -> Verdict:
    """Hold when every step is right and nothing is left on any host."""
    if reason := why_not():
        raise NotHereError(reason)
    bed = Bed()
    try:
        try:
            install_tools(bed)
        except ToolError as error:
            raise NotHereError(f"nextpnr-ecp5 cannot be installed: {error}") from error
        hosts = [bed.add() for _ in range(3)]
        (experiment.folder / "lab.yaml").write_text(farm_text(hosts))
        recipes = write_recipes(experiment.folder / "builds.yaml", [*GOOD, LATE], "lab.yaml")
        manager = Manager(experiment)
        _interrupted(manager, recipes, hosts)
        _killed(manager, recipes, hosts)
        _whole(manager, recipes, hosts)
        # Quickly, the instance finds that there is nothing to build.
        _on_the_cloud(manager, bed, GOOD[0] if experiment.quick else CLOUD)
    finally:
        bed.close()
    experiment.table("Steps", ["step", "as expected", "found"], manager.rows)
    experiment.keep(steps=manager.rows, faults=manager.faults)
    right = len(manager.rows) - len(manager.faults)
    figure = f"{right} of {len(manager.rows)} steps right,"
    return Verdict(not manager.faults, figure, "all right and nothing left")
