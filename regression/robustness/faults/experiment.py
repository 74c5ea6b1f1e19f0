# SPDX-License-Identifier: BSD-3-Clause
"""Bad luck in the middle of real runs: the same hash after all, or one clear sentence.

By seed: the manager or the simulator killed, stopped or interrupted at any moment; full, read-only
and removed disks; cut, changed and missing entries of the cache; two first builds at once; few
descriptors, little memory, no room for temporary files, a reader that goes away; process ids that
come again; snapshots cut off; a disk that is full before the run is recorded, a log that cannot be
opened, a process that no signal ends, a host whose answers have another shape. After each, no
process of the run is left, there was no stack trace, and the next run, which goes on from the last
snapshot where there is one, has the same token hash.

As many faults as --threads happen at once, each in a folder of its own. What a fault does depends
on --seed and its number alone: --from NUMBER --faults 1 lets it happen again. Each is kept in
faults.jsonl as it comes; --resume FOLDER goes on with a run that was cut, tries again what was
BROKEN in it, and counts both parts.
"""

from __future__ import annotations

import argparse
import random
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from firesim.units import duration
from firesim_common.errors import InputError, unknown

from regression.robustness.faults.kinds import KINDS
from regression.robustness.faults.own_processes import adopt_orphans, end_all, processor_s
from regression.robustness.faults.record import BROKEN, About, Fault, Record, earlier_faults
from regression.robustness.faults.rig import Base, Broken, Rig, make_base
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

FAULTS = 1_000
SAID_EVERY_S = 30.0


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--faults", type=int, default=0, help="how many there are")
    parser.add_argument("--from", type=int, default=0, dest="first", help="number of the first one")
    parser.add_argument("--kind", help="one kind alone, by its name")
    parser.add_argument(
        "--resume", type=Path, help="go on with a run that was cut: its results folder"
    )


def _kinds(experiment: Experiment) -> list[str]:
    """Return the names of the kinds that are to happen, in turn."""
    only = experiment.arguments.kind
    if only is not None and only not in KINDS:
        raise InputError(f"--kind: {unknown(only, 'one of the kinds', list(KINDS))}")
    return list(KINDS) if only is None else [only]


def let_happen(base: Base, folder: Path, seed: int, number: int, kind: str) -> Fault:
    """Let one fault happen; leave no process behind, and its folder only when it is BROKEN."""
    folder.mkdir()
    rig = Rig(base, folder, random.Random(f"{seed} {number} {kind}"))
    began, spent, what = time.monotonic(), processor_s(), ""
    try:
        ending = KINDS[kind](rig)
    except (Broken, OSError) as error:
        ending, what = BROKEN, str(error)
    finally:
        end_all([run.process for run in rig.started])
    if ending != BROKEN:  # what is wrong is looked at
        shutil.rmtree(folder, ignore_errors=True)
    wall_s, cpu_s = time.monotonic() - began, processor_s() - spent
    return Fault(number, kind, ending, round(wall_s, 2), round(cpu_s, 2), what)


def _follow(experiment: Experiment, record: Record, going: Sequence[Future[Fault]]) -> None:
    """Keep what comes, and say now and then how far it is."""
    began = said = time.monotonic()
    for done, future in enumerate(as_completed(going), 1):
        fault = future.result()
        record.add(fault)
        if fault.ending == BROKEN:
            kind = f" --kind {fault.kind}" if experiment.arguments.kind else ""
            experiment.say(f"{fault.kind}: fault {fault.number}: {fault.what}")
            experiment.say(
                f"again: ./firesim experiment faults --seed {experiment.seed} "
                f"--from {fault.number} --faults 1{kind}"
            )
        now = time.monotonic()
        if now - said >= SAID_EVERY_S:
            said, left_s = now, (now - began) / done * (len(going) - done)
            of = f"{len(record.faults):,} of {len(record.faults) + len(going) - done:,} faults"
            left = f"about {duration(left_s)} left"
            experiment.say(f"{of}, {record.broken} {BROKEN}, {left}")


def _all(experiment: Experiment, base: Base, kinds: list[str], record: Record, count: int) -> None:
    """Let all faults happen that are not in the record, several at once."""
    first, had = experiment.arguments.first, {fault.number for fault in record.faults}
    numbers = [number for number in range(first, first + count) if number not in had]
    pool = ProcessPoolExecutor(
        max(1, min(experiment.threads, len(numbers))), initializer=adopt_orphans
    )
    try:
        going = [
            pool.submit(
                let_happen,
                base,
                experiment.folder / f"fault-{number:04d}",
                experiment.seed,
                number,
                kinds[number % len(kinds)],
            )
            for number in numbers
        ]
        _follow(experiment, record, going)
    except BrokenProcessPool as error:
        raise ExperimentError(
            f"a worker was killed; to go on: --resume {experiment.folder}"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


@experiment_named("faults", _arguments)
def run(experiment: Experiment) -> Verdict:
    """Hold when every fault ends in the same hash or one sentence, and the next run works."""
    kinds = _kinds(experiment)
    count: int = experiment.arguments.faults or (len(kinds) if experiment.quick else FAULTS)
    try:
        base = make_base(experiment.folder / "base")
    except Broken as error:
        raise ExperimentError(str(error)) from error
    about = About(experiment.seed, kinds, base.token_hash)
    earlier = experiment.arguments.resume
    before = [] if earlier is None else earlier_faults(earlier.absolute(), about)
    record = Record(experiment.folder, about, before)
    _all(experiment, base, kinds, record, count)
    shutil.rmtree(experiment.folder / "base")
    columns = ["kind", "times", "how the run ended", "wall time (s)", "processor time (s)"]
    rows = record.rows()
    experiment.table("Faults", columns, rows)
    happened, broken = len(record.faults), record.broken
    cpu_s = round(sum(fault.cpu_s for fault in record.faults), 1)
    experiment.keep(faults=happened, broken=broken, token_hash=base.token_hash, cpu_s=cpu_s)
    figure = f"{happened - broken} of {happened} faults of {len(rows)} kinds ended in order,"
    return Verdict(broken == 0, figure, "every one")
