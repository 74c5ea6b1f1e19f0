# SPDX-License-Identifier: BSD-3-Clause
"""Host keys of EC2 instances, read from where no stranger writes: the instance's console.

cloud-init makes a host's keys at its first boot and prints the public halves there; only the AWS
account reads them, so nobody between us and the host can put in one of his own, as in the first
answer of ssh. The key is then kept in a tag of the instance, where any of the user's computers
finds it. No private key ever travels.
"""

from __future__ import annotations

import re

BEGIN, END = "-----BEGIN SSH HOST KEY KEYS-----", "-----END SSH HOST KEY KEYS-----"
TYPE = "ssh-ed25519"
_KEY = re.compile(rf"{TYPE} [A-Za-z0-9+/=]{{68}}(?![A-Za-z0-9+/=])")


def host_key(console: str) -> str | None:
    """Return the host key that a console shows, as `ssh-ed25519 AAAA…`, None when not yet."""
    _, found, rest = console.rpartition(BEGIN)
    keys, whole, _ = rest.partition(END)
    match = _KEY.search(keys) if found and whole else None
    return match[0] if match else None
