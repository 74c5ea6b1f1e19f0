# SPDX-License-Identifier: BSD-3-Clause
"""The life cycle of runs on EC2, against moto, whose instances are hosts; every step interrupted.

An on-demand and a spot instance (two more without --quick). moto answers as EC2 does; each of its
instances is a namespace of this computer with its own sshd, whose host key its console shows. The
first subnet never has capacity. An instance that the farm did not tag must stay. In the middle of a
run the metadata service of a spot instance says that it goes: the run is saved, and when the
instance has gone it goes on from there, to the same hash.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path

from firesim.farm.aws_ec2 import METADATA
from firesim.run.folder import HOSTS_RECORD

from regression.support.experiment import (
    Experiment,
    ExperimentError,
    NotHereError,
    Verdict,
    experiment_named,
)
from regression.support.hosts import metadata
from regression.support.hosts.bed import Bed, why_not
from regression.support.hosts.cloud import IMAGE, Cloud, cloud
from regression.support.hosts.life_cycle import LifeCycle, whole_life

NOTICE_S = 200.0
"""A run that is saved and one that goes on take some seconds each on a busy machine."""


@experiment_named("runfarm-ec2")
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
    """Tell a spot instance in the middle of a run that it goes; take it when the run is saved."""
    begun = time.monotonic()
    spot = next(one for one in sky.instances() if one.get("InstanceLifecycle") == "spot")
    host = sky.hosts[spot["InstanceId"]]
    address = METADATA.rpartition("/")[2]
    shutil.copy(Path(metadata.__file__), host.bed.shared / "metadata.py")
    host.run("ip", "address", "add", f"{address}/32", "dev", "lo")
    notice = host.bed.shared / host.name / "notice"
    words = ["python3", "/mnt/shared/metadata.py", address, "80"]
    host.start(*words, f"/mnt/shared/{host.name}/notice", log="/mnt/shared/metadata.log")
    folder = life.results / "noticed"
    words = ["runworkload", "-c", life.long_run(), *life.on_farm, "--results", str(folder)]
    run = life.command(*words)
    try:
        limit = time.monotonic() + NOTICE_S
        while not (folder / "snapshots/spot-1/snapshot.json").exists():
            if (folder / HOSTS_RECORD).exists():
                notice.touch()
            if run.poll() is not None or time.monotonic() > limit:
                raise ExperimentError(f"the run was not saved: {run.communicate()[0][-1000:]}")
            time.sleep(0.05)
        time.sleep(1)  # It is said at the next look.
    finally:
        sky.interrupt(spot["InstanceId"])
        printed, _ = run.communicate(timeout=NOTICE_S)
    said = re.search(r"spot notice for \S+, terminate at \S+: the run is saved at cycle", printed)
    if said is None or "going on from cycle" not in printed:
        life.faults.append(f"spot notice: {printed.strip()[-1000:]}")
    expected = json.loads((life.results / "alone/result.json").read_text())["token_hash"]
    life.check("spot notice", folder, expected, begun, kills=0)


def _left(sky: Cloud, kept: list[str]) -> list[str]:
    found = [one["InstanceId"] for one in sky.instances()]
    text = f"instances {found}, expected {kept} alone"
    return [] if sorted(found) == sorted(kept) and set(sky.hosts) == set(kept) else [text]
