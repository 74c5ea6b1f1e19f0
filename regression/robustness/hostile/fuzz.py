# SPDX-License-Identifier: BSD-3-Clause
"""The targets in C++ under libFuzzer, which keeps what reaches a branch for the first time.

The program `firesim-fuzz` is built by clang; that takes some minutes of processor time, so it is
not part of --quick, where the same targets get their cases by seed.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from regression.robustness.hostile.findings import Finding, Tally
from regression.robustness.hostile.native import corpus, environment

PROGRAM = "firesim-fuzz"
VARIANT = "fuzz"
RUNS = {
    "reader-frames": 600,
    "far-end": 150,
    "serial-line": 30,
    "scan-chain": 100,
    "json": 150,
    "messages": 150,
    "reader-links": 100,
    "reader-elf": 50,
    "reader-traffic": 50,
    "reader-disk": 30,
    "frames": 10,
    "snapshot-index": 4,
    "snapshot-state": 4,
    "description": 4,
    "control": 4,
    "elf": 2,
    "disk": 2,
    "traffic": 2,
}
"""The share of each target: by what a case costs."""
LARGEST_INPUT_BYTES = 1 << 20
CASE_S, CASE_MIB = 60, 3000
"""The most that one case may take."""
_RUNS = re.compile(r"stat::number_of_executed_units: (\d+)")


def fuzz(
    binary: Path, base: Path, target: str, seed: int, runs: int, folder: Path, kept: Path
) -> Tally:
    """Give a target a number of runs, or as many as it takes to the first defect.

    `kept` is the folder with the inputs of earlier defects; that of a new one goes into `folder`.
    """
    inputs, log = folder / f"fuzz-{target}", folder / f"fuzz-{target}.log"
    inputs.mkdir()
    for name, file in corpus(kept):
        if name == target:
            shutil.copy(file, inputs)
    with environment() as variables, log.open("wb") as stream:
        variables["FIRESIM_FUZZ_BASE"] = str(base)
        variables["FIRESIM_FUZZ_TARGET"] = target
        variables["FIRESIM_FUZZ_SEEDS"] = str(inputs)
        done = subprocess.run(
            [
                str(binary),
                f"-runs={runs}",
                f"-seed={seed}",
                f"-max_len={LARGEST_INPUT_BYTES}",
                f"-timeout={CASE_S}",
                f"-rss_limit_mb={CASE_MIB}",
                f"-artifact_prefix={folder}/{target}-",
                "-detect_leaks=0",
                "-print_final_stats=1",
                str(inputs),
            ],
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=variables,
            check=False,
        )
    text = log.read_text(errors="replace")
    found = _RUNS.search(text)
    tally = Tally(f"{target} (libFuzzer)", int(found[1]) if found else 0)
    if done.returncode != 0:
        tally.findings.append(Finding(0, _what(text, done.returncode)))
    return tally


def _what(log: str, status: int) -> str:
    """Return what ended libFuzzer, and how to try that again."""
    said = re.search(r"^.*(?:ERROR: |runtime error: ).*$", log, re.MULTILINE)
    file = re.search(r"Test unit written to (.*)$", log, re.MULTILINE)
    again = f"; ./firesim experiment hostile --replay {file[1]}" if file else ""
    return f"exit status {status}: {said[0].strip() if said else 'no word'}{again}"
