# SPDX-License-Identifier: BSD-3-Clause
"""Representatives of phases as a sample keeps them, in the files that SimPoint reads and writes.

basic-blocks.bb.gz   a line for each interval: instructions by basic block
sample.simpoints     an interval and its cluster in each line
sample.weights       the share of all intervals that are in a cluster, and the cluster
sample.labels        the cluster of each interval, one a line
"""

from __future__ import annotations

import gzip
import shutil
from dataclasses import replace
from pathlib import Path

from firesim_common.whole_file import write_whole
from rich.console import Console

from firesim.results.outcome import Outcome
from firesim.sampling.folder import SampleFolder
from firesim.sampling.settings import Whole
from firesim.sampling.simpoint import phases_of
from firesim.sampling.simulate import Description

VECTORS, PACKED = "basic-blocks.bb", "basic-blocks.bb.gz"
SIMPOINTS, WEIGHTS, LABELS = "sample.simpoints", "sample.weights", "sample.labels"


def keep_vectors(description: Description, interval: int) -> None:
    """Ask the functional node for its basic-block vectors."""
    (node,) = description["nodes"]
    cycles = interval * int(node["cycles_per_instruction"])
    node["basic_blocks"] = {"file": f"{node['name']}/{VECTORS}", "interval_cycles": cycles}


def with_points(whole: Whole, folder: SampleFolder, outcome: Outcome, console: Console) -> Whole:
    """Return the functional run with its representatives, by the vectors that it has left."""
    settings, count = folder.settings, whole.population(folder.settings)
    file = folder.path / PACKED
    _pack(outcome.folder / str(outcome.result["nodes"][0]["name"]) / VECTORS, file)
    found = phases_of(file, count, settings.clusters, settings.seed)
    marked = list(enumerate(zip(found.representatives, found.sizes, strict=True)))
    _write(folder, SIMPOINTS, [f"{unit} {cluster}" for cluster, (unit, _) in marked])
    _write(folder, WEIGHTS, [f"{size / count:.6f} {cluster}" for cluster, (_, size) in marked])
    _write(folder, LABELS, [str(label) for label in found.labels])
    console.print(
        f"{len(marked)} clusters of the basic-block vectors of {count:,} intervals, of "
        f"{len(found.scores)} at most",
        highlight=False,
    )
    return replace(whole, points=sorted([unit, size] for _, (unit, size) in marked))


def _pack(file: Path, packed: Path) -> None:
    # Without name and time, so that the same vectors are the same file.
    with (
        file.open("rb") as plain,
        packed.open("wb") as raw,
        gzip.GzipFile("", "wb", 4, raw, mtime=0) as out,
    ):
        shutil.copyfileobj(plain, out)


def _write(folder: SampleFolder, name: str, lines: list[str]) -> None:
    write_whole(folder.path / name, "".join(f"{line}\n" for line in lines))
