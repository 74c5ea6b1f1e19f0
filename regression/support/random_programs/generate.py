# SPDX-License-Identifier: BSD-3-Clause
"""Seeded random RV64GC programs for rtl-oracle, as assembly text.

A program is some rounds over the same segments; a segment runs in M-, S- or U-mode, with Sv39 or
without, and is a list of random pieces. What legitimately differs between two correct cores is left
out here, by construction:

- misaligned loads and stores (a core may do them or trap), but misaligned AMOs are in;
- page table entries with A or D clear (a core may set them or trap);
- ASIDs, counters, identification registers, and bits of CSRs that need not be writable;
- SC whose success is a core's choice: an SC follows its LR within one aligned 32-byte block without
  other accesses between, or fails for certain because none is pending or the line differs;
- WFI in U-mode; interrupts whose moment depends on time: WFI waits with interrupts disabled, then
  they are enabled, so they are taken at an exact instruction.
"""

from __future__ import annotations

import random

from regression.support.random_programs.pieces import Mode, Pieces

DATA = 0x8010_0000
PAGE = 4096
ROOT, CODE_S, CODE_U, TEST, LEAVES, TARGET, DENIED = (DATA + PAGE * i for i in range(7))
UNMAPPED = 0x2500_0000
LEAF_FLAGS = (
    *(0xD7, 0xD3, 0xD9, 0xC7, 0xC3, 0xD6, 0xD5, 0xDF),
    *(0xC9, 0xCB, 0xDB, 0xDD, 0xD7, 0xD7, 0xCF, 0x00),
)
"""D A G U X W R V of the 16 test pages; pages 12 and 13 lead to nowhere and to a denied page."""


def _entry(physical: int, flags: int) -> int:
    return physical >> 12 << 10 | flags


def _table(entries: dict[int, int]) -> list[int]:
    return [entries.get(index, 0) for index in range(512)]


def _page_tables() -> list[int]:
    """Root; code at its own address for S; code 1 GiB above for U; test pages at 1 GiB; leaves."""
    leaf = {12: UNMAPPED, 13: DENIED}
    return [
        *_table({1: _entry(TEST, 1), 2: _entry(CODE_S, 1), 3: _entry(CODE_U, 1)}),
        *_table({0: _entry(0x8000_0000, 0xCF)}),
        *_table({0: _entry(0x8000_0000, 0xDF)}),
        # a misaligned superpage, and one over the whole program
        *_table({0: _entry(LEAVES, 1), 1: _entry(0x8000_1000, 0xD7), 2: _entry(0x8000_0000, 0xD7)}),
        *_table({i: _entry(leaf.get(i, TARGET), flags) for i, flags in enumerate(LEAF_FLAGS)}),
    ]


def _words(name: str, values: list[int]) -> list[str]:
    lines = [f"  .globl {name}", f"{name}:"]
    for i in range(0, len(values), 8):
        lines.append("  .quad " + ", ".join(f"0x{value:x}" for value in values[i : i + 8]))
    return lines


def _data(rng: random.Random, rounds: int) -> list[str]:
    tables = _page_tables()
    lines = ["  .data"]
    lines += _words("oracle_tables", tables[: 4 * 512])
    lines += _words("oracle_leaves", tables[4 * 512 :])
    lines += _words("oracle_page", [rng.getrandbits(64) for _ in range(512)])
    lines += _words("oracle_denied", [rng.getrandbits(64) for _ in range(512)])
    lines += _words("oracle_data", [rng.getrandbits(64) for _ in range(512)])
    lines += _words("oracle_signature", [0] * 256)
    lines += _words("oracle_m_frame", [0] * 8)
    lines += _words("oracle_s_frame", [0] * 8)
    lines += _words("oracle_counter", [rounds, *[0] * 15])
    lines += _words("oracle_data_end", [])
    lines += _words("oracle_registers", [0] * 80)
    lines += _words("oracle_scratch", [0])
    lines += _words("oracle_one", [1])
    return lines


def generate(
    seed: int, *, segments: int = 12, pieces: int = 60, rounds: int = 4, machine_only: bool = False
) -> str:
    """Return the program of a seed: `rounds` times over `segments` of `pieces` pieces each.

    With `machine_only` all of them run in M-mode, for cores that have no other.
    """
    rng = random.Random(seed)
    made = Pieces(rng)
    lines = ["  .option norelax", "  .text", "  .globl oracle_body", "oracle_body:"]
    lines += made.initial_registers()
    lines += ["oracle_round:"]
    for _ in range(segments):
        mode = Mode.M if machine_only else rng.choice((Mode.M, Mode.M, Mode.S, Mode.U))
        lines += made.enter(mode, paging=not machine_only and rng.random() < 0.6)
        for _ in range(pieces):
            lines += made.piece()
        lines += made.leave()
    lines += [
        "  la t0, oracle_counter",
        "  ld t1, 0(t0)",
        "  addi t1, t1, -1",
        "  sd t1, 0(t0)",
        "  beqz t1, 1f",
        "  j oracle_round",
        "1:",
        "  j oracle_end",
    ]
    return "\n".join([*lines, *_data(rng, rounds)]) + "\n"
