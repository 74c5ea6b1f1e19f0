# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the experiment own-switch find what is wrong in a run, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from firesim.pipeline.load import load_file
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome

from regression.hardware.own_switch.rule import Rule, check_traffic
from regression.support.captured_frames import Frame, read_capture
from regression.support.experiment import ExperimentError
from regression.support.pages import HOW_TO, page_file

PAGE = HOW_TO / "write-a-switch.md"


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """The how-to's cluster, on functional nodes, with captures."""
    folder = tmp_path_factory.mktemp("own")
    for name in ("spreading.cc", "spreading.yaml"):
        (folder / name).write_text(page_file(PAGE, name))
    loaded = load_file(folder / "spreading.yaml", ["simulation.captures=true"])
    return run(loaded, results=folder / "out")


def changed(ended: Outcome, switch: str, old: bytes, new: bytes) -> list[str]:
    """Return the problems found with other bytes in the capture of a switch."""
    capture = ended.folder / switch / "capture.pcapng"
    before = capture.read_bytes()
    assert old in before and len(old) == len(new)
    try:
        capture.write_bytes(before.replace(old, new, 1))
        return check_traffic(ended).problems
    finally:
        capture.write_bytes(before)


def longest(ended: Outcome, switch: str) -> Frame:
    """Return the longest frame that left a switch."""
    frames = read_capture(ended.folder / switch / "capture.pcapng")
    return max((f for f in frames if not f.inbound), key=lambda frame: len(frame.data))


def test_a_good_run_has_no_problems(ended: Outcome) -> None:
    checked = check_traffic(ended)
    assert checked.problems == []
    assert checked.frames > 100 and checked.bytes > 4 * 65536


def test_one_other_byte_is_found(ended: Outcome) -> None:
    data = longest(ended, "root1").data
    found = changed(ended, "root1", data, data[:-1] + bytes([data[-1] ^ 1]))
    assert any(problem.startswith("tor_a--root1, tor_a to root1: found frame") for problem in found)


def test_another_cycle_is_found(ended: Outcome) -> None:
    cycle = f"cycle {longest(ended, 'tor_b').cycle}".encode()
    other = cycle[:-1] + (b"1" if cycle[-1:] != b"1" else b"2")
    assert any("in cycle" in problem for problem in changed(ended, "tor_b", cycle, other))


def test_the_other_way_is_found(ended: Outcome) -> None:
    switches = [
        replace(switch, settings={"equal_ports": [3]}) if switch.name == "tor_a" else switch
        for switch in ended.plan.switches
    ]
    other = replace(ended, plan=replace(ended.plan, switches=tuple(switches)))
    problems = check_traffic(other).problems
    assert "tor_a port 2, out: found" in "\n".join(problems)


def test_new_flows_go_where_fewest_are(ended: Outcome) -> None:
    rule = Rule(next(switch for switch in ended.plan.switches if switch.name == "tor_a"))
    b0, b1 = (bytes.fromhex(f"00126d00000{n}") for n in (3, 5))
    frames = [Frame(port, True, 0, to + bytes([port] * 6)) for to in (b0, b1) for port in (0, 1)]
    assert [rule.port(frame) for frame in frames] == [2, 3, 2, 3]
    assert [rule.port(frame) for frame in reversed(frames)] == [3, 2, 3, 2]


def test_a_capture_that_is_cut_off_is_refused(ended: Outcome, tmp_path: Path) -> None:
    whole = (ended.folder / "tor_a/capture.pcapng").read_bytes()
    (tmp_path / "cut.pcapng").write_bytes(whole[:-3])
    with pytest.raises(ExperimentError, match="found no whole block"):
        read_capture(tmp_path / "cut.pcapng")
