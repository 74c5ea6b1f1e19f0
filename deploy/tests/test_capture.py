# SPDX-License-Identifier: BSD-3-Clause
"""Captures: signals around a trigger are the same file in rtl, in a metasimulation and on a board.

No target cycle changes for them, and what cannot be captured is refused before anything starts.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pylibfst
import pytest
from firesim.pipeline.check import check
from firesim.pipeline.load import load_file
from firesim.results.outcome import Outcome
from firesim_common.errors import InputError
from goldengate.errors import GoldenGateError

from regression.support.one_board import FPGA, left, made_board, simulated, write_recipe
from regression.support.simulated_boards import started

LIMIT, BROKEN = 3000, 5000
BLADE = """\
module Inner (input logic clock, input logic reset, input logic [31:0] count,
              output logic [71:0] wide);
  always_ff @(posedge clock) wide <= reset ? 72'd1 : {wide[70:0], wide[71] ^ wide[46]} ^ count[3:0];
endmodule
module Teller (input logic clock, input logic reset);
  logic [31:0] count;
  logic ready, is_late;
  logic [71:0] wide;
  assign is_late = count[7:4] == 4'd9 && wide[2];
  Inner inner (.clock, .reset, .count, .wide);
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (count[9:0] == 77 || is_late && count[9]) $display("count %0d %h", count, wide);
    whole: assert (count != BROKEN) else $error("the count is broken");
    eights: cover (count[2:0] == 0);
  end
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[8:0] == 3 && ready), .out_bits(8'h41 + {3'd0, count[13:9]}),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 3000), .value(32'h5555));
endmodule
"""
SIGNALS = "[count, inner.wide, is_late]"
BUILDS = f"""\
builds:
  mine:
    verilog: {{sources: [teller.sv], top: Teller}}
    board: ulx3s
    capture: {{signals: {SIGNALS}, depth_cycles: 64}}
"""
METASIM = ("simulation.engine=metasim", "simulation.metasim={stall_rate: 90, stall_seed: 3}")


def capture(more: str, signals: str = SIGNALS) -> str:
    """Return the override of a capture."""
    return f"simulation.capture=[{{node: soc, signals: {signals}, depth_cycles: 64{more}}}]"


def broken(folder: Path, at_count: int) -> None:
    """Write the blade with an assert that fails at a count."""
    (folder / "teller.sv").write_text(BLADE.replace("BROKEN", str(at_count)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the recipes; boards of the blade are not started yet."""
    folder = tmp_path_factory.mktemp("capture")
    write_recipe(folder, BLADE.replace("BROKEN", str(BROKEN)), BUILDS)
    farm = f"kind: local\nprocesses: 1\nfolder: {folder}/hosts\n"
    (folder / "farm.yaml").write_text(farm)
    return folder


@pytest.fixture(scope="module")
def board(folder: Path) -> Iterator[Path]:
    """Return the folder with a simulated board behind `board`; it ends with the tests."""
    broken(folder, BROKEN)
    with started(made_board(folder, "mine", folder / "board"), folder / "board"):
        yield folder


def taken(outcome: Outcome) -> tuple[bytes, dict[str, object]]:
    """Return the file of a capture and the facts about it."""
    file = outcome.folder / "soc/capture.fst"
    return file.read_bytes(), outcome.result["nodes"][0]["statistics"]["capture"]


def values_of(file: Path, name: str) -> dict[int, int]:
    """Return the values of a signal by the cycle in which it took them."""
    fst = pylibfst.lib.fstReaderOpen(str(file).encode())
    _, signals = pylibfst.get_scopes_signals2(fst)
    handles = {key.split(" ")[0]: signal.handle for key, signal in signals.by_name.items()}
    pylibfst.lib.fstReaderSetFacProcessMask(fst, handles[f"soc.{name}"])
    found: dict[int, int] = {}

    def change(_data: object, time: int, _handle: int, value: object) -> None:
        found[time // 312_500] = int(pylibfst.helpers.string(value), 2)

    pylibfst.fstReaderIterBlocks(fst, change)
    pylibfst.lib.fstReaderClose(fst)
    return found


def test_a_value_is_the_trigger_wherever_the_blade_runs(board: Path, tmp_path: Path) -> None:
    seed = int(os.environ.get("FIRESIM_TEST_SEED", "1"))
    print(f"replay with FIRESIM_TEST_SEED={seed}")
    at, after = random.Random(seed).randrange(100, 2800), random.Random(seed + 1).randrange(40)
    trigger = f"{{kind: value, signal: count, value: {at}, mask: 0xfff}}"
    wanted = capture(f", trigger: {trigger}, before_cycles: 20, after_cycles: {after}")
    plain = simulated(board, tmp_path / "plain")
    runs = {
        name: simulated(board, tmp_path / name, wanted, *more)
        for name, more in (("rtl", ()), ("metasim", METASIM), ("fpga", (FPGA,)))
    }
    file, facts = taken(runs["rtl"])
    # The count is 0 in cycle 16, the last one of which the reset decides.
    assert facts == {
        "file": "soc/capture.fst",
        "signals": 3,
        "recorded_from_cycle": 0,
        "trigger_cycle": at + 16,
        "first_cycle": at - 4,
        "cycles": 21 + after,
    }
    path = runs["rtl"].folder / "soc/capture.fst"
    cycles = range(at - 4, at + 17 + after)
    assert values_of(path, "cycle") == {cycle: cycle for cycle in cycles}
    assert values_of(path, "count") == {cycle: cycle - 16 for cycle in cycles}
    assert len(set(values_of(path, "inner.wide").values())) > 15
    for outcome in runs.values():
        assert left(outcome) == left(plain)
        assert outcome.result["token_hash"] == plain.result["token_hash"]
        assert taken(outcome) == (file, facts)


def test_a_failing_assert_is_the_trigger(folder: Path, tmp_path: Path) -> None:
    broken(folder, 2345)
    try:
        wanted = capture("", "[is_late, count]")
        rtl = simulated(folder, tmp_path / "rtl", wanted)
        metasim = simulated(folder, tmp_path / "metasim", wanted, *METASIM)
    finally:
        broken(folder, BROKEN)
    assert (rtl.reason, metasim.reason) == ("assert", "assert")
    last = rtl.result["nodes"][0]["ended_at_cycle"]
    assert taken(metasim) == taken(rtl)
    facts = taken(rtl)[1]
    assert (facts["first_cycle"], facts["cycles"]) == (last - 63, 64)
    assert facts["trigger_cycle"] == last
    counts = values_of(metasim.folder / "soc/capture.fst", "count")
    assert counts == {last - 63 + i: 2345 - 63 + i for i in range(64)}


def test_a_run_that_goes_on_begins_with_an_empty_ring(folder: Path, tmp_path: Path) -> None:
    wanted = capture(", trigger: {kind: cycle, cycle: 1010}, after_cycles: 30")
    saved = simulated(folder, tmp_path / "saved", "simulation.snapshots.at_cycles=[1000]", *METASIM)
    snapshot = saved.folder / "snapshots/cycle-1000"
    rtl = simulated(folder, tmp_path / "rtl", wanted, start=snapshot)
    metasim = simulated(folder, tmp_path / "metasim", wanted, *METASIM, start=snapshot)
    assert taken(metasim) == taken(rtl)
    facts = taken(rtl)[1]
    assert facts["recorded_from_cycle"] == facts["first_cycle"] == 1000
    assert (facts["trigger_cycle"], facts["cycles"]) == (1010, 41)
    assert left(rtl)["ended_at_cycle"] == left(metasim)["ended_at_cycle"] == LIMIT + 16


MISTAKES = [
    ("{node: soc, signals: [count], depth_cycles: 100}", "found 100, expected a power of two"),
    ("{node: socks, signals: [count]}", 'found "socks", expected one of the nodes'),
    ("{node: soc, signals: [count, count]}", 'found "count" twice'),
    ("{node: soc, signals: [a], depth_cycles: 16, after_cycles: 16}", "found 17 cycles to keep"),
    (
        "{node: soc, signals: [count], trigger: {kind: value, signal: coun, value: 1}}",
        'found "coun", expected trigger.signal to be one of signals "count", did you mean "count"',
    ),
]


@pytest.mark.parametrize(("text", "sentence"), MISTAKES)
def test_mistaken_captures_are_refused(text: str, sentence: str, folder: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        loaded = load_file(folder / "tell.yaml", [f"simulation.capture=[{text}]"])
        check(loaded)


def test_a_signal_that_is_none_is_refused(board: Path, tmp_path: Path) -> None:
    wanted = capture("", "[inner.wid]")
    outcome = simulated(board, tmp_path / "rtl", wanted)
    assert outcome.exit_status == 2
    assert (
        "capture.signals: the model has no signal 'inner.wid', nearest is 'inner.wide'"
        in outcome.message
    )
    with pytest.raises(GoldenGateError, match=r"no signal 'inner\.wid'.*inner\.wide"):
        simulated(board, tmp_path / "metasim", wanted, *METASIM)
    with pytest.raises(InputError) as refusal:
        simulated(board, tmp_path / "fpga", wanted, FPGA)
    assert (
        'found "inner.wid", expected one of the signals that the bitstream "mine" captures: '
        '"count", "inner.wide" or "is_late", did you mean "inner.wide"?'
    ) in str(refusal.value)
    too_large = capture(", trigger: {kind: value, signal: is_late, value: 2}")
    outcome = simulated(board, tmp_path / "large", too_large, *METASIM)
    assert "found '0x2', expected a number of at most 1 bits, as is_late has" in outcome.message
