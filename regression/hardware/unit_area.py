# SPDX-License-Identifier: BSD-3-Clause
"""What units beside a core take of an FPGA by their settings, in the shape of published areas.

Yosys synthesizes each direction of the Snappy, ZStd and Protobuf units, and the page-fault
accelerator, alone, with their settings swept: history 2 to 64 KiB, hash tables of 2^9 to 2^14
entries, 4 to 32 speculations, lines of arenas and page tables. Published are areas in a 16 nm
process. An area is logic and memory. So one weight for a unit, the part of its area that is memory,
must make its settings' published shares of the shares of look-up tables for logic and of memory
(block RAM, and tables that hold memory), each within a tenth of the largest area. Less of a setting
must take less, and of two units the one published with the larger area must take more logic. Tables
are compared with a tenth to spare: optimisation differs by as much without meaning. --quick has the
Snappy decompressor alone, with 64 and 2 KiB.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from regression.support.experiment import Experiment, Verdict, experiment_named
from regression.support.plotting import COLOURS, new_figure, save_figure
from regression.support.unit_area import Area, area, parts_verilog

NEAR_CORE = frozenset({"snappy", "zstd", "protobuf"})
NEAR = 0.1
"""Of the first setting's area: by how much a published share may be another one than ours."""
NOISE = 0.1
"""Share of look-up tables that differs without meaning."""


@dataclass(frozen=True)
class Setting:
    """One setting of a unit, with its published share of the area of the unit's first setting."""

    name: str
    values: Mapping[str, int]
    published: float | None = None


@dataclass(frozen=True, eq=False)
class Unit:
    """A module of a part, the published area of its first setting, and settings to compare."""

    title: str
    part: str
    module: str
    published_mm2: float | None
    settings: tuple[Setting, ...]
    """The first one is what others are compared with."""
    parts: tuple[str, ...] = ()
    """Modules inside that settings change. If given, they alone are synthesized for each setting
    but the first, which takes a tenth of the time."""


def _kib(size: int, published: float | None = None, **more: int) -> Setting:
    return Setting(f"{size} KiB", {"history_kib": size, **more}, published)


def _table(size: int, log: int, published: float | None = None) -> Setting:
    return Setting(f"{size} KiB, 2^{log}", {"history_kib": size, "hash_log": log}, published)


def _speculations(count: int, published: float | None = None) -> Setting:
    values = {"history_kib": 64, "speculations": count}
    return Setting(f"64 KiB, {count} speculations", values, published)


def _one(key: str, words: str, *counts: int) -> tuple[Setting, ...]:
    return tuple(Setting(f"{count} {words}", {key: count}) for count in counts)


SNAPPY_READS = Unit(
    "Snappy decompressor",
    "snappy",
    "SnappyDecompressor",
    0.431,
    (_kib(64), _kib(32), _kib(16), _kib(8), _kib(4), _kib(2, 0.62)),
)
UNITS = (
    SNAPPY_READS,
    Unit(
        "Snappy compressor",
        "snappy",
        "SnappyCompressor",
        0.851,
        (
            *(_table(64, 14), _table(32, 14, 0.9), _table(2, 14, 0.8)),
            *(_table(64, 12), _table(64, 9), _table(2, 9, 0.34)),
        ),
    ),
    Unit(
        "ZStd decompressor",
        "zstd",
        "ZstdDecompressor",
        1.9,
        (
            *(_speculations(16), _speculations(32, 1.18), _speculations(4, 0.9)),
            Setting("2 KiB, 16 speculations", {"history_kib": 2, "speculations": 16}, 0.914),
        ),
        ("SnappyHistory", "HuffmanTree", "LiteralSource"),
    ),
    Unit(
        "ZStd compressor",
        "zstd",
        "ZstdCompressor",
        3.48,
        (_table(64, 14), _table(2, 9)),
        ("MatchFinder",),
    ),
    Unit(
        "Protobuf deserialiser",
        "protobuf",
        "ProtobufDeserializer",
        0.133,
        _one("arena_lines", "lines of arena", 64, 256),
    ),
    Unit(
        "Protobuf serialiser",
        "protobuf",
        "ProtobufSerializer",
        0.278,
        _one("object_lines", "lines of objects", 16, 64),
    ),
    Unit(
        "Page-fault accelerator",
        "pfa",
        "PfaNic",
        None,
        _one("lines", "lines of entries", 64, 256),
    ),
)
PUBLISHED_ORDER = (
    ("SnappyDecompressor", "SnappyCompressor"),
    ("SnappyDecompressor", "ZstdDecompressor"),
    ("SnappyCompressor", "ZstdCompressor"),
    ("ZstdDecompressor", "ZstdCompressor"),
    ("ProtobufDeserializer", "ProtobufSerializer"),
)
"""Pairs of units, of which the first one is published with the smaller area."""
RESOURCES = ("logic", "memory")

