# SPDX-License-Identifier: BSD-3-Clause
"""The design that cases about FPGAs share, and its fingerprint, which goes into their files."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from firesim.bitstream.forms import design_form
from firesim.build.design import Design

SOURCE = b"""module A(input clock, input reset, input [3:0] in, output reg [3:0] out);
  always @(posedge clock) out <= reset ? 4'd0 : out + in;
endmodule
"""
FINGERPRINT = "{fingerprint}"
"""Stands for that of the module above."""


@functools.cache
def fingerprint() -> str:
    """Return the fingerprint of the module above."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a.sv"
        file.write_bytes(SOURCE)
        return design_form(Design("mine", (file,), "A")).manifest.design_hash
