# SPDX-License-Identifier: BSD-3-Clause
"""Designs of `fame-proof`, small ones to be proved and larger ones to be simulated, compiled."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import goldengate
from firesim.build.rtl import peripherals
from firesim.build.rtl_blade import load_blade
from firesim_common.paths import ROOT
from goldengate.harness import Model
from goldengate.sharing import Sharing, compile_shared
from goldengate.stalls import run_stalled
from goldengate.tests import fame1_designs
from goldengate.tests.designs import PORTS, top, write

from regression.support.experiment import ExperimentError
from regression.support.open_designs import OPEN_DESIGNS

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
DEVICES = ("NIC", "BlockDevice", "UART")
CORES = ("SERV", "PicoRV32", "VexRiscv_Full", "Ibex", "CV32E40P")
RESET_CYCLES = 4
EAGERNESS = (0.1, 0.5, 0.9, 1.0)
"""Probabilities with which a stalled channel goes on in a host cycle; each has one of them."""


@dataclass(frozen=True)
class Case:
    """A design: what is compiled, and how."""

    name: str
    top: str
    sources: list[Path]
    more: dict[str, Any] = field(default_factory=dict)

    def request(self, out: Path, target: str) -> goldengate.Request:
        """Return the compilation of this design into a folder."""
        more = {**self.more}
        if "include_dirs" in more:
            more["include_dirs"] = [str(path) for path in more["include_dirs"]]
        sources = [str(source) for source in self.sources]
        return goldengate.Request(sources, self.top, str(out), target=target, **more)


def small(folder: Path) -> Iterable[Case]:
    """Write the designs to be proved into `folder` and yield them."""
    ratio_ports = f"input logic slow, {PORTS}"
    texts = {
        "bridge": top(fame1_designs.DESIGN),
        "asynchronous": top(fame1_designs.ASYNCHRONOUS),
        "ratio": top(fame1_designs.RATIO, ratio_ports),
        "open": top(fame1_designs.OPEN),
    }
    for name, text in texts.items():
        more = {"clock_ratios": {"slow": "2/3"}} if name == "ratio" else {}
        yield Case(name, "Top", [write(folder, text, f"{name}.sv")], more)


def larger(quick: bool) -> Iterable[Case]:
    """Yield the designs to be simulated."""
    yield Case("PacketReflector", "PacketReflector", [REFLECTOR])
    if quick:
        return
    devices = sorted(peripherals(load_blade("rocket-1")).glob("*.sv"))
    for name in DEVICES:
        yield Case(name, name, devices)
    for name in CORES:
        core = OPEN_DESIGNS[name]
        more = {"include_dirs": core.include_folders()}
        yield Case(name, core.top, core.files(), more)


def lowered(case: Case, folder: Path) -> None:
    """Leave the netlists of a case in `folder/cpu` and `folder/form`."""
    for target, name in (("cpu", "cpu"), ("fame1", "form")):
        goldengate.lower(case.request(folder / name, target))


def compiled_form(case: Case, folder: Path, sharing: Sharing | None) -> Path:
    """Compile a case to a FAME-1 form that shares what is asked for."""
    request = case.request(folder, "fame1")
    return goldengate.compile_request(request) if not sharing else compile_shared(request, sharing)


@dataclass(frozen=True)
class Simulated:
    """Tokens of a design that were compared, and host cycles for a target cycle, by seed."""

    name: str
    target_cycles: int
    channels: int
    host_cycles: list[int]


def inputs(
    manifest: goldengate.Manifest, cycles: int, generator: random.Random
) -> list[dict[str, int]]:
    """Return random inputs of a target in each cycle, with a reset in the first ones."""
    ports = [port for port in manifest.ports if port.direction == "in"]
    resets = [port.name for port in ports if re.fullmatch(r"reset|rst\w*", port.name)]
    return [
        {port.name: generator.getrandbits(port.width_bits) for port in ports}
        | dict.fromkeys(resets, int(cycle < RESET_CYCLES))
        for cycle in range(cycles)
    ]


def simulate(
    case: Case,
    folder: Path,
    cycles: int,
    seeds: range,
    eagerness: tuple[float, ...] = EAGERNESS,
    sharing: Sharing | None = None,
    change: Callable[[Path], None] | None = None,
) -> Simulated:
    """Stall a form at random, differently for each seed, and compare it with the CPU model.

    Each channel goes on with one of the probabilities of `eagerness`. The form shares what
    `sharing` says; `change` may plant a fault into its folder.

    Raises:
        ExperimentError: a token or a counter differs.
    """
    cpu = goldengate.compile(case.sources, case.top, folder / "cpu", **case.more)
    form = compiled_form(case, folder / "form", sharing)
    if change is not None:
        change(form)
    manifest = goldengate.Manifest.read(form)
    said = manifest.fame1
    assert said is not None
    files = [form / name for name in said.files]
    host = goldengate.compile(files, said.top, folder / "host", clock=said.clock, reset=said.reset)
    counters = {counter.port for counter in manifest.counters}
    host_cycles = []
    for seed in seeds:
        generator = random.Random(seed)
        given = inputs(manifest, cycles, generator)
        with Model(cpu / "model.so") as model:
            expected = [model.step(values) for values in given]
            after = model.step(given[-1])
        found = run_stalled(host / "model.so", manifest, given, generator, eagerness)
        for cycle, outputs in enumerate(expected):
            wanted = {name: value for name, value in outputs.items() if name not in counters}
            if found.outputs[cycle] != wanted:
                text = f"{case.name}, seed {seed}: the tokens of cycle {cycle} differ"
                raise ExperimentError(text)
        if found.counters != {name: after[name] for name in counters}:
            raise ExperimentError(f"{case.name}, seed {seed}: the counters differ")
        host_cycles.append(found.host_cycles)
    return Simulated(case.name, cycles, len(said.channels), host_cycles)
