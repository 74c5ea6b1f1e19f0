# SPDX-License-Identifier: BSD-3-Clause
"""The life cycle of runs on EC2, against moto, whose instances are hosts; every step interrupted.

An on-demand and a spot instance (two more without --quick). moto answers as EC2 does; each of its
instances is a namespace of this computer with its own sshd, whose host key its console shows. The
first subnet never has capacity. An instance that the farm did not tag must stay.
"""

from __future__ import annotations

from regression.support.experiment import Experiment, NotHereError, Verdict, experiment_named
from regression.support.hosts.bed import Bed, why_not
from regression.support.hosts.cloud import IMAGE, Cloud, cloud
from regression.support.hosts.life_cycle import LifeCycle, whole_life


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
            verdict = whole_life(life, launch_s=8, end_s=2)
            launched = sum(asked["subnet"] != first for asked in sky.asked) - 1
            experiment.say(f"{launched} instances were launched for {2 * count} hosts")
            return verdict
    finally:
        bed.close()


def _left(sky: Cloud, kept: list[str]) -> list[str]:
    found = [one["InstanceId"] for one in sky.instances()]
    text = f"instances {found}, expected {kept} alone"
    return [] if sorted(found) == sorted(kept) and set(sky.hosts) == set(kept) else [text]
