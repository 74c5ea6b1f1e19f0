# SPDX-License-Identifier: BSD-3-Clause
"""What EC2 says when it refuses, in sentences, and what may be tried again elsewhere or later."""

from __future__ import annotations

import re

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    EndpointConnectionError,
    NoCredentialsError,
    NoRegionError,
)

from firesim.farm.base import FarmError

NO_CAPACITY = {
    "InsufficientInstanceCapacity",
    "InsufficientHostCapacity",
    "InsufficientCapacity",
    "InsufficientFreeAddressesInSubnet",
    "SpotMaxPriceTooLow",
    "Unsupported",
}
"""Another subnet, in another zone, may have what this one has not; a later moment, too."""
DONE_ALREADY = {"IdempotentInstanceTerminated", "IdempotentParameterMismatch"}
"""A client token was used for an instance that is gone, or for another one."""
_QUOTA = {"VcpuLimitExceeded", "InstanceLimitExceeded", "MaxSpotInstanceCountExceeded"}
_REASONS = {
    "SpotMaxPriceTooLow": "the spot price is above most_usd_per_hour",
    "Unsupported": "the type is not offered there",
    "InsufficientFreeAddressesInSubnet": "the subnet has no free address",
}


def code_of(error: Exception) -> str:
    """Return the code of an error of AWS, "" for another one."""
    return str(error.response["Error"].get("Code", "")) if isinstance(error, ClientError) else ""


def reason(error: Exception) -> str:
    """Return in a few words why a subnet did not give an instance."""
    return _REASONS.get(code_of(error), "no capacity")


def sentence(farm: str, what: str, error: Exception) -> FarmError:
    """Return the error for the user when AWS has refused `what` for good."""
    code = code_of(error)
    if isinstance(error, NoCredentialsError):
        text = "found no AWS credentials, expected those of `aws configure` or `aws sso login`."
    elif isinstance(error, NoRegionError | EndpointConnectionError):
        text = f"found no answer of AWS ({error}), expected a region that is spelled right."
    elif code in ("UnauthorizedOperation", "AccessDenied", "AccessDeniedException"):
        message = str(error.response["Error"].get("Message", ""))  # type: ignore[attr-defined]
        action = re.search(r"[a-z0-9]+:[A-Z]\w+", message)
        wanted = f" {action[0]}" if action else ""
        text = (
            f"found that your AWS policy refuses {what}, expected one that allows{wanted}: "
            "docs/how-to/run-on-ec2.md has one."
        )
    elif code in ("AuthFailure", "ExpiredToken", "RequestExpired", "InvalidClientTokenId"):
        text = "found AWS credentials that are not valid (any more), expected you to log in again."
    elif code in _QUOTA:
        text = (
            f"found the account's quota used up when asked {what}, expected room: ask for a "
            "higher one under Service Quotas, EC2; what was launched before is kept."
        )
    elif isinstance(error, ClientError):
        message = str(error.response["Error"].get("Message", "")).rstrip(".")
        text = f"AWS refuses {what}: {message} ({code})."
    else:
        text = f"AWS refuses {what}: {error}"
    return FarmError(f"{farm}: {text}")


AWS_ERRORS = (ClientError, BotoCoreError)
"""All that boto3 raises."""
