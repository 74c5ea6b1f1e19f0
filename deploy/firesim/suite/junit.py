# SPDX-License-Identifier: BSD-3-Clause
"""JUnit XML: reads what test tools wrote, and writes one file of all of it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.printable import printable

MESSAGE_CHARACTERS = 200
"""How much of a failed test's message a line shows."""


@dataclass(frozen=True)
class Ran:
    """One part of the tests: what it counted, and the files that its tool wrote, if it did."""

    name: str
    passed: int
    failed: int
    wall_s: float
    detail: str
    reports: Sequence[Path] = ()


def counted(files: Sequence[Path]) -> tuple[int, int]:
    """Return how many tests of JUnit files passed and failed; a skipped one counts as neither."""
    passed = failed = 0
    for suite in _suites(files):
        number = {key: int(suite.get(key, "0")) for key in ("tests", "failures", "errors")}
        skipped = int(suite.get("skipped", "0")) + int(suite.get("disabled", "0"))
        bad = number["failures"] + number["errors"]
        failed += bad
        passed += number["tests"] - bad - skipped
    return passed, failed


def failures(files: Sequence[Path]) -> list[str]:
    """Return a line for each test that failed: its class, its name, and how its message begins."""
    lines = []
    for case in (case for suite in _suites(files) for case in suite.iter("testcase")):
        for bad in (one for one in case if one.tag in ("failure", "error")):
            said = (bad.get("message") or bad.text or "").strip().splitlines() or ["failed"]
            name = f"{case.get('classname', '')}: {case.get('name', '')}".removeprefix(": ")
            lines.append(printable(f"{name}: {said[0][:MESSAGE_CHARACTERS]}"))
    return lines


def _suites(files: Sequence[Path]) -> list[ElementTree.Element]:
    roots = [ElementTree.parse(file).getroot() for file in files]
    return [suite for root in roots for suite in root.iter("testsuite")]


def write(path: Path, parts: Sequence[Ran]) -> None:
    """Write all parts into one file: the suites of their tools, or a suite with one test each.

    Raises:
        OSError: the file cannot be written.
    """
    root = ElementTree.Element("testsuites")
    for part in parts:
        suites = _suites(part.reports)
        for suite in suites:
            suite.set("name", f"{part.name}: {suite.get('name', '')}".rstrip(": "))
            root.append(suite)
        # A tool may fail without a test that does.
        if not suites or part.failed > counted(part.reports)[1]:
            root.append(_suite(part))
    ElementTree.indent(root)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _suite(part: Ran) -> ElementTree.Element:
    skipped = part.passed + part.failed == 0
    numbers = {"tests": 1, "failures": int(part.failed > 0), "skipped": int(skipped)}
    about = {"name": part.name, "time": f"{part.wall_s:.1f}"}
    suite = ElementTree.Element("testsuite", about | {k: str(v) for k, v in numbers.items()})
    case = ElementTree.SubElement(suite, "testcase", about | {"classname": "firesim"})
    if part.failed:
        ElementTree.SubElement(case, "failure", message="failed").text = printable(part.detail)
    elif skipped:
        ElementTree.SubElement(case, "skipped", message=printable(part.detail))
    return suite
