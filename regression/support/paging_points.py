# SPDX-License-Identifier: BSD-3-Clause
"""Local memory swept, both ways of paging side by side: figure 2.11 as tables, and its shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from regression.support.experiment import Experiment
from regression.support.paging import MODES, Paging


@dataclass(frozen=True)
class Point:
    """One size of local memory: what both ways of paging printed."""

    work: str
    pages: int
    local: int
    batch: int
    software: dict[str, int]
    hardware: dict[str, int]

    def printed(self, mode: str) -> dict[str, int]:
        """Return what one way printed."""
        return self.hardware if mode == "hardware" else self.software

    @property
    def fewer_traps(self) -> bool:
        """Traps of software are pages fetched, those with the accelerator batches of evictions."""
        one_each = self.software["traps"] == self.software["fetched"]
        return one_each and self.hardware["traps"] <= 1 + self.hardware["evicted"] // self.batch

    @property
    def equal(self) -> bool:
        """Both have fetched and evicted the same number of pages."""
        counts = ("fetched", "evicted")
        return all(self.software[name] == self.hardware[name] for name in counts)

    def overhead(self, mode: str, local_cycles: int) -> float:
        """Cycles of a mode beyond those with all pages local and no accelerator, as a share."""
        return self.printed(mode)["cycles"] / local_cycles - 1


def points_of(
    works: list[tuple[Paging, list[int]]], measured: Callable[[Paging, str], dict[str, int]]
) -> list[Point]:
    """Return the points of programs, each with its sizes of local memory and with all of it.

    `measured` runs one, whose folder has a name, and returns what it printed.
    """
    points = []
    for work, sizes in works:
        for local in [*sizes, work.pages]:
            both = {}
            for mode in MODES:
                paging = replace(work, mode=mode, local=local)
                both[mode] = measured(paging, f"{work.work}-{local}-{mode}")
            points.append(Point(work.work, work.pages, local, work.batch, **both))
    return points


def _base(points: list[Point], work: str) -> int:
    """Return the cycles of a program all of whose pages are local, without the accelerator."""
    return next(p.software["cycles"] for p in points if p.work == work and p.local == p.pages)


def overhead_table(experiment: Experiment, points: list[Point]) -> None:
    """Show what the programs took, and what they take more than with all pages local."""
    rows = []
    for point in points:
        base = _base(points, point.work)
        overheads = [f"{point.overhead(mode, base):.1%}" for mode in MODES]
        counts = [point.hardware[name] for name in ("fetched", "evicted")]
        traps = [point.software["traps"], point.hardware["traps"]]
        cycles = [point.software["cycles"], point.hardware["cycles"]]
        rows.append([point.work, point.pages, point.local, *cycles, *overheads, *counts, *traps])
    columns = ["program", "pages", "local", "cycles, software", "hardware", "overhead, software"]
    columns += ["hardware", "fetched", "evicted", "traps, software", "hardware"]
    experiment.table("Overhead against local memory (measured)", columns, rows)


def management_table(experiment: Experiment, points: list[Point]) -> float:
    """Return how many times as many cycles software takes to enter a page into the books."""
    sums = {
        mode: [sum(p.printed(mode)[name] for p in points) for name in ("management", "managed")]
        for mode in MODES
    }
    each = {mode: cycles / pages for mode, (cycles, pages) in sums.items()}
    rows = [[mode, sums[mode][1], f"{each[mode]:.1f}"] for mode in MODES]
    experiment.table("Management of new pages (measured)", ["way", "pages", "cycles each"], rows)
    return each["software"] / each["hardware"]


def shape(points: list[Point]) -> tuple[bool, list[float]]:
    """Return whether overhead falls with local memory, and software's over the accelerator's."""
    falls, ratios = True, []
    for work in {point.work for point in points}:
        base = _base(points, work)
        mine = sorted((p for p in points if p.work == work), key=lambda point: point.local)
        for mode in MODES:
            overheads = [point.overhead(mode, base) for point in mine]
            falls &= overheads == sorted(overheads, reverse=True)
        ratios += [p.overhead("software", base) / p.overhead("hardware", base) for p in mine[:-1]]
    return falls, ratios
