# SPDX-License-Identifier: BSD-3-Clause
"""Open cores as their repositories have them: both engines and two references, every output equal.

`--cores FOLDER` is a folder with clones of the repositories that `cores/*.yaml` name (nothing of
them is part of FireSim), each below its own name; `--core NAME` chooses some. Each core gets random
inputs by the seed. In every cycle from 0 on, every output of the generated engine is compared with
that of our Verilator path, of plain Verilator on the original text, and of Icarus Verilog where it
is installed and can read the text (else it simulates the flat Verilog that the passes write). Bits
that Icarus calls unknown say nothing. `--speed` measures instead: our two engines and plain
Verilator alternately, by processor time, where all show the same. `--quick`, or without a folder: a
small design of ours, of which a copy with one operator changed must be noticed.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from firesim_common.errors import InputError
from firesim_common.tools import ToolError
from goldengate.errors import nearest

from regression.hardware.open_cores import speeds
from regression.hardware.open_cores.core import Core, known_cores, read_core
from regression.hardware.open_cores.sides import (
    GENERATED,
    ICARUS,
    PLAIN,
    SIDES,
    VERILATOR,
    Bench,
    Compared,
    Side,
    build_drive,
)
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

EXAMPLE = Path(__file__).resolve().parent / "example"
_COLUMNS = ("core", "cycles", "outputs", "alive", *SIDES, "kHz generated / verilator / plain")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cores", type=Path, help="folder with clones of the repositories")
    parser.add_argument("--core", action="append", help="a core by name (may be repeated)")
    parser.add_argument("--cycles", type=int, help="cycles, for all cores")
    parser.add_argument("--speed", action="store_true", help="measure the engines' speeds")
    parser.add_argument(
        "--rounds", type=int, default=speeds.ROUNDS, help="of --speed, an odd number"
    )


def _chosen(experiment: Experiment) -> list[Core]:
    known, wanted = known_cores(), experiment.arguments.core
    for name in wanted or ():
        if name not in known:
            raise InputError(f'--core: found "{name}"{nearest(name, known)}, expected a core.')
    return [known[name] for name in wanted or known]


def _cell(found: Compared | None, side: Side | None) -> str:
    if side is None:
        return "-"
    if side.failure or found is None:
        return "did not run"
    if found.different:
        return f"{found.different:,} of {found.equal + found.different:,} differ"
    unknown = f", {found.unknown:,} unknown" if found.unknown else ""
    return f"{found.equal:,} equal{unknown}"


def _short(failure: str) -> str:
    """Leave out the middle of what a tool said: most of it is its command."""
    return failure if len(failure) < 900 else f"{failure[:150]} ... {failure[-700:]}"


def _rate(side: Side | None) -> str:
    if side is None or not side.cpu_s:
        return "-"
    return f"{len(side.outputs) / side.cpu_s / 1000:,.0f}"


def _run(experiment: Experiment, core: Core, root: Path, drive: Path) -> tuple[list[str], bool]:
    """Run a core; return its row, and whether nothing differs and our engines ran."""
    cycles = experiment.arguments.cycles or core.cycles
    bench = Bench(experiment.folder / core.name, core, root, experiment.seed, cycles)
    sides = bench.run(drive)
    if core.without_plain:
        experiment.say(f"{core.name}: plain Verilator is not asked: {core.without_plain}")
    reference = sides.get(GENERATED, Side(failure="-"))
    against = sides.get(VERILATOR, Side(failure="-")) if reference.failure else reference
    found: dict[str, Compared] = {}
    for name, side in sides.items():
        if side.failure:
            experiment.say(f"{core.name}, {name}: {_short(side.failure)}")
        elif not against.failure:
            found[name] = bench.compare(against, side, name == ICARUS)
            if found[name].first:
                experiment.say(f"{core.name}, {name}: {found[name].first}")
    rates = " / ".join(_rate(sides.get(name)) for name in (GENERATED, VERILATOR, PLAIN))
    row = [core.name, f"{cycles:,}", str(len(bench.outputs)), str(bench.alive(against))]
    row += [_cell(found.get(name), sides.get(name)) for name in SIDES]
    equal = {name for name, one in found.items() if not one.different and one.equal}
    return [*row, rates], equal == set(found) and {GENERATED, VERILATOR} <= equal


def _harness_notices(experiment: Experiment, core: Core, drive: Path) -> bool:
    """Return whether a copy of the example with one operator changed differs."""
    changed = experiment.folder / "changed"
    shutil.copytree(EXAMPLE, changed)
    source = changed / "crossing.sv"
    text = source.read_text()
    if "second + 1" not in text:
        raise ExperimentError(f"{source}: found no text to change.")
    source.write_text(text.replace("second + 1", "second + 2"))
    own = Bench(experiment.folder / "own", core, EXAMPLE, experiment.seed, 200)
    other = Bench(experiment.folder / "other", core, changed, experiment.seed, 200)
    sides = [bench.run(drive, (GENERATED,))[GENERATED] for bench in (own, other)]
    return own.compare(sides[0], sides[1], False).different > 0


def _present(experiment: Experiment) -> list[tuple[Core, Path]]:
    """Return the cores that are chosen and whose repository is there, each with its folder."""
    if experiment.quick or experiment.arguments.cores is None:
        return [(read_core(EXAMPLE / "crossing.yaml"), EXAMPLE)]
    found = []
    for core in _chosen(experiment):
        root = experiment.arguments.cores.resolve() / core.folder
        if root.is_dir():
            found.append((core, root))
        else:
            experiment.say(f"{core.name}: found no folder {root}, which is {core.repository}.")
    return found


def _speeds(experiment: Experiment, drive: Path) -> Verdict:
    """Build all, then measure; hold when each core ran on all sides and showed the same."""
    cycles = experiment.arguments.cycles or (2_000 if experiment.quick else speeds.CYCLES)
    present, built = _present(experiment), []
    for core, root in present:
        bench = Bench(experiment.folder / core.name, core, root, experiment.seed, cycles)
        built.append(speeds.Built(bench, *bench.build(speeds.FAST)))
        for name, failure in built[-1].failures.items():
            experiment.say(f"{core.name}, {name}: {_short(failure)}")
    rows, held = [], 0
    for one in built:
        try:
            found = one.measure(drive, experiment.arguments.rounds)
        except (ToolError, ExperimentError) as error:
            experiment.say(f"{one.bench.core.name}: {_short(str(error))}")
            continue
        rows.append(found.row(one.bench.core.name))
        held += not one.failures
    title = f"Thousand cycles in a second of processor time, {cycles:,} cycles"
    experiment.table(title, speeds.COLUMNS, rows)
    figure = f"{held} of {len(present)} cores measured on every side, with equal outputs,"
    return Verdict(held == len(present) > 0, figure, "all of them")


@experiment_named("open-cores", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every output of every core that runs is equal on all sides."""
    drive = build_drive(experiment.folder)
    if experiment.arguments.speed:
        return _speeds(experiment, drive)
    rows, held, present = [], 0, _present(experiment)
    is_example = [root for _, root in present] == [EXAMPLE]
    if is_example and not _harness_notices(experiment, present[0][0], drive):
        return Verdict(False, "a changed copy was not noticed,", "a difference")
    for core, root in present:
        try:
            row, is_held = _run(experiment, core, root, drive)
        except InputError as error:
            experiment.say(str(error))
            row, is_held = [core.name, *["-"] * (len(_COLUMNS) - 1)], False
        rows.append(row)
        held += is_held
    experiment.table("Outputs equal in a cycle", _COLUMNS, rows)
    experiment.keep(cores=len(rows), equal=held)
    figure = f"{held} of {len(rows)} cores equal in every output and cycle,"
    return Verdict(held == len(rows) > 0, figure, "all of them")
