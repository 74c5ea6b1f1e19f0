# SPDX-License-Identifier: BSD-3-Clause
"""Yosys' check with wide cells parted: it finds what it finds without, and the cells are whole."""

from pathlib import Path

from goldengate.tests.designs import lower, refusal, top, verilog
from goldengate.tests.reset_designs import RIPPLE

WIDE_RIPPLE = RIPPLE.replace(
    "wire clear = q == 5;",
    "wire [63:0] sum = {61'd0, q} + {x, 56'd3}; wire clear = sum[3];",
)


def test_a_loop_through_a_wide_cell_is_found(tmp_path: Path) -> None:
    assert WIDE_RIPPLE != RIPPLE
    message = refusal(tmp_path, top(WIDE_RIPPLE))
    assert message.startswith("Top: combinational loop through ")
    assert message.endswith("put a register in it.") and "\n" not in message


def test_what_a_wide_cell_reads_without_a_driver_is_named(tmp_path: Path) -> None:
    manifest = lower(tmp_path, top("wire [4095:0] none; assign y = none >> {x, x};"))
    (warning,) = manifest["warnings"]
    assert warning.endswith(":2: 'none' is read and nothing gives it a value, which is 0.")


def test_wide_cells_are_in_the_result_as_they_were(tmp_path: Path) -> None:
    body = (
        "logic [1023:0] v; always @(posedge clock) v <= (v << 8) | x;\n"
        "logic [63:0] s; always @(posedge clock) s <= s + v[63:0];\n"
        "assign y = (v >> {x, 2'b0}) ^ s[63:56];"
    )
    lower(tmp_path, top(body))
    text = verilog(tmp_path)
    assert "firesim_reader" not in text and "firesim$check" not in text
    assert ">>" in text and text.count(" + ") == 1
