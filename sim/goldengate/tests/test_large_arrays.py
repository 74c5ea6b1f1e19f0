# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of 2³¹ bytes and more: every bit of an index counts, however few words the reader saw."""

from __future__ import annotations

from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.large_arrays import SHIFT, array_at, with_fewer_words
from goldengate.tests.designs import refusal, top, write

LOG_WORDS = 28
TEXT = """\
module Large #(parameter LOG = 28) (
  input logic clock, input logic [LOG-1:0] to, input logic [LOG-1:0] from,
  input logic [63:0] data, input logic [1:0] go, output logic [63:0] q, output logic [63:0] later);
  logic [63:0] up [0:(1 << LOG) - 1], few [0:15];
  logic [63:0] down [(1 << LOG) - 1:0];
  logic [LOG-1:0] address;
  assign q = up[from];
  assign later = down[address] ^ few[from[3:0]];
  always_ff @(posedge clock) begin
    address <= from;
    if (go[0]) up[to][31:0] <= data[31:0];
    if (go[1]) up[to][63:32] <= data[63:32];
    if (go[1]) down[to] <= data;
    if (go == 0) few[to[3:0]] <= data;
  end
endmodule
module Top (
  input logic clock, input logic reset, input logic [27:0] to, input logic [27:0] from,
  input logic [63:0] data, input logic [1:0] go, output logic [63:0] q, output logic [63:0] later);
  Large #(.LOG(28)) inner (.*);
endmodule
"""


def test_each_word_of_2_gib_is_one(tmp_path: Path) -> None:
    """Words that share all but one bit of their index, the last one among them."""
    source = write(tmp_path, TEXT)
    out = goldengate.compile_request(
        goldengate.Request([str(source)], "Top", str(tmp_path / "out"))
    )
    last = (1 << LOG_WORDS) - 1
    places = [0, last] + [1 << bit for bit in range(LOG_WORDS)]
    with Model(out / "model.so") as model:
        model.reset()
        model["go"] = 3
        for place in places:
            model["to"], model["data"] = place, place * 0x9E3779B97F4A7C15 & (1 << 64) - 1
            model.step()
        model["to"], model["data"], model["go"] = last, 5 << 32 | 7, 1
        model.step()
        model["go"], model["to"], model["data"] = 0, 0, 0
        for place in places:
            model["from"] = place
            expected = place * 0x9E3779B97F4A7C15 & (1 << 64) - 1
            half = expected >> 32 << 32 | 7 if place == last else expected
            assert model.step()["q"] == half
            assert model.step()["later"] == expected


def test_an_array_that_is_used_as_a_whole_is_refused(tmp_path: Path) -> None:
    whole = TEXT.replace(
        "endmodule\nmodule Top", '  initial $readmemh("up.hex", up);\nendmodule\nmodule Top'
    )
    assert "top.sv:4: object size exceeds" in refusal(tmp_path, whole)


def test_an_array_of_too_many_words_is_refused(tmp_path: Path) -> None:
    body = "logic [15:0] rows [0:2147483646]; always @(posedge clock) rows[{4{x}}] <= x;"
    assert refusal(tmp_path, top(f"{body} assign y = 8'(rows[{{x, 24'd0}}]);")) == (
        "top.sv:2: found an array of 2,147,483,648 words, expected at most 2,147,483,647."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("module M; reg [7:0] a [0:9]; endmodule", ("a", 1)),
        ("module M;\nreg [7:0] b, a\n[9:0]; wire c = a[3]; endmodule", ("a", 2)),
        ("module M; reg [7:0] a [0:9][0:3]; endmodule", ("", 0)),
        ("module M; reg [7:0] a [1:9]; endmodule", ("", 0)),
        ("module M; reg [7:0] a [0:9]; N n (a); endmodule", ("", 0)),
        ("module N; wire a; endmodule module M; reg [7:0] a [0:9]; endmodule", ("a", 1)),
    ],
)
def test_which_arrays_are_taken(text: str, expected: tuple[str, int]) -> None:
    at = max(text.find(" [0:9]"), text.find(" [1:9]"), text.find("\n[9:0]")) + 1
    assert array_at(text, at) == expected


def test_lines_stay_where_they_are() -> None:
    text = "module M;\nreg [7:0] b,\na [9:\n0], c; endmodule\n"
    fewer = with_fewer_words(text, [("a", 3)])
    assert fewer == f"module M;\nreg [7:0] b,\na [(9) >> {SHIFT}:0]\n, c; endmodule\n"
