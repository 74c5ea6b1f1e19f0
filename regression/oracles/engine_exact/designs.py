# SPDX-License-Identifier: BSD-3-Clause
"""Designs that no program drives, on both engines with the same random inputs.

Each peripheral by itself, the plain SystemVerilog example, and open cores in wrappers that make
instructions of random inputs. The generated engine evaluates each in three ways: cut without a
profile, cut by an invented one, and with all wires kept for waves. What both engines share, the
reader and the passes, is compared as well: each runs in plain Verilator on the original text, too,
since both take as 0 what Verilog leaves unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import goldengate
from firesim.build.rtl import peripherals
from firesim.build.rtl_blade import load_blade
from firesim_common.paths import ROOT
from goldengate.engine import backend, items
from goldengate.engine.fold import fold
from goldengate.tests.reference.plain import build_plain
from goldengate.verilator_backend import FAST

from regression.support.experiment import Experiment, ExperimentError
from regression.support.open_designs import BUSY_OUTPUTS, OPEN_DESIGNS
from regression.support.random_inputs import Compared, compare, compare_tool, invented_cut

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
DEVICES = ("NIC", "BlockDevice", "UART", "Finisher", "AddressCrossbar")
QUICK_DEVICES = ("NIC",)
QUICK_OPEN = ("SERV",)
CYCLES, OPEN_CYCLES, QUICK_CYCLES = 5_000_000, 1_000_000, 100_000
LEAST_CHANGES_PER_MILLION = 1000
"""Of the outputs that show that a core runs."""


@dataclass(frozen=True)
class Comparison:
    """One design, one way of evaluating it, and the cycles in which all outputs were equal.

    The speeds are in thousand cycles a second of processor time.
    """

    design: str
    way: str
    cycles: int
    verilator_kcycles_per_s: float
    generated_kcycles_per_s: float


@dataclass(frozen=True)
class _Design:
    """What is compiled and for how many cycles it is run.

    `busy` outputs must change often.
    """

    name: str
    top: str
    sources: list[Path]
    cycles: int
    include_folders: tuple[Path, ...] = ()
    busy: tuple[str, ...] = ()


def _models(folder: Path, design: _Design, seed: int) -> dict[str, Path]:
    """Return the libraries of one design by the way they evaluate it, Verilator's first."""
    make = partial(
        goldengate.compile, design.sources, design.top, include_dirs=design.include_folders
    )
    made = {
        "Verilator": make(folder / "verilator", engine="verilator"),
        "untrained": make(folder / "generated", engine="generated"),
        "waves": make(folder / "waves", engine="generated", waves=True),
    }
    libraries = {way: model / "model.so" for way, model in made.items()}
    work = made["untrained"] / "build"
    manifest = goldengate.Manifest.read(made["untrained"])
    found = items.collect(backend.read_design(work, manifest))
    libraries["original"] = build_plain(
        design.sources,
        manifest.to_json(),
        folder / "original",
        include_dirs=design.include_folders,
        fast=FAST,
    )
    libraries["cut"] = folder / "cut.so"
    emitter = invented_cut(fold(found, least_saved=1), seed)
    backend.make_model(emitter, manifest.design_hash, folder / "cut", libraries["cut"], 2, [], [])
    return libraries


def _designs(quick: bool) -> Iterable[_Design]:
    cycles = QUICK_CYCLES if quick else CYCLES
    yield _Design("PacketReflector", "PacketReflector", [REFLECTOR], cycles)
    devices = sorted(peripherals(load_blade("rocket-1")).glob("*.sv"))
    for name in QUICK_DEVICES if quick else DEVICES:
        yield _Design(name, name, devices, cycles)
    cycles = QUICK_CYCLES if quick else OPEN_CYCLES
    for name in QUICK_OPEN if quick else OPEN_DESIGNS:
        core = OPEN_DESIGNS[name]
        folders = tuple(core.include_folders())
        yield _Design(name, core.top, core.files(), cycles, folders, BUSY_OUTPUTS)


def _check(design: _Design, way: str, seed: int, found: Compared) -> None:
    wrong = found.first_difference()
    if wrong:
        raise ExperimentError(
            f"{design.name}, {way}, seed {seed}: output {wrong.name} differs in cycle "
            f"{wrong.differs_in_cycle}."
        )
    changes = {output.name: output.changes for output in found.outputs}
    least = LEAST_CHANGES_PER_MILLION * design.cycles // 1_000_000
    for name in design.busy:
        if changes[name] < least:
            raise ExperimentError(
                f"{design.name}, seed {seed}: output {name} changed {changes[name]} times in "
                f"{design.cycles:,} cycles, expected at least {least}: the core hardly runs."
            )


def compare_designs(experiment: Experiment) -> list[Comparison]:
    """Compare all designs.

    Raises:
        ExperimentError: an output differs, or a core does not run; the message says which.
    """
    seed, tool, done = experiment.seed, compare_tool(experiment.folder), []
    for design in _designs(experiment.quick):
        libraries = _models(experiment.folder / design.name, design, seed)
        verilator = libraries.pop("Verilator")
        original = libraries.pop("original")
        pairs = [(way, verilator, library) for way, library in libraries.items()]
        pairs.append(("the original in plain Verilator", original, libraries["untrained"]))
        for way, first, second in pairs:
            found = compare(tool, first, second, seed, design.cycles)
            _check(design, way, seed, found)
            speeds = (design.cycles / 1000 / cpu_s for cpu_s in found.cpu_s)
            done.append(Comparison(design.name, way, design.cycles, *speeds))
    return done
