# SPDX-License-Identifier: BSD-3-Clause
"""Triggers of traces in RTL, from a recipe: metasimulations and simulated boards trace as RTL.

Two harts commit and trap by chance, in reset, too. Whatever the trigger and the stalls, the traces
are those of the engine rtl, snapshots before a window and within one go on in either engine, and a
window that never opens costs no word. A bitstream without gates leaves the same.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from firesim.bitstream.forms import build_design
from firesim.build.simulator import simulator
from firesim.cli.main import app
from firesim.config.bitstream import LoadedBuilds, find_builds
from firesim.results.outcome import Outcome
from typer.testing import CliRunner

from regression.support.one_board import FPGA, left, made_board, simulated, write_recipe
from regression.support.simulated_boards import started

BLADE = """\
module Teller (input logic clock, input logic reset);
  logic [31:0] count, random = 32'h1;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    random <= {random[30:0], random[31] ^ random[21] ^ random[1] ^ random[0]};
    if (count[9:0] == 77) $display("random %h", random);
    odd: cover (random[0]);
  end
  for (genvar i = 0; i < 2; i++) begin : hart
    wire [15:0] bits = random[16*i +: 16];
    FireSimTraceRVBridge #(.HART(i)) trace (
      .clock, .reset, .valid(bits[1]), .pc({56'h00000000_8000, 2'd0, bits[7:2]}),
      .instruction(bits[10:8] == 0 ? 32'h8013 + {bits[11], 15'd0} : {16'h5a, bits}),
      .privilege(3'd3), .exception(~bits[1] & bits[0] & bits[2]), .interrupt(bits[3]),
      .cause(64'd2), .tval({48'd0, bits})
    );
  end
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 3000), .value(32'h5555));
endmodule
"""
BUILDS = """\
builds:
  f2: {verilog: {sources: [teller.sv], top: Teller}, board: f2, scan_chain: true}
  u250: {verilog: {sources: [teller.sv], top: Teller}, board: u250}
  ulx3s: {verilog: {sources: [teller.sv], top: Teller}, board: ulx3s, gates: true}
  small: {verilog: {sources: [teller.sv], top: Teller}, board: ulx3s}
  without: {verilog: {sources: [teller.sv], top: Teller}, board: f2, gates: false}
"""
METASIM = "simulation.engine=metasim"
STALLED = "simulation.metasim={stall_rate: 90, stall_seed: 3}"
PC = "{kind: pc, start: 0x800028, end: 0x800014}"
TRIGGERS = {
    "pc": PC,
    "the same pc": "{kind: pc, start: 0x800013, end: 0x800013}",
    "instruction": "{kind: instruction}",
    "masked": "{kind: instruction, start: {value: 0x12, mask: 0x1f}, "
    "end: {value: 0x5a00c2, mask: 0xffff00fe}}",
}
NEVER = "{kind: pc, start: 0x100, end: 0x104}"
TRACES = ("trace/hart0.log", "trace/hart1.log", "trace/hart0.trace", "trace/hart1.trace")
Pairs = tuple[tuple[str, str], ...]
"""Engines that a snapshot is taken in, and goes on in."""
FILES = (*TRACES, "prints.log", "counters.csv")


def traced(trigger: str) -> str:
    return f"simulation.tracing={{enabled: true, outputs: [text, binary], trigger: {trigger}}}"


def kept(outcome: Outcome) -> dict[str, Any]:
    assert outcome.exit_status == 0, outcome.message
    return left(outcome, FILES) | counted(outcome)


def counted(outcome: Outcome) -> dict[str, Any]:
    return {"harts": outcome.result["nodes"][0]["statistics"]["tracerv"]}


def words_up(outcome: Outcome) -> int:
    return int(outcome.result["nodes"][0]["statistics"]["host_traffic"]["words_up"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gates")
    write_recipe(folder, BLADE, BUILDS)
    recipe = folder / "tell.yaml"  # Most runs are on no farm.
    recipe.write_text(recipe.read_text().replace("placement: {run_farm: farm.yaml}\n", ""))
    return folder


def on_board(folder: Path, board: str) -> tuple[str, ...]:
    """Return the overrides that put the node on a board of the farm `BOARD.yaml`."""
    entries = f"simulation.fpga.entries={{teller: {board}}}"
    return FPGA, entries, f"placement.run_farm={folder}/{board}.yaml"


@pytest.mark.parametrize("name", TRIGGERS)
def test_a_metasimulation_traces_as_rtl(folder: Path, tmp_path: Path, name: str) -> None:
    trigger = traced(TRIGGERS[name])
    rtl = kept(simulated(folder, tmp_path / "rtl", trigger))
    everything = simulated(folder, tmp_path / "all", METASIM, traced("{kind: always}"))
    commits = kept(everything)["harts"][0]["commits"]
    assert 100 < rtl["harts"][0]["commits"] < 0.9 * commits
    assert b"exception" in rtl["trace/hart0.log"] and b"interrupt" in rtl["trace/hart0.log"]
    for number, stalls in enumerate((STALLED, "simulation.random_batch_seed=3")):
        metasim = simulated(folder, tmp_path / str(number), METASIM, trigger, stalls)
        assert kept(metasim) == rtl
        assert words_up(metasim) < words_up(everything)


def test_a_window_that_never_opens_costs_no_word(folder: Path, tmp_path: Path) -> None:
    never = simulated(folder, tmp_path / "never", METASIM, traced(NEVER))
    without = simulated(folder, tmp_path / "without", METASIM)
    cut = ("simulation.random_batch_seed=3",)  # Runs end in cycles in which a hart commits.
    facts = [one.result["nodes"][0]["statistics"]["host_traffic"] for one in (never, without)]
    assert facts[0]["words_up"] == facts[1]["words_up"] and facts[0]["rows"] == facts[1]["rows"]
    pair = [
        words_up(simulated(folder, tmp_path / f"{number}-cut", METASIM, *more, *cut))
        for number, more in enumerate(((traced(NEVER),), ()))
    ]
    assert pair[0] == pair[1]


def test_counters_of_a_window_hear_of_all(folder: Path, tmp_path: Path) -> None:
    both = (traced(PC), f"simulation.autocounter={{enabled: true, interval_cycles: 100, "
            f"trigger: {PC}}}", "simulation.prints={kind: instruction}")  # fmt: skip
    rtl = kept(simulated(folder, tmp_path / "rtl", *both))
    assert kept(simulated(folder, tmp_path / "metasim", METASIM, STALLED, *both)) == rtl


def snapshot_cycles(outcome: Outcome) -> list[int]:
    """Return cycles before the first window, right after its first commit, and later ones."""
    text = (outcome.folder / "soc/trace/hart0.log").read_text()
    cycles = [int(one) for one in re.findall(r"cycle (\d+)", text)]
    middle = cycles[len(cycles) // 2]
    return sorted({16, cycles[0] - 1, cycles[0], cycles[0] + 1, middle + 1, middle + 40})


def check_snapshots(
    folder: Path, results: Path, engines: dict[str, tuple[str, ...]], pairs: Pairs
) -> None:
    """Save in one engine, whose overrides are given, and go on in another, for each pair."""
    trigger = traced(PC)
    whole = simulated(folder, results / "whole", trigger)
    cycles = snapshot_cycles(whole)
    asked = f"simulation.snapshots.at_cycles={cycles}"
    saved = {}
    for name, (engine, other) in enumerate(pairs):
        if engine not in saved:
            saved[engine] = simulated(folder, results / engine, trigger, asked, *engines[engine])
            assert kept(saved[engine]) == kept(whole), engine
        for cycle in cycles:
            again = simulated(folder, results / f"{name}-{cycle}", trigger, *engines[other],
                              start=saved[engine].folder / f"snapshots/cycle-{cycle}")  # fmt: skip
            where = f"{engine} to {other} at {cycle}"
            assert counted(again) == counted(whole), where
            for file in TRACES[:2]:
                text = (again.folder / "soc" / file).read_bytes()
                assert (whole.folder / "soc" / file).read_bytes().endswith(text), where
                assert text, where


def test_snapshots_go_on_in_either_engine(folder: Path, tmp_path: Path) -> None:
    engines = {"rtl": (), "metasim": (METASIM, STALLED)}
    pairs = (("metasim", "rtl"), ("metasim", "metasim"), ("rtl", "metasim"))
    check_snapshots(folder, tmp_path, engines, pairs)


@pytest.mark.parametrize("board", ["f2", "u250", "ulx3s", "without"])
def test_a_board_traces_as_rtl(folder: Path, tmp_path: Path, board: str) -> None:
    device, fpga = tmp_path / "board", on_board(folder, board)
    made = made_board(folder, board, device, f"{board}.yaml")
    with started(made, device):
        for name in ("pc", "masked"):
            trigger = traced(TRIGGERS[name])
            rtl = simulated(folder, tmp_path / f"rtl-{name}", trigger)
            assert kept(simulated(folder, tmp_path / name, trigger, *fpga)) == kept(rtl)
        never = simulated(folder, tmp_path / "never", traced(NEVER), *fpga)
        untraced = words_up(simulated(folder, tmp_path / "untraced", *fpga))
        if board == "without":
            assert words_up(never) > 4 * untraced, "the host's program looks at every commit"
        else:
            assert words_up(never) == untraced


def test_snapshots_of_a_board_go_on(folder: Path, tmp_path: Path) -> None:
    device = tmp_path / "board"
    made = made_board(folder, "f2", device, "f2.yaml")
    engines = {"rtl": (), "fpga": on_board(folder, "f2")}
    with started(made, device):
        check_snapshots(folder, tmp_path, engines, (("fpga", "rtl"), ("rtl", "fpga")))


def test_boards_on_pcie_have_gates_unless_asked_otherwise(folder: Path) -> None:
    builds = LoadedBuilds(folder / "builds.yaml")
    gated = {name: build_design(builds, name).gates for name in builds.file.builds}
    assert gated == {"f2": True, "u250": True, "ulx3s": True, "small": False, "without": False}
    assert not build_design(LoadedBuilds(find_builds("reflector")), "reflector-8").gates


def test_a_model_for_this_computer_has_none(folder: Path) -> None:
    words = ["build", "verilog", "Teller", str(folder / "teller.sv"), "--gates"]
    refused = CliRunner().invoke(app, [*words, "-o", str(folder / "out")])
    assert refused.exit_code == 2 and not (folder / "out").exists()
    assert '--gates: found it with --target cpu, expected "--target fpga".' in refused.output


def test_another_number_of_gates_is_refused(folder: Path, tmp_path: Path) -> None:
    outcome = simulated(folder, tmp_path / "whole", METASIM, traced(PC))
    description = json.loads((outcome.folder / "description.json").read_text())
    (node,) = description["nodes"]
    model = shutil.copytree(Path(node["model"]).parent, tmp_path / "model")
    manifest = json.loads((model / "model.json").read_text())
    del manifest["bridges"][0]["gate"]
    (model / "model.json").write_text(json.dumps(manifest))
    node["manifest"] = str(model / "model.json")
    (tmp_path / "description.json").write_text(json.dumps(description))
    command = [str(simulator()), str(tmp_path / "description.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "soc: found 2 gates on the platform, expected 1 or none" in done.stderr
