# SPDX-License-Identifier: BSD-3-Clause
"""A run farm of EC2 instances, against moto: what is launched, in which order, and what is said."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from firesim.farm.base import FarmError
from firesim.farm.file import FarmFile
from firesim.farm.kinds.aws_ec2.host_keys import BEGIN, END, host_key
from firesim.farm.kinds.aws_ec2.instances import FARM, HOST, Ec2
from firesim.farm.make import make_farm
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostClient
from firesim_common.paths import ROOT

from regression.support.hosts.bed import Bed, why_not
from regression.support.hosts.cloud import IMAGE, PRICES, Cloud, cloud

REASON = why_not()
TWO = "instance_type: c7a.large, count: 2"
NO_KEY = "found no host key in the console of"
S3_ACTIONS = {
    "put_object": ["PutObject"],
    "upload_fileobj": ["PutObject", "AbortMultipartUpload"],
    "get_object": ["GetObject"],
    "head_object": ["GetObject"],
    "delete_object": ["DeleteObject"],
    "get_paginator": ["ListBucket"],
}
ED25519 = "ssh-ed25519 " + "A" * 68


@pytest.fixture
def sky(tmp_path: Path) -> Iterator[Cloud]:
    """Return EC2 without machines: nothing ever shows a host key."""
    with cloud(tmp_path) as found:
        yield found


def farm(sky: Cloud, folder: Path, hosts: str = TWO, name: str = "lab", **more: str) -> Ec2:
    """Return the farm of a file; it does not wait for long."""
    file = folder / f"{name}.yaml"
    file.write_text(sky.farm_text(hosts, launch_timeout_s="0.2", **more))
    found = make_farm(FarmFile(file))
    assert isinstance(found, Ec2)
    found.poll_s = found.again_s = 0.05
    return found


def silent(line: str) -> None:
    """Say nothing."""


def tags(instance: dict[str, Any]) -> dict[str, str]:
    return {one["Key"]: one["Value"] for one in instance["Tags"]}


def launch(lab: Ec2) -> str:
    """Launch without machines, so that no host key is ever seen; return what is said of that."""
    with pytest.raises(FarmError) as caught:
        lab.launch(silent)
    return str(caught.value)


def zones(sky: Cloud) -> list[str]:
    """Return a, b, … for the zones of the instances, by host."""
    found = sorted(sky.instances(), key=lambda one: tags(one)[HOST])
    return [one["Placement"]["AvailabilityZone"][-1] for one in found]


def test_what_is_missing_and_what_it_costs(sky: Cloud, tmp_path: Path) -> None:
    lab = farm(sky, tmp_path, TWO + "\ninstance_type: f2.6xlarge")
    found = lab.missing()
    assert found.what == [
        "2 × c7a.large in us-east-1, on demand, 0.1026 USD/h",
        "1 × f2.6xlarge in us-east-1, on demand, 1.98 USD/h",
    ]
    assert found.usd_per_hour == pytest.approx(2 * PRICES["c7a.large"] + PRICES["f2.6xlarge"])
    assert sky.instances() == []


def test_a_spot_price_is_that_of_the_dearest_zone_of_ours(sky: Cloud, tmp_path: Path) -> None:
    lab = farm(sky, tmp_path, "instance_type: c7a.large, market: spot")
    found = lab.missing().usd_per_hour
    history = sky.ec2.describe_spot_price_history(
        InstanceTypes=["c7a.large"], ProductDescriptions=["Linux/UNIX"]
    )["SpotPriceHistory"]
    own = [one for one in history if one["AvailabilityZone"][-1] in "ab"]
    assert found == max(float(one["SpotPrice"]) for one in own)


def test_a_type_that_has_no_price(sky: Cloud, tmp_path: Path) -> None:
    with pytest.raises(FarmError) as caught:
        farm(sky, tmp_path, "instance_type: c7a.huge").missing()
    assert str(caught.value) == (
        'lab: instance_type: found "c7a.huge", expected a type that EC2 offers in us-east-1: '
        "AWS knows no price of it there."
    )


def test_a_dry_run_starts_nothing(sky: Cloud, tmp_path: Path) -> None:
    said: list[str] = []
    farm(sky, tmp_path).dry_run(said.append)
    assert said == [f"lab: EC2 would launch c7a.large in {one}" for one in sky.subnets]
    assert sky.instances() == []


def test_launching_again_launches_only_what_is_missing(sky: Cloud, tmp_path: Path) -> None:
    lab = farm(sky, tmp_path)
    assert NO_KEY in launch(lab)
    assert [tags(one)[FARM] for one in sky.instances()] == ["lab", "lab"]
    assert {one["ImageId"] for one in sky.instances()} == {IMAGE}
    first = {one["InstanceId"] for one in sky.instances()}
    launch(lab)
    assert {one["InstanceId"] for one in sky.instances()} == first
    launch(farm(sky, tmp_path, "instance_type: c7a.large, count: 3"))
    now = {one["InstanceId"] for one in sky.instances()}
    assert first < now and len(now) == 3
    sky.interrupt(min(first))
    assert farm(sky, tmp_path).missing().what == [
        "1 × c7a.large in us-east-1, on demand, 0.1026 USD/h"
    ]


def test_a_launch_asked_for_twice_has_one_token(sky: Cloud, tmp_path: Path) -> None:
    """EC2 launches once for one token, moto does not; a new one after an instance has ended."""
    one = "instance_type: c7a.large"
    sky.refuse("RequestLimitExceeded", "slower", lambda asked: len(sky.asked) < 3)
    launch(farm(sky, tmp_path, one))
    assert len(sky.asked) >= 3 and len({asked["token"] for asked in sky.asked}) == 1
    number = sky.instances()[0]["InstanceId"]
    sky.interrupt(number)
    launch(farm(sky, tmp_path, one))
    assert len({asked["token"] for asked in sky.asked}) == 2


def test_a_used_token_is_replaced(sky: Cloud, tmp_path: Path) -> None:
    sky.refuse("IdempotentInstanceTerminated", "gone", lambda asked: len(sky.asked) == 1)
    launch(farm(sky, tmp_path, "instance_type: c7a.large"))
    assert len({asked["token"] for asked in sky.asked}) == 2 and len(sky.instances()) == 1


def test_the_next_subnet_is_tried(sky: Cloud, tmp_path: Path) -> None:
    def first(asked: dict[str, Any]) -> bool:
        return bool(asked["subnet"] == sky.subnets[0])

    sky.refuse("InsufficientInstanceCapacity", "We have no capacity.", first)
    launch(farm(sky, tmp_path))
    assert zones(sky) == ["b", "b"]


@pytest.mark.parametrize(
    ("code", "market", "why"),
    [
        ("InsufficientInstanceCapacity", "on_demand", "no capacity"),
        ("SpotMaxPriceTooLow", "spot", "the spot price is above most_usd_per_hour"),
        ("Unsupported", "on_demand", "the type is not offered there"),
    ],
)
def test_without_capacity_what_is_up_is_kept(
    sky: Cloud, tmp_path: Path, code: str, market: str, why: str
) -> None:
    sky.refuse(code, "No.", lambda asked: bool(asked["type"] == "c7a.4xlarge"))
    hosts = f"{TWO}\ninstance_type: c7a.4xlarge, market: {market}"
    assert launch(farm(sky, tmp_path, hosts)) == (
        "lab: found 1 missing hosts not to be had in 0.2 s "
        f"(c7a.4xlarge in {sky.subnets[1]}: {why}), expected all; those that are up are kept: "
        "launchrunfarm goes on, more subnets may help."
    )
    assert len(sky.instances()) == 2
    sky.refusals.clear()
    launch(farm(sky, tmp_path, hosts))
    assert len(sky.instances()) == 3


@pytest.mark.parametrize(
    ("code", "message", "said"),
    [
        (
            "VcpuLimitExceeded",
            "You have requested more vCPU capacity than your current vCPU limit of 8 allows.",
            "found the account's quota used up when asked to launch",
        ),
        (
            "UnauthorizedOperation",
            "You are not authorized to perform this operation. User: x is not authorized to "
            "perform: ec2:RunInstances on resource: y",
            "expected one that allows ec2:RunInstances: docs/how-to/run-on-ec2.md has one.",
        ),
        ("InvalidKeyPair.NotFound", "The key pair 'x' does not exist", "The key pair 'x'"),
    ],
)
def test_what_waiting_does_not_help(
    sky: Cloud, tmp_path: Path, code: str, message: str, said: str
) -> None:
    sky.refuse(code, message, lambda asked: len(sky.instances()) == 1)
    found = launch(farm(sky, tmp_path))
    assert said in found and len(sky.instances()) == 1 and len(sky.asked) == 2


def test_without_credentials(sky: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(FarmError) as caught:
        farm(sky, tmp_path).missing()
    assert str(caught.value) == (
        "lab: found no AWS credentials, expected those of `aws configure` or `aws sso login`."
    )


def test_terminate_ends_only_its_own(sky: Cloud, tmp_path: Path) -> None:
    own, other = farm(sky, tmp_path), farm(sky, tmp_path, name="other")
    launch(own)
    launch(other)
    sky.ec2.run_instances(ImageId=IMAGE, InstanceType="c7a.large", MinCount=1, MaxCount=1)
    for _ in range(2):
        own.terminate(silent)
        left = sky.instances()
        assert sorted(tags(one).get(FARM, "") if "Tags" in one else "" for one in left) == [
            "",
            "other",
            "other",
        ]


def test_instances_of_another_user_are_not_ours(sky: Cloud, tmp_path: Path) -> None:
    lab = farm(sky, tmp_path)
    launch(lab)
    number = sky.instances()[0]["InstanceId"]
    sky.ec2.create_tags(Resources=[number], Tags=[{"Key": "firesim-user", "Value": "user/else"}])
    lab.terminate(silent)
    assert [one["InstanceId"] for one in sky.instances()] == [number]


def test_a_host_key_is_read_when_it_is_whole() -> None:
    keys = f"ecdsa-sha2-nistp256 BBBB root@x\n{ED25519} root@x\n"
    assert host_key(f"boot\n{BEGIN}\n{keys}{END}\nlogin:") == ED25519
    assert host_key(f"boot\n{BEGIN}\n{keys}") is None
    assert host_key(f"boot\n{keys}") is None
    assert host_key(f"{BEGIN}\nssh-ed25519 AAAA root@x\n{END}") is None


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_hosts_are_reached_and_only_with_their_own_keys(tmp_path: Path) -> None:
    bed = Bed()
    try:
        with cloud(tmp_path, bed) as sky:
            file = tmp_path / "lab.yaml"
            file.write_text(sky.farm_text(TWO + ", fpgas: 1"))
            lab = make_farm(FarmFile(file))
            assert isinstance(lab, Ec2)
            lab.poll_s = 0.05
            lab.launch(silent)
            lab.launch(silent)
            hosts = lab.hosts()
            assert [host.name for host in hosts] == ["c7a_large_0", "c7a_large_1"]
            assert [(host.fpgas, host.usd_per_hour) for host in hosts] == [(1, 0.1026)] * 2
            clients = [HostClient(host.name, host.link, host.folder) for host in hosts]
            assert {client.about().hostname for client in clients} == set(sky.hosts)
            number = next(iter(sky.hosts))
            wrong = [{"Key": "firesim-host-key", "Value": "ssh-ed25519 " + _other_key(tmp_path)}]
            sky.ec2.create_tags(Resources=[number], Tags=wrong)
            first = lab.hosts()[0]
            with pytest.raises(HostLost, match="found another host key"):
                HostClient(first.name, first.link, first.folder).about()
            sky.interrupt(number)
            assert [host.name for host in lab.hosts()] == ["c7a_large_1"]
            with pytest.raises(HostLost):
                clients[0].load()
            lab.terminate(silent)
            assert lab.hosts() == [] and sky.hosts == {}
    finally:
        bed.close()


def _other_key(folder: Path) -> str:
    file = folder / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file], check=True)
    return file.with_suffix(".pub").read_text().split()[1]


def test_the_policy_of_the_how_to_allows_what_is_asked_for() -> None:
    text = (ROOT / "docs/how-to/run-on-ec2.md").read_text()
    (block,) = re.findall(r"```json\n(.*?)```", text, re.S)
    allowed: set[str] = set()
    for statement in json.loads(block)["Statement"]:
        actions = statement["Action"]
        allowed |= {actions} if isinstance(actions, str) else set(actions)
    asked = {"ec2:DescribeInstances"}  # By a paginator.
    for file in (ROOT / "deploy/firesim/farm/kinds/aws_ec2").glob("*.py"):
        for service, name in re.findall(r"\b_?(ec2|ssm|pricing)\.([a-z_]+)\(", file.read_text()):
            words = "".join(word.capitalize() for word in name.split("_"))
            asked |= {f"{service}:{words}"} - {"ec2:GetPaginator"}
    file = ROOT / "deploy/firesim/snapshots/bucket.py"
    for name in re.findall(r"\bs3\.([a-z_]+)\(", file.read_text()):
        asked |= {f"s3:{action}" for action in S3_ACTIONS[name]}
    assert asked == allowed
