# SPDX-License-Identifier: BSD-3-Clause
"""Broken maps of the registers of a core, for `firesim gdb`, each with its message."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case


def _map(name: str, message: str, text: str) -> Case:
    return Case(name, message, text, register_map=True)


DEBUG_CASES = [
    _map("map of nothing", 'bad.yaml:1: expected the key "registers".', "cache: null\n"),
    _map(
        "unknown register",
        (
            'bad.yaml:3: registers.mepcc: found "mepcc", expected one of the registers "f0", "f1", '
            '"f10", "f11", "f12", "f13", "f14", "f15", "f16", "f17", "f18", "f19" or 91 more, did '
            'you mean "mepc"?'
        ),
        "registers:\n  x1: []\n  mepcc: []\n",
    ),
    _map(
        "unknown key of a piece",
        (
            'bad.yaml:2: registers.x1[0]: found "signl", expected one of the keys "at", "bits", '
            '"signal", "signed" or "value", did you mean "signal"?'
        ),
        "registers:\n  x1: [{signl: core.m}]\n",
    ),
    _map(
        "bits of no register",
        "bad.yaml:2: registers.x1[0].bits: found 65, expected at most 64.",
        "registers:\n  x1: [{signal: core.m, bits: 65}]\n",
    ),
    _map(
        "signal and value",
        'bad.yaml:3: registers.x1[0]: found "core.m" and a value, expected one of them.',
        "registers:\n  x1:\n    - {signal: core.m, value: 1}\n",
    ),
    _map(
        "cache without states",
        'bad.yaml:2: cache: expected the key "newer".',
        "registers: {}\ncache: {tags: a, data: b, "
        "sets: 1, ways: 1, line_bytes: 64, state_bits: 2}\n",
    ),
]
