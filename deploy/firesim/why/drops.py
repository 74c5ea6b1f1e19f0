# SPDX-License-Identifier: BSD-3-Clause
"""Finds packets that a switch or a faulty link has dropped, in the files of a run."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from firesim_common.errors import InputError, unknown

from firesim.report.results import Results, SwitchFiles
from firesim.timeline.captures import CAPTURE, Seen, read_capture
from firesim.why.packets import MOST_SEEN, broadcast, named, names_of
from firesim.why.wanted import Cause, Wanted

FAULTS = "faults"
_LOST = "drop"


def find_drop(results: Results, wanted: Wanted) -> Cause | None:
    """Return the dropped packet that is asked about; None if only a capture could tell which.

    Raises:
        InputError: there is no such place, or not as many packets were lost there.
    """
    files = sorted((results.folder / FAULTS).glob("*.csv"))
    switches = {switch.name: switch for switch in results.switches}
    places = [*switches, *(file.stem for file in files)]
    if wanted.text in switches:
        return _of_switch(results, switches[wanted.text], wanted)
    for file in files:
        if file.stem == wanted.text:
            return _of_link(file, wanted)
    what = "one of the switches and faulty links"
    raise InputError(f"why: --drop: {unknown(wanted.text, what, places)}")


def _of_link(file: Path, wanted: Wanted) -> Cause:
    with file.open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row.get("fault") == _LOST]
    _check_count(wanted, len(rows))
    row = rows[wanted.nth - 1]
    sender = file.stem.partition("-to-")[0]
    detail = f" ({row['detail']})" if row.get("detail") else ""
    what = f"the faulty link {file.stem} dropped frame {row['frame']}{detail}"
    return Cause(what, int(row["cycle"]), switch=sender)


def _of_switch(results: Results, switch: SwitchFiles, wanted: Wanted) -> Cause | None:
    counted = dropped_of(switch)
    if not counted:
        _check_count(wanted, 0)
    file = results.folder / switch.name / CAPTURE
    entry = next(one for one in results.description["switches"] if one["name"] == switch.name)
    if not file.is_file() or entry.get("capture_side"):
        _check_count(wanted, sum(counted.values()))
        return None
    seen, more = read_capture(file, switch.name, MOST_SEEN, f"{switch.name}/{file.name}")
    lost = lost_packets(seen, sum(counted.values()))
    if more and len(lost) < wanted.nth:
        raise InputError(
            f"why: found {len(lost):,} lost packets among the first {MOST_SEEN:,} of "
            f"{switch.name}, expected --nth up to that."
        )
    if len(lost) < wanted.nth <= sum(counted.values()):
        raise InputError(
            f"why: found {len(lost)} packets that {switch.name} dropped for certain, expected "
            "--nth up to that: others may be dropped, or still wait there when the run ends."
        )
    _check_count(wanted, len(lost))
    one = lost[wanted.nth - 1]
    reasons = ", ".join(name.removeprefix("dropped_").replace("_", " ") for name in counted)
    names = names_of(results)
    sender, receiver = named(one.head[6:12], names), named(one.head[:6], names)
    what = (
        f"{switch.name} dropped a packet of {one.bytes:,} bytes from {sender} to {receiver}, "
        f"in by port {one.port} ({reasons})"
    )
    return Cause(what, one.cycle, switch=switch.name, port=one.port)


def _check_count(wanted: Wanted, found: int) -> None:
    if found < wanted.nth:
        expected = "one" if wanted.nth == 1 else f"at least {wanted.nth} (--nth)"
        raise InputError(
            f"why: found {found or 'no'} dropped packets at {wanted.text}, expected {expected}."
        )


def dropped_of(switch: SwitchFiles) -> Mapping[str, int]:
    """Return how many packets a switch has dropped, by the counter that says why."""
    found: dict[str, int] = {}
    for port in switch.ports:
        for name, value in port.items():
            counts = name.startswith("dropped_") and not name.endswith("_bytes")
            if counts and isinstance(value, int) and value:
                found[name] = found.get(name, 0) + value
    return found


def lost_packets(seen: list[Seen], dropped: int) -> list[Seen]:
    """Return the packets that came into a switch and were dropped, of all that it captured.

    One that has not left may still wait there at the end. It is dropped for certain if a later one
    to the same address has left, as the queue of a port keeps the order.
    """
    left = {one.number for one in seen if one.is_outbound}
    last_left: dict[bytes, int] = {}
    inside = sorted(one for one in seen if not one.is_outbound)
    for one in inside:
        if one.number in left:
            last_left[one.head[:6]] = one.cycle
    stayed = [one for one in inside if one.number not in left and not broadcast(one.head)]
    if len(stayed) <= dropped:
        return stayed
    return [one for one in stayed if one.cycle < last_left.get(one.head[:6], -1)]
