# SPDX-License-Identifier: BSD-3-Clause
"""The parts of `firesim test`: each runs one kind of test and counts what passed and failed."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from firesim_common.paths import ROOT
from firesim_common.tools import ToolError, bytecode_environment, python_command

from firesim.build.scala_tests import REPORTS
from firesim.build.simulator import build_folder, configure_and_build, sanitizer_environment
from firesim.suite.experiments import SKIPPED_STATUS, SLOW_STATUS, Found, experiments
from firesim.suite.junit import Ran, counted, failures, write

LOGS = ROOT / "build/test"
TAIL_LINES = 80
SEED_MARK = "FIRESIM_TEST_SEED="
"""What a line holds by which a random test says its seed."""
POLL_S = 0.1
EXPERIMENT_LIMIT_S = 1800
AT_ONCE = (os.cpu_count() or 1) + 1
"""How many tests run at the same time: one more than processors, as many wait for something."""
SANITIZED = (
    "firesim-core-tests",
    "firesim-simulator-tests",
    "firesim-switch-tests",
    "switch-fuzz",
)
"""What CI builds with sanitizers: where threads meet. The rest would double the time CI takes."""


@dataclass
class Count:
    """How a part of the tests ended; `detail` is what to show when something failed."""

    passed: int = 0
    failed: int = 0
    detail: str = ""
    reports: Sequence[Path] = ()
    """JUnit files of the tool that ran it."""


@dataclass(frozen=True)
class Part:
    """One part: its name and what runs it."""

    name: str
    run: Callable[[], Count]
    beside_others: bool = False
    """Whether others like it may run at the same time; it does all its work in `_logged`."""


def parts(ci: bool) -> list[Part]:
    """Return all parts in the order they run; `ci` adds the sanitizers."""
    found = [
        Part("C++", lambda: cpp("release")),
        Part("Python", python, True),  # It lasts long and often waits: others fill the processors.
        Part("Chisel peripherals", lambda: chisel(ROOT / "target-design/peripherals"), True),
    ]
    own = [one for one in experiments().values() if not one.among_python_tests]
    for one in sorted(own, key=lambda one: not one.mostly_waits):
        found.append(Part(f"experiment {one.name}", partial(quick_experiment, one), True))
    if ci:
        found += [
            Part("C++ address sanitizer", lambda: cpp("address", SANITIZED)),
            Part("C++ thread sanitizer", lambda: cpp("thread", SANITIZED)),
        ]
    return found


@contextmanager
def _bytecode_kept() -> Iterator[None]:
    """Let the thousands of short commands that tests run share what Python compiles of them."""
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(
        prefix="firesim-bytecode-", ignore_cleanup_errors=True
    ) as folder:
        _replace_environment(bytecode_environment(Path(folder)))
        try:
            yield
        finally:
            _replace_environment(before)


def _replace_environment(wanted: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(wanted)


def _logged(
    command: list[str | Path],
    log: Path,
    limit_s: float | None = None,
    environment: Mapping[str, str] | None = None,
) -> int:
    """Run a command with its output in `log`; return its exit status, 124 after the limit.

    The processor time it took is added to `_here.processor_s` of this thread.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            stdout=stream,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
        try:
            return _waited(process, limit_s)
        except subprocess.TimeoutExpired:
            process.terminate()
            _waited(process)
            return 124
        except BaseException:
            process.terminate()
            process.wait()
            raise


def _waited(process: subprocess.Popen[bytes], limit_s: float | None = None) -> int:
    """Wait for a process and return its exit status, as `Popen.wait` does; note what it took.

    Raises:
        subprocess.TimeoutExpired: it lasts longer.
    """
    end_s = time.monotonic() + (limit_s or float("inf"))
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            _here.processor_s += used.ru_utime + used.ru_stime
            return process.returncode
        if time.monotonic() > end_s:
            raise subprocess.TimeoutExpired(process.args, limit_s or 0)
        time.sleep(POLL_S)


def _lines(log: Path) -> list[str]:
    return log.read_text(errors="replace").splitlines()


def _tail(log: Path, lines: Sequence[str]) -> str:
    return "\n".join([f"last lines of {log}:", *lines[-TAIL_LINES:]])


def _named(reports: Sequence[Path], log: Path) -> str:
    """Name the tests that failed, with the seeds that their tool printed, then show the log's end.

    A failure may stand far above the end: hours of other tests follow it.
    """
    lines = _lines(log)
    seeds = [line for line in lines if SEED_MARK in line]
    named = [f"failed: {one}" for one in failures(reports)]
    return "\n".join([*named, *seeds, _tail(log, lines)])


def _junit(files: list[Path]) -> Count:
    """Sum the suites of JUnit files."""
    passed, failed = counted(files)
    return Count(passed, failed, reports=files)


def _judged(count: Count, status: int, log: Path) -> Count:
    """Add the log when anything failed, and a failure when the tool failed without saying what."""
    if status != 0 and count.failed == 0:
        count.failed = 1
    if count.failed:
        count.detail = _named(count.reports, log)
    return count


