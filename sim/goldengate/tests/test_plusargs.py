# SPDX-License-Identifier: BSD-3-Clause
"""Options of a simulator's command line: what a design asks for has the values of the request."""

from __future__ import annotations

from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import refusal, top, write

OPTIONS = top(
    """\
  logic [7:0] limit, step, kind; logic loud;
  initial begin
    if (!$value$plusargs("limit=%d", limit)) limit = 8'd9;
    step = 8'd1;
    if ($value$plusargs("step=%h", step) && x == x) kind = 8'd1; else kind = 8'd2;
  end
  initial loud = $test$plusargs("lou");
  assign y = x == 8'd0 ? limit : x == 8'd1 ? step : x == 8'd2 ? kind : {7'd0, loud};"""
).replace(" && x == x", "")


def answers(folder: Path, engine: str, given: dict[str, str | None]) -> list[int]:
    """Return limit, step, kind and loud of the model."""
    source = write(folder, OPTIONS)
    out = goldengate.compile([source], "Top", folder / "out", engine=engine, jobs=1, plusargs=given)
    with Model(out / "model.so") as model:
        model.reset()
        return [model.step({"x": value})["y"] for value in range(4)]


@pytest.mark.parametrize(
    ("engine", "given", "expected"),
    [
        ("generated", {}, [9, 1, 2, 0]),
        ("generated", {"limit": "77", "step": "3", "loud": None}, [77, 3, 1, 1]),
        ("verilator", {"limit": "77", "lousy": "5"}, [77, 1, 2, 1]),
    ],
)
def test_options_have_their_values(
    tmp_path: Path, engine: str, given: dict[str, str | None], expected: list[int]
) -> None:
    assert answers(tmp_path, engine, given) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"limt": "3"},
            'plusargs: found "limt", expected one of the options that the design asks for: '
            '"limit", "lou" or "step", did you mean "limit"?',
        ),
        (
            {"limit": "many"},
            'plusargs.limit: found "many", expected a number, which top.sv:4 asks for.',
        ),
        (
            {"step": None},
            "plusargs.step: found no value, expected a number, which top.sv:6 asks for.",
        ),
    ],
)
def test_errors_options(tmp_path: Path, given: dict[str, str | None], expected: str) -> None:
    assert refusal(tmp_path, OPTIONS, plusargs=given) == expected


def test_an_option_by_a_parameter_is_refused_once_any_is_given(tmp_path: Path) -> None:
    text = 'module P #(F = "a=%d") (output int v); initial if (!$value$plusargs(F, v)) v = 3;\n'
    text += "endmodule\n"
    body = 'int v; P p(.v); initial if ($test$plusargs("b")) v2 = 1; bit v2; assign y = v[7:0];'
    assert goldengate.lower(
        goldengate.Request([str(write(tmp_path, top(body) + text))], "Top", str(tmp_path / "o"))
    )
    assert refusal(tmp_path, top(body) + text, plusargs={"b": None}) == (
        "top.sv:4: found $value$plusargs ( F , v ), expected a text for its option."
    )
