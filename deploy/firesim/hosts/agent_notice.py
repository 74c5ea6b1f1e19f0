# SPDX-License-Identifier: BSD-3-Clause
"""What EC2 tells an instance of itself: whether it will be taken away, as spot instances are.

A part of the agent (agent.py), so it imports nothing of FireSim but other parts. The instance
metadata service is asked in its version 2: for a token first, then with it.
"""

from __future__ import annotations

import json
from typing import Dict  # noqa: UP035 (Python 3.8)

TOKEN_S = 21600
"""How long a token is good, the longest that there is."""
LIMIT_S = 2.0
TTL = "X-aws-ec2-metadata-token-ttl-seconds"
TOKEN = "X-aws-ec2-metadata-token"
ACTION = "/latest/meta-data/spot/instance-action"
NOT_FOUND, UNAUTHORIZED = 404, 401

tokens: Dict[str, str] = {}  # noqa: UP006 (Python 3.8)
"""By the address of their service."""


def taken_away(address: str) -> Dict[str, str]:  # noqa: UP006 (Python 3.8)
    """Return what will be done with this host and when, both empty while it stays.

    With a `problem`, nobody knows: there is no answer.
    """
    import urllib.error  # Only where spot instances are, since it takes a while.

    found = {"action": "", "time": "", "problem": ""}
    try:
        if address not in tokens:
            tokens[address] = ask(address, "PUT", "/latest/api/token", {TTL: str(TOKEN_S)})
        about = json.loads(ask(address, "GET", ACTION, {TOKEN: tokens[address]}))
        found["action"], found["time"] = str(about["action"]), str(about["time"])
    except urllib.error.HTTPError as error:
        if error.code == UNAUTHORIZED:  # The token is too old: with a new one the next time.
            tokens.pop(address, None)
        elif error.code != NOT_FOUND:
            found["problem"] = f"status {error.code}"
    except (OSError, ValueError, KeyError, TypeError) as error:
        found["problem"] = str(error) or type(error).__name__
    return found


def ask(address: str, method: str, path: str, headers: Dict[str, str]) -> str:  # noqa: UP006
    """Return the answer of the service, which no proxy is between."""
    import urllib.request

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(address + path, headers=headers, method=method)
    with direct.open(request, timeout=LIMIT_S) as answer:
        return str(answer.read(1 << 16).decode())
