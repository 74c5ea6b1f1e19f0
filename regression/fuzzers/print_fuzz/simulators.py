# SPDX-License-Identifier: BSD-3-Clause
"""What plain Verilator and FireSim print for a design, by the number that each text begins with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import goldengate

from regression.support.printed import by_node, by_verilator

CYCLES = 120
Texts = dict[int, list[str]]


def _by_number(text: str) -> Texts:
    found: Texts = {}
    for line in text.split("\n"):
        if match := re.match(r"#(\d+) ", line):
            found.setdefault(int(match[1]), []).append(line)
    return {number: sorted(lines) for number, lines in found.items()}


def verilator_says(folder: Path, source: Path) -> Texts:
    """Return what plain Verilator prints."""
    return _by_number(by_verilator(folder, source, CYCLES))


def firesim_says(folder: Path, source: Path, engine: str) -> tuple[Texts, list[str]]:
    """Return what a node of this engine prints, and the warnings of its compilation."""
    model = goldengate.compile([source], "Top", folder / engine, engine=engine)
    text = by_node(folder, model, CYCLES)
    warnings = json.loads((model / "model.json").read_text())["warnings"]
    return _by_number(re.sub(r"(?m)^\d+: ", "", text)), warnings
