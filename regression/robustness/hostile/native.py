# SPDX-License-Identifier: BSD-3-Clause
"""Broken input for what is written in C++: the program firesim-hostile, under sanitizers."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from regression.robustness.hostile.findings import Finding, Tally

TARGETS = {
    "snapshot-state": 6,
    "snapshot-index": 4,
    "description": 4,
    "elf": 2,
    "disk": 1,
    "traffic": 2,
    "control": 3,
    "frames": 4,
}
"""What firesim-hostile knows, each with its share of the cases."""
PROGRAM = "firesim-hostile"
MOST_DEATHS = 20
"""Of one target; then it is broken enough."""
LIMIT_S = 900
SANITIZERS = {
    "ASAN_OPTIONS": "max_allocation_size_mb=2048:detect_leaks=0:abort_on_error=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def _words(binary: Path, base: Path, target: str) -> list[str]:
    return [str(binary), "--base", str(base), "--target", target]


def try_cases(binary: Path, base: Path, target: str, first: int, cases: int, folder: Path) -> Tally:
    """Give a target so many cases from a seed on, and go on behind one that kills the process."""
    tally = Tally(target)
    seed, end = first, first + cases
    while seed < end and len(tally.findings) < MOST_DEATHS:
        progress, log = folder / f"{target}.progress", folder / f"{target}.log"
        words = [*_words(binary, base, target), "--seed", str(seed), "--cases", str(end - seed)]
        with log.open("ab") as stream:
            done = subprocess.run(
                [*words, "--progress", str(progress)],
                stdout=subprocess.PIPE,
                stderr=stream,
                env={**os.environ, **SANITIZERS},
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
        target = next((name for name in TARGETS if file.name.startswith(f"{name}-")), None)
        if target is not None:
            yield target, file


def replay(binary: Path, base: Path, target: str, file: Path) -> str:
    """Give a target the input of a file; return what is wrong, or nothing."""
    words = [*_words(binary, base, target), "--replay", str(file)]
    done = subprocess.run(
        words, capture_output=True, text=True, env={**os.environ, **SANITIZERS}, check=False
    )
    return "" if done.returncode == 0 else f"{done.stdout.strip()} {done.stderr.strip()[-2000:]}"
