# SPDX-License-Identifier: BSD-3-Clause
"""Activity of intervals: toggles by module as events, and SAIF of the whole by that of intervals.

All SAIF files of a node have the same lines except for their numbers: they are of one model.
"""

from __future__ import annotations

import csv
import gzip
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import IO

from firesim_common.errors import InputError

from firesim.report.flamegraph import merge_folded
from firesim.report.stack_tree import Stacks
from firesim.results.outcome import Outcome
from firesim.sampling.folder import Interval, SampleFolder
from firesim.sampling.settings import Whole
from firesim.sampling.simulate import Description
from firesim.sampling.weights import weights_of
from firesim.topology.describe_signals import ACTIVITY, MODULES

TOGGLES = "toggles "
"""Begins the name of an event that counts the toggles of a module with all below it."""
BY_STACK = "trace/toggles.folded"
SAIF = "saif"
_DURATION = re.compile(r"\(DURATION (\d+)\)")
_NET = re.compile(r"(\(T0 )\d+(\) \(T1 )(\d+)(\) .*\(TC )(\d+)(\)\))")


def shows_wires(names: Sequence[str]) -> str:
    """Return the override that gives nodes the models that show their wires."""
    ones = ", ".join(f"{{node: {name}, end_cycle: 1}}" for name in names)
    return f"simulation.activity=[{ones}]"


def keep_activity(description: Description) -> None:
    """Count the toggles of all nodes in the window of their counters."""
    for node in description["nodes"]:
        asked = node["bridges"]["activity"]
        kept = {key: asked[key] for key in ("file", "modules", "scopes")}
        node["bridges"]["activity"] = {**kept, "within_counters": True}


def toggles_in(outcome: Outcome) -> dict[str, int]:
    """Return the toggles of each module with all below it, as events by name; none of 0."""
    found: dict[str, int] = {}
    for node in outcome.result["nodes"]:
        with (outcome.folder / node["name"] / MODULES).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if count := int(row["toggles_with_below"]):
                    found[f"{TOGGLES}{row['module']}"] = count
    return found


def toggles_by_stack(outcome: Outcome) -> Stacks | None:
    """Return the toggles of the interval by stack; None where nodes have none."""
    files = [outcome.folder / str(node["name"]) / BY_STACK for node in outcome.result["nodes"]]
    return merge_folded(files) if len(files) == 1 and files[0].is_file() else None


def keep_saif(folder: SampleFolder, outcome: Outcome, unit: int, warm_up: int) -> None:
    """Keep the SAIF files of an interval's nodes."""
    for node in outcome.result["nodes"]:
        name = str(node["name"])
        text = (outcome.folder / name / ACTIVITY).read_bytes()
        # Without a time in it, so that the same activity is the same file.
        file = folder.part(unit, warm_up, f"{name}.{SAIF}.gz")
        file.write_bytes(gzip.compress(text, compresslevel=4, mtime=0))


def write_saif(
    folder: SampleFolder, found: Sequence[Interval], whole: Whole, warm_up: int
) -> list[Path]:
    """Write a SAIF file of the whole for each node, by the weights of its intervals."""
    weights = weights_of(found, whole, folder.settings)
    some = folder.part(next(iter(weights)), warm_up, "")
    files = []
    for first in sorted(some.parent.glob(f"{some.name}*.{SAIF}.gz")):
        node = first.name.removeprefix(some.name)
        parts = {folder.part(unit, warm_up, node): weight for unit, weight in weights.items()}
        files.append(folder.path / node.removesuffix(".gz"))
        with files[-1].open("w", encoding="utf-8") as file:
            file.writelines(merged_saif(parts))
    return files


def merged_saif(parts: Mapping[Path, Fraction]) -> Iterator[str]:
    """Yield the lines of the SAIF file that some files with weights come to.

    Raises:
        InputError: they are not of one model.
    """
    with ExitStack() as stack:
        opened: list[IO[str]] = [
            stack.enter_context(gzip.open(file, "rt", encoding="utf-8")) for file in parts
        ]
        yield from _merged(opened, list(parts.values()), next(iter(parts)))


def _merged(files: Sequence[Iterable[str]], weights: list[Fraction], where: Path) -> Iterator[str]:
    # Whole numbers over one denominator: a file has hundreds of thousands of lines.
    below = math.lcm(*(weight.denominator for weight in weights))
    above = [int(weight * below) for weight in weights]

    def sums(values: Iterable[str]) -> int:
        every = sum(w * int(value) for w, value in zip(above, values, strict=True))
        return (2 * every + below) // (2 * below)

    duration = 0
    for lines in zip(*files, strict=True):
        first = lines[0]
        if match := _NET.search(first):
            every = [_NET.search(line) for line in lines]
            heads = {line[: one.start()] for line, one in zip(lines, every, strict=True) if one}
            if len(heads) != 1 or not all(every):
                raise InputError(f"{where}: found other wires than in the other intervals.")
            high = sums(one[3] for one in every if one)
            toggles = sums(one[5] for one in every if one)
            low = max(0, duration - high)
            yield (
                f"{first[: match.start()]}{match[1]}{low}{match[2]}{duration - low}{match[4]}"
                f"{toggles}{match[6]}\n"
            )
        elif match := _DURATION.search(first):
            found = [_DURATION.search(line) for line in lines]
            duration = sums(one[1] for one in found if one)
            yield f"(DURATION {duration})\n"
        else:
            yield first