Found = dict[Unit, list[Area]]
"""By the unit, areas of its settings."""


def _measure(experiment: Experiment, units: Sequence[Unit]) -> Found:
    """Elaborate and synthesize each setting of each unit, and show tables."""
    found: Found = {}
    for unit in units:
        folder = experiment.folder / unit.module
        sources = [
            parts_verilog({unit.part: setting.values}, NEAR_CORE, folder / str(index))
            for index, setting in enumerate(unit.settings)
        ]
        found[unit] = _areas(unit, sources)
        _show(experiment, unit, found[unit])
    return found


def _areas(unit: Unit, sources: Sequence[str]) -> list[Area]:
    """Synthesize a unit, from the Verilog of each of its settings."""
    if not unit.parts:
        return [area(one, unit.module) for one in sources]
    whole = area(sources[0], unit.module)
    found = [whole]
    for one in sources[1:]:
        changed = whole
        for part in unit.parts:
            changed = changed.with_part(area(sources[0], part), area(one, part))
        found.append(changed)
    return found


def _show(experiment: Experiment, unit: Unit, areas: Sequence[Area]) -> None:
    rows = []
    for setting, one in zip(unit.settings, areas, strict=True):
        amounts = (one.lut, one.memory_lut, one.ff, one.bram_kbit)
        shares = [*one.shares(areas[0]), setting.published]
        shown = ["" if share is None else f"{share:.2f}" for share in shares]
        levels = "" if one.levels is None else f"{one.levels:.0f}"
        rows.append([setting.name, *(f"{amount:,.0f}" for amount in amounts), levels, *shown])
    columns = ["setting", "LUT", "for memory", "FF", "BRAM (kbit)", "levels"]
    shares_of = ["logic by the first", "memory", "published area"]
    experiment.table(f"{unit.title} ({unit.module}) on UltraScale+", [*columns, *shares_of], rows)


def memory_weight(points: Sequence[tuple[float, float, float]]) -> float:
    """Return the part of an area that is memory, which fits shares of logic, memory and all best.

    It is 0 to 1, by least squares: all = logic + weight * (memory - logic).
    """
    across = sum((memory - logic) ** 2 for logic, memory, _ in points)
    along = sum((memory - logic) * (all_ - logic) for logic, memory, all_ in points)
    return min(1.0, max(0.0, along / across)) if across else 0.0


def _explained(experiment: Experiment, found: Found) -> bool:
    """Return whether published shares follow from logic and memory by one weight a unit."""
    rows, farthest = [], 0.0
    for unit, areas in found.items():
        shares = [one.shares(areas[0]) for one in areas]
        points = [
            (setting, logic, memory, setting.published)
            for setting, (logic, memory) in zip(unit.settings, shares, strict=True)
            if setting.published is not None
        ]
        weight = memory_weight([point[1:] for point in points])
        for setting, logic, memory, published in points:
            fitted = logic + weight * (memory - logic)
            farthest = max(farthest, abs(fitted - published))
            both = [f"{share:.2f}" for share in (logic, memory, fitted, published)]
            rows.append([unit.title, setting.name, f"{weight:.0%}", *both])
    columns = ["unit", "setting", "memory's part", "logic", "memory", "both", "published area"]
    experiment.table("Shares of the first setting, and what they make together", columns, rows)
    experiment.keep(farthest_from_published=round(farthest, 3))
    return farthest <= NEAR