def cpp(variant: str, targets: tuple[str, ...] = ()) -> Count:
    """Build the C++ tree in a variant, or `targets` of it, and run their tests with ctest."""
    try:
        configure_and_build(variant, targets)
    except ToolError as error:
        return Count(failed=1, detail=str(error))
    folder, log = build_folder(variant), LOGS / f"ctest-{variant}.log"
    junit = LOGS / f"ctest-{variant}.xml"
    junit.parent.mkdir(parents=True, exist_ok=True)
    junit.unlink(missing_ok=True)
    jobs = str(os.cpu_count() or 1)
    command: list[str | Path] = [
        "ctest",
        "--test-dir",
        str(folder),
        "-j",
        jobs,
        "--output-on-failure",
    ]
    if targets:  # CTest has a failing test in place of those of every other target
        command += ["--exclude-regex", "_NOT_BUILT$"]
    environment = sanitizer_environment()
    status = _logged([*command, "--output-junit", str(junit)], log, environment=environment)
    return _judged(_junit([junit]) if junit.is_file() else Count(), status, log)


def python() -> Count:
    """Run pytest over every Python package, `AT_ONCE` files at a time.

    The tests of a file stay in one process, in their order, with what they share. The log names
    those that took longest.
    """
    log, junit = LOGS / "pytest.log", LOGS / "pytest.xml"
    junit.unlink(missing_ok=True)
    at_once = ["-n", str(AT_ONCE), "--dist", "loadfile", "--no-loadscope-reorder"]
    told = ["--durations=15", f"--junitxml={junit}"]
    status = _logged(python_command("-m", "pytest", *at_once, *told), log)
    return _judged(_junit([junit]) if junit.is_file() else Count(), status, log)


def chisel(project: Path) -> Count:
    """Run the tests of an sbt project."""
    reports = project / REPORTS
    for old in reports.glob("*.xml"):
        old.unlink()
    log = LOGS / "chisel.log"
    status = _logged(python_command("-m", "firesim.build.scala_tests", str(project)), log)
    return _judged(_junit(sorted(reports.glob("*.xml"))), status, log)


def quick_experiment(experiment: Found) -> Count:
    """Run one experiment in its quick form; it passes when it says so by its exit status.

    Timings of a busy machine decide no test: when nothing but host time fell short, the part passes
    and its last line is shown. Without an optional tool it is skipped and says so.
    """
    name, tool = experiment.name, experiment.needs_program
    if tool and not shutil.which(tool):
        return Count(detail=f"skipped: {tool} is not installed (Debian: apt-get install {tool})")
    log = LOGS / f"experiment-{name}.log"
    command = python_command("-m", "firesim.cli.main", "experiment", name, "--quick")
    status = _logged(command, log, EXPERIMENT_LIMIT_S)
    lines = _lines(log)
    last = (lines or [""])[-1]
    if status == SLOW_STATUS and last.startswith(f"{name}: "):
        return Count(passed=1, detail=last)
    if status == SKIPPED_STATUS and last.startswith(f"{name}: skipped: "):
        return Count(detail=last)
    if status == 0:
        return Count(passed=1)
    return Count(failed=1, detail=_tail(log, lines))


class _Here(threading.local):
    processor_s = 0.0


_here = _Here()
"""What the commands that this thread has waited for took."""


def _processor_s(part: Part) -> float:
    """Return the processor time so far of what this part has waited for, and of others before."""
    if part.beside_others:
        return _here.processor_s
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run_part(part: Part, say: Callable[[str], None]) -> Ran:
    """Run a part, saying how it went and how long it took."""
    say(f"{part.name} ...")
    start, processor_start_s = time.monotonic(), _processor_s(part)
    count = part.run()
    wall_s = time.monotonic() - start
    spent = f"{wall_s:.0f} s, "
    spent += f"{_processor_s(part) - processor_start_s:.0f} s of processor time"
    lines = [f"{part.name}: {count.passed} passed, {count.failed} failed ({spent})"]
    say("\n".join([*lines, count.detail] if count.detail else lines))
    return Ran(part.name, count.passed, count.failed, wall_s, count.detail, count.reports)


def run_parts(chosen: list[Part], say: Callable[[str], None], junit: Path | None = None) -> Count:
    """Run the parts in order, saying how each went; return the sum, and write it all to `junit`.

    Neighbours that may run beside others do so, `AT_ONCE` at a time.
    """
    total = Count()
    ran: list[Ran] = []
    with _bytecode_kept():
        pool = ThreadPoolExecutor(AT_ONCE)
        try:
            for beside_others, group in groupby(chosen, key=lambda part: part.beside_others):
                run = partial(_run_part, say=say)
                for one in pool.map(run, group) if beside_others else map(run, group):
                    ran.append(one)
                    total.passed += one.passed
                    total.failed += one.failed
        finally:
            pool.shutdown(cancel_futures=True)
            if junit is not None:
                write(junit, ran)
    return total


def matching(all_parts: list[Part], only: list[str]) -> list[Part]:
    """Return the parts whose name contains one of the texts, all when there are none."""
    words = [re.escape(word) for word in only]
    return [p for p in all_parts if not words or re.search("|".join(words), p.name, re.I)]
