# SPDX-License-Identifier: BSD-3-Clause
"""The life cycle of runs on EC2, against moto, whose instances are hosts; every step interrupted.

An on-demand and a spot instance (two more without --quick). moto answers as EC2 does; each of its
instances is a namespace of this computer with its own sshd, whose host key its console shows. The
first subnet never has capacity. An instance that the farm did not tag must stay. The metadata
service of a spot instance says that it goes: the run is saved, and when the instance has gone in
the middle of it, it goes on from there, to the same hash.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from firesim.farm.kinds.aws_ec2.instances import METADATA

from regression.support.experiment import (
    Experiment,
    ExperimentError,
    NotHereError,
    Verdict,
    experiment_named,
)
from regression.support.hosts import metadata
from regression.support.hosts.bed import Bed, TestHost, why_not
from regression.support.hosts.cloud import IMAGE, Cloud, cloud
from regression.support.hosts.life_cycle import LifeCycle, whole_life

NOTICE_S = 200.0
"""A run that is saved and one that goes on take some seconds each on a busy machine."""
NOTICED_LATENCY_CYCLES = 32_000
"""Of the links of a run that must not be over before it is saved."""
SAVED = re.compile(r"spot notice for \S+, terminate at \S+: the run is saved at cycle")


@experiment_named("runfarm-ec2", mostly_waits=True)
def run(experiment: Experiment) -> Verdict:
    """Hold when every step can be repeated and interrupted, and nothing but the other is left."""
    if reason := why_not():
        raise NotHereError(reason)
    count = 1 if experiment.quick else 2
    bed = Bed()
    try:
        with cloud(experiment.folder, bed) as sky:
            first = sky.subnets[0]
            message = "We currently do not have sufficient capacity."
            sky.refuse(
                "InsufficientInstanceCapacity", message, lambda asked: asked["subnet"] == first
            )
            other = {"ImageId": IMAGE, "InstanceType": "c7a.large"}
            sky.ec2.run_instances(**other, SubnetId=sky.subnets[1], MinCount=1, MaxCount=1)
            kept = [one["InstanceId"] for one in sky.instances()]
            hosts = f"instance_type: c7a.4xlarge, count: {count}\n"
            hosts += f"instance_type: c7a.4xlarge, market: spot, count: {count}"
            file = experiment.folder / "cloud.yaml"
            file.write_text(sky.farm_text(hosts))
            life = LifeCycle(experiment, file, lambda: _left(sky, kept))
            verdict = whole_life(life, 8, 2, lambda life: _notice(life, sky))
            launched = sum(asked["subnet"] != first for asked in sky.asked) - 1
            experiment.say(f"{launched} instances were launched for {2 * count} hosts")
            return verdict
    finally:
        bed.close()


def _notice(life: LifeCycle, sky: Cloud) -> None:
    """Tell a spot instance that it goes; take it once the run is saved, before the run is over."""
    config = life.long_run(NOTICED_LATENCY_CYCLES)
    expected = life.alone(config)
    begun = time.monotonic()
    spot = next(one for one in sky.instances() if one.get("InstanceLifecycle") == "spot")
    host = sky.hosts[spot["InstanceId"]]
    _give_notice(host)
    folder, log = life.results / "noticed", life.folder / "noticed.log"
    words = ["runworkload", "-c", config, *life.on_farm, "--results", str(folder)]
    with log.open("w") as output:
        run = life.command(*words, output=output)
    try:
        _wait(run, log, (folder / "snapshots/spot-1/snapshot.json").exists, "saved")
        host.run("pkill", "-STOP", "firesim-sim")  # The others wait for its tokens.
        _wait(run, log, lambda: SAVED.search(log.read_text()) is not None, "said to be saved")
    finally:
        sky.interrupt(spot["InstanceId"])
        run.wait(timeout=NOTICE_S)
    if "going on from cycle" not in log.read_text():
        life.faults.append(f"spot notice: {log.read_text().strip()[-1000:]}")
    life.check("spot notice", folder, expected, begun, kills=0)


def _give_notice(host: TestHost) -> None:
    """Start a metadata service on a host that says that the host goes."""
    address = METADATA.rpartition("/")[2]
    shutil.copy(Path(metadata.__file__), host.bed.shared / "metadata.py")
    host.run("ip", "address", "add", f"{address}/32", "dev", "lo")
    (host.bed.shared / host.name / "notice").touch()
    words = ["python3", "/mnt/shared/metadata.py", address, "80"]
    host.start(*words, f"/mnt/shared/{host.name}/notice", log="/mnt/shared/metadata.log")


def _wait(run: subprocess.Popen[str], log: Path, holds: Callable[[], bool], what: str) -> None:
    limit = time.monotonic() + NOTICE_S
    while not holds():
        if run.poll() is not None or time.monotonic() > limit:
            raise ExperimentError(f"the run was not {what}: {log.read_text()[-1000:]}")
        time.sleep(0.02)


def _left(sky: Cloud, kept: list[str]) -> list[str]:
    found = [one["InstanceId"] for one in sky.instances()]
    text = f"instances {found}, expected {kept} alone"
    return [] if sorted(found) == sorted(kept) and set(sky.hosts) == set(kept) else [text]
