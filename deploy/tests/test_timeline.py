# SPDX-License-Identifier: BSD-3-Clause
"""The timeline of results made by hand, read back by Perfetto's own protobufs: exact cycles."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from firesim.timeline.events import MAGIC, EventFile, read_events
from firesim.timeline.window import WHOLE, Window
from firesim.timeline.write import TIMELINE, Written, write_timeline
from firesim_common.errors import InputError

from regression.support.perfetto_file import Track, read_trace


def _varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + _varint(value >> 7)


def _cycle(difference: int) -> bytes:
    return _varint(difference * 2 if difference >= 0 else -difference * 2 - 1)


def _name(parent: int, text: str) -> bytes:
    return _varint(parent << 2) + _varint(len(text)) + text.encode()


def _slice(name: int, difference: int, cycles: int) -> bytes:
    return _varint(name << 2 | 1) + _cycle(difference) + _varint(cycles)


def _block(kind: int, body: bytes) -> bytes:
    size = 12 + len(body)
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def _capture(*seen: tuple[int, int, str, int | None]) -> bytes:
    """Return a capture of frames of 62 bytes: cycle, port, in or out, number."""
    made = _block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    made += _block(1, struct.pack("<HHI", 1, 0, 0)) * 3
    for cycle, port, direction, number in seen:
        body = struct.pack("<IIIII", port, 0, cycle, 62, 62) + bytes(64)
        body += _option(1, b"cycle %d" % cycle)
        body += _option(2, struct.pack("<I", 1 if direction == "in" else 2))
        body += b"" if number is None else _option(5, struct.pack("<Q", number))
        made += _block(6, body + _option(0, b""))
    return made


def _link(a: str, a_port: int, b: str, b_port: int, latency_cycles: int) -> dict[str, object]:
    ends = {"a": {"model": a, "port": a_port}, "b": {"model": b, "port": b_port}}
    return {"name": f"{a}-{b}", **ends, "latency_cycles": latency_cycles}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the results of two nodes behind a switch each."""
    description = {
        "clock_hz": 3_200_000_000,
        "nodes": [{"name": name, "kind": "rtl", "bridges": {}} for name in ("node0", "node1")],
        "switches": [{"name": name} for name in ("left", "right")],
        "links": [
            _link("node0", 0, "left", 0, 100),
            _link("left", 1, "right", 1, 1000),
            _link("right", 0, "node1", 0, 10),
        ],
    }
    (tmp_path / "description.json").write_text(json.dumps(description))
    for name in ("node0/trace", "node1", "left", "right"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def _read(folder: Path, window: Window = WHOLE) -> tuple[dict[str, list[Track]], Written]:
    written = write_timeline(folder, window=window)
    found: dict[str, list[Track]] = {}
    for track in read_trace(written.path).values():
        found.setdefault(track.name, []).append(track)
    return found, written


STACKS = (
    MAGIC
    + _name(0, "hart0")
    + _name(1, "main")
    + _name(2, "f")
    + _name(2, "[exception 8]")
    + _slice(2, 10, 5)  # 10 to 15: main
    + _slice(3, 0, 2)  # 15 to 17: main, f
    + _slice(4, 0, 3)  # 17 to 20: main, a system call
    + _slice(1, 30, 1)  # 50 to 51, after a gap: the bottom
)


def test_stacks_are_slices_in_slices(folder: Path) -> None:
    (folder / "node0/trace/hart0.events").write_bytes(STACKS)
    tracks, written = _read(folder)
    assert written.left_out == () and written.path == folder / TIMELINE
    shown = [(one.stack[-1], one.begin, one.end, one.own) for one in tracks["hart0"][0].slices]
    assert shown == [
        ("f", 15, 17, 2),
        ("[system call]", 17, 20, 3),
        ("main", 10, 20, 5),
        ("hart0", 10, 20, 0),
        ("hart0", 50, 51, 1),
    ]


def test_a_window_cuts_slices(folder: Path) -> None:
    (folder / "node0/trace/hart0.events").write_bytes(STACKS)
    tracks, _ = _read(folder, Window(16, 18))
    shown = [(one.stack[-1], one.begin, one.end) for one in tracks["hart0"][0].slices]
    call = "[system call]"
    assert shown == [("f", 16, 17), (call, 17, 18), ("main", 16, 18), ("hart0", 16, 18)]


def test_what_is_left_out_is_said(folder: Path) -> None:
    file = folder / "node0/trace/hart0.events"
    file.write_bytes(STACKS + _varint(7 << 2 | 3) + _cycle(5))
    tracks, written = _read(folder)
    (sentence,) = written.left_out
    assert sentence == (
        "node0/trace/hart0.events: 7 events from cycle 56 on are left out, since "
        "simulation.timeline.limit_mib was reached."
    )
    assert f"left out: {sentence}" in tracks
    file.write_bytes(STACKS[:-1])
    assert "ends within an event" in _read(folder)[1].left_out[0]


def test_a_packet_through_two_switches(folder: Path) -> None:
    (folder / "left/capture.pcapng").write_bytes(
        _capture((500, 0, "in", 1), (520, 1, "out", 1), (900, 0, "in", 2))
    )
    (folder / "right/capture.pcapng").write_bytes(
        _capture((1520, 1, "in", 9), (1560, 0, "out", 9), (1700, 1, "out", None))
    )
    tracks, _ = _read(folder)
    ways = {
        name: [(one.begin, one.end, one.flows) for track in found for one in track.slices]
        for name, found in tracks.items()
        if " > " in name or " port " in name
    }
    assert ways == {
        "node0 > left": [(400, 500, (1,)), (800, 900, (2,))],
        "left port 1": [(500, 520, (1,))],
        "left > right": [(520, 1520, (1,))],
        "right port 0": [(1520, 1560, (1,))],
        "right > node1": [(1560, 1570, (1,))],
        "right > left": [(1700, 2700, (3,))],  # made by the switch itself
    }
    (arrival,) = tracks["node1 received"][0].instants
    assert (arrival.begin, arrival.flows, arrival.notes) == (1570, (1,), {"packet": 1})
    (kept,) = tracks["left kept or dropped"][0].instants
    assert (kept.begin, kept.notes) == (900, {"packet": 2})


def test_packets_that_overlap_have_lanes_of_one_name(folder: Path) -> None:
    frames = [(500 + 10 * number, 0, "in", number) for number in range(20)]
    left = [(frame[0] + 1, 1, "out", frame[3]) for frame in frames]
    (folder / "left/capture.pcapng").write_bytes(_capture(*frames, *left))
    tracks, _ = _read(folder)
    lanes = [[(one.begin, one.end) for one in track.slices] for track in tracks["node0 > left"]]
    assert len(lanes) == 10  # 100 cycles of the link, a packet each 10
    assert sorted(begin for lane in lanes for begin, _ in lane) == list(range(400, 600, 10))
    assert lanes[0] == [(400, 500), (500, 600)]


def test_one_side_joins_nothing(folder: Path) -> None:
    file = folder / "description.json"
    description = json.loads(file.read_text())
    description["switches"][0]["capture_side"] = "inbound"
    file.write_text(json.dumps(description))
    (folder / "left/capture.pcapng").write_bytes(_capture((500, 0, "in", 1)))
    (folder / "node0/trace/hart0.events").write_bytes(STACKS)
    tracks, written = _read(folder)
    assert "network" not in tracks and "captured one side" in written.left_out[0]


def test_counters_show_growth(folder: Path) -> None:
    (folder / "node0/counters.csv").write_text("cycle,loads\n100,5\n200,5\n300,25\n")
    tracks, _ = _read(folder)
    assert tracks["loads"][0].values == [(0, 5), (100, 0), (200, 20)]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "found no events"),
        (MAGIC + _slice(1, 0, 1), "found name 1, expected 1 to 0"),
        (MAGIC + _name(5, "f"), "found parent 5 of name 1"),
        (MAGIC + _name(0, "t") + _slice(1, -1, 1), "found cycle -1"),
        (MAGIC + _name(0, "t") + _slice(1, 1, 2**63), "found cycle 1"),
        (MAGIC + b"".join(_name(i, "f") for i in range(2100)), "expected at most 2048"),
    ],
)
def test_hostile_events_are_refused(tmp_path: Path, data: bytes, words: str) -> None:
    file = tmp_path / "hart0.events"
    file.write_bytes(data)
    with pytest.raises(InputError, match=words):
        list(read_events(file, EventFile(), "hart0.events"))


def test_nothing_to_show_is_an_error(folder: Path) -> None:
    with pytest.raises(InputError, match=r"simulation\.timeline\.enabled=true"):
        write_timeline(folder)
    assert not (folder / TIMELINE).exists()


def test_a_link_that_leads_out_is_not_read(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.events"
    outside.write_bytes(STACKS)
    (folder / "node0/uart.events").symlink_to(outside)
    (folder / "node0/trace/hart0.events").write_bytes(STACKS)
    assert "node0/uart.events: " in _read(folder)[1].left_out[0]
