# SPDX-License-Identifier: BSD-3-Clause
"""Instances of Amazon EC2 as a run farm.

An instance belongs to a farm by its tags, which it has from its first moment on: the farm, the user
and the host's name. So EC2 itself is the farm's only note, launching fills what is missing, and
what has no such tags is never touched.
"""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesim_common.user_path import user_path

from firesim.farm.base import FarmError, Launch, RunFarm, Say
from firesim.farm.kinds.aws_ec2.errors import (
    AWS_ERRORS,
    DONE_ALREADY,
    NO_CAPACITY,
    code_of,
    reason,
    sentence,
)
from firesim.farm.kinds.aws_ec2.host_keys import host_key
from firesim.farm.kinds.aws_ec2.prices import Prices
from firesim.farm.kinds.aws_ec2.settings import Ec2Farm, Ec2Hosts, Slot, slots_of
from firesim.hosts.channel import HostLost
from firesim.hosts.host import Host
from firesim.hosts.ssh_link import SshLink

if TYPE_CHECKING:
    from mypy_boto3_ec2 import EC2Client
    from mypy_boto3_ec2.type_defs import InstanceTypeDef

FARM, USER, HOST, KEY = "firesim-farm", "firesim-user", "firesim-host", "firesim-host-key"
UP = ["pending", "running"]
NOT_GONE = [*UP, "stopping", "stopped"]
POLL_S = 5.0
AGAIN_S = 20.0
"""Between two rounds over all subnets when none has capacity."""
END_LIMIT_S = 600.0
PRICE_LIST_REGION = "us-east-1"
METADATA = "http://169.254.169.254"
"""The instance metadata service, of every instance its own."""


def tag(instance: InstanceTypeDef, key: str) -> str:
    """Return a tag of an instance, "" when it has none."""
    return next((one["Value"] for one in instance.get("Tags", []) if one["Key"] == key), "")


