# SPDX-License-Identifier: BSD-3-Clause
"""Pass `select`: case statements become conditional expressions."""

from pathlib import Path

from goldengate.tests.designs import lower, top, verilog


def _case(width: int, values: range) -> str:
    arms = "".join(f"{width}'d{value}: y = x + 8'd{(value * 37) % 251};\n" for value in values)
    return f"always_comb case (x[{width - 1}:0])\n{arms}default: y = 8'd0;\nendcase"


def test_a_dense_case_becomes_a_tree_over_the_bits(tmp_path: Path) -> None:
    lower(tmp_path, top(_case(3, range(7))))
    text = verilog(tmp_path)
    assert "casez" not in text and "==" not in text
    assert "x[2] ?" in text and "x[1] ?" in text and "x[0] ?" in text


def test_a_sparse_case_becomes_a_chain(tmp_path: Path) -> None:
    lower(tmp_path, top(_case(8, range(5))))
    text = verilog(tmp_path)
    assert "casez" not in text
    assert text.count(" ? ") == 5
