# SPDX-License-Identifier: BSD-3-Clause
"""What the kernel says of a host: its processor, memory, network, and when a process started.

A part of the agent (agent.py), so it imports nothing of FireSim but other parts.
"""

from __future__ import annotations

import socket
from pathlib import Path


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def started_ticks(pid: int) -> int | None:
    """Return when a process started, None when there is none or it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])


def unended(pid: int) -> str:
    """Return, in words, what a process does that was killed and is still there."""
    try:
        head, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    except OSError:
        return f"process {pid} has ended only now"
    state = rest.split()[0]
    what = "uninterruptible sleep in the kernel" if state == "D" else f"state {state}"
    return f"process {pid} ({head.partition('(')[2]}) does not end after SIGKILL: it is in {what}"


def is_free(port: int) -> bool:
    """Return whether nobody listens on a port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True


def memory(key: str) -> int:
    """Return a line of /proc/meminfo in bytes."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":"))


def processor() -> tuple[str, list[str]]:
    """Return the name of the processor and what it can do, of the first core."""
    found: dict[str, str] = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        found.setdefault(key.strip(), value.strip())
    return found.get("model name", ""), found.get("flags", "").split()


def network_bytes() -> tuple[int, int]:
    """Return the bytes sent and received over all interfaces but loopback."""
    sent = received = 0
    for line in Path("/proc/net/dev").read_text().splitlines()[2:]:
        name, _, rest = line.partition(":")
        if name.strip() != "lo":
            numbers = rest.split()
            received, sent = received + int(numbers[0]), sent + int(numbers[8])
    return sent, received
