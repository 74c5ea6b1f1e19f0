# SPDX-License-Identifier: BSD-3-Clause
"""Traffic files, and configurations of clusters whose nodes replay them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEAST_FRAME_BYTES = 6
"""A destination address: one token on the wire."""


@dataclass(frozen=True)
class Packets:
    """`count` equal packets; the first flit of the first one in `cycle`, then `gap_cycles` apart.

    `frame_bytes` counts from the destination address on, without the two pad bytes on the wire.
    """

    cycle: int
    destination: str
    frame_bytes: int
    count: int = 1
    gap_cycles: int = 0

    @property
    def flits(self) -> int:
        """Tokens that one packet takes on the wire."""
        return (self.frame_bytes + 2 + 7) // 8


def mac_of(index: int) -> str:
    """Return the MAC address the manager gives to node number `index`."""
    number = 0x00126D000002 + index
    return ":".join(f"{(number >> shift) & 0xFF:02X}" for shift in range(40, -8, -8))


def write_traffic(path: Path, packets: Iterable[Packets]) -> Path:
    """Write a traffic file, in order of cycle as firesim-sim wants it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["# cycle destination bytes [repeat count gap_cycles]"]
    for p in sorted(packets, key=lambda p: p.cycle):
        line = f"{p.cycle} {p.destination} {p.frame_bytes}"
        lines.append(line if p.count == 1 else f"{line} repeat {p.count} {p.gap_cycles}")
    path.write_text("\n".join(lines) + "\n")
    return path


def traffic_config(
    topology: str, folder: Path, traffic: Mapping[int, Iterable[Packets]], **system: Any
) -> dict[str, Any]:
    """Return the configuration of a cluster of traffic nodes.

    `traffic` maps the number of a node to what it sends; the other nodes send nothing. Files are
    written to `folder`; more keys of `system` may be given.
    """
    silent = write_traffic(folder / "silent.traffic", [])
    nodes = {
        f"node{index}": {"traffic": str(write_traffic(folder / f"node{index}.traffic", packets))}
        for index, packets in traffic.items()
    }
    return {
        "system": {
            "topology": topology,
            "node": {"blade": "traffic", "traffic": str(silent)},
            "nodes": nodes,
            **system,
        },
        "simulation": {"throughput_interval_cycles": 0},
    }
