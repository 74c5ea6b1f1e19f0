# SPDX-License-Identifier: BSD-3-Clause
"""The hosts of a farm, connected and found fit to simulate together."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from firesim_common.errors import InputError

from firesim.hosts.agent_kernel import processor
from firesim.hosts.answers import About
from firesim.hosts.channel import HostLost
from firesim.hosts.client import HostClient, HostError
from firesim.hosts.host import Host

LEAST_FREE_BYTES = 64 << 20
MOST_CLOCK_S = 60.0
"""Between two clocks: more makes the times of results useless."""
T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class ReadyHost:
    """A host that answers."""

    host: Host
    client: HostClient
    about: About

    @property
    def name(self) -> str:
        """Its name in the farm."""
        return self.host.name

    @property
    def cores(self) -> int:
        """Worker threads for simulations."""
        return self.host.cores or self.about.cores

    @property
    def memory_bytes(self) -> int:
        """Memory for simulations."""
        return self.host.memory_bytes or self.about.memory_bytes


def on_all(hosts: Sequence[T], work: Callable[[T], R]) -> list[R]:
    """Do something on all hosts at the same time; return what came of it, in their order.

    Raises:
        HostLost, HostError: what went wrong first, once all are done.
    """
    with ThreadPoolExecutor(max_workers=max(1, min(64, len(hosts)))) as pool:
        futures = [pool.submit(work, host) for host in hosts]
    return [future.result() for future in futures]


def close_all(hosts: Iterable[ReadyHost]) -> None:
    """Let hosts go."""
    for ready in hosts:
        ready.client.close()


def connected(hosts: Iterable[Host], answering: bool = False) -> list[ReadyHost]:
    """Return hosts with the agent on each, in the same order; with `answering` those that do.

    Raises:
        InputError: one sentence for each host that does not answer or does not fit; with
            `answering` only if none does.
    """
    listed = list(hosts)
    problems: dict[str, str] = {}

    def connect(host: Host) -> ReadyHost | None:
        client = HostClient(host.name, host.link, host.folder)
        try:
            before_s = time.time()
            ready = ReadyHost(host, client, client.about())
            problem = _problem(ready, (before_s + time.time()) / 2)
        except (HostLost, HostError) as error:
            named = str(error).startswith(f"{host.name}: ")
            problem = f"{error}." if named else f"{host.name}: {error}."
        if problem is None:
            return ready
        client.close()
        problems[host.name] = problem
        return None

    found = [ready for ready in on_all(listed, connect) if ready is not None]
    if problems and not (answering and found):
        close_all(found)
        raise InputError("\n".join(problems[host.name] for host in listed if host.name in problems))
    return found


def _problem(ready: ReadyHost, now_s: float) -> str | None:
    """Return why a host does not fit, None when it does."""
    about, where = ready.about, f"{ready.name}: "
    if about.machine != platform.machine():
        return f"{where}found a processor {about.machine}, expected {platform.machine()} as here."
    if _version(about.libc) < _version(platform.libc_ver()[1]):
        return (
            f"{where}found glibc {about.libc}, expected at least {platform.libc_ver()[1]}, with "
            "which the simulator is built here."
        )
    if about.free_bytes < LEAST_FREE_BYTES:
        return (
            f"{where}found {about.free_bytes >> 20} MiB free on the disk of {about.folder}, "
            f"expected at least {LEAST_FREE_BYTES >> 20}."
        )
    if abs(about.time_s - now_s) > MOST_CLOCK_S:
        return (
            f"{where}found its clock {about.time_s - now_s:+.0f} s from this computer's, expected "
            f"at most {MOST_CLOCK_S:.0f} s: set it, by NTP if you can."
        )
    return None


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def here() -> frozenset[str]:
    """Return what the processor of this computer can do."""
    return frozenset(processor()[1])


LEVELS = {
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"},
    "x86-64-v2": {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"},
}
"""What each level needs beyond the lower ones, by the names of the kernel (x86-64 psABI)."""


def common_march(hosts: Sequence[ReadyHost], own: frozenset[str] | None = None) -> str:
    """Return the processor to build for, as -march takes it, so that every host runs it.

    `native` if all hosts can do what this computer can.
    """
    own = here() if own is None else own
    if all(own <= ready.about.flags for ready in hosts):
        return "native"
    levels = list(LEVELS)
    for index, level in enumerate(levels):
        needed = frozenset().union(*(LEVELS[lower] for lower in levels[index:]))
        if all(needed <= ready.about.flags for ready in hosts):
            return level
    return "x86-64"
