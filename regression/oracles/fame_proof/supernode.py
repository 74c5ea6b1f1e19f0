# SPDX-License-Identifier: BSD-3-Clause
"""Supernodes (FAME-5): every token of every target, and what they take of an FPGA."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import goldengate
from goldengate.channels import node_name
from goldengate.harness import Model
from goldengate.sharing import Sharing
from goldengate.stalls import of_supernode, run_stalled, tokens_of
from goldengate.tests import fame1_designs
from goldengate.tests.designs import top, write

from regression.oracles.fame_proof.designs import EAGERNESS, Case, compiled_form, inputs
from regression.oracles.fame_proof.savings import counts, plant_in
from regression.support.experiment import Experiment, ExperimentError
from regression.support.open_designs import OPEN_DESIGNS

THREADS = 4


@dataclass(frozen=True)
class Compared:
    """A supernode: target cycles of each target, and what one plain form and all together take."""

    name: str
    target_cycles: int
    host_cycles: list[int]
    plain: dict[str, float]
    shared: dict[str, float]


def _cases(folder: Path, quick: bool) -> Iterable[Case]:
    text = top(fame1_designs.DESIGN)
    yield Case("small design with a bridge", "Top", [write(folder, text, "nodes.sv")])
    for name in () if quick else ("SERV", "PicoRV32"):
        core = OPEN_DESIGNS[name]
        yield Case(name, core.top, core.files(), {"include_dirs": core.include_folders()})


def _simulate(case: Case, folder: Path, cycles: int, seeds: range, faulty: bool) -> list[int]:
    """Compare all tokens and counters of a supernode; return the host cycles of each seed.

    Raises:
        ExperimentError: something differs.
    """
    cpu = goldengate.compile(case.sources, case.top, folder / "cpu", **case.more)
    form = compiled_form(case, folder / "form", Sharing(fame5_threads=THREADS))
    if faulty:
        plant_in(form / "fame1.v", ".firesim_slot(slot)", ".firesim_slot(~slot)")
    target, manifest = goldengate.Manifest.read(cpu), goldengate.Manifest.read(form)
    said = manifest.fame1
    assert said is not None
    files = [form / name for name in said.files]
    host = goldengate.compile(files, said.top, folder / "host", clock=said.clock, reset=said.reset)
    host_cycles = []
    for seed in seeds:
        generator = random.Random(seed)
        given = [inputs(target, cycles, generator) for _ in range(THREADS)]
        outputs: list[list[dict[str, int]]] = []
        counters: dict[str, int] = {}
        for thread, values in enumerate(given):
            with Model(cpu / "model.so") as model:
                outputs.append([tokens_of(target, model.step(one)) for one in values])
                after = model.step(values[-1])
            counters |= {node_name(thread, one.port): after[one.port] for one in target.counters}
        together = of_supernode(given)
        found = run_stalled(host / "model.so", manifest, together, generator, EAGERNESS)
        if found.outputs != of_supernode(outputs) or found.counters != counters:
            raise ExperimentError(f"{case.name}, {THREADS} targets, seed {seed}: tokens differ")
        host_cycles.append(found.host_cycles)
    return host_cycles


def compare(experiment: Experiment, cycles: int, seeds: range) -> list[Compared]:
    """Compare all supernodes with the CPU model; synthesize them too, unless --quick.

    Raises:
        ExperimentError: a token differs.
    """
    folder = experiment.folder / "supernodes"
    folder.mkdir()
    found = []
    for number, case in enumerate(_cases(folder, experiment.quick)):
        own = folder / str(number)
        host_cycles = _simulate(case, own, cycles, seeds, False)
        taken: list[dict[str, float]] = [{}, {}]
        if not experiment.quick:
            taken = [counts(compiled_form(case, own / "plain", None)), counts(own / "form")]
        found.append(Compared(case.name, cycles, host_cycles, *taken))
    return found


def fault_is_found(experiment: Experiment, cycles: int, seeds: range) -> bool:
    """Return whether tokens differ when the targets take each other's turns."""
    folder = experiment.folder / "planted-turns"
    folder.mkdir()
    case = next(iter(_cases(folder, True)))
    try:
        _simulate(case, folder, cycles, seeds, True)
    except ExperimentError:
        return True
    return False


def table(experiment: Experiment, found: list[Compared], seeds: int) -> None:
    """Show tokens and savings."""
    rows = []
    for one in found:
        pairs = [
            f"{THREADS * one.plain[kind]:,.0f} -> {one.shared[kind]:,.0f}" if one.plain else "-"
            for kind in ("lut", "ff", "bram_kbit")
        ]
        total = one.target_cycles * seeds * THREADS
        rows.append([one.name, f"{total:,}", *pairs, str(THREADS)])
    columns = ["design", "target cycles compared", "LUT4", "FF", "BRAM (kbit)",
               "host cycles a target cycle"]  # fmt: skip
    experiment.table(f"Supernodes of {THREADS} targets (FAME-5), on ECP5", columns, rows)
    experiment.keep(supernodes=[dataclasses.asdict(one) for one in found])
