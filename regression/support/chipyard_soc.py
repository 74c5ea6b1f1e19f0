# SPDX-License-Identifier: BSD-3-Clause
"""The small SoC in Chipyard's form, its list program, and a recipe of as many of it as wanted.

Its core plays a list of words to the host by TSI: a line by a system call, a line by the terminal,
and the end.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from firesim_common.paths import ROOT

SOC = ROOT / "target-design/examples/chipyard-soc"
LIST = """\
  .macro put character
  .dword 0x0101000000000000 + \\character
  .endm
  .section .start, "a"
  .globl start
start:
  .dword tohost, fromhost, call
  put 'o'
  put 'k'
  put '\\n'
  .dword CODE << 1 | 1
  .section .data
call: .dword 64, 1, text, 9, 0, 0, 0, 0
text: .ascii "all good\\n"
  .section .tohost, "aw", @progbits
  .globl tohost, fromhost
tohost: .dword 0
fromhost: .dword 0
"""
RECIPE = """\
system:
  topology: {{nodes: [{nodes}], switches: [], links: []}}
  clock_hz: 500_000_000
  blades: {{mine: {{chipyard: generated}}}}
  node: {{blade: mine, bridges: {{tsi: {{poll_cycles: 500}}}}}}
workload: {{nodes: {{{programs}}}}}
simulation: {{max_cycles: 100_000, threads: 1}}
"""
END_CYCLE = 3591
"""Seven looks at tohost, the last one in cycle 3,500, and the words of that one."""
COMMAND_CYCLE = 1540
"""The look that began in cycle 1,500 needs some 90 cycles."""
PRINTED = "all good\nok\n"


def small_recipe(folder: Path, nodes: Sequence[str] = ("soc",), name: str = "soc.yaml") -> Path:
    """Write a recipe of nodes that run list.elf, beside a copy of the SoC."""
    shutil.copytree(SOC, folder / "generated", dirs_exist_ok=True)
    recipe = folder / name
    programs = ", ".join(f"{node}: {{elf: list.elf}}" for node in nodes)
    recipe.write_text(RECIPE.format(nodes=", ".join(nodes), programs=programs))
    return recipe


def assembled(folder: Path, code: int) -> None:
    """Make list.elf, which ends with an exit code."""
    (folder / "list.S").write_text(LIST)
    places = (
        "--section-start=.start=0x80000000,-Tdata=0x80000800,--section-start=.tohost=0x80001000"
    )
    flags = ["-nostdlib", f"-DCODE={code}", f"-Wl,-n,-e,start,--build-id=none,{places}"]
    command = ["riscv64-unknown-elf-gcc", *flags, "-o", "list.elf", "list.S"]
    subprocess.run(command, cwd=folder, check=True)
