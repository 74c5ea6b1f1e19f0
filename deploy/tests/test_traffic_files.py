# SPDX-License-Identifier: BSD-3-Clause
"""Traffic files: checked before a run, whole frames, and captures replayed in exact cycles."""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from firesim.build.pcap import PcapError, read_frames
from firesim.build.traffic import check_traffic, text_file
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim_common.errors import InputError

NODE1 = bytes.fromhex("00126d000003")
FRAME = NODE1 + bytes.fromhex("0200000000010800") + bytes(range(50))
Packet = tuple[Fraction, bytes]
MakeTraffic = Callable[..., Path]


def pcap(packets: list[Packet], order: str = "<", ticks: int = 10**6) -> bytes:
    """Return a capture in pcap; the original of each packet is four bytes longer."""
    magic = 0xA1B2C3D4 if ticks == 10**6 else 0xA1B23C4D
    data = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    for time, frame in packets:
        second, part = int(time), int((time - int(time)) * ticks)
        data += struct.pack(f"{order}IIII", second, part, len(frame), len(frame) + 4) + frame
    return data


def block(order: str, kind: int, body: bytes) -> bytes:
    size = 12 + len(body)
    return struct.pack(f"{order}II", kind, size) + body + struct.pack(f"{order}I", size)


def pcapng(packets: list[Packet], order: str = "<", nanoseconds: bool = True) -> bytes:
    """Return a capture in pcapng, with an option and a block that a reader passes over."""
    data = block(order, 0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1))
    options = struct.pack(f"{order}HH8s", 2, 5, b"eth0\0")
    if nanoseconds:
        options += struct.pack(f"{order}HHB3xHH", 9, 1, 9, 0, 0)
    data += block(order, 1, struct.pack(f"{order}HHI", 1, 0, 0) + options)
    data += block(order, 4, bytes(8))
    for time, frame in packets:
        ticks = int(time * (10**9 if nanoseconds else 10**6))
        fields = (0, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), len(frame) + 4)
        body = struct.pack(f"{order}IIIII", *fields) + frame
        data += block(order, 6, body + bytes(-len(frame) % 4))
    return data


PACKETS = [(Fraction(1_700_000_000) + Fraction(us, 10**6), FRAME) for us in (7, 8, 12)]


@pytest.mark.parametrize("order", ["<", ">"])
def test_captures_of_all_kinds_are_read(order: str) -> None:
    expected = [(time, FRAME + bytes(4)) for time, _ in PACKETS]
    for data in (
        pcap(PACKETS, order),
        pcap(PACKETS, order, 10**9),
        pcapng(PACKETS, order),
        pcapng(PACKETS, order, nanoseconds=False),
    ):
        assert [(frame.time_s, frame.data) for frame in read_frames(data)] == expected


def test_a_capture_that_cannot_be_replayed_is_refused() -> None:
    whole = pcap(PACKETS)
    cut = "found a capture that is cut off, expected a whole one"
    wireless = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 105)
    simple = pcapng([]) + block("<", 3, struct.pack("<I", 4) + bytes(4))
    for data, message in (
        (whole[:-1], cut),
        (whole[:30], cut),
        (whole[:10], cut),
        (pcapng(PACKETS)[:-6], cut),
        (wireless, "found a capture of link type 105, expected Ethernet (1)"),
        (simple, "found a packet without a time, expected one with its time"),
    ):
        with pytest.raises(PcapError) as refused:
            list(read_frames(data))
        assert str(refused.value) == f"{message}."


def test_a_capture_becomes_cycles(tmp_path: Path) -> None:
    """At 3.2 GHz a microsecond is 3,200 cycles; what is noted late follows at once."""
    packets = [*PACKETS, (PACKETS[0][0], FRAME)]
    (tmp_path / "a.pcap").write_bytes(pcap(packets))
    made = text_file(tmp_path / "a.pcap", 3_200_000_000, tmp_path / "node" / "made")
    lines = [line.split() for line in made.read_text().splitlines()]
    assert [int(line[0]) for line in lines] == [0, 3200, 16000, 16000]
    assert all(line[1:] == ["frame", (FRAME + bytes(4)).hex()] for line in lines)
    (tmp_path / "empty.pcap").write_bytes(pcap([]))
    check_traffic(tmp_path / "empty.pcap")


def test_frames_and_captures_reach_the_other_side_as_they_are(
    tmp_path: Path, results_root: Path, traffic: MakeTraffic
) -> None:
    hashes = set()
    (tmp_path / "a.pcap").write_bytes(pcapng(PACKETS))
    text = "\n".join(f"{cycle} frame {FRAME.hex()}00000000" for cycle in (0, 3200, 16000))
    for given in ("a.pcap", "node0.traffic"):
        config = traffic(text)
        config.write_text(config.read_text().replace("node0.traffic", given))
        (tmp_path / "idle.traffic").write_text("30000 ff:ff:ff:ff:ff:ff 64\n")  # The run's end.
        outcome = run(load_file(config, ["simulation.max_cycles=40000"]))
        assert outcome.result["reason"] == "ended", outcome.message
        nodes = {node["name"]: node["statistics"] for node in outcome.result["nodes"]}
        flits = (len(FRAME) + 4 + 2 + 7) // 8
        assert (nodes["node0"]["packets_sent"], nodes["node0"]["bytes_sent"]) == (3, 24 * flits)
        assert nodes["node1"]["packets_received"] == 3
        assert nodes["node1"]["last_arrival_cycle"] - nodes["node1"]["first_arrival_cycle"] == 16000
        hashes.add(outcome.result["token_hash"])
    assert len(hashes) == 1


BAD_LINES = {
    "1000 zz 64": (
        'found the destination "zz", expected an address like 00:12:6D:00:00:02, or "frame"'
    ),
    "x 00:12:6D:00:00:03 64": 'found cycle "x", expected an integer from 0 to 4611686018427387904',
    "5 00:12:6D:00:00:03 5": 'found bytes "5", expected an integer from 6 to 65535',
    "5 00:12:6D:00:00:03": (
        'found 2 words, expected "CYCLE DESTINATION BYTES" or "CYCLE frame HEX", and perhaps '
        '"repeat COUNT GAP_CYCLES"'
    ),
    "5 frame 0011223344556": (
        "found a frame that is not hexadecimal, expected two digits for each byte"
    ),
    "5 frame 0011223344": "found a frame of 5 bytes, expected 6 to 65535",
    "5 00:12:6D:00:00:03 64 often 1 1": 'found "often", expected "repeat"',
    "5 00:12:6D:00:00:03 64 repeat 0 1": (
        'found count "0", expected an integer from 1 to 1099511627776'
    ),
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_bad_line_is_refused_with_its_place(line: str, tmp_path: Path) -> None:
    file = tmp_path / "a.traffic"
    file.write_text(f"# comment\n\n1 ff:ff:ff:ff:ff:ff 64 repeat 3 0\n{line} # comment\n")
    with pytest.raises(InputError) as refused:
        check_traffic(file)
    assert str(refused.value) == f"{file}:4: {BAD_LINES[line]}."


def test_lines_are_in_order_and_files_not_compressed(tmp_path: Path) -> None:
    file = tmp_path / "a.traffic"
    file.write_text("9 ff:ff:ff:ff:ff:ff 64\n8 ff:ff:ff:ff:ff:ff 64\n")
    with pytest.raises(InputError, match=":2: found the cycle 8, expected at least 9 as on the"):
        check_traffic(file)
    file.write_bytes(b"\x1f\x8b\x08\0")
    with pytest.raises(InputError, match='expected a plain one: "gunzip a.traffic"'):
        check_traffic(file)
