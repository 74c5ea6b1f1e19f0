# SPDX-License-Identifier: BSD-3-Clause
"""The memory timing models in RTL against those in C++: the same cycle for the same request.

Random settings, as a recipe could have them, and random traffic: streams, few banks, scattered,
bursts, idle stretches past refreshes, all mixed, reads and writes. In every target cycle both must
have room for a request or not, and finish the same requests in the same order; all counters must be
equal at the end. The RTL is compiled by our generated engine, some of it by Verilator too. A
register that is one too large must be noticed. Printed besides: what each form takes of an ECP5
(`--quick`: without caches), and host cycles per target cycle.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import goldengate
from firesim.build.simulator import configure_and_build
from firesim_common.paths import ROOT
from goldengate.synthesis import synthesize

from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

RTL = ROOT / "sim/bridges/memory/rtl"
TOP = "firesim_memory_timing"
BINARY = "memory-rtl-check"
QUICK_REQUESTS, REQUESTS = 25_000, 1_050_000
DISTURBED_REQUESTS = 6_000
LATENCY_REGISTER, RCD_REGISTER, HIT_REGISTER = 0, 3, 31


@dataclass(frozen=True)
class Form:
    """Hardware to compare: the parameters of the RTL, and its share of the requests."""

    name: str
    parameters: Mapping[str, int]
    share: float
    disturbed: int
    """A register that matters here."""
    engine: str = "generated"
    quick: bool = False


_SMALL = {"RANKS_LOG2": 0, "BANKS_LOG2": 0, "QUEUE": 1}
_LARGE = {"RANKS_LOG2": 3, "BANKS_LOG2": 6, "QUEUE": 32}
_SMALL_CACHE = {"SETS_LOG2": 0, "WAYS": 1, "MSHRS": 1}
_LARGE_CACHE = {"SETS_LOG2": 11, "WAYS": 16, "MSHRS": 16, "PENDING_LOG2": 10}
_FIXED = {"DRAM": 0, "TAG_BITS": 12}
_DRAM = {"DRAM": 1, "TAG_BITS": 8}
_CACHE = {"CACHE": 1, "TAG_BITS": 8}
FORMS = (
    Form("fixed", _FIXED, 0.2, LATENCY_REGISTER, quick=True),
    Form("DDR3, 2 ranks of 8 banks", _DRAM, 0.2, RCD_REGISTER, quick=True),
    Form("DDR3, 1 bank, 1 entry", {**_DRAM, **_SMALL}, 0.05, RCD_REGISTER),
    Form("DDR3, 8 ranks of 64 banks", {**_DRAM, **_LARGE}, 0.15, RCD_REGISTER),
    Form("DDR3, by Verilator", _DRAM, 0.1, RCD_REGISTER, engine="verilator"),
    Form("cache, fixed", {**_FIXED, **_CACHE}, 0.1, HIT_REGISTER),
    Form("cache, DDR3", {**_DRAM, **_CACHE}, 0.12, HIT_REGISTER, quick=True),
    Form("1 set, 1 way, DDR3", {**_DRAM, **_CACHE, **_SMALL_CACHE}, 0.04, HIT_REGISTER),
    Form("2,048 sets of 16, DDR3", {**_DRAM, **_CACHE, **_LARGE_CACHE}, 0.04, HIT_REGISTER),
)  # fmt: skip


def sources() -> list[Path]:
    """Return the RTL, the package first."""
    first = RTL / "memory_settings.sv"
    return [first, *(path for path in sorted(RTL.glob("*.sv")) if path != first)]


def _hardware(form: Form) -> dict[str, Any]:
    """Return what memory-rtl-check is told of the hardware; defaults as in memory_timing.sv."""
    size = {"DRAM": 1, "CACHE": 0, "RANKS_LOG2": 1, "BANKS_LOG2": 3, "QUEUE": 8}
    size |= {"SETS_LOG2": 9, "WAYS": 8, "MSHRS": 8, **form.parameters}
    return {
        "dram": size["DRAM"] == 1,
        "cache": size["CACHE"] == 1,
        "ranks": 1 << size["RANKS_LOG2"],
        "banks": 1 << size["BANKS_LOG2"],
        "queue_depth": size["QUEUE"],
        "sets": 1 << size["SETS_LOG2"],
        "ways": size["WAYS"],
        "mshrs": size["MSHRS"],
        "tag_bits": size["TAG_BITS"],
    }


class _Bench:
    """One form, compiled."""

    def __init__(self, experiment: Experiment, form: Form, program: Path) -> None:
        self.form, self.program = form, program
        self.folder = experiment.folder / "".join(c if c.isalnum() else "_" for c in form.name)
        self.folder.mkdir()
        parameters = {name: str(value) for name, value in form.parameters.items()}
        model = self.folder / "model"
        goldengate.compile(sources(), TOP, model, parameters=parameters, engine=form.engine)
        self.task = {
            **_hardware(form),
            "library": str(model / "model.so"),
            "design_hash": goldengate.Manifest.read(model).design_hash,
        }

    def run(self, name: str, **more: Any) -> dict[str, Any]:
        """Run memory-rtl-check and return what it printed."""
        task = self.folder / f"{name}.json"
        task.write_text(json.dumps({**self.task, **more}))
        done = subprocess.run([self.program, task], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ExperimentError(f"{self.program} {task}: {done.stderr.strip()}")
        found: dict[str, Any] = json.loads(done.stdout)
        return found


def _say_difference(experiment: Experiment, form: Form, difference: Mapping[str, Any]) -> None:
    experiment.say(
        f"{form.name}, seed {difference['seed']}: {difference['what']}\n"
        f"  timing: {json.dumps(difference['timing'])}\n  llc: {json.dumps(difference['llc'])}\n"
        f"replay: firesim experiment memory-rtl-exact --seed {difference['seed']} --requests 1"
    )


def _resources(experiment: Experiment, form: Form) -> list[object]:
    """Return the columns that say what the form takes of an ECP5."""
    folder = experiment.folder / "synthesis" / "".join(c for c in form.name if c.isalnum())
    took = synthesize(sources(), TOP, "ecp5", folder, form.parameters)
    kept = {"form": form.name, **took.total, "cells": took.cells}
    experiment.figures.setdefault("ecp5", []).append(kept)
    return [f"{took.total['lut']:,.0f}", f"{took.total['ff']:,.0f}", took.cells.get("DP16KD", 0)]


def _rate(found: Mapping[str, Any], shape: str) -> str:
    """Return host cycles per target cycle in one shape of traffic."""
    part = found["shapes"][shape]
    return f"{part['host_cycles'] / part['target_cycles']:.2f}" if part["target_cycles"] else "-"


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--requests", type=int, default=0, help="requests of all forms together")


def _wanted(experiment: Experiment) -> tuple[Sequence[Form], int]:
    forms = [form for form in FORMS if form.quick or not experiment.quick]
    return forms, experiment.arguments.requests or (
        QUICK_REQUESTS if experiment.quick else REQUESTS
    )


@experiment_named("memory-rtl-exact", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when nothing differed, and each disturbed register was noticed."""
    program = configure_and_build(targets=(BINARY,)) / "bin" / BINARY
    forms, wanted = _wanted(experiment)
    rows, requests, cycles, different, unnoticed = [], 0, 0, 0, 0
    for form in forms:
        bench = _Bench(experiment, form, program)
        share = form.share / sum(other.share for other in forms)
        found = bench.run("task", seed=experiment.seed, requests=max(1, round(wanted * share)))
        if difference := found.get("difference"):
            different += 1
            _say_difference(experiment, form, difference)
        disturbed = bench.run(
            "disturbed",
            seed=experiment.seed,
            requests=DISTURBED_REQUESTS,
            disturbed=form.disturbed,
        )
        unnoticed += "difference" not in disturbed
        requests += found["requests"]
        cycles += found["target_cycles"]
        synthesized = form.engine == "generated" and not (experiment.quick and bench.task["cache"])
        took = _resources(experiment, form) if synthesized else ["", "", ""]
        numbers = [f"{found['requests']:,}", f"{found['target_cycles']:,}"]
        numbers += ["no" if "difference" in found else "yes"]
        numbers += [_rate(found, shape) for shape in ("idle", "streams", "bursts")]
        rows.append([form.name, *numbers, *took])
    experiment.table(
        "Memory timing, RTL and C++",
        [
            "hardware",
            "requests",
            "target cycles",
            "equal",
            "host cycles a target cycle: idle",
            "streams",
            "bursts",
            "ECP5: LUT",
            "FF",
            "DP16KD",
        ],
        rows,
    )
    experiment.keep(requests=requests, target_cycles=cycles, different=different)
    figure = (
        f"{requests:,} requests in {cycles:,} target cycles on {len(forms)} forms of hardware, "
        f"{different} different, {unnoticed} disturbed registers unnoticed,"
    )
    return Verdict(not different and not unnoticed, figure, "none different, none unnoticed")
