"""Instructions per second of a functional hart, with QEMU beside it.

A compute loop (regression/functional_speed_loop.c: hashing, sorting through a function pointer, a
sieve) runs on one functional hart and in QEMU, which translates code to the host's; turn by turn,
in one run. Given is the median of processor time, which other work on the host does not disturb.
Time never decides: the verdict is that both machines compute the right sums, and that every run of
the hart takes the same number of instructions.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
from pathlib import Path

from firesim_software import link
from firesim_software.qemu import run as run_qemu

from regression.functional_oracle import runner
from regression.rtl_oracle_machines import SCRIPT
from regression.support.experiment import Experiment, ExperimentError, Verdict, run_experiment

LOOP = Path(__file__).resolve().parent / "functional_speed_loop.c"
RUNS, QUICK_RUNS = 5, 1
MILLION = 1_000_000


def _link(folder: Path, name: str, macros: list[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return link([LOOP], SCRIPT, folder / name, macros)


def functional_run(binary: Path, elf: Path) -> tuple[int, float]:
    """Run the loop on a functional hart; return its instructions and processor seconds.

    Raises:
        ExperimentError: the loop failed.
    """
    command = [str(binary), "--time", str(elf)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        raise ExperimentError(f"{' '.join(command)}: exit status {done.returncode}. {done.stderr}")
    found = json.loads(done.stderr)
    return int(found["instructions"]), float(found["seconds"])


def qemu_run(elf: Path) -> float:
    """Run the loop in QEMU; return its processor seconds.

    Raises:
        ExperimentError: the loop failed.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run_qemu(elf, timeout_s=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.exit_code != 0:
        raise ExperimentError(f"{elf}: the loop failed in QEMU with {done.exit_code}.")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _measure(experiment: Experiment) -> Verdict:
    runs = QUICK_RUNS if experiment.quick else RUNS
    binary = runner()
    ours = _link(experiment.folder, "loop.elf", [])
    theirs = _link(experiment.folder, "loop-qemu.elf", ["FIRESIM_QEMU_VIRT"])
    counts, functional, qemu = set(), [], []
    for _ in range(runs):
        count, seconds = functional_run(binary, ours)
        counts.add(count)
        functional.append(seconds)
        qemu.append(qemu_run(theirs))
    rows, rates = [], {}
    for name, times in (("functional hart", functional), ("QEMU", qemu)):
        rate = max(counts) / MILLION / statistics.median(times)
        rates[name] = rate
        rows.append([name, f"{statistics.median(times):.2f}", f"{min(times):.2f}", f"{rate:,.0f}"])
    experiment.table(
        "Compute loop, one core", ["machine", "median s", "least s", "million instr./s"], rows
    )
    experiment.keep(instructions=max(counts), runs=runs, functional_s=functional, qemu_s=qemu)
    figure = (
        f"{rates['functional hart']:,.0f} million instructions/s of processor time (measured), "
        f"QEMU {rates['QEMU']:,.0f}"
    )
    return Verdict(len(counts) == 1, figure, f"one number of instructions; found {sorted(counts)}")


def _arguments(_: argparse.ArgumentParser) -> None:
    pass


def run(argv: list[str]) -> int:
    """Run the experiment; return 0 when the loop's result is right."""
    return run_experiment("functional-speed", __doc__, argv, _measure, _arguments)
