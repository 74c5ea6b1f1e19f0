# SPDX-License-Identifier: BSD-3-Clause
"""Local memory swept, both ways of paging side by side: figure 2.11 as tables, and its shape."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from regression.support.experiment import Experiment
from regression.support.paging import MODES, Paging

LEAST_RATIO = 0.9
"""Of software's overhead to the accelerator's: below it something is wrong."""
PUBLISHED_OVERHEAD, PUBLISHED_MANAGEMENT = 1.4, 2.5


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


@dataclass(frozen=True)
class Sweep:
    """What a sweep of local memory has shown."""

    right: bool
    """Whether all pages held what they should, both ways."""
    equal: bool
    """Whether both ways fetched and evicted as many pages, and some where local memory is small."""
    fewer_traps: bool
    falls: bool
    """Whether overhead falls as local memory grows."""
    ratios: list[float]
    """Software's overhead over the accelerator's."""
    management: float
    """Cycles of software to enter a page into the books, over those with the accelerator."""

    @property
    def holds(self) -> bool:
        """Whether all is as it must be, except for the pages."""
        return self.equal and self.fewer_traps and self.falls and min(self.ratios) >= LEAST_RATIO

    @property
    def text(self) -> str:
        """What it has shown, except for the pages."""
        return (
            f"as many fetched and evicted: {self.equal}, a trap a batch: {self.fewer_traps}; "
            f"overhead falls with local memory: {self.falls}, software's {min(self.ratios):.2f} "
            f"to {max(self.ratios):.2f} times the accelerator's; a new page "
            f"{self.management:.1f} times"
        )

    @property
    def kept(self) -> dict[str, object]:
        """Figures to keep, beside the published ones."""
        return {
            "overheads": self.ratios,
            "published_overhead": PUBLISHED_OVERHEAD,
            "management": self.management,
            "published_management": PUBLISHED_MANAGEMENT,
        }


def swept(
    experiment: Experiment,
    works: list[tuple[Paging, list[int]]],
    measured: Callable[[Paging, str], dict[str, int]],
) -> Sweep:
    """Run programs, each with its sizes of local memory and with all of it; show what they took.

    `measured` runs one, whose folder has a name, and returns what it printed.
    """
    points = _points(works, measured)
    _overhead_table(experiment, points)
    falls, ratios = _shape(points)
    return Sweep(
        right=all(p.software["right"] and p.hardware["right"] for p in points),
        equal=all(p.equal and (p.local == p.pages or p.software["evicted"] > 0) for p in points),
        fewer_traps=all(p.fewer_traps for p in points),
        falls=falls,
        ratios=ratios,
        management=_management_table(experiment, points),
    )


def quick_works(seed: int) -> list[tuple[Paging, list[int]]]:
    """Return small programs, and their sizes of local memory."""
    genome = Paging("", "genome", 16, 16, kmers=48, seed=seed)
    quicksort = Paging("", "quicksort", 8, 8, batch=2, seed=seed)
    return [(genome, [10]), (quicksort, [6])]


def _points(
    works: list[tuple[Paging, list[int]]], measured: Callable[[Paging, str], dict[str, int]]
) -> list[Point]:
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


def _overhead_table(experiment: Experiment, points: list[Point]) -> None:
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


def _management_table(experiment: Experiment, points: list[Point]) -> float:
    """Return how many times as many cycles software takes to enter a page into the books."""
    sums = {
        mode: [sum(p.printed(mode)[name] for p in points) for name in ("management", "managed")]
        for mode in MODES
    }
    each = {mode: cycles / pages for mode, (cycles, pages) in sums.items()}
    rows = [[mode, sums[mode][1], f"{each[mode]:.1f}"] for mode in MODES]
    experiment.table("Management of new pages (measured)", ["way", "pages", "cycles each"], rows)
    return each["software"] / each["hardware"]


def _shape(points: list[Point]) -> tuple[bool, list[float]]:
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
