# SPDX-License-Identifier: BSD-3-Clause
"""The small SoC in Chipyard's form with a debug module in place of its serial link.

The debug module (deploy/tests/debug_module.sv) lets its core begin only when it was halted,
its program buffer has set `dpc`, and it was resumed, all as the specification says.
"""

from __future__ import annotations

from firesim_common.paths import ROOT

MODULE = ROOT / "deploy/tests/debug_module.sv"
DEBUG = {
    "req_valid": (1, "input"), "req_ready": (1, "output"), "req_bits_addr": (7, "input"),
    "req_bits_op": (2, "input"), "req_bits_data": (32, "input"), "resp_valid": (1, "output"),
    "resp_ready": (1, "input"), "resp_bits_resp": (2, "output"), "resp_bits_data": (32, "output"),
}  # fmt: skip
"""Ports of the chip: bits and direction there."""


def between(text: str, start: str, end: str, new: str) -> str:
    """Return a text with another piece from `start` to before `end`."""
    first = text.index(start)
    return text[:first] + new + text[text.index(end, first) :]


def debug_chip(text: str) -> str:
    """Return the chip with a debug module in place of its serial link."""
    ports = "".join(
        f"    {way} [{bits - 1}:0] debug_{name},\n" for name, (bits, way) in DEBUG.items()
    )
    text = between(text, "    output tsi_in_ready,", "    output aw_valid,", ports)
    text = text.replace("logic awake, acknowledged;", "logic acknowledged;\n  wire awake;")
    text = text.replace("      awake <= 1'b0;\n", "")
    text = between(text, "      if (open && !is_memory", "      acknowledged <=", "")
    given = ", ".join(f".debug_{name}" for name in DEBUG)
    text = between(text, "      .tsi_in_ready,", "      .asks(serial_asks)", f"{given},\n")
    return text.replace("SerialLink serial (", "DebugModule serial (\n      .awake,")
