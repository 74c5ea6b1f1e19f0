# SPDX-License-Identifier: BSD-3-Clause
"""Runs the system's ssh client against a node, with the key and the known hosts of FireSim."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from firesim.access import through
from firesim.access.door import Door
from firesim.build.ssh_key import private_key, ssh_program

KNOWN_HOSTS = "known_hosts"


def ssh_words(door: Door, *, key: Path | None = None, user: str = "root") -> list[str]:
    """Return the ssh command up to and with the host; a command for the node may follow.

    The user's own configuration and keys play no part. Host keys are kept with the run, under the
    node's name: the first one is accepted, another one later is not. It needs the environment of
    `through.environment`.
    """
    settings = {
        "IdentitiesOnly": "yes",
        "IdentityAgent": "none",
        "PreferredAuthentications": "publickey",
        "UserKnownHostsFile": f'"{door.run / KNOWN_HOSTS}"',
        "GlobalKnownHostsFile": "/dev/null",
        "HostKeyAlias": door.node,
        "CheckHostIP": "no",
        "StrictHostKeyChecking": "accept-new",
    }
    if door.there is not None:
        settings["ProxyCommand"] = through.COMMAND
    options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
    return [
        ssh_program("ssh"),
        *("-F", "/dev/null", "-i", str(key or private_key()), "-p", str(door.port)),
        *options,
        f"{user}@{door.host}",
    ]


def become_ssh(door: Door, command: Sequence[str]) -> None:
    """Replace this process by ssh: a shell, or a command whose exit status becomes ours."""
    words = [*ssh_words(door), *(["--", *command] if command else [])]
    os.execve(words[0], words, through.environment(door))


def run_on(
    door: Door, command: str, *, key: Path | None = None, timeout_s: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a shell command on the node and return what came of it."""
    return subprocess.run(
        [*ssh_words(door, key=key), "--", command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=through.environment(door),
        timeout=timeout_s,
        check=False,
    )
