# SPDX-License-Identifier: BSD-3-Clause
"""Concurrent assertions: the cycles in which they fail, as in Verilator, and what is skipped."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from firesim_common.tools import run, verilator_environment

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import lower, refusal, write

PROPERTIES = {
    "boolean": "n[2:0] != 3",
    "overlapped": "a |-> b",
    "next": "a |=> b",
    "delay": "a |-> ##2 b",
    "range": "a |-> ##[1:3] b",
    "zero_range": "a && c |-> ##[0:2] b",
    "sequence": "a ##1 b |-> c",
    "long": "a ##1 b ##2 c |=> a || b",
    "repetition": "a |-> b[*2]",
    "repetition_range": "a [*2:3] |=> c",
    "consequent_sequence": "a |-> ##1 b ##1 (c || a)",
    "past": "a |-> ##1 $past(n) == n - 8'd1 && !$past(b, 2)",
    "rose": "$rose(a) |-> b",
    "fell": "$fell(a) |=> $stable(b)",
    "changed": "$changed(n[1]) |-> a",
    "named": "later(a && b, c)",
    "named_sequence": "pair |=> b",
    "disabled": "disable iff (n[4]) a |-> ##[1:2] b",
    "or_sequence": "(a ##1 b) or (c ##1 a) |-> n[1]",
    "parameter": "a |-> ##LATER b",
}
"""Of signals a, b, c, which are random, and n, which counts."""
Row = tuple[bool, bool, bool, int]
BY_HAND: dict[str, tuple[str, Callable[[Row, Row, Row], bool]]] = {
    "range_before": (
        "a ##[1:2] b |-> c",
        lambda r0, r1, r2: r0[1] and (r1[0] or r2[0]) and not r0[2],
    ),
    "nested": ("a |-> b |=> c", lambda r0, r1, r2: r1[0] and r1[1] and not r0[2]),
    "throughout": (
        "c throughout (a ##1 b) |-> n[0]",
        lambda r0, r1, r2: r1[2] and r1[0] and r0[2] and r0[1] and not r0[3] % 2,
    ),
    "unbounded": ("first ##[2:$] a |-> n < 8", lambda r0, r1, r2: r0[0] and r0[3] >= 8),
    "negated": ("not (a ##1 b)", lambda r0, r1, r2: r1[0] and r0[1]),
    "both": (
        "(a |-> b) and (b |=> c)",
        lambda r0, r1, r2: (r0[0] and not r0[1]) or (r1[1] and not r0[2]),
    ),
    "conditional": ("if (a) b else c", lambda r0, r1, r2: not (r0[1] if r0[0] else r0[2])),
}
"""Whether a property fails, by the signals of this cycle and the two before it. The first three are
those on which Verilator 5.48 is wrong."""
CYCLES = 200
RESET_CYCLES = 16
HEAD = """\
module Top(input clock, input reset, output logic [7:0] n);
  localparam LATER = 2; wire first = n == 0;
  logic [31:0] s; wire a = s[3], b = s[7] | s[12], c = s[19] ^ s[22];
  always @(posedge clock)
    if (reset) begin s <= 32'h9e3779b9; n <= 0; end
    else begin s <= {s[30:0], s[31] ^ s[21] ^ s[1] ^ s[0]}; n <= n + 1; end
  default clocking cb @(posedge clock); endclocking
  property later(x, y); x |-> ##[1:2] y; endproperty
  sequence pair; a ##1 c; endsequence
"""
BENCH = """\
module bench;
  logic clock = 0, reset; logic [7:0] n;
  Top top(.clock, .reset, .n);
  initial begin
    for (int cycle = 0; cycle < {cycles}; cycle++) begin
      reset = cycle < {reset}; #1 clock = 1; #1 clock = 0;
    end
    $finish;
  end