class Ec2(RunFarm):
    """Instances of one region."""

    def __init__(self, name: str, config: Ec2Farm, folder: Path) -> None:
        """Take the farm's file; paths in it are relative to `folder`."""
        super().__init__(name)
        self.config, self.folder = config, folder
        self.poll_s, self.again_s = POLL_S, AGAIN_S
        self._made: dict[str, Any] = {}

    def missing(self) -> Launch:
        """Return the instances that are not up, and what they cost an hour.

        Raises:
            FarmError: AWS does not say, or has no such instances.
        """
        absent = self._absent(self._instances(UP))
        lines: dict[str, int] = {}
        total = 0.0
        for slot in absent:
            price = self._price(slot.hosts)
            market = slot.hosts.market.replace("_", " ")
            line = (
                f"{slot.hosts.instance_type} in {self.config.region}, {market}, {price:.4g} USD/h"
            )
            lines[line] = lines.get(line, 0) + 1
            total += price
        return Launch([f"{count} × {line}" for line, count in lines.items()], total)

    def dry_run(self, say: Say) -> None:
        """Ask EC2 whether it would launch what is missing; nothing is started.

        Raises:
            FarmError: it would not; the text says why.
        """
        seen = set()
        for slot in self._absent(self._instances(UP)):
            kind = (slot.hosts.instance_type, slot.hosts.market)
            if kind in seen:
                continue
            seen.add(kind)
            for subnet in self.config.subnets:
                try:
                    self._ec2.run_instances(**self._request(slot, subnet, ""), DryRun=True)
                except AWS_ERRORS as error:
                    if code_of(error) != "DryRunOperation":
                        what = f"to launch {slot.hosts.instance_type} in {subnet}"
                        raise sentence(self.name, what, error) from error
                say(f"{self.name}: EC2 would launch {slot.hosts.instance_type} in {subnet}")

    def launch(self, say: Say) -> None:
        """Launch what is missing and wait until ssh answers everywhere.

        Raises:
            FarmError: not all could be had in time; what is up is kept and counts the next time.
        """
        limit = time.monotonic() + self.config.launch_timeout_s
        while absent := self._absent(self._instances(UP)):
            refused = [text for slot in absent if (text := self._launch_one(slot, say))]
            if not refused:
                break
            if time.monotonic() + self.again_s > limit:
                raise FarmError(
                    f"{self.name}: found {len(refused)} missing hosts not to be had "
                    f"in {self.config.launch_timeout_s:g} s ({refused[0]}), expected all; "
                    "those that are up are kept: launchrunfarm goes on, more subnets may help."
                )
            say(f"{self.name}: {refused[0]}; trying again in {self.again_s:g} s")
            time.sleep(self.again_s)
        self._wait_for_keys(limit, say)
        self._wait_for_ssh(limit)

    def hosts(self) -> list[Host]:
        """Return the instances that run and whose host key is known."""
        found = [one for one in self._instances(["running"]) if tag(one, KEY)]
        return [self._host(one) for one in found]

    def terminate(self, say: Say) -> None:
        """End the instances with the farm's tags and wait until they have ended.

        Raises:
            FarmError: some did not end.
        """
        numbers = [one["InstanceId"] for one in self._instances(NOT_GONE)]
        if numbers:
            try:
                self._ec2.terminate_instances(InstanceIds=numbers)
            except AWS_ERRORS as error:
                raise sentence(self.name, f"to end {', '.join(numbers)}", error) from error
        limit = time.monotonic() + END_LIMIT_S
        while left := self._instances([*NOT_GONE, "shutting-down"]):
            if time.monotonic() > limit:
                raise FarmError(
                    f"{self.name}: found {left[0]['InstanceId']} not ended in {END_LIMIT_S:g} s, "
                    "expected it terminated: look at it in the AWS console."
                )
            time.sleep(self.poll_s)
        if numbers:
            say(f"{self.name}: ended {len(numbers)} instances")

    # --- what there is ---

    @property
    def _ec2(self) -> EC2Client:
        client: EC2Client = self._client("ec2", self.config.region)
        return client

    def _client(self, service: str, region: str) -> Any:
        import boto3
        from botocore.config import Config

        if service not in self._made:
            settings = Config(retries={"mode": "standard", "max_attempts": 8})
            session = boto3.session.Session()
            self._made[service] = session.client(service, region, config=settings)  # type: ignore[call-overload]
        return self._made[service]

    def _user(self) -> str:
        """Return who we are to AWS, so that two users of one account have farms of their own."""
        if "user" not in self._made:
            try:
                arn = self._client("sts", self.config.region).get_caller_identity()["Arn"]
            except AWS_ERRORS as error:
                raise sentence(self.name, "to say who you are", error) from error
            self._made["user"] = arn.rpartition(":")[2]
        return str(self._made["user"])

    def _instances(self, states: Sequence[str]) -> list[InstanceTypeDef]:
        """Return the farm's instances in some states, by the names of their hosts."""
        filters = {FARM: self.name, USER: self._user()}
        asked = [{"Name": f"tag:{key}", "Values": [value]} for key, value in filters.items()]
        asked.append({"Name": "instance-state-name", "Values": list(states)})
        try:
            pages = self._ec2.get_paginator("describe_instances").paginate(Filters=asked)  # type: ignore[arg-type]
            found = [one for page in pages for r in page["Reservations"] for one in r["Instances"]]
        except AWS_ERRORS as error:
            raise sentence(self.name, "to list instances", error) from error
        return sorted(found, key=lambda one: (tag(one, HOST), one["InstanceId"]))

    def _absent(self, up: Sequence[InstanceTypeDef]) -> list[Slot]:
        names = {tag(one, HOST) for one in up}
        return [slot for slot in slots_of(self.config) if slot.name not in names]

    def _host(self, instance: InstanceTypeDef) -> Host:
        name = tag(instance, HOST)
        slot = next((one for one in slots_of(self.config) if one.name == name), None)
        room = slot.hosts if slot else Ec2Hosts(instance_type=instance["InstanceType"])
        return Host(
            name=name,
            address=instance["PrivateIpAddress"],
            link=self._link(instance),
            folder=room.folder,
            cores=room.cores,
            memory_bytes=None if room.memory_gib is None else int(room.memory_gib * 2**30),
            fpgas=room.fpgas,
            kind=instance["InstanceType"],
            usd_per_hour=self._price(room),
            since=instance["LaunchTime"],
            metadata=METADATA if instance.get("InstanceLifecycle") == "spot" else None,
        )

    def _link(self, instance: InstanceTypeDef) -> SshLink:
        public = self.config.reach == "public"
        address = instance.get("PublicIpAddress") if public else instance["PrivateIpAddress"]
        if not address:
            raise FarmError(
                f"{self.name}: found no public address of {instance['InstanceId']}, expected one: "
                "its subnet must lead to the internet, or say `reach: private`."
            )
        key = self.config.key
        file = None if key is None else self.folder / user_path(key)
        return SshLink(address, self.config.user, 22, file, host_key=tag(instance, KEY))

    # --- prices ---

    def _price(self, hosts: Ec2Hosts) -> float:
        prices = self._made.get("prices")
        if prices is None:
            pricing = self._client("pricing", PRICE_LIST_REGION)
            prices = self._made["prices"] = Prices(self.config.region, self._ec2, pricing)
        try:
            if hosts.market == "spot":
                return float(prices.spot(hosts.instance_type, self._zones()))
            return float(prices.on_demand(hosts.instance_type))
        except FarmError as error:
            raise FarmError(f"{self.name}: {error}") from error
        except AWS_ERRORS as error:
            raise sentence(self.name, "to say what an instance costs", error) from error

    def _zones(self) -> list[str]:
        if "zones" not in self._made:
            found = self._ec2.describe_subnets(SubnetIds=self.config.subnets)["Subnets"]
            self._made["zones"] = sorted({one["AvailabilityZone"] for one in found})
        return list(self._made["zones"])

    # --- launching ---

    def _launch_one(self, slot: Slot, say: Say) -> str:
        """Launch a host in the first subnet that has it; return why none has, "" when one did."""
        text = ""
        for subnet in self.config.subnets:
            what = f"to launch {slot.hosts.instance_type} in {subnet}"
            try:
                instance = self._run(slot, subnet)
            except AWS_ERRORS as error:
                if code_of(error) not in NO_CAPACITY:
                    raise sentence(self.name, what, error) from error
                text = f"{slot.hosts.instance_type} in {subnet}: {reason(error)}"
                continue
            say(f"{self.name}: {slot.name} is {instance['InstanceId']} in {subnet}")
            return ""
        return text

    def _run(self, slot: Slot, subnet: str) -> InstanceTypeDef:
        """Launch one instance; asked for twice, it is launched once."""
        before = [
            one["InstanceId"]
            for one in self._instances([*NOT_GONE, "shutting-down", "terminated"])
            if tag(one, HOST) == slot.name
        ]
        words = [self.name, self._user(), self.config.region, slot.name, subnet, *before]
        token = hashlib.sha256("\n".join(words).encode()).hexdigest()[:48]
        request = self._request(slot, subnet, token)
        try:
            return self._ec2.run_instances(**request)["Instances"][0]
        except AWS_ERRORS as error:
            if code_of(error) not in DONE_ALREADY:
                raise
            # EC2 remembers tokens for longer than it shows the instances that had them.
            again = {**request, "ClientToken": uuid.uuid4().hex}
            return self._ec2.run_instances(**again)["Instances"][0]

    def _request(self, slot: Slot, subnet: str, token: str) -> dict[str, Any]:
        config, hosts = self.config, slot.hosts
        names = {FARM: self.name, USER: self._user(), HOST: slot.name}
        names["Name"] = f"firesim-{self.name}-{slot.name}"
        tags = [{"Key": key, "Value": value} for key, value in names.items()]
        request: dict[str, Any] = {
            "ImageId": self._image(),
            "InstanceType": hosts.instance_type,
            "MinCount": 1,
            "MaxCount": 1,
            "KeyName": config.key_name,
            "NetworkInterfaces": [
                {
                    "DeviceIndex": 0,
                    "SubnetId": subnet,
                    "Groups": list(config.security_groups),
                    "AssociatePublicIpAddress": config.reach == "public",
                    "DeleteOnTermination": True,
                }
            ],
            "InstanceInitiatedShutdownBehavior": "terminate",
            "MetadataOptions": {"HttpTokens": "required", "HttpEndpoint": "enabled"},
            "TagSpecifications": [
                {"ResourceType": kind, "Tags": tags} for kind in ("instance", "volume")
            ],
        }
        if token:
            request["ClientToken"] = token
        if hosts.market == "spot":
            most = hosts.most_usd_per_hour
            spot = {"SpotInstanceType": "one-time"} | ({"MaxPrice": str(most)} if most else {})
            request["InstanceMarketOptions"] = {"MarketType": "spot", "SpotOptions": spot}
        return request

    def _image(self) -> str:
        """Return the AMI; a parameter of SSM is asked for once."""
        image = self.config.image
        if not image.startswith("resolve:ssm:"):
            return image
        if "image" not in self._made:
            name = image.removeprefix("resolve:ssm:")
            try:
                ssm = self._client("ssm", self.config.region)
                self._made["image"] = ssm.get_parameter(Name=name)["Parameter"]["Value"]
            except AWS_ERRORS as error:
                raise sentence(self.name, f"to say which image {name} is", error) from error
        return str(self._made["image"])

    def _wait_for_keys(self, limit: float, say: Say) -> None:
        """Wait until each instance's console shows its host key; keep that in a tag."""
        while waiting := [one for one in self._instances(UP) if not tag(one, KEY)]:
            for instance in waiting:
                number = instance["InstanceId"]
                try:
                    shown = self._ec2.get_console_output(InstanceId=number, Latest=True)
                    key = host_key(shown.get("Output", ""))
                    if key and instance["State"]["Name"] == "running":
                        pair = {"Key": KEY, "Value": key}
                        self._ec2.create_tags(Resources=[number], Tags=[pair])  # type: ignore[list-item]
                        say(f"{self.name}: {tag(instance, HOST)} has started")
                except AWS_ERRORS as error:
                    raise sentence(self.name, f"to read the console of {number}", error) from error
            if time.monotonic() > limit:
                raise FarmError(
                    f"{self.name}: found no host key in the console of "
                    f"{waiting[0]['InstanceId']} in {self.config.launch_timeout_s:g} s, expected "
                    "an image whose cloud-init prints it; launchrunfarm waits on."
                )
            time.sleep(self.poll_s)

    def _wait_for_ssh(self, limit: float) -> None:
        for host in self.hosts():
            while True:
                try:
                    host.link.open(["true"]).close()
                    break
                except HostLost as error:
                    if time.monotonic() > limit:
                        raise FarmError(f"{self.name}: {host.name}: {error}") from error
                time.sleep(self.poll_s)
            host.link.close()
