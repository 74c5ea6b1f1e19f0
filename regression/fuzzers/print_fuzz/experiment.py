# SPDX-License-Identifier: BSD-3-Clause
"""Random formats and arguments of $display and its like: the texts against those of Verilator.

Each design has hundreds of calls in several instances, named blocks and loops of generate blocks:
every item that there is, of numbers of many widths, texts, enums, structures and constants. Texts
of both engines must be equal, character by character. A difference prints the call and both texts.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from regression.fuzzers.print_fuzz.designs import design
from regression.fuzzers.print_fuzz.simulators import Texts, firesim_says, verilator_says
from regression.support.experiment import Experiment, Verdict, experiment_named

QUICK_PRINTS, PRINTS = 80, 400
DESIGNS = 20
MOST_REPORTED = 10
ENGINES = ("generated", "verilator")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--designs", type=int, default=0, help="how many, from the seed on")
    parser.add_argument("--prints", type=int, default=0, help="calls of a design")


def _call(text: str, number: int) -> str:
    found = re.search(rf'[^\n]*"#{number} [^\n]*', text)
    return found[0].strip() if found else "no such call"


def _different(text: str, expected: Texts, found: Texts) -> list[str]:
    """Return a description of each call whose texts differ."""
    different = []
    for number in sorted(expected.keys() | found.keys()):
        theirs, ours = expected.get(number, []), found.get(number, [])
        if theirs == ours:
            continue
        pairs = [(a, b) for a, b in zip(theirs, ours, strict=False) if a != b]
        first, second = pairs[0] if pairs else (f"{len(theirs)} texts", f"{len(ours)} texts")
        different.append(f"{_call(text, number)}\n  Verilator: {first!r}\n  FireSim:   {second!r}")
    return different


def _one(folder: Path, seed: int, prints: int) -> tuple[list[str], int]:
    """Compare one design; return what differs, and the number of texts."""
    folder.mkdir(parents=True, exist_ok=True)
    text = design(seed, prints)
    source = folder / "design.sv"
    source.write_text(text)
    expected = verilator_says(folder, source)
    different: list[str] = []
    for engine in ENGINES:
        found, warnings = firesim_says(folder, source, engine)
        different += [f"{engine}: {what}" for what in _different(text, expected, found)]
        different += [f"{engine}: {each}" for each in warnings if "left out" in each]
    return different, sum(len(lines) for lines in expected.values())


@experiment_named("print-fuzz", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every text is the same."""
    wanted = experiment.arguments.designs or (1 if experiment.quick else DESIGNS)
    prints = experiment.arguments.prints or (QUICK_PRINTS if experiment.quick else PRINTS)
    began, texts, failed = time.monotonic(), 0, 0
    for seed in range(experiment.seed, experiment.seed + wanted):
        different, count = _one(experiment.folder / f"seed-{seed}", seed, prints)
        texts += count
        failed += len(different)
        for what in different[:MOST_REPORTED]:
            experiment.say(f"seed {seed}: {what}")
        if different:
            experiment.say(f"replay: firesim experiment print-fuzz --seed {seed} --designs 1")
    experiment.keep(designs=wanted, prints=prints, texts=texts, different=failed)
    experiment.keep(wall_s=round(time.monotonic() - began, 1))
    figure = (
        f"{wanted * prints:,} random calls, {texts:,} texts on {len(ENGINES)} engines, "
        f"{failed} different,"
    )
    return Verdict(failed == 0 and texts > wanted * prints, figure, "none different")
