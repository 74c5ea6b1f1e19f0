# SPDX-License-Identifier: BSD-3-Clause
"""From a farm's file to the farm."""

from __future__ import annotations

from firesim.config.farm import FarmFile, LocalFarm, SlurmFarm, SshFarm
from firesim.farm.base import RunFarm
from firesim.farm.local import Local
from firesim.farm.slurm import Slurm
from firesim.farm.ssh import Ssh


def make_farm(file: FarmFile) -> RunFarm:
    """Return the farm that a file describes; nothing is started."""
    config, name, folder = file.farm, file.name, file.path.parent
    if isinstance(config, LocalFarm):
        return Local(name, config)
    if isinstance(config, SshFarm):
        return Ssh(name, config, folder)
    if isinstance(config, SlurmFarm):
        return Slurm(name, config)
    from firesim.farm.aws_ec2 import Ec2  # Only who uses it waits for botocore to be loaded.

    return Ec2(name, config, folder)