endmodule
"""


def _design(properties: dict[str, str], action: str) -> str:
    lines = []
    for name, text in properties.items():
        body = text if text.startswith("disable") else f"disable iff (reset) {text}"
        lines.append(f"  is_{name}: assert property ({body}) else {action.replace('NAME', name)};")
    return HEAD + "\n".join(lines) + "\nendmodule\n"


def _verilator_fails(folder: Path) -> dict[str, list[int]]:
    """Return the values of n in the cycles in which each property fails."""
    text = _design(PROPERTIES, '$display("NAME %0d", $sampled(n))')
    source = write(folder, text)
    bench = BENCH.replace("{cycles}", str(CYCLES)).replace("{reset}", str(RESET_CYCLES))
    command: list[str | Path] = ["verilator", "--binary", "--assert", "--top-module", "bench"]
    command += ["-Wno-fatal", "-Wno-lint", "--Mdir", folder / "obj", source]
    command += [write(folder, bench, "bench.sv"), "-CFLAGS", "-O0 -std=c++20"]
    command += ["-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include"]
    run(command, cwd=folder, env=verilator_environment())
    done = subprocess.run([folder / "obj/Vbench"], capture_output=True, text=True, check=True)
    found: dict[str, list[int]] = {name: [] for name in PROPERTIES}
    for name, value in re.findall(r"^(\w+) (\d+)$", done.stdout, re.MULTILINE):
        found[name].append(int(value))
    return found


def _firesim_fails(folder: Path, properties: dict[str, str]) -> dict[str, list[int]]:
    """Return the values of n in the cycles in which each property fails."""
    source = write(folder, _design(properties, '$error("NAME")'))
    model = goldengate.compile([source], "Top", folder / "model", engine="verilator")
    asserts = goldengate.Manifest.read(model).asserts
    found: dict[str, list[int]] = {name: [] for name in properties}
    with Model(model / "model.so") as instance:
        for cycle in range(CYCLES):
            outputs = instance.step({"reset": int(cycle < RESET_CYCLES)})
            for one in asserts:
                if cycle >= RESET_CYCLES and outputs["firesim_assert"] >> one.bit & 1:
                    found[one.message].append(outputs["n"])
    return found


def _rows() -> list[Row]:
    """Return the signals a, b, c and n of each cycle after reset."""
    state, rows = 0x9E3779B9, []
    for count in range(CYCLES - RESET_CYCLES):
        bit = [state >> number & 1 for number in range(32)]
        rows.append((bool(bit[3]), bool(bit[7] | bit[12]), bool(bit[19] ^ bit[22]), count))
        state = (state << 1 | bit[31] ^ bit[21] ^ bit[1] ^ bit[0]) & 0xFFFFFFFF
    return rows


def test_properties_fail_in_the_cycles_of_verilator(tmp_path: Path) -> None:
    expected = _verilator_fails(tmp_path)
    assert sum(1 for cycles in expected.values() if cycles) > len(PROPERTIES) - 4
    assert _firesim_fails(tmp_path, PROPERTIES) == expected


def test_properties_fail_in_the_cycles_found_by_hand(tmp_path: Path) -> None:
    found = _firesim_fails(tmp_path, {name: text for name, (text, _) in BY_HAND.items()})
    nothing: Row = (False, False, False, 0)
    rows = [nothing, nothing, *_rows()]
    for name, (_, fails) in BY_HAND.items():
        cycles = range(len(rows) - 2)
        expected = [at for at in cycles if fails(rows[at + 2], rows[at + 1], rows[at])]
        assert found[name] == expected, name


SKIPPED = """\
module Top(input clock, input reset, input [7:0] x, output [7:0] y);
  assign y = x;
  eventual: assert property (@(posedge clock) x == 1 |-> s_eventually x == 2);
  holds: assert property (@(posedge clock) x != 3);
  without: assert property (x == 4);
  ended: assert property (@(posedge clock) x == 1 |-> x == 2 [->2]);
endmodule
"""


def test_what_is_not_taken_is_skipped_with_its_place(tmp_path: Path) -> None:
    manifest = lower(tmp_path, SKIPPED)
    assert [one["message"] for one in manifest["asserts"]] == ["holds"]
    (warning,) = manifest["warnings"]
    assert warning.replace(f"{tmp_path}/", "") == (
        "top.sv:3 ('s_eventually x == 2'), top.sv:5 (no clock, and no default clocking), "
        "top.sv:6 (the repetition '[ -> 2 ]'): assertions that are not taken are skipped."
    )


def test_errors_assertions_are_refused_on_request(tmp_path: Path) -> None:
    assert refusal(tmp_path, SKIPPED, assertions="refuse") == (
        "top.sv:3: found an assertion with 's_eventually x == 2', which is not taken; expected one "
        "that is, or the assertion left out (--assertions skip)."
    )


def test_a_delay_without_an_end_before_an_implication(tmp_path: Path) -> None:
    body = "module Top(input clock, input reset, input [7:0] x, output [7:0] y); assign y = x;\n"
    body += "ever: assert property (@(posedge clock) x == 1 ##[1:$] x == 2 |-> x[7]); endmodule\n"
    model = goldengate.compile([write(tmp_path, body)], "Top", tmp_path / "m", engine="verilator")
    with Model(model / "model.so") as instance:
        seen = [instance.step({"x": x})["firesim_assert"] for x in (2, 0, 1, 2, 0, 2, 2, 1)]
    assert seen == [0, 0, 0, 1, 0, 1, 1, 0]


MACROS = """\
`define ASSERT(name, prop) name: assert property (@(posedge clock) disable iff ((reset) !== '0) \\
  (prop)) else begin $error("%s in %m at %0d", `"name`", x); end
module Sub #(parameter N = 2)(input clock, input reset, input a, input b, input [7:0] x);
  `ASSERT(First_A, a |-> ##N b)
  for (genvar i = 0; i < 2; i++) begin : g
    `ASSERT(Second_A, x[i] |=> $past(x[i]))
  end
  seen: cover property (@(posedge clock) a ##1 b);
  always @(posedge clock) begin
    now: assert property (a |-> b);
    if (a) guarded: assert property (disable iff (reset) x < 200);
  end
endmodule
module Top(input clock, input reset, input [7:0] x, output [7:0] y);
  assign y = x;
  Sub s(.clock, .reset, .a(x[0]), .b(x[1]), .x); Sub t(.clock, .reset, .a(1'b0), .b(1'b0), .x);
endmodule
"""


def test_assertions_of_macros_generate_blocks_and_processes(tmp_path: Path) -> None:
    manifest = lower(tmp_path, MACROS)
    assert manifest["warnings"] == []
    assert [one["name"] for one in manifest["counters"]] == ["s.seen", "t.seen"]
    found = [(one["message"], one["source"].rpartition(":")[2]) for one in manifest["asserts"]]
    assert ("s: Second_A in Top.s.g[1] at %d", "6") in found
    assert ("t: First_A in Top.t at %d", "4") in found
    assert ("s: now", "10") in found and ("t: guarded", "11") in found and len(found) == 10
