# SPDX-License-Identifier: BSD-3-Clause
"""What a user has, to be changed: a design, a switch, a program and a Linux workload."""

from __future__ import annotations

from pathlib import Path

from regression.robustness.stale.steps import LINUX, OVERLAY, PROGRAM

TOP = """\
`include "defs.vh"
`include "sizes.svh"
`include "late.vh"
module Mine(input clock, input reset, input [3:0] at, output reg [15:0] out);
  reg [7:0] declared [0:15], absolute [0:15];
  initial $readmemh("declared.hex", declared);
  initial $readmemh("{absolute}", absolute);
  wire [15:0] both = {{declared[at], absolute[at]}};
  always @(posedge clock)
    out <= reset ? `DEFS : (both + `SIZES) ^ `LATE ^ `GIVEN;
endmodule
"""
PROGRAM_TEXT = """\
#include "mine.h"
#include "far.h"
#include "runtime.h"
#include <stdint.h>

__asm__(".data; .globl data; data: .incbin \\"{data}\\"; .byte 0; .text");
extern const char data[];

int main(int hart, const struct arguments *arguments) {{
  print("%s %d %d\\n", data, hart + MINE, FAR);
  return (int)number_argument(arguments, "exit");
}}
"""
PROGRAM_YAML = """\
name: stale
description: Is changed.
sources: [main.c]
arguments:
  exit: {default: 1, description: exit code}
"""
LINUX_YAML = """\
name: stale
description: Is changed.
base: programs
programs: [exchange]
overlay: {/etc/mine: files}
command: exchange
"""
SWITCH = """\
#include "number.h"
#include "core/stale.h"
extern "C" int number() { return NUMBER + OURS; }
"""
SIDE = '`include "side.vh"\nmodule Side(output [7:0] o); assign o = `SIDE; endmodule\n'
STALE_H = '#define STALE "="\n'


def write_mine(root: Path) -> None:
    """Write it all into `mine` and `tree` below a folder, of which `tree` is there."""
    rows = "\n".join(f"{row + 16:x}" for row in range(1, 17))
    files = {
        "mine/top.sv": TOP.format(absolute=root / "mine/absolute.hex"),
        "mine/defs.vh": "`define DEFS 16'd1\n",
        "mine/inc/sizes.svh": "`define SIZES 16'd3\n",
        "mine/elsewhere/late.vh": "`define LATE 16'd5\n",
        "mine/third/late.vh": "`define LATE 16'd55\n",
        "mine/declared.hex": rows,
        "mine/absolute.hex": rows,
        "mine/given.txt": "16'd8\n",
        "mine/side.sv": SIDE,
        "mine/side.vh": "`define SIDE 8'd1\n",
        "mine/switch.cc": SWITCH,
        "mine/number.h": "#define NUMBER 1\n",
        "mine/core/nothing.h": "",
        "tree/sim/core/stale.h": "#define OURS 3\n",
        "mine/far.h": "#define FAR 3\n",
        f"{PROGRAM}/main.c": PROGRAM_TEXT.format(data=root / PROGRAM / "data.bin"),
        f"{PROGRAM}/mine.h": "#define MINE 1\n",
        f"{PROGRAM}/data.bin": "a",
        f"{PROGRAM}/workload.yaml": PROGRAM_YAML,
        f"{OVERLAY}/workload.yaml": LINUX_YAML,
        f"{OVERLAY}/files/plain": "1\n",
        f"{LINUX}/programs/exchange/stale.h": STALE_H,
    }
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (root / "mine/linked").symlink_to("elsewhere")
    (root / PROGRAM / "far.h").symlink_to(root / "mine/far.h")
    (root / OVERLAY / "files/link").symlink_to("plain")
    source = root / LINUX / "programs/exchange/exchange.c"
    text = source.read_text().replace('append(&text, "=")', "append(&text, STALE)")
    source.write_text(f'#include "stale.h"\n{text}')
