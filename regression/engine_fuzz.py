"""Random netlists in the generated engine against CXXRTL, the simulator of Yosys, cycle by cycle.

Each netlist has a seed of its own: cells of every kind, widths of 1 to 200 bits, memories,
registers with resets of every kind, initial values. Many are compiled side by side, once cut into
pieces, once into clusters by an invented profile. A difference prints the seed that replays it.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from firesim.build.tools import run as run_tool
from goldengate.engine import backend, items, netlist, rtlil

from regression.support.engine_fuzz import netlists
from regression.support.experiment import Experiment, Verdict, run_experiment
from regression.support.random_inputs import compare_tool, differences, invented_cut

QUICK_NETLISTS, NETLISTS, BATCH = 300, 20_000, 100
CYCLES = 240
HERE = Path(__file__).resolve().parent / "support" / "engine_fuzz"
_WRITE_ORACLE = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
ys.run_pass(f"read_rtlil {sys.argv[1]}", design)
ys.run_pass(f"write_cxxrtl -g0 -O2 -namespace oracle {sys.argv[2]}", design)
"""


@dataclass(frozen=True)
class Difference:
    """An output that was not equal: of the netlist of `seed`, first in `cycle`."""

    seed: int
    clusters: str
    port: str
    cycle: int


def _oracle(folder: Path, ports: list[tuple[str, int, str]]) -> Path:
    """Compile the CXXRTL model of folder/batch.il behind the engine interface."""
    source = folder / "oracle_model.cc"
    run_tool([sys.executable, "-c", _WRITE_ORACLE, folder / "batch.il", source])
    lines = ['#include "oracle_model.cc"', f"using Model = oracle::p_{netlists.TOP};"]
    lines += [f"constexpr unsigned kPortCount = {len(ports)};", "template <typename Visitor>"]
    lines += ["void visit_ports(Model &model, Visitor &&visit) {"]
    for name, width, direction in ports:
        field = "p_" + name.replace("_", "__")
        is_input = str(direction == "input").lower()
        lines.append(f'  visit("{name}", {width}, {is_input}, model.{field});')
    (folder / "oracle.cc").write_text("\n".join([*lines, "}", '#include "oracle.h"', ""]))
    import pyosys

    runtime = Path(pyosys.__file__).parent / "share/include/backends/cxxrtl/runtime"
    library = folder / "oracle.so"
    run_tool(
        [backend.COMPILER, "-std=c++20", "-O0", "-fPIC", "-shared", "-fvisibility=hidden", "-w",
         "-isystem", runtime, "-I", HERE, "-I", backend.ENGINE_FOLDER, "-o", library,
         folder / "oracle.cc"]
    )  # fmt: skip
    return library


def _generated(folder: Path, ports: list[tuple[str, int, str]], seed: int) -> dict[str, Path]:
    with (folder / "batch.il").open() as stream:
        module = rtlil.parse(stream, netlists.TOP)
    design = netlist.build(module, "clock", [name for name, _, _ in ports])
    found = items.collect(design)
    libraries = {}
    cuts = (("pieces", backend.untrained(found)), ("cut", invented_cut(found, seed)))
    for name, emitter in cuts:
        library = folder / f"{name}.so"
        backend.make_model(emitter, "", folder / name, library, 1, [], ["-O0"])
        libraries[name] = library
    return libraries


def _batch(experiment: Experiment, compare: Path, seeds: list[int]) -> list[Difference]:
    """Build and compare a batch; its files stay only when something differs."""
    folder = experiment.folder / f"seed-{seeds[0]}"
    folder.mkdir(parents=True)
    text, ports = netlists.module(seeds)
    (folder / "batch.il").write_text(text)
    oracle = _oracle(folder, ports)
    found = []
    for name, library in _generated(folder, ports, seeds[0]).items():
        for port, cycle in differences(compare, oracle, library, seeds[0], CYCLES):
            found.append(Difference(int(port[1:].split("_")[0]), name, port, cycle))
    if not found:
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        folder.rmdir()
    return found


def _measure(experiment: Experiment) -> Verdict:
    wanted = experiment.arguments.netlists or (QUICK_NETLISTS if experiment.quick else NETLISTS)
    compare = compare_tool(experiment.folder)
    found: list[Difference] = []
    seeds = range(experiment.seed, experiment.seed + wanted)
    began = time.monotonic()
    for start in range(0, wanted, BATCH):
        found += _batch(experiment, compare, list(seeds[start : start + BATCH]))
    for difference in found[:20]:
        experiment.say(
            f"seed {difference.seed}, {difference.clusters}: output {difference.port} differs in "
            f"cycle {difference.cycle}\nreplay: firesim experiment engine-fuzz "
            f"--seed {difference.seed} --netlists 1"
        )
    broken = {difference.seed for difference in found}
    experiment.keep(netlists=wanted, different=sorted(broken), cycles=CYCLES)
    experiment.keep(wall_s=round(time.monotonic() - began, 1))
    figure = f"{wanted:,} random netlists, each cut in two ways, {len(broken)} different,"
    return Verdict(not broken, figure, "none different")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--netlists", type=int, default=0, help="how many, from the seed on")


def run(argv: list[str]) -> int:
    """Run the experiment; return 0 when every output of every netlist was equal in every cycle."""
    return run_experiment("engine-fuzz", __doc__, argv, _measure, _arguments)
