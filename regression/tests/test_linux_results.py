# SPDX-License-Identifier: BSD-3-Clause
"""What the Linux experiments read from consoles, as the programs print it."""

from __future__ import annotations

import pytest

from regression.linux.linux_cluster import reached
from regression.published.memcached.experiment import Point, highest_served
from regression.support.experiment import ExperimentError
from regression.support.linux import Load, Stream, linux_config, loads, ping_times_us, streams

PING = "64 bytes from 172.16.0.3: seq=0 ttl=64 time=0.031 ms\r\n"
NUTTCP = (
    "megabytes=8.0000 real_seconds=0.02 rate_Mbps=3192.4677 tx_cpu=0 rx_cpu=0 retrans=6 cwnd=98\r\n"
)
MEMLOAD = (
    "memload requests=400 seconds=0.1 asked_per_s=4000 answered_per_s=3834 p50_us=73.7 "
    "p95_us=79.9 p99_us=88.1 max_us=105.7 misses=2 overflows=1\r\n"
)


def test_pings_are_read_in_microseconds() -> None:
    assert ping_times_us(PING + "noise\r\n" + PING) == [31.0, 31.0]


def test_streams_are_read_and_counted() -> None:
    assert streams("boot\r\n" + NUTTCP, "node1", 1) == [Stream(3192.4677, 8.0, 6)]
    with pytest.raises(ExperimentError, match="node1: found 1 results of nuttcp, expected 2"):
        streams(NUTTCP, "node1", 2)


def test_loads_are_read_whole() -> None:
    assert loads(MEMLOAD, "node1", 1) == [Load(4000, 3834, 73.7, 79.9, 88.1, 3)]
    with pytest.raises(ExperimentError, match="lacks one of asked_per_s"):
        loads(MEMLOAD.replace("p95_us=79.9 ", ""), "node1", 1)


def test_pinged_nodes_are_counted() -> None:
    assert reached("x\r\npinged reached=7 of=7\r\n", "node0") == 7
    with pytest.raises(ExperimentError, match="node0: found no line"):
        reached("", "node0")


def test_configurations_are_laid_over() -> None:
    config = linux_config("rack_2", "linux-base", {"simulation": {"threads": 1}})
    assert config["simulation"]["engine"] == "functional"
    assert config["simulation"]["threads"] == 1


def points(*answered_per_s: float) -> list[Point]:
    rates = (1000.0, 2000.0, 3000.0)
    return [
        Point("x", asked, answered, 1, 2, 3, 0)
        for asked, answered in zip(rates, answered_per_s, strict=True)
    ]


def test_servers_are_compared_where_none_is_overloaded() -> None:
    good = points(1000, 2000, 3000)
    assert highest_served({"4": good, "5": good}) == 2
    assert highest_served({"4": good, "5": points(1000, 1961, 2930)}) == 1
    assert highest_served({"4": good, "5": points(970, 1900, 2900)}) is None
