# SPDX-License-Identifier: BSD-3-Clause
"""The steps of the case study: what each changes, and what was published for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from regression.support.cluster import Config
from regression.support.linux import linux_config

USUAL_MTU, JUMBO_MTU = 1_500, 9_000
SWITCHES = "firesim_tunable"
"""What the words for the tunable kernel begin with."""


@dataclass(frozen=True)
class Step:
    """One machine of the case study."""

    name: str
    switches: tuple[str, ...]
    """What the tunable kernel is told; whatever is not named is as in the usual kernel."""
    mtu_bytes: int = USUAL_MTU
    published_gbps: tuple[float, float | None] | None = None
    """With one and two cores; none for a step that was not published."""
    linux: str = "linux-tunable"
    under: str = ""
    """What both ends of a stream run under, with its words."""
    blade: str = "offload"
    """What is behind the number of cores in the name of the blade."""
    engine_bytes: int = 0
    """Copies of as many bytes and more are the copy engine's; 0: it does nothing."""

    def config(self, cores: int, sender: str, receiver: str = "") -> Config:
        """Return nodes of `cores` cores, two or one with itself, and what they run."""
        switches = list(self.switches)
        if self.engine_bytes:
            switches.append(f"copy_engine={self.engine_bytes}")
        words = [f"{SWITCHES}.{switch}" for switch in switches]
        mtu = f"ifconfig eth0 mtu {self.mtu_bytes}; "
        nodes = {"node0": {"command": mtu + (receiver or sender)}}
        if receiver:
            nodes["node1"] = {"command": mtu + sender}
        return linux_config(
            "two_nodes" if receiver else "rack_1",
            self.linux,
            {
                "system": {"node": {"blade": f"rocket-{cores}-{self.blade}"}},
                "workload": {"node": {"args": words}, "nodes": nodes},
            },
        )


BYTES, NO_POLLING, WHOLE, CHECKSUM = "byte_copy=1", "polling=0", "gather=0", "checksum=1"
HOLD = ("hold_cycles=16000", "hold_packets=8")
NETWORKED = (
    Step("baseline", (BYTES, NO_POLLING, WHOLE), published_gbps=(1.67, 2.12)),
    # In place of the published vector unit, which functional nodes have no engine for.
    Step("+ word copy", (NO_POLLING, WHOLE), published_gbps=(2.82, 3.21)),
    Step("+ checksum offload", (NO_POLLING, WHOLE, CHECKSUM), published_gbps=(4.86, 4.24)),
    Step("+ polling (NAPI)", (WHOLE, CHECKSUM), published_gbps=(3.67, 6.73)),
    Step("+ jumbo frames", (WHOLE, CHECKSUM), JUMBO_MTU, published_gbps=(12.8, 17.5)),
    Step("+ scatter-gather", (CHECKSUM,), JUMBO_MTU),
)
"""Table 5.4, whose steps add up, and one more."""
ALTERNATIVES = (
    Step("scatter-gather, no polling", (NO_POLLING, CHECKSUM)),
    Step("scatter-gather, polling", (CHECKSUM,)),
    Step(
        "moderation, no polling",
        (NO_POLLING, WHOLE, CHECKSUM, *HOLD),
    ),
    Step("moderation, polling", (WHOLE, CHECKSUM, *HOLD)),
    Step("polling, budget of 8", (WHOLE, CHECKSUM, "budget=8")),
)
"""Further machines with 1,500-byte frames and checksum offload, not published."""
LOOPBACK = (
    Step("baseline", (BYTES,), published_gbps=(4.80, 3.01)),
    Step("+ word copy", (), published_gbps=(6.36, None)),
)
"""Table 5.2, of which the second row is of one core only."""
TRACED = replace(
    LOOPBACK[0],
    name="baseline straced",
    published_gbps=(5.43, None),
    linux="linux-strace",
    under="strace -f -o /dev/null ",
)
"""The baseline of table 5.2 with both ends under strace."""

LEAST_ENGINE_BYTES = 256
"""From which length on a copy is the engine's: a shorter one is over before it has begun."""
ENGINE_NETWORKED = replace(
    NETWORKED[1], name="+ copy engine", blade="copy", engine_bytes=LEAST_ENGINE_BYTES
)
ENGINE_LOOPBACK = replace(ENGINE_NETWORKED, switches=(), published_gbps=(16.1, 24.9))
"""Table 5.3, in RTL: the engine stands for the published vector unit."""
