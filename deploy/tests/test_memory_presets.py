# SPDX-License-Identifier: BSD-3-Clause
"""Times of DRAM parts by name: what they are in nanoseconds, and that a run takes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from firesim.config.memory import DramTiming
from firesim.config.memory_presets import PRESETS
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from rich.console import Console

RUN = """\
system:
  topology: rack_1
  link: {latency_cycles: 2000}
  node: {memory: {size_mib: 16, timing: {model: fr_fcfs, preset: PRESET}}}
workload: {node: {program: hello}}
simulation: {max_cycles: 4500}
"""
TIMES_NS: dict[str, dict[str, float]] = {
    # Micron's data sheet of the MT40A1G8, and JESD79-4.
    "ddr4_2400": {"tRAS": 32, "tFAW": 21, "tWR": 15, "tRTP": 7.5, "tRFC": 350, "tREFI": 7800},
    "ddr4_3200": {"tRAS": 32, "tFAW": 21, "tWR": 15, "tRTP": 7.5, "tRFC": 350, "tREFI": 7800},
    "hbm2_2000": {"tRAS": 34, "tFAW": 30, "tRFC": 260, "tREFI": 3900},
}
MEGABYTES_A_SECOND = {"ddr3_2133": 17_067, "ddr4_2400": 19_200, "ddr4_3200": 25_600}
MEGABYTES_A_SECOND["hbm2_2000"] = 16_000


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_has_the_times_of_its_part(name: str) -> None:
    timing = DramTiming.model_validate({"model": "fr_fcfs", "preset": name})
    clock_hz = 3_200_000_000 * timing.clock_ratio.dram / timing.clock_ratio.target
    # 64 bytes in each tCCD at most.
    assert round(64 * clock_hz / timing.timings.tCCD / 1e6) == MEGABYTES_A_SECOND[name]
    for key, wanted_ns in TIMES_NS.get(name, {}).items():
        cycles = getattr(timing.timings, key)
        assert (cycles - 1) * 1e9 / clock_hz < wanted_ns <= cycles * 1e9 / clock_hz + 1e-9, key


def test_what_is_given_is_kept() -> None:
    given = {"model": "fcfs", "preset": "ddr4_3200", "banks": 8, "timings": {"tCAS": 24}}
    timing = DramTiming.model_validate(given)
    assert (timing.banks, timing.row_bytes, timing.timings.tCAS) == (8, 8192, 24)
    assert timing.timings.tRCD == 22
    assert DramTiming.model_validate(timing.model_dump()) == timing
    plain = DramTiming.model_validate({"model": "fcfs"})
    assert DramTiming.model_validate({"model": "fcfs", "preset": "ddr3_2133"}) == plain.model_copy(
        update={"preset": "ddr3_2133"}
    )


def test_runs_take_them(results_root: Path) -> None:
    latencies = {}
    for name in ("ddr4_3200", "hbm2_2000"):
        outcome = run(load_text(RUN.replace("PRESET", name)), console=Console(quiet=True))
        described = json.loads((outcome.folder / "description.json").read_text())
        timing = described["nodes"][0]["bridges"]["memory"]["timing"]
        assert timing["timings"]["tRFC"] == PRESETS[name]["timings"]["tRFC"]
        assert "preset" not in timing
        facts = json.loads((outcome.folder / "node0/memory.json").read_text())
        latencies[name] = facts["reads"]["mean_latency_cycles"]
    # A closed bank: tRCD + tCAS + 4 cycles of the DRAM's clock, 96 and 102.4 of the target's.
    assert 40 < latencies["ddr4_3200"] < latencies["hbm2_2000"] < 120
