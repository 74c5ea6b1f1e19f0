# SPDX-License-Identifier: BSD-3-Clause
"""Pass `instrument`: covers, events and asserts, in the manifest and cycle by cycle."""

from pathlib import Path

from goldengate import Event
from goldengate.tests.designs import lower, names, refusal, top, verilog

CHECKED = (
    "module Part(input clock, input reset, input [7:0] x);\n"
    "  wire zero = x == 0;\n"
    "  always @(posedge clock) if (!reset) begin\n"
    "    seen: cover (x == 3);\n"
    "    cover (x == 4);\n"
    '    in_range: assert (x < 200) else $error("x is too large");\n'
    "  end\n"
    "endmodule\n"
)


def test_manifest(tmp_path: Path) -> None:
    text = CHECKED + top(
        "Part a(.clock, .reset, .x); Part b(.clock, .reset, .x(8'd1));\n" "assign y = x;"
    )
    manifest = lower(tmp_path, text, events=[Event("zeroes", "a.zero", "x was 0")])
    assert names(manifest["counters"]) == [
        "zeroes",
        "a.seen",
        "b.seen",
        "a.cover_top_5",
        "b.cover_top_5",
    ]
    assert manifest["counters"][0] == {
        "name": "zeroes",
        "description": "x was 0",
        "port": "firesim_counter_0",
        "source": "a.zero",
    }
    assert manifest["counters"][1]["source"] == f"{tmp_path}/top.sv:4"
    assert names(manifest["asserts"], "message") == ["a: x is too large", "b: x is too large"]
    assert manifest["assert_port"] == "firesim_assert"


def test_event_of_one_bit_of_a_wire_and_with_the_top_name(tmp_path: Path) -> None:
    text = CHECKED + top("Part a(.clock, .reset, .x); assign y = x;")
    events = [Event("bit", "x[3]", ""), Event("zeroes", "Top.a.zero", "")]
    assert len(lower(tmp_path, text, events=events)["counters"]) == 4


def test_prints_go(tmp_path: Path) -> None:
    manifest = lower(
        tmp_path, top('assign y = x; always @(posedge clock) $fwrite(32\'h80000002, "%d", x);')
    )
    assert manifest["asserts"] == [] and manifest["assert_port"] is None
    assert "$write" not in verilog(tmp_path)


def test_errors_unknown_signal(tmp_path: Path) -> None:
    text = CHECKED + top("Part part(.clock, .reset, .x); assign y = x;")
    assert refusal(tmp_path, text, events=[Event("e", "part.zerro", "")]) == (
        "event 'e': the design has no signal 'part.zerro' (nearest: part.zero)."
    )


def test_errors_wide_signal(tmp_path: Path) -> None:
    assert refusal(tmp_path, top("assign y = x;"), events=[Event("e", "x", "")]) == (
        "event 'e': signal 'x' is 8 bits wide; name one bit, as in 'x[0]', "
        "or ask for a histogram of its values."
    )


def test_a_histogram_has_a_counter_for_each_value(tmp_path: Path) -> None:
    text = top("wire [1:0] low = x[1:0]; assign y = x;")
    counters = lower(tmp_path, text, events=[Event("low", "low", "two bits", True)])["counters"]
    assert names(counters) == ["low[0]", "low[1]", "low[2]", "low[3]"]
    assert counters[3]["description"] == "two bits: 3"


def test_errors_histogram_too_wide(tmp_path: Path) -> None:
    assert refusal(tmp_path, top("assign y = x;"), events=[Event("e", "x", "", True)]) == (
        "event 'e': signal 'x' is 8 bits wide, expected at most 6 for a histogram."
    )


def test_errors_bit_out_of_range(tmp_path: Path) -> None:
    assert refusal(tmp_path, top("assign y = x;"), events=[Event("e", "x[8]", "")]) == (
        "event 'e': signal 'x' has bits 0 to 7."
    )


def test_errors_event_twice(tmp_path: Path) -> None:
    events = [Event("e", "x[0]", ""), Event("e", "x[1]", "")]
    assert refusal(tmp_path, top("assign y = x;"), events=events) == (
        "event 'e' is given twice; names must differ."
    )
