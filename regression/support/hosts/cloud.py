# SPDX-License-Identifier: BSD-3-Clause
"""EC2 for tests: moto's, whose instances are hosts of a test bed when there is one.

moto knows instances, tags, subnets and states, and has no machines, no console and no price list.
Those are added here: an instance of a subnet becomes a host at its private address, its console
shows that host's real key as cloud-init prints it, and a small server has the prices.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast
from unittest import mock

from firesim.farm.kinds.aws_ec2.host_keys import BEGIN, END

from regression.support.hosts.bed import Bed, TestHost

REGION = "us-east-1"
PRICES = {"c7a.4xlarge": 0.8212, "c7a.large": 0.1026, "f2.6xlarge": 1.98}
"""USD an hour, as the server of this file has them; any figures would do."""
IMAGE = "ami-0firesim"
AMI = {
    "ami_id": IMAGE,
    "name": "image of the tests",
    "architecture": "x86_64",
    "description": "",
    "image_location": "",
    "image_type": "machine",
    "owner_id": "123456789012",
    "public": True,
    "root_device_name": "/dev/xvda",
    "root_device_type": "ebs",
    "state": "available",
    "virtualization_type": "hvm",
    "hypervisor": "xen",
    "sriov": "simple",
    "platform": None,
}


@dataclass
class Cloud:
    """A region with two zones, a subnet in each."""

    bed: Bed | None
    subnets: list[str]
    group: str
    ec2: Any
    hosts: dict[str, TestHost] = field(default_factory=dict)
    """By the number of their instance."""
    refusals: list[tuple[Callable[[dict[str, Any]], bool], str, str]] = field(default_factory=list)
    """What `refuse` was told."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Each launch that was asked for: subnet, type, market and token."""

    def refuse(self, code: str, message: str, when: Callable[[dict[str, Any]], bool]) -> None:
        """Let EC2 refuse launches of which `when`, given what was asked, is true."""
        self.refusals.append((when, code, message))

    def farm_text(self, hosts: str, **more: str) -> str:
        """Return a farm file with some hosts, each a line of YAML."""
        settings = {
            "kind": "aws_ec2",
            "region": REGION,
            "image": IMAGE,
            "user": "root",
            "key_name": "mine",
            "reach": "private",
            "subnets": f"[{', '.join(self.subnets)}]",
            "security_groups": f"[{self.group}]",
            **({"key": str(self.bed.key)} if self.bed else {}),
            **more,
        }
        lines = [f"{key}: {value}" for key, value in settings.items()]
        lines += ["hosts:", *(f"  - {{{line}}}" for line in hosts.splitlines())]
        return "\n".join(lines) + "\n"

    def interrupt(self, number: str) -> None:
        """Take an instance away, as EC2 does with spot instances."""
        self.ec2.terminate_instances(InstanceIds=[number])

    def instances(self) -> list[dict[str, Any]]:
        """Return all instances that have not ended."""
        states = [{"Name": "instance-state-name", "Values": ["pending", "running", "stopped"]}]
        found = self.ec2.describe_instances(Filters=states)["Reservations"]
        return [one for reservation in found for one in reservation["Instances"]]

    def console(self, number: str) -> str:
        """Return what the console of an instance shows: keys when its host is up."""
        host = self.hosts.get(number)
        if host is None:
            return "Booting\n"
        file = host.bed.shared / host.name / "host_key.pub"
        return f"Booting\nci-info: up\n{BEGIN}\n{file.read_text().strip()}\n{END}\nlogin:\n"


