# SPDX-License-Identifier: BSD-3-Clause
"""Pass `memory`: masked writes become one port; behaviour is checked in test_models.py."""

import re
from pathlib import Path

from goldengate.tests.designs import lower, top, verilog

MASKED = """\
logic [31:0] m [0:15]; initial m[2] = 32'h01020304;
logic [3:0] mask; assign mask = x[7:4];
always @(posedge clock) if (x[0]) begin
  if (mask[0]) m[x[3:0]][7:0] <= x;
  if (mask[1]) m[x[3:0]][15:8] <= x;
  if (mask[2]) m[x[3:0]][23:16] <= x;
  if (mask[3]) m[x[3:0]][31:24] <= x;
end
assign y = m[x[3:0]][7:0] ^ m[x[3:0]][31:24];
"""


def test_one_statement_for_each_byte(tmp_path: Path) -> None:
    lower(tmp_path, top(MASKED))
    writes = re.findall(r"m\[x\[3:0\]\]\[\d+:\d+\] <= ", verilog(tmp_path))
    assert len(writes) == 4


def test_initial_values_stay(tmp_path: Path) -> None:
    lower(tmp_path, top(MASKED))
    assert "m[2] = 32'd16909060;" in verilog(tmp_path)


def test_two_addresses_stay_two_ports(tmp_path: Path) -> None:
    body = (
        "logic [7:0] m [0:15]; assign y = m[x[7:4]];\n"
        "always @(posedge clock) begin m[x[3:0]] <= x; if (x[0]) m[x[7:4]] <= 8'd5; end"
    )
    lower(tmp_path, top(body))
    text = verilog(tmp_path)
    assert text.index("m[x[3:0]] <= x;") < text.index("m[x[7:4]] <= 8'h05;")
