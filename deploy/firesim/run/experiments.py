# SPDX-License-Identifier: BSD-3-Clause
"""The experiments: modules of `regression` that have a function `run(argv) -> int`.

A module is named after its experiment, or its folder is and it is that folder's `experiment.py`.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Sequence
from pathlib import Path

from firesim_common.paths import ROOT

SLOW_STATUS = 3
"""Exit status of an experiment whose values are right and whose host time fell short."""


def _modules(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in folder.rglob("*.py"):
        if re.search(r"^def run\(argv: list\[str\]\) -> int:", path.read_text("utf-8"), re.M):
            module = path.parent if path.stem == "experiment" else path
            found[module.stem.replace("_", "-")] = path
    return dict(sorted(found.items()))


def experiments(folder: Path = ROOT / "regression") -> dict[str, str]:
    """Return the name and the first documentation line of each experiment, without running any."""
    return {
        name: (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0]
        for name, path in _modules(folder).items()
    }


def run_experiment(name: str, arguments: Sequence[str]) -> int:
    """Run an experiment with its own command-line arguments; return its exit status."""
    path = _modules(ROOT / "regression")[name].relative_to(ROOT).with_suffix("")
    module = importlib.import_module(".".join(path.parts))
    return int(module.run(list(arguments)))
