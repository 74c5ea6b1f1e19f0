# SPDX-License-Identifier: BSD-3-Clause
"""The experiments: modules of `regression` that have a function `run(argv) -> int`."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Sequence
from pathlib import Path

from firesim_common.paths import ROOT

SLOW_STATUS = 3
"""Exit status of an experiment whose values are right and whose host time fell short."""


def experiments(folder: Path = ROOT / "regression") -> dict[str, str]:
    """Return the name and the first documentation line of each experiment, without running any."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(part, ast.FunctionDef) and part.name == "run" for part in tree.body):
            summary = (ast.get_docstring(tree) or "").partition("\n")[0]
            found[path.stem.replace("_", "-")] = summary
    return found


def run_experiment(name: str, arguments: Sequence[str]) -> int:
    """Run an experiment with its own command-line arguments; return its exit status."""
    module = importlib.import_module(f"regression.{name.replace('-', '_')}")
    return int(module.run(list(arguments)))
