# SPDX-License-Identifier: BSD-3-Clause
"""What a report computes and draws, figure by figure."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from firesim.report.charts import MOST_POINTS, Series, line_chart, nice_ticks
from firesim.report.console import records, round_trips
from firesim.report.drawing import topology_svg
from firesim.report.flamegraph import flame_data, shown_name
from firesim.report.network import Network
from firesim.report.sections import _binned
from firesim.units import byte_size, hertz, seconds, significant

LATENCY = 6400


def description() -> dict[str, Any]:
    """A rack: two nodes on one switch."""
    return {
        "nodes": [{"name": f"node{i}", "kind": "rtl"} for i in range(2)],
        "switches": [{"name": "tor0", "switching_latency_cycles": 10}],
        "links": [
            {
                "name": f"node{i}--tor0",
                "a": {"model": f"node{i}", "port": 0},
                "b": {"model": "tor0", "port": i},
                "latency_cycles": LATENCY,
            }
            for i in range(2)
        ],
    }


def test_flame_graph_has_every_frame_with_its_cycles() -> None:
    data = json.loads(flame_data({"a;b": 3, "a;c": 5, "a;[exception 8];b": 2, "d": 1}))
    frames = {
        (depth, data["names"][name], start, cycles)
        for depth, name, start, cycles in zip(
            data["depth"], data["name"], data["start"], data["cycles"], strict=True
        )
    }
    assert frames == {
        (0, "all", 0, 11),
        (1, "a", 0, 10),
        (2, "[system call]", 0, 2),
        (3, "b", 0, 2),
        (2, "b", 2, 3),
        (2, "c", 5, 5),
        (1, "d", 10, 1),
    }


def test_traps_have_names() -> None:
    assert shown_name("[exception 8]") == "[system call]"
    assert shown_name("[interrupt 5]") == "[timer interrupt]"
    assert shown_name("[exception 99]") == "[exception 99]" and shown_name("main") == "main"


def test_topology_labels_each_latency() -> None:
    svg = str(topology_svg(Network(description()), 3.2e9))
    assert svg.count(">2 µs</text>") == 2
    assert svg.count('class="box node"') == 2 and svg.count('class="box switch"') == 1


def test_texts_of_the_topology_fit_into_their_boxes() -> None:
    long = description()
    name = "a_server_with_a_name_of_its_own"
    long["nodes"][0]["name"] = long["links"][0]["a"]["model"] = name
    svg = str(topology_svg(Network(long), 3.2e9))
    assert f"<title>{name}</title>" in svg
    assert 'textLength="122" lengthAdjust="spacingAndGlyphs">a_server_wit…e_of_its_own<' in svg
    assert svg.count("textLength") == 1


def test_ideal_round_trip_over_two_levels() -> None:
    tree = description()
    tree["switches"].append({"name": "root", "switching_latency_cycles": 25})
    tree["switches"].append({"name": "tor1", "switching_latency_cycles": 10})
    tree["links"][1]["b"]["model"] = "tor1"
    for port, tor in enumerate(("tor0", "tor1")):
        ends = {"a": {"model": tor, "port": 9}, "b": {"model": "root", "port": port}}
        tree["links"].append({"name": f"{tor}--root", "latency_cycles": 100, **ends})
    network = Network(tree)
    assert network.one_way_cycles("node0", "node1") == 2 * LATENCY + 200 + 10 + 25 + 10
    assert network.ideal_round_trips("node0") == [2 * (2 * LATENCY + 245)]


def test_throughput_keeps_every_byte_and_draws_silence() -> None:
    cycles, values = [1000.0, 999_000.0], [8000.0, 400.0]
    starts, rates = _binned(cycles, values, 1000.0, 0.0, 1_000_500.0)
    assert len(starts) <= MOST_POINTS
    ends = [*starts[1:], 1_000_500.0]
    total = sum(r * (b - a) for r, a, b in zip(rates, starts, ends, strict=True))
    assert total == pytest.approx(8400)
    assert rates.count(0.0) == len(rates) - 2
    assert _binned([], [], 1000.0, 0.0, 0.0) == ([0.0], [0.0])


def test_throughput_of_a_restored_run_begins_at_its_snapshot() -> None:
    starts, rates = _binned([7000.0], [500.0], 1000.0, 5500.0, 8000.0)
    assert (starts, rates) == ([5000.0, 6000.0, 7000.0], [0.0, 0.0, 0.5])


def test_console_lines() -> None:
    text = (
        "boot\nping seq=1 rtt_cycles=0x10\nping seq=2 rtt_cycles=x\nnot a = line\nn a=1 b=2.5\r\n"
    )
    assert round_trips(text) == [(1, 16.0)]
    assert [record.kind for record in records(text)] == ["ping", "ping", "n"]
    assert records(text)[2].number("b") == 2.5


def test_long_series_keep_their_peaks() -> None:
    values = [0.0] * 100_000
    values[54_321] = 7.0
    svg = str(line_chart(range(100_000), [Series("s", values)], x_label="x", y_label="y"))
    points = re.findall(r'points="([^"]*)"', svg)[0].split()
    assert len(points) <= MOST_POINTS
    assert len({point.split(",")[1] for point in points}) == 2


def test_ticks_cover_the_range() -> None:
    for low, high in ((0, 1), (0, 204.8), (3, 3), (0, 1e-9), (-5, 5)):
        ticks = nice_ticks(low, high)
        assert ticks[0] <= low and ticks[-1] >= high * 0.999
        assert len(ticks) <= 7


def test_units() -> None:
    assert seconds(2e-6) == "2 µs" and seconds(0) == "0 s" and seconds(None) == "–"
    assert hertz(3.2e9) == "3.2 GHz" and hertz(0.5) == "0.5 Hz"
    assert byte_size(268435456) == "256 MiB" and byte_size(12) == "12 B"
    assert significant(1234.567) == "1,235" and significant(0.012345) == "0.0123"
