# SPDX-License-Identifier: BSD-3-Clause
"""The pairs of `datacenter` by the script of its nodes: each server has one load, so far away."""

from __future__ import annotations

import subprocess

import pytest
from firesim_common.paths import ROOT

from regression.published.datacenter import PAIRINGS, TREES, Pairing, command_of

SCRIPT = ROOT / "sw/firesim-software/workloads/linux-datacenter/datacenter.sh"
ASKED = """\
nc() { :; }
memload() { echo "${1#server=172.16.}"; }
for FIRESIM_INDEX in $INDICES; do ( . "$SCRIPT" ); done
"""


def _servers(pairing: Pairing, nodes: int) -> dict[int, int]:
    """Return which node each load asks."""
    words = command_of(pairing, TREES[nodes], 1, 10).split()
    settings = dict(word.split("=") for word in words if "=" in word)
    odd = range(1, nodes, 2)
    done = subprocess.run(
        ["sh", "-c", ASKED],
        env={**settings, "INDICES": " ".join(map(str, odd)), "SCRIPT": str(SCRIPT)},
        capture_output=True,
        text=True,
        check=True,
    )
    addresses = [line.split(".") for line in done.stdout.split()]
    return dict(zip(odd, (int(high) * 256 + int(low) - 2 for high, low in addresses), strict=True))


@pytest.mark.parametrize("nodes", [16, 1024])
@pytest.mark.parametrize("pairing", PAIRINGS, ids=lambda pairing: pairing.name)
def test_pairs(pairing: Pairing, nodes: int) -> None:
    _, racks, width = TREES[nodes]
    servers = _servers(pairing, nodes)
    assert sorted(servers.values()) == list(range(0, nodes, 2))
    for load, server in servers.items():
        same_rack = load // width == server // width
        same_aggregation = load // (racks * width) == server // (racks * width)
        level = 0 if same_rack else 1 if same_aggregation else 2
        assert level == pairing.level, (load, server)
