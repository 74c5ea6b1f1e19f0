# SPDX-License-Identifier: BSD-3-Clause
"""reader-fuzz itself: silent when all is well, else it names the module, whatever is broken."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import goldengate
import pytest

from regression.support.reader_fuzz import batch, programs
from regression.support.reader_fuzz.constructs import CONSTRUCTS
from regression.support.reader_fuzz.modules import Module

SEEDS = list(range(2001, 2061))


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of what all batches share."""
    folder = tmp_path_factory.mktemp("tool")
    programs.compile_tool(folder)
    return folder


def _broken(folder: Path, tool: Path) -> set[int]:
    return {one.seed for one in batch.run(folder / "batch", tool, SEEDS).differences}


def test_equal_modules_are_called_equal(tool: Path, tmp_path: Path) -> None:
    found = batch.run(tmp_path / "batch", tool, SEEDS)
    assert found.differences == []
    assert found.signals > 3 * len(SEEDS)


def _lower_with(monkeypatch: pytest.MonkeyPatch, spoil: Callable[[str], str]) -> None:
    """Let Golden Gate answer with a spoilt netlist."""
    right = goldengate.lower

    def wrong(request: goldengate.Request) -> dict[str, Any]:
        manifest = right(request)
        target = Path(request.out) / "target.v"
        target.write_text(spoil(target.read_text()))
        return manifest

    monkeypatch.setattr(goldengate, "lower", wrong)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"(= \S+) \+ ", r"\1 - "),
        (r"\$signed\((\S+)\) <", r"\1 <"),
        (r"(= \S+) & ", r"\1 | "),
        (r"posedge (\S*arst\b)", r"negedge \1"),
        (r"= 1'h1;", "= 1'h0;"),
    ],
)
def test_a_wrong_operator_is_found(
    tool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, replacement: str
) -> None:
    _lower_with(monkeypatch, lambda text: re.sub(pattern, replacement, text))
    assert _broken(tmp_path, tool)


PLANTED = {
    "resets are forgotten": "from goldengate.passes import resets as p; p.mend = lambda _: False",
    "x is left open": "from goldengate.passes import undefined as p; p.FREE = 'zero'",
    "patterns with x match": "from goldengate.passes import undefined as p; p._cases = iter",
    "cases are swapped": "from goldengate.passes.select import _Builder as p; m = p.mux; "
    "p.mux = lambda self, low, high, *more: m(self, high, low, *more)",
}
"""Faults in the passes, as Python that the compiler's process runs first."""


@pytest.mark.parametrize("fault", PLANTED)
def test_a_fault_in_a_pass_is_found(
    tool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    start = f"import sys; {PLANTED[fault]}; from pathlib import Path; from goldengate import worker"
    program = f"{start}; sys.exit(worker.main(Path(sys.argv[1])))"
    right = subprocess.run

    def wrong(command: list[str], **more: Any) -> Any:
        if command[1:3] == ["-m", "goldengate.worker"]:
            command = [command[0], "-c", program, *command[3:]]
        return right(command, **more)

    monkeypatch.setattr("goldengate.compiler.subprocess.run", wrong)
    assert _broken(tmp_path, tool)


def test_a_module_follows_from_its_seed_alone() -> None:
    assert Module(7).text() == Module(7).text() != Module(8).text()


def test_every_construct_is_generated_soon() -> None:
    seen: Counter[str] = Counter()
    for seed in range(1, 1500):
        seen.update(Module(seed).constructs)
    assert set(seen) == CONSTRUCTS
