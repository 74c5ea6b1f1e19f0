# SPDX-License-Identifier: BSD-3-Clause
"""Designs that no program drives, on both engines with the same random inputs.

Each peripheral by itself, and the plain SystemVerilog example. The generated engine evaluates each
in three ways: cut without a profile, cut by an invented one, and with all wires kept for waves.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import goldengate
from firesim.build.paths import ROOT
from firesim.build.rtl import peripherals
from goldengate.engine import backend, items

from regression.support.experiment import Experiment, ExperimentError
from regression.support.random_inputs import compare_tool, differences, invented_cut

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
DEVICES = ("NIC", "BlockDevice", "UART", "Finisher", "AddressCrossbar")
QUICK_DEVICES = ("NIC",)
CYCLES, QUICK_CYCLES = 5_000_000, 100_000


@dataclass(frozen=True)
class Comparison:
    """One design, one way of evaluating it, and the cycles in which all outputs were equal."""

    design: str
    way: str
    cycles: int


def _models(folder: Path, sources: list[Path], top: str, seed: int) -> dict[str, Path]:
    """Return the libraries of one design by the way they evaluate it, Verilator's first."""
    made = {
        "Verilator": goldengate.compile(sources, top, folder / "verilator", engine="verilator"),
        "untrained": goldengate.compile(sources, top, folder / "generated", engine="generated"),
        "waves": goldengate.compile(sources, top, folder / "waves", engine="generated", waves=True),
    }
    libraries = {way: model / "model.so" for way, model in made.items()}
    work = made["untrained"] / "build"
    manifest = json.loads((made["untrained"] / "model.json").read_text())
    found = items.collect(backend.read_design(work, manifest))
    libraries["cut"] = folder / "cut.so"
    backend.make_model(
        invented_cut(found, seed), manifest["design_hash"], folder / "cut", libraries["cut"], 2,
        [], [],
    )  # fmt: skip
    return libraries


def compare_designs(experiment: Experiment) -> list[Comparison]:
    """Compare all designs.

    Raises:
        ExperimentError: an output differs; the message names it and its first cycle.
    """
    quick, seed = experiment.quick, experiment.seed
    tool = compare_tool(experiment.folder)
    devices = sorted(peripherals(1).glob("*.sv"))
    designs = {"PacketReflector": [REFLECTOR]}
    designs |= {name: devices for name in (QUICK_DEVICES if quick else DEVICES)}
    cycles = QUICK_CYCLES if quick else CYCLES
    found = []
    for top, sources in designs.items():
        libraries = _models(experiment.folder / top, sources, top, seed)
        verilator = libraries.pop("Verilator")
        for way, library in libraries.items():
            wrong = differences(tool, verilator, library, seed, cycles)
            if wrong:
                port, cycle = min(wrong, key=lambda one: one[1])
                raise ExperimentError(
                    f"{top}, {way}, seed {seed}: output {port} differs in cycle {cycle}."
                )
            found.append(Comparison(top, way, cycles))
    return found
