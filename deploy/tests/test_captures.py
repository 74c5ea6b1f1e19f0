# SPDX-License-Identifier: BSD-3-Clause
"""Captures as other programs read them: scapy takes them, and one side has each packet once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from firesim.config.loaded import Loaded
from firesim.pipeline.load import find_config, load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome

Load = Callable[..., Loaded]
INBOUND, OUTBOUND = 1, 2


def capture(folder: Path, side: str) -> tuple[Outcome, list[object]]:
    """Run two Linux nodes that talk over TCP; return the packets of their switch."""
    from scapy.all import rdpcap

    changes = ["simulation.engine=functional", f"simulation.captures={side}"]
    outcome = run(load_file(find_config("linux_quickstart"), changes), results=folder / side)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return outcome, list(rdpcap(str(outcome.folder / "tor0/capture.pcapng")))


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Outcome, list[object]]]:
    """The same run with each kind of capture."""
    folder = tmp_path_factory.mktemp("captures")
    return {side: capture(folder, side) for side in ("true", "inbound", "outbound")}


def sent(packets: list[object]) -> list[tuple[object, ...]]:
    """Return what TCP sent: addresses, ports, sequence number, flags and length of each segment."""
    from scapy.layers.inet import IP, TCP

    found: list[tuple[object, ...]] = []
    for packet in packets:
        if TCP in packet:  # type: ignore[operator]
            ip, tcp = packet[IP], packet[TCP]  # type: ignore[index]
            length = ip.len - 4 * ip.ihl - 4 * tcp.dataofs
            found.append((ip.src, tcp.sport, tcp.seq, tcp.ack, str(tcp.flags), length))
    return found


def test_one_side_has_each_packet_once(
    sides: dict[str, tuple[Outcome, list[object]]],
) -> None:
    both = sides["true"][1]
    assert {packet.direction for packet in both} == {INBOUND, OUTBOUND}  # type: ignore[attr-defined]
    for side, direction in (("inbound", INBOUND), ("outbound", OUTBOUND)):
        alone = sides[side][1]
        kept = [one for one in both if one.direction == direction]  # type: ignore[attr-defined]
        assert [bytes(one) for one in alone] == [bytes(one) for one in kept]  # type: ignore[call-overload]
        assert {one.comment[:6] for one in alone} == {b"cycle "}  # type: ignore[attr-defined]
    segments = sent(sides["inbound"][1])
    assert len(segments) > 50
    assert len(set(segments)) == len(segments)
    assert len(set(sent(both))) < len(sent(both))


def test_a_capture_changes_no_cycle(sides: dict[str, tuple[Outcome, list[object]]]) -> None:
    assert len({outcome.result["token_hash"] for outcome, _ in sides.values()}) == 1
