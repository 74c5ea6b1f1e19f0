# SPDX-License-Identifier: BSD-3-Clause
"""Programs that end by `tohost`: one of the shape of riscv-tests, one that prints by its host."""

from __future__ import annotations

import subprocess
from pathlib import Path

# Of the shape of riscv-tests: the other harts park, the result is stored again and again.
TEST = """\
  .section .start, "ax"
  .globl start
start:
  csrr t0, mhartid
  bnez t0, park
  la t1, tohost
  li t0, VALUE
1: sw t0, 0(t1)
  sw zero, 4(t1)
  j 1b
park: wfi
  j park
  .section .tohost, "aw", @progbits
  .balign ALIGN
  .globl tohost
tohost: .dword 0
  .balign 64
  .globl fromhost
fromhost: .dword 0
"""
_CALLS = """\
#include <stdint.h>
volatile uint64_t tohost __attribute__((aligned(64), section(".tohost")));
volatile uint64_t fromhost __attribute__((aligned(64), section(".tohost")));
static uint64_t call(uint64_t number, uint64_t a, uint64_t b, uint64_t c) {
  static volatile uint64_t words[8] __attribute__((aligned(64)));
  words[0] = number, words[1] = a, words[2] = b, words[3] = c;
  __sync_synchronize();
  tohost = (uint64_t)words;
  while (fromhost == 0) continue;
  fromhost = 0;
  __sync_synchronize();
  return words[0];
}
__attribute__((section(".start"), naked)) void start(void) {
  __asm__("bnez a0, 1f; li sp, 0x80100000; j body\\n1: wfi; j 1b");
}
"""
PRINTS = f"""\
{_CALLS}
__attribute__((used)) void body(void) {{
  static const char text[] = "the host prints\\nfor the program\\n";
  uint64_t bad = call(64, 1, (uint64_t)text, sizeof text - 1) != sizeof text - 1;
  bad += call(64, 2, (uint64_t)text + 5, 3) != 3;
  tohost = bad << 1 | 1;
  for (;;) continue;
}}
"""
PRINTED = "the host prints\nfor the program\nost"
"""What the second one prints."""
ARGUMENTS = f"""\
{_CALLS}
__attribute__((used)) void body(void) {{
  static uint64_t words[64], stat[16];
  uint64_t bad = call(2011, (uint64_t)words, sizeof words, 0) != 0;
  const char *const *arguments = (const char *const *)(words + 1);
  for (uint64_t i = 0; i < words[0]; ++i) {{
    uint64_t length = 0;
    while (arguments[i][length] != 0) ++length;
    call(64, 1, (uint64_t)arguments[i], length);
    call(64, 1, (uint64_t)"|", 1);
  }}
  bad += call(80, 1, (uint64_t)stat, 0) != 0 || (stat[2] & 0170000) != 020000;
  bad += call(56, -100, (uint64_t)"file", 5) != -2;
  tohost = bad << 1 | 1;
  for (;;) continue;
}}
"""
"""Prints its arguments, and fails unless its output is a terminal and its host has no file."""


def built(folder: Path, text: str, name: str) -> Path:
    """Assemble or compile a program that starts in the section `.start`."""
    source, elf = folder / name, folder / "program.elf"
    source.write_text(text)
    flags = "-march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -O2 -ffreestanding -nostdlib -n"
    places = "-Wl,-e,start,--section-start=.start=0x80000000,-Ttext=0x80000100,--build-id=none"
    places += " -Wl,--section-start=.tohost=0x80001000,--no-warn-rwx-segments,--no-relax"
    command = ["riscv64-unknown-elf-gcc", *flags.split(), *places.split()]
    subprocess.run([*command, "-o", elf, source], check=True)
    return elf


def program(folder: Path, value: int, align: int = 64) -> Path:
    """Build the first program, which writes a value to tohost."""
    text = TEST.replace("VALUE", str(value)).replace("ALIGN", str(align))
    return built(folder, text, "test.S")
