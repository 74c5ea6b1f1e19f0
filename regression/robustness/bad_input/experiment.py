# SPDX-License-Identifier: BSD-3-Clause
"""Broken input is refused before anything starts; runs that are cut short stay readable.

First part: a table of broken YAML files, ELF files, images and topologies, each read as
`firesim runworkload` reads it; the sentence must be the expected one to the letter. Second part:
Ctrl-C, a killed simulator, a killed manager and a full disk against real runs, through the tests of
`deploy/tests/test_run.py`: results must be readable and nothing may be left running.
"""

from __future__ import annotations

import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from firesim_common.paths import ROOT
from firesim_common.tools import python_command

from regression.robustness.bad_input.cases import all_cases
from regression.robustness.bad_input.refusal import expected, message_of
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named

GOAL_CASES = 40
ENDINGS = ROOT / "deploy/tests/test_run.py"
CUT_SHORT = "signal or killed or kill_ends or full_disk"
LIMIT_S = 300


def _refusals(experiment: Experiment) -> tuple[int, int]:
    """Return how many cases there are and how many gave another message than expected."""
    cases, wrong, rows = all_cases(), 0, []
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            found = message_of(case, Path(folder))
        same = found == expected(case)
        wrong += not same
        rows.append([case.name, "yes" if same else "NO", found or "(accepted)"])
    experiment.table("Broken inputs", ["input", "as expected", "message"], rows)
    return len(cases), wrong


def _endings(experiment: Experiment) -> tuple[int, int]:
    """Run the tests of runs cut short; return how many passed and how many did not."""
    report = experiment.folder / "endings.xml"
    command = python_command("-m", "pytest", "-q", ENDINGS, "-k", CUT_SHORT)
    done = subprocess.run(
        [*command, f"--junitxml={report}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    (experiment.folder / "endings.log").write_text(done.stdout + done.stderr)
    if not report.is_file():
        raise ExperimentError(f"pytest gave no report:\n{done.stdout}{done.stderr}")
    rows, bad = [], 0
    for test in ElementTree.parse(report).getroot().iter("testcase"):
        failed = any(child.tag in ("failure", "error") for child in test)
        skipped = test.find("skipped") is not None
        bad += failed
        rows.append([test.get("name", ""), "FAILED" if failed else "skipped" if skipped else "ok"])
    experiment.table("Runs cut short", ["test", "outcome"], rows)
    return sum(row[1] == "ok" for row in rows), bad


@experiment_named("bad-input", among_python_tests=True)
def run(experiment: Experiment) -> Verdict:
    """Hold when every message and every ending is as promised."""
    cases, wrong = _refusals(experiment)
    endings, bad = _endings(experiment)
    experiment.keep(cases=cases, wrong=wrong, endings=endings, endings_failed=bad)
    figure = f"{cases - wrong} of {cases} inputs refused as expected, {endings} clean endings,"
    holds = wrong == 0 and bad == 0 and cases >= GOAL_CASES and endings > 0
    return Verdict(holds, figure, f"all of at least {GOAL_CASES} and every ending clean")
