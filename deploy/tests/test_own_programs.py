# SPDX-License-Identifier: BSD-3-Clause
"""C programs of a user's on functional nodes: larger than 1.94 MiB, and with a fence.i missing."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run


def compiled(program: str, folder: Path, *options: str) -> Path:
    """Compile a C program that starts in the section `.start`."""
    (folder / "program.c").write_text(program)
    flags = "-march=rv64imac_zifencei -mabi=lp64 -mcmodel=medany -O2 -ffreestanding -nostdlib -n"
    places = "-Wl,-e,start -Wl,--section-start=.start=0x80000000 -Wl,-Ttext=0x80000100"
    words = ["riscv64-unknown-elf-gcc", *flags.split(), *places.split(), *options, "program.c"]
    words.append("-Wl,--no-warn-rwx-segments")
    subprocess.run([*words, "-o", "program.elf"], cwd=folder, check=True)
    return folder / "program.elf"


def ended(elf: Path, more: str = "", functional: str = "") -> dict[str, Any]:
    """Run a program on one functional node of 16 MiB; return what result.json says of the node."""
    text = (
        "system: {topology: rack_1, node: {memory: {size_mib: 16}}}\n"
        f"workload: {{node: {{elf: {elf}{more}}}}}\n"
        f"simulation: {{engine: functional, functional: {{{functional}}}, max_cycles: 100000}}\n"
    )
    (node,) = run(load_text(text, [])).result["nodes"]
    assert isinstance(node, dict)
    return node


LARGE = """\
#define FINISHER (*(volatile unsigned *)0x60003000)
static volatile unsigned char table[4 << 20];
__attribute__((section(".start"))) void start(unsigned long hart) {
  table[sizeof table - 1] = 1;
  FINISHER = *(volatile unsigned *)0x80f00000 == 0xedfe0dd0 ? 0x5555 : 7 << 16 | 0x3333;
  for (;;) continue;
}
"""


@pytest.mark.parametrize(
    ("tree", "exit_code"), [("device_tree_address: 0x80f0_0000", 0), ("device_tree: none", 7)]
)
def test_a_large_program_has_its_tree_elsewhere_or_none(
    tree: str, exit_code: int, tmp_path: Path, results_root: Path
) -> None:
    assert ended(compiled(LARGE, tmp_path), f", {tree}")["exit_code"] == exit_code


WRITES_CODE = """\
#define FINISHER (*(volatile unsigned *)0x60003000)
typedef int (*Function)(void);
static unsigned code[2] = {0x00100513, 0x00008067};  // li a0, 1; ret
__attribute__((section(".start"), naked)) void start(void) {
  __asm__("li sp, 0x80100000; j body");
}
__attribute__((used)) void body(void) {
  int sum = ((Function)code)();
  *(volatile unsigned *)code = 0x00500513;  // li a0, 5
  if (FENCED) __asm__ volatile("fence.i" ::: "memory");
  sum += ((Function)code)();
  FINISHER = sum == 6 ? 0x5555 : 7 << 16 | 0x3333;
  for (;;) continue;
}
"""


@pytest.mark.parametrize("has_fence", [False, True])
@pytest.mark.parametrize("is_checked", [False, True])
def test_a_missing_fence_i_ends_the_node_where_it_is_looked_for(
    has_fence: bool, is_checked: bool, tmp_path: Path, results_root: Path
) -> None:
    elf = compiled(WRITES_CODE, tmp_path, f"-DFENCED={int(has_fence)}")
    node = ended(elf, functional=f"check_fence_i: {str(is_checked).lower()}")
    if has_fence or not is_checked:
        assert node["exit_code"] == 0
        return
    assert (node["exit_code"], node["statistics"]["finished_at_cycle"]) == (1, 41)
    assert node["message"] == (
        "missing fence.i in cycle 41: hart 0 fetched the instruction at 0x80001140, which was "
        "stored to after its last fence.i"
    )
