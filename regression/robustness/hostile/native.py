# SPDX-License-Identifier: BSD-3-Clause
"""Broken input for what is written in C++: the program firesim-hostile, under sanitizers."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from firesim.build.simulator import sanitizer_environment

from regression.robustness.hostile.findings import Finding, Tally

TARGETS = {
    "snapshot-state": 3,
    "snapshot-index": 3,
    "description": 4,
    "elf": 2,
    "disk": 2,
    "traffic": 2,
    "control": 16,
    "frames": 16,
    "far-end": 14,
    "serial-line": 14,
    "scan-chain": 14,
    "json": 10,
    "messages": 10,
    "reader-elf": 10,
    "reader-disk": 5,
    "reader-traffic": 10,
    "reader-links": 10,
    "reader-frames": 10,
}
"""What firesim-hostile knows, each with its share of the cases.

The first six start a simulation for each case, which costs 7 to 90 ms of processor time under the
sanitizers; a case of another costs 0.02 to 0.5 ms.
"""
PROGRAM = "firesim-hostile"
MOST_DEATHS = 20
"""Of one target; then it is broken enough."""
LIMIT_S = 4 * 3600
SANITIZERS = {
    "ASAN_OPTIONS": "max_allocation_size_mb=2048:detect_leaks=0:abort_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


MEMORY = Path("/dev/shm")
"""Where each case's files are written, if there is such a folder."""


@contextmanager
def environment() -> Iterator[dict[str, str]]:
    """Yield what a program with sanitizers runs in, with a folder for files that goes with it."""
    with tempfile.TemporaryDirectory(
        prefix="firesim-hostile-", dir=MEMORY if MEMORY.is_dir() else None
    ) as folder:
        yield sanitizer_environment(**SANITIZERS, TMPDIR=folder)


def _words(binary: Path, base: Path, target: str) -> list[str]:
    return [str(binary), "--base", str(base), "--target", target]


def try_cases(binary: Path, base: Path, target: str, first: int, cases: int, folder: Path) -> Tally:
    """Give a target `cases` cases from a seed on, and go on behind one that kills the process."""
    tally = Tally(target)
    seed, end = first, first + cases
    while seed < end and len(tally.findings) < MOST_DEATHS:
        progress, log = folder / f"{target}.progress", folder / f"{target}.log"
        words = [*_words(binary, base, target), "--seed", str(seed), "--cases", str(end - seed)]
        with log.open("ab") as stream, environment() as variables:
            done = subprocess.run(
                [*words, "--progress", str(progress)],
                stdout=subprocess.PIPE,
                stderr=stream,
                env=variables,
                check=False,
                timeout=LIMIT_S,
            )
        if done.returncode in (0, 1) and done.stdout:
            report = json.loads(done.stdout.splitlines()[-1])
            tally.cases += end - seed
            tally.accepted += int(report["accepted"])
            tally.findings += [Finding(one["seed"], one["problem"]) for one in report["failures"]]
            break
        died = int(progress.read_text() or seed) if progress.exists() else seed
        tally.cases += died + 1 - seed
        tally.findings.append(Finding(died, _last_words(log, done.returncode)))
        seed = died + 1
    return tally


def _last_words(log: Path, status: int) -> str:
    """Return what a sanitizer said before a process died of a case."""
    lines = log.read_text(errors="replace").splitlines()[-400:]
    said = [line for line in lines if "ERROR: " in line or "runtime error: " in line]
    return f"exit status {status}: {said[-1].strip() if said else 'no word'}"


def corpus(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the target and the file of each defect that was found here before."""
    for file in sorted(folder.iterdir()):
        target = target_of(file, TARGETS)
        if target is not None:
            yield target, file


def target_of(file: Path, names: Iterable[str]) -> str | None:
    """Return the target that a file is for: it is called TARGET-WHAT."""
    return next((name for name in names if file.name.startswith(f"{name}-")), None)


def replay(binary: Path, base: Path, target: str, file: Path) -> str:
    """Give a target the input of a file; return what is wrong, or nothing."""
    words = [*_words(binary, base, target), "--replay", str(file)]
    with environment() as variables:
        done = subprocess.run(
            words, capture_output=True, text=True, errors="replace", env=variables, check=False
        )
    return "" if done.returncode == 0 else f"{done.stdout.strip()} {done.stderr.strip()[-2000:]}"
