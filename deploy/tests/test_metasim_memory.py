# SPDX-License-Identifier: BSD-3-Clause
"""A metasimulated node whose memory's timing is RTL: as the C++ model to the cycle.

A master makes bursts of every kind at random, reads and writes over the same few pages, some of
them outside the memory, with write data before its address. It prints a sum of all that it is
answered and of the cycle of each answer, so that one answer a cycle late would show in the prints.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from firesim.config.load import load_file
from firesim.run.restart import restart_from
from firesim.run.runner import Outcome, run
from firesim_common.errors import InputError
from rich.console import Console

from regression.support.one_board import left as left_by

BLADE = """\
module Storm #(parameter int LIMIT = 10, parameter int WRONG = 0) (
  input logic clock, input logic reset
);
  logic [31:0] count;
  logic [63:0] random, mixed, sum;
  assign mixed = random * 64'h9e3779b97f4a7c15;
  // What a burst is, by its number.
  function automatic logic [63:0] hash(logic [31:0] number, logic [31:0] salt);
    logic [63:0] x;
    x = {salt, number} * 64'hd6e8feb86659fd93;
    x = (x ^ (x >> 29)) * 64'h94d049bb133111eb;
    return x ^ (x >> 32);
  endfunction
  logic ar_valid, ar_ready, aw_valid, aw_ready, w_valid, w_ready, b_valid, r_valid, w_last;
  logic b_ready, r_ready, r_last;
  logic [3:0] b_id, r_id;
  logic [1:0] b_resp, r_resp;
  logic [63:0] r_data, a, w, d;
  logic [31:0] ar_number, aw_number, w_number;
  logic [7:0] beat;
  function automatic logic [1:0] kind(logic [63:0] x);
    return x[1:0] == 2'd3 ? 2'd1 : x[1:0];
  endfunction
  function automatic logic [7:0] len(logic [63:0] x);
    case (kind(x))
      2'd2: return x[3:2] == 2'd0 ? 8'd1 : x[3:2] == 2'd1 ? 8'd3 : x[3:2] == 2'd2 ? 8'd7 : 8'd15;
      2'd0: return {4'd0, x[5:2]};
      default: return x[9:6] == 4'd0 ? 8'd31 : {4'd0, x[5:2]};
    endcase
  endfunction
  function automatic logic [2:0] size(logic [63:0] x);
    return x[10] ? 3'd3 : {1'b0, x[12:11]};
  endfunction
  function automatic logic [31:0] address(logic [63:0] x);
    logic [31:0] low;
    low = {20'd0, 1'b0, x[23:20] , x[30:24]};
    if (kind(x) == 2'd2) low = low >> size(x) << size(x);
    return (x[35:31] == 5'd0 ? 32'h9000_0000 : 32'h0001_0000) + {18'd0, x[37:36], 12'd0} + low;
  endfunction
  assign a = hash(ar_number, 32'd1);
  assign w = hash(aw_number, 32'd2);
  assign d = hash(w_number, 32'd2);
  assign w_last = beat == len(d);
  logic [63:0] answer;
  assign answer = {r_valid & r_ready ? r_data : 64'd0} ^ {32'd0, count}
      ^ {40'd0, b_valid & b_ready, b_id, b_resp, r_valid & r_ready, r_id, r_resp, r_last, 9'd0};
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    random <= reset ? 64'd88172645463325252
        : random * 64'd6364136223846793005 + 64'd1442695040888963407;
    b_ready <= mixed[40];
    r_ready <= mixed[41] | mixed[42];
    if (reset) begin
      {ar_valid, aw_valid, w_valid} <= '0;
      {ar_number, aw_number, w_number, beat, sum} <= '0;
    end else begin
      if (ar_valid & ar_ready) begin ar_valid <= 0; ar_number <= ar_number + 1; end
      else if (!ar_valid) ar_valid <= mixed[50:48] == 0 | count[10];
      if (aw_valid & aw_ready) begin aw_valid <= 0; aw_number <= aw_number + 1; end
      else if (!aw_valid) aw_valid <= mixed[54:52] == 0;
      if (w_valid & w_ready) begin
        w_valid <= mixed[56];
        beat <= w_last ? 8'd0 : beat + 8'd1;
        if (w_last) begin
          w_number <= w_number + 1;
          w_valid <= 0;
        end
      end else if (!w_valid) w_valid <= mixed[57] & (w_number < aw_number + 32'd3);
      if ((b_valid & b_ready) | (r_valid & r_ready)) sum <= sum * 64'd3 + answer;
    end
    if (count[8:0] == 77) $display("sum %h at %0d", sum, count);
  end
  FireSimMemoryBridge memory (
    .clock, .reset,
    .aw_valid, .aw_id(w[44:41] & 4'd3), .aw_addr(address(w)), .aw_len(len(w)), .aw_size(size(w)),
    .aw_burst(kind(w)), .w_valid, .w_data(d ^ {8{beat}}), .w_strb(d[52:45] | {8{d[53]}}),
    .w_last(w_last ^ (WRONG == 2 & w_number == 9)), .b_ready,
    .ar_valid, .ar_id(a[44:41] & 4'd3), .ar_addr(WRONG == 1 & ar_number == 9 ? 32'h10ff8 :
    address(a)), .ar_len(WRONG == 1 & ar_number == 9 ? 8'd7 : len(a)),
    .ar_size(WRONG == 1 & ar_number == 9 ? 3'd3 : size(a)),
    .ar_burst(WRONG == 1 & ar_number == 9 ? 2'd1 : kind(a)), .r_ready, .r_valid, .r_data,
    .aw_ready, .w_ready, .b_valid, .b_id, .b_resp, .ar_ready, .r_id, .r_resp, .r_last
  );
  FireSimTerminationBridge over (
    .clock, .reset, .valid(count == LIMIT), .value(32'h5555)
  );
endmodule
"""
RECIPE = """\
name: storm
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades:
    storm:
      sources: [storm.sv]
      top: Storm
      parameters: {LIMIT: 8000, WRONG: 0}
      memory_base: 0x10000
  node: {blade: storm, memory: {size_mib: 4}}
workload: {nodes: {soc: {elf: words.elf}}}
simulation: {threads: 1, status_interval_s: 0.05}
"""
IN_RTL = ("simulation.engine=metasim", "simulation.metasim={memory: rtl}")
STALLED = "simulation.metasim={memory: rtl, stall_rate: 90, stall_seed: 3}"
PACED = "{model: fixed, latency_cycles: 7, max_reads: 3, max_writes: 2, bytes_per_cycle: 5}"
DDR3 = "{model: fr_fcfs, queue_depth: 6, row_bytes: 512, ranks: 2}"
CACHE = "{sets: 8, ways: 2, mshrs: 3}"


@pytest.fixture
def folder(elsewhere: Path) -> Path:
    """Return a folder outside the checkout, the current one, with the blade and its recipe."""
    (elsewhere / "storm.sv").write_text(BLADE)
    (elsewhere / "storm.yaml").write_text(RECIPE)
    return elsewhere


def simulated(*overrides: str) -> Outcome:
    return run(load_file(Path("storm.yaml"), overrides), console=Console(quiet=True))


def left(outcome: Outcome) -> dict[str, Any]:
    """Return what a run left that must not depend on the engine, nor on where its text was."""
    found = left_by(outcome, ("prints.log", "memory.json"))
    return {key: value for key, value in found.items() if key != "message"}


@pytest.mark.parametrize(
    ("timing", "cache"),
    [("{model: fixed}", "null"), (PACED, "null"), (DDR3, "null"), (DDR3, CACHE)],
)
def test_it_is_as_the_model_in_cpp(folder: Path, timing: str, cache: str) -> None:
    memory = f"system.node.memory={{size_mib: 4, timing: {timing}, llc: {cache}}}"
    cpp = simulated(memory)
    facts = json.loads(left(cpp)["memory.json"])
    assert facts["reads"]["bursts"] > 80 and facts["writes"]["bursts"] > 80
    assert facts["reads"]["decode_errors"] > 2 and facts["writes"]["decode_errors"] > 2
    for stalls in (IN_RTL[1], STALLED):
        in_rtl = simulated(memory, IN_RTL[0], stalls)
        assert left(in_rtl) == left(cpp)
        traffic = in_rtl.result["nodes"][0]["statistics"]["host_traffic"]
        assert traffic["rows"] < 50  # Prints alone, and the end.


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        (1, "the target's read burst of 8 beats at 0x10ff8 crosses a 4 KiB boundary"),
        (2, "w_last is "),
    ],
)
def test_what_axi_does_not_allow_ends_it_with_the_same_words(
    folder: Path, wrong: int, what: str
) -> None:
    broken = f"system.blades.storm.parameters={{LIMIT: 8000, WRONG: {wrong}}}"
    cpp, in_rtl = simulated(broken), simulated(broken, *IN_RTL)
    assert what in str(cpp.result["message"])
    assert in_rtl.result["message"] == str(cpp.result["message"])


def test_it_is_refused_where_state_is_saved_or_taken(folder: Path) -> None:
    with pytest.raises(InputError) as refusal:
        simulated(*IN_RTL, "simulation.snapshots={at_cycles: [3000]}")
    assert str(refusal.value).endswith(
        'found "rtl" with simulation.snapshots, expected "host": the state of "soc" is not saved '
        "with its memory's timing in RTL."
    )
    saved = simulated("simulation.snapshots={at_cycles: [3000]}")
    snapshot = str(saved.folder / "snapshots/cycle-3000")
    with pytest.raises(InputError) as refusal:
        run(
            load_file(Path("storm.yaml"), IN_RTL),
            console=Console(quiet=True),
            restart=lambda plan: restart_from(snapshot, plan, None),
        )
    assert str(refusal.value) == (
        '--from: found simulation.metasim.memory "rtl", expected "host": a memory whose timing is '
        "in RTL takes no saved state."
    )


def test_what_no_hardware_holds_is_refused(folder: Path) -> None:
    deep = "system.node.memory={size_mib: 4, timing: {model: fcfs, queue_depth: 65}}"
    with pytest.raises(InputError) as refusal:
        simulated(*IN_RTL, deep)
    assert str(refusal.value).endswith(
        '"soc": found memory.timing.queue_depth 65, expected at most 64 with '
        '"metasim: {memory: rtl}".'
    )


def test_peeks_see_what_the_memory_gives(folder: Path) -> None:
    peek = "{node: soc, cycles: [900, 901, 902, 950], signals: [sum, r_data, r_valid]}"
    wanted = f"simulation.peeks=[{peek}]"
    cpp, in_rtl = simulated(wanted), simulated(wanted, *IN_RTL)
    assert in_rtl.exit_status == 0, in_rtl.message
    peeks = [(one.folder / "soc/peeks.csv").read_text() for one in (cpp, in_rtl)]
    assert peeks[0] == peeks[1] and peeks[0].count("\n") > 4
