# SPDX-License-Identifier: BSD-3-Clause
"""Amazon EC2 as a kind of run farm: its settings, and its instances."""

from __future__ import annotations

from firesim.config.farm import Capacity
from firesim.farm.file import FarmFile
from firesim.farm.kinds.aws_ec2.instances import Ec2
from firesim.farm.kinds.aws_ec2.settings import Ec2Farm, slots_of

SETTINGS = Ec2Farm


def make(file: FarmFile) -> Ec2:
    """Return the farm that a file describes; nothing is started."""
    assert isinstance(file.farm, Ec2Farm)
    return Ec2(file.name, file.farm, file.path.parent)


def stated_hosts(config: Ec2Farm) -> list[tuple[str, Capacity]]:
    """Return the hosts that a farm's file asks for: their names, and what they can take."""
    return [(slot.name, slot.hosts) for slot in slots_of(config)]
