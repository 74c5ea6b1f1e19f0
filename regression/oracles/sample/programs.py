# SPDX-License-Identifier: BSD-3-Clause
"""The programs that are sampled: loops of the program `kernels`, and how often each goes round."""

from __future__ import annotations

from dataclasses import dataclass

from regression.support.cluster import Config


@dataclass(frozen=True)
class Loop:
    """A loop of the program `kernels`."""

    number: int
    rounds: int
    """In the full form: some 0.5 to 3 million instructions."""
    what: str


LOOPS = {
    "sort": Loop(0, 17, "integer"),
    "chase": Loop(1, 200, "memory"),
    "phases": Loop(2, 13, "phases"),
    "float": Loop(3, 300, "floating point"),
    "matrix": Loop(4, 13, "floating point"),
    "sieve": Loop(5, 13, "integer"),
    "crc": Loop(6, 300, "integer"),
    "table": Loop(7, 500, "memory"),
    "recursion": Loop(8, 183, "calls"),
    "copy": Loop(9, 60, "memory"),
    "fourier": Loop(10, 10, "floating point"),
    "bodies": Loop(11, 33, "floating point"),
    "mandelbrot": Loop(12, 10, "floating point"),
    "decompose": Loop(13, 33, "floating point"),
    "digest": Loop(14, 20, "integer"),
    "quicksort": Loop(15, 3, "sorting"),
    "heap": Loop(16, 83, "sorting"),
    "tree": Loop(17, 67, "pointers"),
    "grid": Loop(18, 5, "graph"),
    "life": Loop(19, 5, "integer"),
    "compress": Loop(20, 3, "compression"),
    "huffman": Loop(21, 3, "compression"),
    "interpreter": Loop(22, 333, "interpreter"),
    "automaton": Loop(23, 3, "text"),
    "requests": Loop(24, 167, "requests"),
}
QUICK_ROUNDS = {"sort": 5, "chase": 40, "phases": 2}
"""Of the quick form: 200,000 to 700,000 instructions."""


def recipe(name: str, rounds: int) -> Config:
    """Return the recipe of a loop."""
    args = [f"kernel={LOOPS[name].number}", f"rounds={rounds}"]
    return {
        "system": {"topology": "rack_1", "node": {"memory": {"size_mib": 16}}},
        "workload": {"node": {"program": "kernels", "args": args}},
    }
