# SPDX-License-Identifier: BSD-3-Clause
"""Images of FPGAs on AWS: made of a checkpoint, and shared with accounts or everybody."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from firesim_common.tools import ToolError

from firesim.config.hwdb import HwdbEntry
from firesim.farm.base import FarmError, Say
from firesim.farm.ec2_errors import AWS_ERRORS, sentence

POLL_S = 30.0
LIMIT_S = 6 * 3600.0
"""An image takes an hour or two."""


def _client(service: str, region: str) -> Any:
    import boto3

    return boto3.session.Session().client(service, region)  # type: ignore[call-overload]


def _said(what: str, error: Exception) -> ToolError:
    found: FarmError = sentence("AWS", what, error)
    return ToolError(str(found))


def create_image(
    checkpoint: Path,
    name: str,
    fingerprint: str,
    bucket: str,
    prefix: str,
    region: str,
    say: Say,
    poll_s: float = POLL_S,
) -> dict[str, str]:
    """Give a checkpoint of AWS's kit (a .tar) to AWS and wait for its image.

    Returns what a database entry has of it: agfi, afi and region. Asked twice, it is made once.

    Raises:
        ToolError: AWS refuses, or the image failed.
    """
    from boto3.exceptions import Boto3Error

    from firesim.hosts.client import sha256_of

    digest = sha256_of(checkpoint)
    key = f"{prefix}/{digest[:24]}.tar"
    try:
        _client("s3", region).upload_file(str(checkpoint), bucket, key)
        made = _client("ec2", region).create_fpga_image(
            InputStorageLocation={"Bucket": bucket, "Key": key},
            LogsStorageLocation={"Bucket": bucket, "Key": f"{prefix}/logs"},
            Name=name,
            Description=f"firesim {fingerprint}",
            ClientToken=digest[:48],
        )
    except (*AWS_ERRORS, Boto3Error, OSError) as error:
        raise _said(f"to make an image of {checkpoint.name}", error) from error
    afi, agfi = str(made["FpgaImageId"]), str(made["FpgaImageGlobalId"])
    say(f"{name}: {afi} ({agfi}) is being made")
    _wait(afi, region, poll_s)
    return {"agfi": agfi, "afi": afi, "region": region}


def _wait(afi: str, region: str, poll_s: float) -> None:
    limit = time.monotonic() + LIMIT_S
    while True:
        try:
            found = _client("ec2", region).describe_fpga_images(FpgaImageIds=[afi])["FpgaImages"]
        except AWS_ERRORS as error:
            raise _said(f"to say how far {afi} is", error) from error
        state = found[0]["State"] if found else {"Code": "missing"}
        if state["Code"] == "available":
            return
        if state["Code"] != "pending":
            why = str(state.get("Message", "it says no more")).rstrip(".")
            raise ToolError(f"AWS: found the image {afi} {state['Code']}: {why}.")
        if time.monotonic() > limit:
            raise ToolError(f"AWS: found {afi} pending for {LIMIT_S / 3600:g} hours, expected it.")
        time.sleep(poll_s)


def share_image(name: str, entry: HwdbEntry, accounts: Sequence[str], public: bool) -> list[str]:
    """Let accounts, or everybody, load an image; return who may now.

    Raises:
        ToolError: AWS refuses.
    """
    assert entry.afi is not None and entry.region is not None
    permissions: dict[str, list[dict[str, str]]] = {
        "Add": [{"UserId": account} for account in accounts]
    }
    if public:
        permissions["Add"].append({"Group": "all"})
    try:
        ec2 = _client("ec2", entry.region)
        ec2.modify_fpga_image_attribute(
            FpgaImageId=entry.afi, Attribute="loadPermission", LoadPermission=permissions
        )
        found = ec2.describe_fpga_image_attribute(FpgaImageId=entry.afi, Attribute="loadPermission")
    except AWS_ERRORS as error:
        raise _said(f"to share {name}", error) from error
    allowed = found["FpgaImageAttribute"].get("LoadPermissions", [])
    return sorted(str(one.get("UserId") or one.get("Group")) for one in allowed)
