# SPDX-License-Identifier: BSD-3-Clause
"""What `firesim test` does with an experiment."""

from __future__ import annotations

import contextlib
import re
import subprocess
import threading
from pathlib import Path

import pytest
from firesim.suite import suite
from firesim.suite.experiments import experiments
from firesim.suite.junit import counted
from firesim_common.paths import ROOT
from firesim_common.tools import python_command

from regression.robustness.bad_input.cases import all_cases
from regression.robustness.bad_input.experiment import CUT_SHORT, ENDINGS
from regression.support.experiment import Experiment, NotHereError, Verdict, run_experiment


def test_without_its_tool_an_experiment_is_skipped_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun: list[list[str]] = []

    def logged(command: list[str], log: Path, limit_s: float | None = None) -> int:
        begun.append(command)
        return 0

    profile = experiments()["engine-profile"]
    monkeypatch.setattr(suite, "_logged", logged)
    monkeypatch.setattr(suite, "LOGS", tmp_path)
    (tmp_path / "experiment-engine-profile.log").write_text("engine-profile: 2.0 ok\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    skipped = suite.quick_experiment(profile)
    assert (skipped.passed, skipped.failed, begun) == (0, 0, [])
    assert "valgrind is not installed" in skipped.detail
    (tmp_path / "valgrind").write_text("#!/bin/sh\n")
    (tmp_path / "valgrind").chmod(0o755)
    assert suite.quick_experiment(profile).passed == len(begun) == 1


def test_an_experiment_that_cannot_run_here_is_skipped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By its exit status and its last line, as `run_experiment` has them."""
    found = experiments()["runfarm-ssh"]

    def body(experiment: Experiment) -> Verdict:
        raise NotHereError("hosts made of namespaces need root")

    def logged(command: list[str], log: Path, limit_s: float | None = None) -> int:
        with log.open("w") as stream, contextlib.redirect_stdout(stream):
            arguments = ["--results", str(tmp_path / "results")]
            return run_experiment("runfarm-ssh", "", arguments, body)

    monkeypatch.setattr(suite, "_logged", logged)
    monkeypatch.setattr(suite, "LOGS", tmp_path)
    count = suite.quick_experiment(found)
    assert (count.passed, count.failed) == (0, 0)
    assert count.detail == "runfarm-ssh: skipped: hosts made of namespaces need root"


def test_every_check_runs_once() -> None:
    names = [part.name for part in suite.parts(ci=True)]
    assert len(set(names)) == len(names)
    own = {name.removeprefix("experiment ") for name in names if name.startswith("experiment ")}
    # Its table is that of test_bad_input.py, and its endings are tests of test_run.py.
    assert own == set(experiments()) - {"bad-input"}
    tests = ["deploy/tests/test_bad_input.py::test_message", str(ENDINGS)]
    words = ["-m", "pytest", "--collect-only", *tests, "-k", f"message or {CUT_SHORT}"]
    done = subprocess.run(
        python_command(*words), cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert len(re.findall("^deploy/tests/test_bad_input", done.stdout, re.M)) == len(all_cases())
    assert len(re.findall("^deploy/tests/test_run", done.stdout, re.M)) >= 6


def test_what_mostly_waits_begins_before_the_others() -> None:
    names = [part.name for part in suite.parts(ci=False) if part.name.startswith("experiment ")]
    assert names[:2] == ["experiment buildfarm", "experiment runfarm-ec2"]
    assert names[2:] == sorted(names[2:])


def test_parts_that_may_run_beside_others() -> None:
    """Two run at once, each with its own processor time; the next one only after both."""
    both, ended = threading.Barrier(2, timeout=30), [0]
    said: list[str] = []

    def one() -> suite.Count:
        both.wait()
        ended[0] += 1
        return suite.Count(passed=1)

    def alone() -> suite.Count:
        return suite.Count(passed=1, detail=f"after {ended[0]}")

    parts = [suite.Part("a", one, True), suite.Part("b", one, True), suite.Part("c", alone)]
    total = suite.run_parts(parts, said.append)
    assert (total.passed, total.failed) == (3, 0)
    assert re.fullmatch(
        r"c: 1 passed, 0 failed \(0 s, \d+ s of processor time\)\nafter 2", said[-1]
    )
    assert sorted(line[:2] for line in said[:4]) == ["a ", "a:", "b ", "b:"]


def test_all_results_come_in_one_junit_file(tmp_path: Path) -> None:
    (tmp_path / "tool.xml").write_text(
        '<testsuites><testsuite name="pytest" tests="3" failures="1" skipped="1">'
        '<testcase name="one"/></testsuite></testsuites>'
    )
    tool = [tmp_path / "tool.xml"]
    parts = [
        suite.Part("tests", lambda: suite._junit(tool)),
        suite.Part("experiment a", lambda: suite.Count(failed=1, detail="bell \a, <end>")),
        suite.Part("experiment b", lambda: suite.Count(detail="skipped: no sshd")),
    ]
    total = suite.run_parts(parts, lambda line: None, tmp_path / "all.xml")
    assert (total.passed, total.failed) == (1, 2)
    assert counted([tmp_path / "all.xml"]) == (1, 2)
    text = (tmp_path / "all.xml").read_text()
    assert 'name="tests: pytest"' in text
    assert "bell \\x07, &lt;end&gt;" in text
    assert '<skipped message="skipped: no sshd"' in text


def test_a_failure_far_above_the_end_of_a_log_is_named_with_its_seed(tmp_path: Path) -> None:
    log, tool = tmp_path / "chisel.log", tmp_path / "tool.xml"
    tool.write_text(
        '<testsuite tests="2" failures="1" errors="0"><testcase classname="NICTest" name="good"/>'
        '<testcase classname="NICTest" name="frames"><failure message="3 was not 4&#10;more"/>'
        "</testcase></testsuite>"
    )
    seed = "nic: seed 77 (replay: FIRESIM_TEST_SEED=77 sbt test)"
    log.write_text("\n".join([seed, *["later"] * 500]))
    count = suite._judged(suite._junit([tool]), 1, log)
    assert (count.passed, count.failed) == (1, 1)
    assert count.detail.startswith(f"failed: NICTest: frames: 3 was not 4\n{seed}\nlast lines of ")
