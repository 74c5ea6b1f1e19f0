# SPDX-License-Identifier: BSD-3-Clause
"""A design whose registers and memories have constant bits at either end, between, and everywhere.

Some bits are logic of another process, or read by nothing; some vectors have bits numbered from 2,
or from the left. `Expected` says what each holds, computed from the inputs alone.
"""

from __future__ import annotations

from goldengate.tests.designs import top

DESIGN = """\
logic [7:0] low = 0, high = 8'hA0, both = 8'h81, inner = 8'h18, fixed = 8'h5A;
logic [99:0] wide = {8'b0, 20'hFFFFF, 62'b0, 8'b0, 2'b10};
logic [9:2] moved = 8'h03; logic [0:7] turned = 8'h05; logic [7:0] mixed, half, crowd;
logic [15:0] rows [0:7]; logic [7:0] few [0:3]; logic [2:0] at = 0;
initial for (int i = 0; i < 8; i++) rows[i] = 16'hC003;
always_ff @(posedge clock) begin
  low <= {x[7:4], 4'b0};
  high <= {4'hA, x[3:0]};
  both <= {1'b1, x[6:1], 1'b1};
  inner <= {x[7:5], 2'b11, x[2:0]};
  fixed <= 8'h5A;
  wide <= {x, 20'hFFFFF, 62'b0, ~x, 2'b10};
  moved <= {x[5:0], 2'b11};
  turned <= {x[4:0], 3'b101};
  mixed[7:4] <= x[5:2] + 4'd1;
  at <= at + 1;
  rows[at] <= {2'b11, x, 6'h03};
  few[at[1:0]] <= {x[7:6], 4'h9, x[1:0]};
end
always_ff @(posedge clock) half[3:0] <= x[3:0];
always_ff @(posedge clock) half[7:4] <= x[7:4];
always_ff @(posedge clock) begin
  crowd[3:0] <= x[3:0];
  if (x[0]) crowd[7:4] <= x[7:4];
end
assign mixed[3:0] = x[3:0] ^ 4'h5;
assign y = low ^ high ^ both ^ inner ^ fixed ^ wide[99:92] ^ wide[79:72] ^ wide[9:2] ^ moved
         ^ turned ^ mixed ^ half[3:0] ^ crowd[3:0] ^ rows[x[2:0]][13:6] ^ rows[x[5:3]][7:0]
         ^ few[x[1:0]];
"""
TEXT = top(DESIGN)
HELD = ("low", "high", "both", "inner", "wide", "moved", "turned")
"""Vectors of which all bits are one register's, or constant."""
REGISTERS = (*HELD, "fixed", "mixed", "half", "crowd")
WIDTHS = {name: 100 if name == "wide" else 8 for name in REGISTERS}


class Expected:
    """What the registers hold; `step` is one target cycle."""

    def __init__(self) -> None:
        self.values = {
            "low": 0, "high": 0xA0, "both": 0x81, "inner": 0x18, "fixed": 0x5A,
            "wide": 0xFFFFF << 72 | 2, "moved": 3, "turned": 5, "mixed": 0, "half": 0, "crowd": 0,
        }  # fmt: skip
        self.at = 0
        self.rows, self.few = [0xC003] * 8, [0] * 4

    def seen(self, x: int) -> dict[str, int]:
        """Return what the registers are in a cycle with this input."""
        return self.values | {"mixed": self.values["mixed"] & 0xF0 | (x ^ 5) & 15}

    def step(self, x: int) -> None:
        """Take an input."""
        crowd = self.values["crowd"] & 0xF0
        self.values = {
            "low": x & 0xF0,
            "high": 0xA0 | x & 15,
            "both": 0x81 | x & 0x7E,
            "inner": x & 0xE7 | 0x18,
            "fixed": 0x5A,
            "wide": x << 92 | 0xFFFFF << 72 | (x ^ 0xFF) << 2 | 2,
            "moved": x << 2 & 0xFF | 3,
            "turned": x << 3 & 0xFF | 5,
            "mixed": ((x >> 2) + 1 & 15) << 4,
            "half": x,
            "crowd": (x & 0xF0 if x & 1 else crowd) | x & 15,
        }
        self.rows[self.at] = 0xC003 | x << 6
        self.few[self.at % 4] = x & 0xC3 | 0x24
        self.at = (self.at + 1) % 8