def _is_less(one: Setting, other: Setting) -> bool:
    """Return whether a setting has no more of anything than another one, and less of something."""
    both = [(value, other.values[key]) for key, value in one.values.items()]
    return all(mine <= theirs for mine, theirs in both) and any(a < b for a, b in both)


def _rises(experiment: Experiment, found: Found) -> bool:
    """Return whether less of a setting takes no more of anything, and less of something."""
    fine = True
    for unit, areas in found.items():
        both = list(zip(unit.settings, areas, strict=True))
        for (less, small), (more, large) in permutations(both, 2):
            if not _is_less(less, more):
                continue
            no_more = small.logic_lut <= large.logic_lut * (1 + NOISE)
            no_more &= small.memory_kbit <= large.memory_kbit
            same = (small.lut, small.memory_kbit) == (large.lut, large.memory_kbit)
            if not no_more or same:
                experiment.say(f"{unit.title}: {less.name} does not take less than {more.name}")
                fine = False
    return fine


def _in_order(experiment: Experiment, found: Found) -> bool:
    """Return whether of two units the one with the larger published area takes more logic."""
    first = {unit.module: areas[0].logic_lut for unit, areas in found.items()}
    wrong = [
        f"{small} takes more logic than {large}"
        for small, large in PUBLISHED_ORDER
        if small in first and large in first and first[small] >= first[large]
    ]
    for sentence in wrong:
        experiment.say(sentence)
    return not wrong


def _plot(experiment: Experiment, found: Found) -> None:
    """Draw the shares of the settings of units that have published ones."""
    drawn = {
        unit: areas
        for unit, areas in found.items()
        if any(setting.published is not None for setting in unit.settings)
    }
    if not drawn:
        return
    figure, made = new_figure(len(drawn), width=4.2, height=4.4)
    panels = [made] if len(drawn) == 1 else list(made)
    for (unit, areas), axes in zip(drawn.items(), panels, strict=True):
        names = [setting.name for setting in unit.settings]
        for which, (resource, colour) in enumerate(zip(RESOURCES, COLOURS, strict=False)):
            shares = [one.shares(areas[0])[which] for one in areas]
            places = [place + 0.36 * (which - 0.5) for place in range(len(names))]
            axes.bar(places, shares, 0.34, color=colour, label=resource)
        published = [1.0 if not index else one.published for index, one in enumerate(unit.settings)]
        known = [(i, share) for i, share in enumerate(published) if share is not None]
        axes.plot(*zip(*known, strict=True), "D", color="#111827", label="published area")
        axes.set_xticks(range(len(names)), names, rotation=55, ha="right", fontsize=8)
        axes.set(title=unit.title)
    panels[0].set(ylabel="share of the first setting")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    experiment.note_file(save_figure(figure, experiment.folder, "unit-area"))


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--units",
        nargs="+",
        choices=[unit.module for unit in UNITS],
        default=[unit.module for unit in UNITS],
        metavar="MODULE",
        help=f"which of {', '.join(unit.module for unit in UNITS)}",
    )


@experiment_named("unit-area", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when less of a setting takes less, and published shares are those of our resources."""
    few = tuple(one for one in SNAPPY_READS.settings if one.name in ("64 KiB", "2 KiB"))
    chosen = tuple(unit for unit in UNITS if unit.module in experiment.arguments.units)
    units = (replace(SNAPPY_READS, settings=few),) if experiment.quick else chosen
    found = _measure(experiment, units)
    explained, rises, ordered = (
        check(experiment, found) for check in (_explained, _rises, _in_order)
    )
    if not experiment.quick:
        _plot(experiment, found)
    settings = sum(map(len, found.values()))
    published = sum(one.published is not None for unit in found for one in unit.settings)
    cpu_s = sum(one.cpu_s for areas in found.values() for one in areas)
    experiment.keep(
        areas={
            unit.module: {
                setting.name: vars(one) for setting, one in zip(unit.settings, areas, strict=True)
            }
            for unit, areas in found.items()
        }
    )
    return Verdict(
        explained and rises and ordered,
        f"{settings} settings of {len(found)} modules, {published} published shares of area beside "
        f"them; {cpu_s:.0f} s of synthesis",
        f"published shares within {NEAR} of those of logic and memory, less for less, the order",
    )