class _PriceList(BaseHTTPRequestHandler):
    """Answers GetProducts as the Price List API does."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        wanted = {one["Field"]: one["Value"] for one in asked["Filters"]}
        price = PRICES.get(wanted["instanceType"])
        known = price is not None and wanted["regionCode"] == REGION
        rate = {"unit": "Hrs", "pricePerUnit": {"USD": str(price)}}
        term = {"priceDimensions": {"ABC.JRT.6YS": rate}}
        product = {"terms": {"OnDemand": {"ABC.JRT": term}}}
        body = json.dumps({"PriceList": [json.dumps(product)] if known else []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


@contextmanager
def cloud(folder: Path, bed: Bed | None = None) -> Iterator[Cloud]:
    """Start EC2 on this computer; boto3 finds it, and no real one, while this lasts."""
    (folder / "amis.json").write_text(json.dumps([AMI]))
    os.environ["MOTO_AMIS_PATH"] = str(folder / "amis.json")  # Read when moto is imported.
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # It would print every request.
    with ExitStack() as stack:
        prices = ThreadingHTTPServer(("127.0.0.1", 0), _PriceList)
        threading.Thread(target=prices.serve_forever, daemon=True).start()
        stack.callback(prices.server_close)
        stack.callback(prices.shutdown)
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        server.start()
        stack.callback(server.stop)
        host, port = server.get_host_and_port()
        with urllib.request.urlopen(f"http://{host}:{port}/moto-api/reset", data=b""):
            pass  # What moto knows is in this process, not in the server.
        environment = {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ENDPOINT_URL_PRICING": f"http://127.0.0.1:{prices.server_port}",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": "/nonexistent",
            "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent",
        }
        stack.enter_context(mock.patch.dict(os.environ, environment))
        for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
            os.environ.pop(name, None)
        found = _region(bed)
        stack.enter_context(_machines(found))
        yield found


def _region(bed: Bed | None) -> Cloud:
    import boto3

    ec2 = boto3.client("ec2", REGION)
    prefix = bed.subnet.rpartition(".")[0] if bed else "10.212.1"
    vpc = ec2.create_vpc(CidrBlock=f"{prefix}.0/24")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"{prefix}.{first}/25", AvailabilityZone=zone)
        for first, zone in ((0, f"{REGION}a"), (128, f"{REGION}b"))
    ]
    group = ec2.create_security_group(GroupName="firesim", Description="hosts", VpcId=vpc)
    ec2.create_key_pair(KeyName="mine")
    numbers = [one["Subnet"]["SubnetId"] for one in subnets]
    return Cloud(bed, numbers, group["GroupId"], ec2)


@contextmanager
def fpga_images(pending: int = 1) -> Iterator[dict[str, dict[str, Any]]]:
    """Give moto images of FPGAs, which it has not; each is `pending` for that many looks.

    Returns them by number: what was asked for, and who may load it. One whose name has "bad" fails.
    """
    from moto.core.responses import ActionResult
    from moto.ec2.responses import EC2Response

    images: dict[str, dict[str, Any]] = {}

    def create(self: Any) -> Any:
        token = self._get_param("ClientToken")
        number = f"afi-{token[:17]}"
        asked = {"name": self._get_param("Name"), "token": token, "looks": 0, "allowed": []}
        asked["made"] = datetime.now(UTC)
        image = images.setdefault(number, asked)
        image["where"] = self._get_param("InputStorageLocation", {})
        return ActionResult({"FpgaImageId": number, "FpgaImageGlobalId": f"agfi-{token[:17]}"})

    def describe(self: Any) -> Any:
        found = []
        for number in self._get_param("FpgaImageIds", []):
            image = images[number]
            image["looks"] += 1
            code = "pending" if image["looks"] <= pending else "available"
            state = {"Code": code}
            if "bad" in image["name"] and code == "available":
                state = {"Code": "failed", "Message": "No checkpoint in the tar"}
            found.append({"FpgaImageId": number, "State": state, "CreateTime": image["made"]})
        return ActionResult({"FpgaImages": found})

    def copy(self: Any) -> Any:
        token = self._get_param("ClientToken")
        number = f"afi-{token[:17]}"
        source = images[self._get_param("SourceFpgaImageId")]
        asked = {"name": self._get_param("Name"), "token": token, "looks": 0, "allowed": []}
        image = images.setdefault(number, {**asked, "made": datetime.now(UTC)})
        image["from"] = (source["name"], self._get_param("SourceRegion"), self.region)
        return ActionResult({"FpgaImageId": number})

    def modify(self: Any) -> Any:
        image = images[self._get_param("FpgaImageId")]
        image["allowed"] += self._get_param("LoadPermission", {}).get("Add", [])
        return ActionResult({})

    def attribute(self: Any) -> Any:
        allowed = images[self._get_param("FpgaImageId")]["allowed"]
        return ActionResult({"FpgaImageAttribute": {"LoadPermissions": allowed}})

    with ExitStack() as stack:
        for name, method in (
            ("create_fpga_image", create),
            ("copy_fpga_image", copy),
            ("describe_fpga_images", describe),
            ("modify_fpga_image_attribute", modify),
            ("describe_fpga_image_attribute", attribute),
        ):
            stack.enter_context(mock.patch.object(EC2Response, name, method, create=True))
        yield images


@contextmanager
def _machines(found: Cloud) -> Iterator[None]:
    """Give moto's instances a console, and hosts when there is a bed."""
    from moto.core.responses import ActionResult
    from moto.ec2.exceptions import EC2ClientError
    from moto.ec2.responses import EC2Response

    run, end = EC2Response.run_instances, EC2Response.terminate_instances

    def run_instances(self: Any) -> Any:
        nic = (self._get_param("NetworkInterfaces", []) or [{}])[0]
        market = self._get_param("InstanceMarketOptions", {}) or {}
        asked = {
            "subnet": nic.get("SubnetId"),
            "type": self._get_param("InstanceType"),
            "market": market.get("MarketType", "on-demand"),
            "token": self._get_param("ClientToken"),
        }
        found.asked.append(asked)
        for when, code, message in found.refusals:
            if when(asked):
                raise EC2ClientError(code, message)
        result = run(self)
        if found.bed is not None:
            for one in cast(Any, result)._result.instances:
                found.hosts[one.id] = found.bed.add(one.id, one.private_ip)
        return result

    def terminate_instances(self: Any) -> Any:
        result = end(self)
        for number in self._get_param("InstanceIds", []):
            if (host := found.hosts.pop(number, None)) is not None:
                host.kill()
        return result

    def get_console_output(self: Any) -> Any:
        number = self._get_param("InstanceId")
        text = base64.b64encode(found.console(number).encode()).decode()
        return ActionResult({"InstanceId": number, "Output": text})

    with (
        mock.patch.object(EC2Response, "run_instances", run_instances),
        mock.patch.object(EC2Response, "terminate_instances", terminate_instances),
        mock.patch.object(EC2Response, "get_console_output", get_console_output),
    ):
        yield
