# SPDX-License-Identifier: BSD-3-Clause
"""No token of a FAME-1 form is lost, doubled or changed, whatever its channels do.

Small designs are proved by Yosys: induction over the queue of a channel and over the step of the
whole form, equivalence with the CPU model's netlist, and that nothing changes without a step
(`lemmas`). Faults are planted, one for each lemma, which must be refuted. Larger designs run with
channels that stall at random; every token and counter is compared with the CPU model. Forms that
share resources are proved and compared likewise, with what they take of an FPGA (`savings`).
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from firesim_common.tools import python_command

from regression.oracles.fame_proof import savings, supernode
from regression.oracles.fame_proof.designs import Case, larger, lowered, simulate, small
from regression.oracles.fame_proof.lemmas import LEMMAS, SLOTS
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

CYCLES, QUICK_CYCLES = 2000, 400
SEEDS, QUICK_SEEDS = 12, 2

_FAULTS: dict[str, tuple[str, Callable[[str], str]]] = {
    "queue": (
        "firesim_token_queue.v",
        lambda text: text.replace("push & has_first & ~pop", "push & has_first"),
    ),
    "steps": ("fame1.v", lambda text: text.replace(" & next_1", "", 1)),
    "target": ("target.v", lambda text: text.replace(" = count + x", " = count - x", 1)),
    "hold": (
        "target.v",
        lambda text: text.replace("if (firesim_fire) count <=", "if (1'b1) count <=", 1),
    ),
}
"""By lemma that must refute it: a file of the form of the design `bridge`, and what is changed."""


def decide(lemma: str, folder: Path, top: str) -> bool:
    """Decide a lemma about the netlists in `folder`.

    Raises:
        ExperimentError: Yosys came to no decision.
    """
    log = folder / f"{lemma}.out"
    command = python_command("-m", "regression.oracles.fame_proof.lemmas", lemma, folder, top)
    with log.open("w") as stream:
        done = subprocess.run(command, stdout=stream, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise ExperimentError(f"lemma {lemma}: no decision, see {log}")
    return str(json.loads((folder / f"{lemma}.json").read_text())["verdict"]) == "proved"


def _planted(case: Case, folder: Path, good: Path, lemma: str) -> bool:
    """Return whether a planted fault is refuted."""
    file, change = _FAULTS[lemma]
    shutil.copytree(good, folder)
    place = folder / "form" / file
    text = place.read_text()
    broken = change(text)
    if broken == text:
        raise ExperimentError(f"the fault for lemma {lemma} could not be planted in {place}")
    place.write_text(broken)
    return not decide(lemma, folder, case.top)


def _proofs(experiment: Experiment) -> tuple[int, list[str]]:
    """Prove all lemmas of all small designs; return how many, and what was not as expected."""
    folder = experiment.folder
    cases = list(small(folder))
    for case in cases:
        lowered(case, folder / case.name)
    work = [(case, lemma) for case in cases for lemma in LEMMAS]
    with ThreadPoolExecutor(experiment.threads) as pool:
        proved = list(pool.map(lambda one: decide(one[1], folder / one[0].name, one[0].top), work))
        found = list(
            pool.map(
                lambda lemma: _planted(
                    cases[0], folder / f"planted-{lemma}", folder / cases[0].name, lemma
                ),
                LEMMAS,
            )
        )
    verdicts = {(case.name, lemma): yes for (case, lemma), yes in zip(work, proved, strict=True)}
    rows = [
        [case.name, *("proved" if verdicts[case.name, lemma] else "refuted" for lemma in LEMMAS)]
        for case in cases
    ]
    rows.append(["a planted fault", *("refuted" if one else "not found" for one in found)])
    experiment.table("Lemmas", ["design", *LEMMAS], rows)
    wrong = [f"{name}: {lemma} is refuted" for (name, lemma), yes in verdicts.items() if not yes]
    wrong += [f"fault of {lemma} not found" for lemma, yes in zip(LEMMAS, found, strict=True)
              if not yes]  # fmt: skip
    return len(work), wrong


def _sharing(experiment: Experiment, cycles: int, seeds: range) -> tuple[int, list[str]]:
    """Prove and compare forms that share; return target cycles, and what was not as expected."""
    good, broken = experiment.folder / "slots", experiment.folder / "planted-slots"
    case = savings.prepare_proof(good)
    savings.plant(good, broken)
    wrong = []
    if not decide(SLOTS, good, case.top):
        wrong.append(f"{case.name}: {SLOTS} is refuted")
    if decide(SLOTS, broken, case.top):
        wrong.append(f"fault of {SLOTS} not found")
    early = experiment.folder / "early"
    if not experiment.quick and not savings.fault_is_found(early, cycles, seeds[:1]):
        wrong.append("a step that is a slot too early changes no token")
    found = savings.compare(experiment, cycles, seeds)
    savings.tables(experiment, found, len(seeds))
    nodes = supernode.compare(experiment, cycles, seeds)
    supernode.table(experiment, nodes, len(seeds))
    if not experiment.quick and not supernode.fault_is_found(experiment, cycles, seeds[:1]):
        wrong.append("targets that take each other's turns change no token")
    total = sum(one.simulated.target_cycles for one in found)
    total += sum(one.target_cycles * supernode.THREADS for one in nodes)
    return total * len(seeds), wrong


@experiment_named("fame-proof")
def run(experiment: Experiment) -> Verdict:
    """Hold only when every lemma is proved, every fault found, and no token differs."""
    proofs, wrong = _proofs(experiment)
    cycles = QUICK_CYCLES if experiment.quick else CYCLES
    seeds = range(experiment.seed, experiment.seed + (QUICK_SEEDS if experiment.quick else SEEDS))
    experiment.say(f"seeds {seeds.start} to {seeds.stop - 1}")
    simulated = []
    for case in larger(experiment.quick):
        simulated.append(simulate(case, experiment.folder / case.name, cycles, seeds))
    rows = []
    for one in simulated:
        rates = sorted(host / one.target_cycles for host in one.host_cycles)
        rows.append([one.name, one.channels, f"{one.target_cycles * len(seeds):,}",
                     f"{rates[0]:.1f} to {rates[-1]:.1f}"])  # fmt: skip
    columns = ["design", "channels", "target cycles compared", "host cycles a target cycle"]
    experiment.table("Stalled at random", columns, rows)
    shared, also_wrong = _sharing(experiment, cycles, seeds)
    wrong += also_wrong
    for line in wrong:
        experiment.say(line)
    total = shared + sum(one.target_cycles * len(seeds) for one in simulated)
    experiment.keep(proofs=proofs, wrong=wrong, simulated=[vars(one) for one in simulated])
    faults = len(LEMMAS) + (1 if experiment.quick else 3)
    figure = (
        f"{proofs + 1} lemmas about FAME-1 forms, {faults} planted faults, {len(wrong)} not "
        f"as expected; {total:,} target cycles of stalled designs, no token differs"
    )
    return Verdict(not wrong, figure, "all proved, all faults refuted")
