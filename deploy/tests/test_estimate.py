# SPDX-License-Identifier: BSD-3-Clause
"""Estimates of what a blade takes of a board, on the packet reflector; the boards' files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from firesim.boards.estimate import KINDS, module_path
from firesim.boards.known import board_names, load_board
from firesim.cli.main import app
from firesim_common.errors import InputError
from firesim_common.paths import ROOT
from typer.testing import CliRunner, Result

RUNNER = CliRunner()
REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"


def run_estimate(*words: str, top: str = "PacketReflector") -> Result:
    source = ["--source", str(REFLECTOR), "-P", "DEPTH=64"]
    return RUNNER.invoke(app, ["build", "estimate", top, *source, *words])


COUNTER = """\
module Counter (input logic clock, input logic reset);
  logic [3:0] count;
  always_ff @(posedge clock) count <= reset ? 0 : count + 1;
  FireSimTerminationBridge over (.clock, .reset, .valid(&count), .value(32'h5555));
endmodule
"""


def test_a_synthesis_says_that_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes minutes for a core, and nothing else is said before its table."""
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    source = tmp_path / "counter.sv"
    source.write_text(COUNTER)
    words = ["Counter", "--board", "ulx3s", "--json", "--source", str(source)]
    result = RUNNER.invoke(app, ["build", "estimate", *words])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["blade"] == "Counter"
    assert "synthesizing for an FPGA: about 540 s" in result.stderr


INNER = """\
`include "width.svh"
module Store #(parameter EXTRA = 0) (
  input logic clock, input logic [`WIDTH+EXTRA-1:0] next, output logic [`WIDTH+EXTRA-1:0] kept
);
  always_ff @(posedge clock) kept <= next;
endmodule
module Whole (input logic clock, input logic reset, input logic [31:0] next);
  logic [31:0] kept;
  Store store (.clock, .next(next[`WIDTH-1:0]), .kept(kept[`WIDTH-1:0]));
  FireSimTerminationBridge over (.clock, .reset, .valid(&kept), .value(32'h5555));
endmodule
"""


def test_a_module_alone_has_no_host_and_is_counted_again_when_what_it_includes_changes(
    tmp_path: Path,
) -> None:
    source, width = tmp_path / "whole.sv", tmp_path / "width.svh"
    source.write_text(INNER)
    words = ["build", "estimate", "Whole", "--board", "f2", "--source", str(source), "--module"]

    def registers(*more: str) -> float:
        result = RUNNER.invoke(app, [*words, "Store", "--json", *more])
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        assert found["blade"] == "Store of Whole"
        assert list(found["modules"]) == ["(top)"]
        return float(found["used"]["ff"])

    width.write_text("`define WIDTH 8\n")
    assert (registers(), registers("-P", "EXTRA=3")) == (8, 11)
    width.write_text("`define WIDTH 9\n")
    assert registers() == 9

    result = RUNNER.invoke(app, [*words, "Stor"])
    assert result.exit_code == 2
    assert 'found "Stor", expected one of the 2 modules of the design, did you mean "Store"?' in (
        result.stderr
    )
    result = RUNNER.invoke(app, [*words, "Store", "--scan-chain"])
    assert result.exit_code == 2
    assert "a module alone has no channels and no host's side" in result.stderr
    result = RUNNER.invoke(app, [*words, "Whole"])
    assert result.exit_code == 3
    assert "FireSimTerminationBridge" in result.stderr


def test_the_reflector_on_an_open_board() -> None:
    result = run_estimate("--board", "ecp5-85f", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    # The queue holds 64 rows of 65 bits in distributed memory; registers are what the text has.
    assert 3_000 < found["used"]["lut"] < 7_000
    assert 1_400 < found["used"]["ff"] < 1_800
    assert found["used"]["bram_kbit"] == found["used"]["dsp"] == 0
    assert found["limited_by"] == "lut"
    assert found["fit"] == int(0.7 * 83_640 / found["used"]["lut"])
    assert 5 < found["levels"] < 30
    assert 10 < found["mhz"][0] < found["mhz"][1] < 200
    for kind in KINDS:
        parts = sum(part[kind] for part in found["modules"].values())
        assert parts == found["used"][kind]
    assert found["modules"]["(top)"]["ff"] > 150


def test_a_capture_is_counted() -> None:
    """A ring of 16,384 cycles of 64 bits or more cannot be in distributed memory."""
    signals = ["--capture", "out_data", "--capture-depth", "16384"]
    result = run_estimate("--board", "ecp5-85f", "--json", *signals)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert 16_384 * 64 / 1024 <= found["used"]["bram_kbit"] < 2 * 16_384 * 64 / 1024
    host = found["modules"]["(channels and host side)"]
    assert host["bram_kbit"] == found["used"]["bram_kbit"]


def test_the_table_fits_80_columns_and_says_what_is_not_counted() -> None:
    result = run_estimate("--board", "ulx3s")
    assert result.exit_code == 0, result.output
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "Not counted" in result.stdout
    assert "estimated, not routed" in result.stdout


def test_too_small_a_share_is_said_in_one_sentence() -> None:
    result = run_estimate("--board", "ulx3s", "--usable", "0.01")
    assert result.exit_code == 3
    assert "expected at most 836, 1% of 83,640 that ULX3S, 85F has." in result.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--board", "u25"], 'did you mean "u250"?'),
        (["--board", "f2", "--usable", "2"], "--usable: found 2, expected a share above 0"),
        (["--board", "f2", "--memory-parameter", "QUEUE=16"], 'without "--memory rtl"'),
    ],
)
def test_bad_input(words: list[str], sentence: str) -> None:
    result = run_estimate(*words)
    assert result.exit_code == 2
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--capture", "out_dat"], "no signal 'out_dat' (nearest: out_data)."),
        (["--capture", "a", "--capture-depth", "9"], "found 9, expected a power of two from 16"),
        (["--capture", "a", "--capture", "a"], "found 'a' twice"),
        (
            ["--memory", "rtl", "--multi-cycle-memories"],
            "a bridge's host side in RTL cannot be combined with multi-cycle memories: ",
        ),
    ],
)
def test_a_form_that_cannot_be_is_refused(words: list[str], sentence: str) -> None:
    result = run_estimate("--board", "f2", *words)
    assert result.exit_code == 3
    assert sentence in result.stderr


def test_a_parameter_needs_a_source() -> None:
    words = ["build", "estimate", "rocket-1", "--board", "f2", "-P", "DEPTH=64"]
    result = RUNNER.invoke(app, words)
    assert result.exit_code == 2
    assert "without --source" in result.stderr


def test_every_board_says_what_it_has_and_where_that_is_from() -> None:
    for name in board_names():
        board = load_board(name)
        assert board.source
        assert board.resources.lut > 20_000
        assert board.resources.dsp > 0
        for figure in board.published:
            assert figure.source
    assert load_board("aws-f2") == load_board("f2")
    with pytest.raises(InputError, match="expected one of the boards"):
        load_board("versa")


def test_modules_are_told_apart_below_the_target() -> None:
    assert module_path("form.target.tile.core.pc", 2) == "tile.core"
    assert module_path("form.target", 2) == "(top)"
    assert module_path("form.targets", 2) == module_path("control", 2)
