# SPDX-License-Identifier: BSD-3-Clause
"""Traffic files and clusters of traffic nodes, against what the manager makes of them."""

from __future__ import annotations

from pathlib import Path

import yaml
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve

from regression.support.traffic import Packets, mac_of, traffic_config, write_traffic


def test_files_are_in_order_of_cycle(tmp_path: Path) -> None:
    packets = [Packets(50, mac_of(1), 64, 10, 200), Packets(20, mac_of(0), 6)]
    lines = write_traffic(tmp_path / "a/b.traffic", packets).read_text().splitlines()
    assert lines[1:] == ["20 00:12:6D:00:00:02 6", "50 00:12:6D:00:00:03 64 repeat 10 200"]


def test_a_frame_takes_whole_flits_with_its_pad() -> None:
    assert [Packets(0, "", size).flits for size in (6, 7, 14, 15, 1518)] == [1, 2, 2, 3, 190]


def test_addresses_are_those_the_manager_gives(tmp_path: Path) -> None:
    config = traffic_config(
        "tree_4_4_32",
        tmp_path,
        {0: [Packets(1, mac_of(300), 64)]},
        link={"latency_cycles": 7},
    )
    plan = resolve(load_text(yaml.safe_dump(config)))
    assert [node.mac.upper() for node in plan.nodes] == [mac_of(index) for index in range(512)]
    assert {link.latency_cycles for link in plan.links} == {7}
    sending = [node.name for node in plan.nodes if node.traffic != plan.nodes[1].traffic]
    assert sending == ["node0"]
