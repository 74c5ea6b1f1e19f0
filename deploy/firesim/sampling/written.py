# SPDX-License-Identifier: BSD-3-Clause
"""The files that a sample leaves: the estimates, a table of intervals, a plot."""

from __future__ import annotations

import io
import math
from dataclasses import asdict
from typing import Any

from firesim_common.whole_file import write_whole

from firesim.sampling.activity import write_saif
from firesim.sampling.figures import Figures
from firesim.sampling.folder import SampleFolder
from firesim.sampling.intervals_csv import intervals_csv
from firesim.sampling.plot import SVG, drawn
from firesim.sampling.result import Result
from firesim.sampling.settings import INSTRUCTIONS
from firesim.sampling.stacks import WholeStacks, write_stacks, write_toggles
from firesim.sampling.statistics import Estimate
from firesim.sampling.warm_up import Bias
from firesim.units import significant
from firesim.work.folder import write_json

CSV, ESTIMATE = "sample.csv", "estimate.json"


def write_result(folder: SampleFolder, result: Result) -> None:
    """Write the estimate, the table of intervals and the plot."""
    write_whole(folder.path / CSV, intervals_csv(result.intervals, result.whole, result.settings))
    write_json(folder.path / ESTIMATE, said(result))
    if result.stacks is not None:
        write_stacks(folder, result.stacks, len(result.measured))
    if result.settings.activity:
        write_saif(folder, result.intervals, result.whole, result.warm_up)
        write_toggles(folder, result.intervals, result.whole, result.warm_up)
    text = io.StringIO()
    drawn(result).savefig(text, format="svg")
    write_whole(folder.path / SVG, text.getvalue())


def said(result: Result) -> dict[str, Any]:
    """Return a result as JSON."""
    rate = "cpi" if result.whole.unit == INSTRUCTIONS else "ipc"
    return {
        **({rate: _said(result.rate)} if result.rate else {}),
        f"in_1000_{result.whole.unit}": {name: _said(one) for name, one in result.events.items()},
        **({"figure": _printed(result.printed)} if result.printed else {}),
        **({"cycles": result.cycles} if result.cycles is not None else {}),
        **({"stacks": _stacks(result.stacks)} if result.stacks else {}),
        "is_met": result.is_met if result.settings.are_drawn else None,
        "error": result.settings.error,
        "confidence": result.settings.confidence,
        "instructions": result.whole.instructions,
        "intervals": len(result.intervals),
        "population": result.population,
        "warm_up": result.warm_up,
        "warm_up_bias": _bias(result.bias) if result.bias else None,
        "warnings": list(result.warnings),
        "sample_hash": result.sample_hash,
        "rtl_cycles": result.rtl_cycles,
        "cpu_s": round(result.cpu_s, 3),
        "settings": asdict(result.settings),
    }


def _stacks(found: WholeStacks) -> dict[str, int]:
    return {"cycles": found.cycles, "stacks": len(found.stacks)}


def _said(one: Estimate) -> dict[str, float | None]:
    said = {
        "mean": one.mean,
        "low": one.mean - one.half_width,
        "high": one.mean + one.half_width,
        "half_width": one.half_width,
        "deviation": one.deviation,
        "intervals": one.count,
    }
    return {name: None if math.isnan(value) else value for name, value in said.items()}


def _bias(found: Bias) -> dict[str, float | None]:
    return {**_said(found.change), "doubled": found.shorter, "left": found.left}


def _printed(found: Figures) -> dict[str, Any]:
    percentiles = {
        name: {k: v if math.isfinite(v) else None for k, v in asdict(one).items()}
        for name, one in found.percentiles.items()
    }
    return {"count": found.count, "mean": _said(found.mean), **percentiles}


def words(one: Estimate) -> tuple[str, str, str]:
    """Return mean, half width and error for people."""
    if math.isnan(one.half_width):
        return significant(one.mean, 5), "-", "unknown"
    error = "-" if one.mean == 0 else f"{one.error:.2%}"
    return significant(one.mean, 5), significant(one.half_width, 2), error
