# SPDX-License-Identifier: BSD-3-Clause
"""Random inputs of a core, cycle by cycle, the same for every side: one line of hex a cycle.

The reset is active for 16 cycles from cycle 0 on, and then now and then for one to three, in one of
`reset_one_in` cycles. Other inputs are drawn: small numbers, all ones, random bits, or unchanged.
`inputs` of a core says otherwise: a number is kept; `rv32` is an instruction with a valid opcode,
`rv32c` one or two compressed ones, too; `often` is mostly 1, `seldom` mostly 0; a list of
`[bits, way]` is a structure, its highest bits first.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from regression.hardware.open_cores.core import Core

RESET_CYCLES = 16
_OPCODES = (0x03, 0x0F, 0x13, 0x17, 0x23, 0x33, 0x37, 0x63, 0x67, 0x6F, 0x73, 0x13, 0x33, 0x13)


def _rv32(draw: random.Random) -> int:
    opcode = draw.choice(_OPCODES)
    word = draw.getrandbits(32) & ~0x7F | opcode
    if opcode == 0x33:
        word &= ~0xFE000000 | draw.choice((0, 0x40000000, 0x02000000))
    elif opcode == 0x73 and draw.random() < 0.5:
        word = draw.choice((0x00000073, 0x00100073, 0x30200073))
    elif opcode == 0x0F:
        word = draw.choice((0x0000000F, 0x0000100F))
    elif opcode == 0x13 and word >> 12 & 3 == 1:
        word &= ~0xFE000000 | draw.choice((0, 0x40000000))
    return word


def _rv32c(draw: random.Random) -> int:
    if draw.random() < 0.6:
        return _rv32(draw)
    return draw.getrandbits(32) & ~0x10001 | draw.choice((0x0, 0x10001, 0x1, 0x10000))


def _any(draw: random.Random, width: int, before: int) -> int:
    kind = draw.randrange(4)
    if kind == 0:
        return before
    if kind == 1:
        return draw.getrandbits(min(width, 8))
    return (
        draw.getrandbits(width)
        if kind == 2
        else (1 << width) - 1 - draw.getrandbits(3) % (1 << width)
    )


def _drawn(draw: random.Random, rule: Any, width: int, before: int) -> int:
    mask = (1 << width) - 1
    if isinstance(rule, int):
        return rule & mask
    if isinstance(rule, list):
        found = 0
        for bits, way in rule:
            width -= bits
            found = found << bits | _drawn(draw, way, bits, before >> width & (1 << bits) - 1)
        return found
    if rule in ("rv32", "rv32c"):
        one = _rv32 if rule == "rv32" else _rv32c
        words = [one(draw) for _ in range(0, width, 32)]
        return sum(word << 32 * at for at, word in enumerate(words)) & mask
    if rule in ("often", "seldom"):
        rare = draw.random() < 0.2
        return (0 if rare else mask) if rule == "often" else (mask if rare else 0)
    return _any(draw, width, before)


def vectors(core: Core, inputs: Mapping[str, int], cycles: int, seed: int) -> list[list[int]]:
    """Return the values of `inputs` (name and width in bits) in each cycle.

    Raises:
        KeyError: the core has no input that the data names.
    """
    for name in core.inputs:
        if name not in inputs:
            raise KeyError(name)
    draw, found = random.Random(seed), []
    present = dict.fromkeys(inputs, 0)
    until = RESET_CYCLES
    for cycle in range(cycles):
        if cycle >= until and draw.randrange(core.reset_one_in) == 0:
            until = cycle + draw.randint(1, 3)
        for name, width in inputs.items():
            if name == core.reset:
                present[name] = core.released ^ int(cycle < until)
            else:
                present[name] = _drawn(draw, core.inputs.get(name), width, present[name])
        found.append(list(present.values()))
    return found
