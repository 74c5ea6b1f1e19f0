# SPDX-License-Identifier: BSD-3-Clause
"""Registers with constant bits in whole runs: every engine captures, saves and takes the same.

The design is that of sim/goldengate/tests/constant_bits.py, fed by a counter.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from firesim.results.outcome import Outcome
from firesim.run.signals import Value, read_peeks
from goldengate.tests.constant_bits import HELD, TEXT

from regression.support.one_board import FPGA, left, made_board, simulated, write_recipe
from regression.support.simulated_boards import started

SHOWN = (*HELD, "fixed", "mixed", "half[3:0]")
CAPTURED = ", ".join(f'"bits.{name}"' for name in SHOWN)
PEEKED = ", ".join(f'"bits.{name}"' for name in (*SHOWN, "rows", "few"))
TELLER = """\
module Teller (input logic clock, input logic reset);
  logic [31:0] count;
  logic ready; wire [7:0] y;
  Top bits (.clock, .reset, .x(count[7:0] ^ count[12:5]), .y);
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (count[9:0] == 77) $display("y %h", y);
  end
  FireSimUARTBridge uart (
    .clock, .reset, .out_valid(count[4:0] == 3 && ready), .out_bits(y),
    .in_ready(1'b1), .out_ready(ready), .in_valid(), .in_bits()
  );
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 3000), .value(32'h5555));
endmodule
"""
BUILDS = f"""\
builds:
  mine:
    verilog: {{sources: [teller.sv], top: Teller}}
    board: u200
    scan_chain: true
    capture: {{signals: [{CAPTURED}], depth_cycles: 64}}
"""
METASIM = "simulation.engine=metasim"
ENGINES = {"rtl": (), "metasim": (METASIM,), "fpga": (FPGA,)}


def _seed() -> int:
    value = int(os.environ.get("FIRESIM_TEST_SEED", "1"))
    print(f"replay with FIRESIM_TEST_SEED={value}")
    return value


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with the recipe and a simulated board of the design."""
    folder = tmp_path_factory.mktemp("constant")
    write_recipe(folder, TELLER + TEXT, BUILDS)
    device = folder / "board"
    with started(made_board(folder, "mine", device), device):
        yield folder


def _peeks(outcome: Outcome) -> list[Value]:
    return read_peeks(outcome.folder / "soc/peeks.csv")


def test_every_engine_captures_the_same(folder: Path, tmp_path: Path) -> None:
    at = random.Random(_seed()).randrange(300, 2500)
    wanted = (
        f"simulation.capture=[{{node: soc, signals: [{CAPTURED}], depth_cycles: 64, "
        f"trigger: {{kind: cycle, cycle: {at}}}, after_cycles: 20}}]"
    )
    runs = {name: simulated(folder, tmp_path / name, wanted, *ENGINES[name]) for name in ENGINES}
    files = {name: (one.folder / "soc/capture.fst").read_bytes() for name, one in runs.items()}
    for name, outcome in runs.items():
        assert outcome.exit_status == 0, outcome.message
        assert left(outcome) == left(runs["rtl"]), name
        assert files[name] == files["rtl"], name


@pytest.mark.parametrize("engine", ENGINES)
def test_a_state_goes_on_in_every_engine(engine: str, folder: Path, tmp_path: Path) -> None:
    at = random.Random(_seed() + 1).randrange(300, 2500)
    peeks = f"simulation.peeks=[{{node: soc, cycles: [{at}, {at + 1}, 2900], signals: [{PEEKED}]}}]"
    whole = simulated(folder, tmp_path / "whole", peeks)
    expected = _peeks(whole)
    assert len({one.value for one in expected}) > 20
    saved = simulated(
        folder, tmp_path / "saved", f"simulation.snapshots.at_cycles=[{at}]", *ENGINES[engine]
    )
    assert left(saved, ("uart.log",)) == left(whole, ("uart.log",)), saved.message
    start = saved.folder / f"snapshots/cycle-{at}"
    for other, options in ENGINES.items():
        shows = () if other == "fpga" else (peeks,)
        again = simulated(folder, tmp_path / other, *shows, *options, start=start)
        assert left(again, ()) == left(whole, ()), f"{engine} to {other}: {again.message}"
        text = (again.folder / "soc/uart.log").read_bytes()
        assert text and (whole.folder / "soc/uart.log").read_bytes().endswith(text)
        if shows:
            assert _peeks(again) == expected, f"{engine} to {other}"
