# SPDX-License-Identifier: BSD-3-Clause
"""Images of FPGAs on AWS: made of a checkpoint, copied to regions, shared with accounts."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from firesim_common.tools import ToolError

from firesim.config.hwdb import HwdbEntry
from firesim.farm.base import FarmError, Say
from firesim.farm.kinds.aws_ec2.errors import AWS_ERRORS, sentence
from firesim.hosts.client import sha256_of

POLL_S = 30.0
LIMIT_S = 6 * 3600.0
"""An image takes an hour or two."""
MOST_ATTEMPTS = 16
"""At an image of one checkpoint, over all times that it is asked for."""
CLOCKS_S = 120.0
"""By which AWS's clock and ours may differ."""


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

    Returns what a database entry has of it: agfi, afi and region. Asked twice, it is made once;
    asked again after it failed, it is tried once more.

    Raises:
        ToolError: AWS refuses, or the image failed.
    """
    from boto3.exceptions import Boto3Error

    digest, began_s = sha256_of(checkpoint), time.time()
    key = f"{prefix}/{digest[:24]}.tar"
    try:
        _client("s3", region).upload_file(str(checkpoint), bucket, key)
    except (*AWS_ERRORS, Boto3Error, OSError) as error:
        raise _said(f"to make an image of {checkpoint.name}", error) from error
    for attempt in range(MOST_ATTEMPTS):
        try:
            made = _client("ec2", region).create_fpga_image(
                InputStorageLocation={"Bucket": bucket, "Key": key},
                LogsStorageLocation={"Bucket": bucket, "Key": f"{prefix}/logs"},
                Name=name,
                Description=f"firesim {fingerprint}",
                ClientToken=_token(digest, attempt),
            )
        except (*AWS_ERRORS, OSError) as error:
            raise _said(f"to make an image of {checkpoint.name}", error) from error
        afi, agfi = str(made["FpgaImageId"]), str(made["FpgaImageGlobalId"])
        found = _described(afi, region)
        if _code(found) != "failed" or _made_s(found) >= began_s - CLOCKS_S:
            break
        say(f"{name}: {afi} failed before, and is tried again")
    else:
        raise ToolError(
            f"AWS: found {MOST_ATTEMPTS} failed images of {checkpoint.name}, expected "
            "one that AWS takes: its logs are in the bucket."
        )
    say(f"{name}: {afi} ({agfi}) is being made")
    _wait(afi, region, poll_s)
    return {"agfi": agfi, "afi": afi, "region": region}


def copy_image(
    name: str, entry: HwdbEntry, regions: Sequence[str], say: Say, poll_s: float
) -> dict[str, str]:
    """Copy an image to further regions and wait for it there; return its number in each.

    Its global number is the same in all of them. Asked twice, a copy is made once.

    Raises:
        ToolError: AWS refuses, or a copy failed.
    """
    assert entry.afi is not None and entry.region is not None
    copies = {}
    for region in regions:
        token = hashlib.sha256(f"{entry.afi} {region}".encode()).hexdigest()[:48]
        try:
            made = _client("ec2", region).copy_fpga_image(
                SourceFpgaImageId=entry.afi, SourceRegion=entry.region, Name=name, ClientToken=token
            )
        except AWS_ERRORS as error:
            raise _said(f"to copy {entry.afi} to {region}", error) from error
        copies[region] = str(made["FpgaImageId"])
        say(f"{name}: {copies[region]} is being made in {region}")
    for region, afi in copies.items():
        _wait(afi, region, poll_s)
    return copies


def _token(digest: str, attempt: int) -> str:
    """Return the token by which AWS knows an attempt; the first one's is the content's own."""
    if attempt == 0:
        return digest[:48]
    return hashlib.sha256(f"{digest} {attempt}".encode()).hexdigest()[:48]


def _described(afi: str, region: str) -> dict[str, Any]:
    try:
        found = _client("ec2", region).describe_fpga_images(FpgaImageIds=[afi])["FpgaImages"]
    except AWS_ERRORS as error:
        raise _said(f"to say how far {afi} is", error) from error
    return dict(found[0]) if found else {}


def _code(found: Mapping[str, Any]) -> str:
    return str(found.get("State", {}).get("Code", "missing"))


def _made_s(found: Mapping[str, Any]) -> float:
    """Return when an image was asked for; now if AWS does not say."""
    made = found.get("CreateTime")
    return float(made.timestamp()) if made is not None else time.time()


def _wait(afi: str, region: str, poll_s: float) -> None:
    limit = time.monotonic() + LIMIT_S
    while True:
        found = _described(afi, region)
        state = found.get("State", {"Code": "missing"})
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
        for region, afi in entry.copies.items():
            _client("ec2", region).modify_fpga_image_attribute(
                FpgaImageId=afi, Attribute="loadPermission", LoadPermission=permissions
            )
        ec2 = _client("ec2", entry.region)
        ec2.modify_fpga_image_attribute(
            FpgaImageId=entry.afi, Attribute="loadPermission", LoadPermission=permissions
        )
        found = ec2.describe_fpga_image_attribute(FpgaImageId=entry.afi, Attribute="loadPermission")
    except AWS_ERRORS as error:
        raise _said(f"to share {name}", error) from error
    allowed = found["FpgaImageAttribute"].get("LoadPermissions", [])
    return sorted(str(one.get("UserId") or one.get("Group")) for one in allowed)
