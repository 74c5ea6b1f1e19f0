# SPDX-License-Identifier: BSD-3-Clause
"""The keys of a farm's file of kind aws_ec2, and the hosts that it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from firesim.config.farm import Capacity, Count, FarmBase, HostText


class Ec2Hosts(Capacity):
    """Some EC2 instances of one type."""

    count: Count = 1
    """How many."""
    instance_type: HostText
    """As EC2 names it: c7a.4xlarge, f2.6xlarge."""
    market: Literal["on_demand", "spot"] = "on_demand"
    """Spot is cheaper, and may be taken away with two minutes' notice."""
    most_usd_per_hour: Annotated[float, Field(gt=0)] | None = None
    """For spot: the most that one may cost (default: the price on demand)."""


class Ec2Farm(FarmBase):
    """Instances of Amazon EC2; only those that this farm has tagged are ever ended."""

    kind: Literal["aws_ec2"]
    region: HostText
    """Such as us-east-1."""
    hosts: Annotated[list[Ec2Hosts], Field(min_length=1)]
    """The instances."""
    image: str = "resolve:ssm:/aws/service/debian/release/12/latest/amd64"
    """AMI, or the SSM parameter that names it."""
    user: HostText = "admin"
    """Who logs in by ssh."""
    key_name: str
    """The EC2 key pair whose private key ssh has."""
    key: str | None = None
    """File with the private key (default: as ssh chooses)."""
    subnets: Annotated[list[HostText], Field(min_length=1)]
    """Tried in this order, as long as one has no capacity."""
    security_groups: Annotated[list[HostText], Field(min_length=1)]
    """They must let ssh in, and the hosts reach each other from `first_port` on."""
    reach: Literal["public", "private"] = "public"
    """Whether ssh goes to the public or the private address; hosts use private ones."""
    launch_timeout_s: Annotated[float, Field(gt=0)] = 600
    """How long to wait for instances until ssh answers."""


@dataclass(frozen=True)
class Slot:
    """A host that the farm is to have."""

    name: str
    hosts: Ec2Hosts


def slots_of(config: Ec2Farm) -> list[Slot]:
    """Return the hosts that a farm's file asks for, numbered within each type."""
    found: list[Slot] = []
    for hosts in config.hosts:
        stem = hosts.instance_type.replace(".", "_").replace("-", "_")
        for _ in range(hosts.count):
            number = sum(slot.hosts.instance_type == hosts.instance_type for slot in found)
            found.append(Slot(f"{stem}_{number}", hosts))
    return found
