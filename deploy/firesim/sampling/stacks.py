# SPDX-License-Identifier: BSD-3-Clause
"""Call stacks of intervals, and what they say of the whole: a flame graph in cycles of RTL.

Calls are followed from the beginning of the warm-up, and charged the cycles of the interval alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firesim_common.errors import InputError
from firesim_common.whole_file import write_whole

from firesim.report.flame_svg import flame_svg
from firesim.report.flamegraph import folded_text, merge_folded
from firesim.report.speedscope import speedscope
from firesim.report.stack_difference import own_shares
from firesim.report.stack_tree import Stacks
from firesim.results.outcome import Outcome
from firesim.sampling.counter_rows import CYCLES, last_row
from firesim.sampling.folder import MEASURED, TOGGLES_FOLDED, Interval, SampleFolder
from firesim.sampling.settings import INSTRUCTIONS, Settings, Whole
from firesim.sampling.simulate import Description
from firesim.sampling.statistics import Estimate
from firesim.sampling.weights import weighted, weights_of

FOLDED, SVG, SPEEDSCOPE = "stacks.folded", "stacks.svg", "stacks.speedscope.json"
TRACED = ("simulation.tracing.enabled=true", "simulation.tracing.outputs=[folded]")
"""What is changed in the recipe; whether stacks name processes is left to it."""
MOST_FUNCTIONS = 5


@dataclass(frozen=True)
class WholeStacks:
    """The stacks of the whole workload, as its intervals tell them."""

    stacks: Stacks

    @property
    def cycles(self) -> int:
        """All cycles, of each hart."""
        return sum(self.stacks.values())

    @property
    def functions(self) -> list[tuple[str, float]]:
        """Those that take most themselves, with their shares of the cycles."""
        shares = own_shares(self.stacks)
        return sorted(shares.items(), key=lambda item: (-item[1], item[0]))[:MOST_FUNCTIONS]


def follow_calls(description: Description) -> None:
    """Follow the calls of functional nodes, so that stacks in RTL begin where these are."""
    for node in description["nodes"]:
        node["keeps_calls"] = True


def keep_stacks(description: Description) -> None:
    """Ask for the stacks of all nodes in the window of their counters."""
    for node in description["nodes"]:
        node["bridges"]["tracerv"] |= {"trigger": {"kind": "always"}, "within_counters": True}


def stacks_in(outcome: Outcome, found: Interval) -> Stacks:
    """Return the stacks of an interval; with several nodes, the node is the frame at the bottom.

    Raises:
        InputError: they have other cycles than the interval.
    """
    names = [str(node["name"]) for node in outcome.result["nodes"]]
    every: dict[str, int] = {}
    for name in names:
        files = sorted((outcome.folder / name / "trace").glob("hart*.folded"))
        below = f"{name};" if len(names) > 1 else ""
        stacks = {below + stack: cycles for stack, cycles in merge_folded(files).items()}
        counted = last_row(outcome, name)[CYCLES]  # none of a node that has ended before
        if found.state == MEASURED and sum(stacks.values()) != counted * len(files):
            raise InputError(
                f"sample: found call stacks of {sum(stacks.values()):,} cycles in the interval "
                f'{found.unit} of "{name}", expected {counted:,} for each of {len(files)} harts.'
            )
        every |= stacks
    return every


def whole_cycles(rate: Estimate | None, whole: Whole) -> int | None:
    """Return the estimated cycles of the whole workload in RTL, by its cycles per instruction.

    None where these are not estimated.
    """
    if whole.unit != INSTRUCTIONS or rate is None:
        return None
    return round(rate.mean * whole.instructions)


def whole_stacks(
    folder: SampleFolder,
    found: Sequence[Interval],
    whole: Whole,
    rate: Estimate | None,
    warm_up: int,
) -> WholeStacks | None:
    """Return the stacks of the whole workload; None where no interval kept any.

    Their sum is the estimate of the cycles of the whole; where intervals are of cycles, those of
    the functional run, of each hart of the nodes that had not ended.
    """
    settings: Settings = folder.settings
    if not settings.stacks:
        return None
    weights = weights_of(found, whole, settings)
    counts = {unit: folder.stacks(unit, warm_up) for unit in weights}
    total = whole_cycles(rate, whole)
    if total is None:
        sums = sum(weights[unit] * sum(stacks.values()) for unit, stacks in counts.items())
        total = round(sums * whole.length / (sum(weights.values()) * settings.interval))
    return WholeStacks(weighted(counts, weights, total))


def write_toggles(
    folder: SampleFolder, found: Sequence[Interval], whole: Whole, warm_up: int
) -> None:
    """Write the toggles of the whole by call stack, if the intervals have them."""
    weights = weights_of(found, whole, folder.settings)
    counts = {unit: folder.stacks(unit, warm_up, TOGGLES_FOLDED) for unit in weights}
    every = sum(weights[unit] * sum(stacks.values()) for unit, stacks in counts.items())
    if every:
        write_whole(
            folder.path / TOGGLES_FOLDED, folded_text(weighted(counts, weights, round(every)))
        )


def write_stacks(folder: SampleFolder, found: WholeStacks, intervals: int) -> None:
    """Write the stacks as text for flamegraph.pl, as a picture, and for speedscope."""
    write_whole(folder.path / FOLDED, folded_text(found.stacks))
    legend = (
        f"Widths: estimated target cycles of the whole workload ({found.cycles:,}), by "
        f"{intervals:,} measured intervals."
    )
    write_whole(folder.path / SVG, flame_svg(found.stacks, folder.path.name, legend))
    write_whole(folder.path / SPEEDSCOPE, speedscope(found.stacks, f"{folder.path.name} (cycles)"))
