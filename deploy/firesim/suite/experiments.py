# SPDX-License-Identifier: BSD-3-Clause
"""The experiments: every function below `regression` that is decorated `@experiment_named("NAME")`.

They are found in the text: to list their names imports none of them, nor what they stand on.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from firesim_common.paths import ROOT

SLOW_STATUS = 3
"""Exit status of an experiment whose values are right and whose host time fell short."""
SKIPPED_STATUS = 4
"""Exit status of an experiment that cannot run on this computer; its last line says why."""
DECORATOR = "experiment_named"


@dataclass(frozen=True)
class Found:
    """An experiment: where it is, and what its decorator says."""

    name: str
    summary: str
    """The first line of its module's text."""
    module: str
    function: str
    needs_program: str | None = None
    among_python_tests: bool = False
    mostly_waits: bool = False
    """Whether it lasts long and computes little, so it does well to begin before the others."""

    @property
    def room(self) -> str:
        """The folder of `regression` that it is in."""
        return self.module.split(".")[1]


def _in_file(path: Path, root: Path) -> Iterator[Found]:
    text = path.read_text(encoding="utf-8")
    if f"\n@{DECORATOR}(" not in text:
        return
    tree = ast.parse(text)
    summary = (ast.get_docstring(tree) or "").partition("\n")[0]
    module = ".".join(path.relative_to(root).with_suffix("").parts)
    for part in tree.body:
        if not isinstance(part, ast.FunctionDef):
            continue
        for mark in part.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == DECORATOR:
                name = ast.literal_eval(mark.args[0])
                facts = {str(word.arg): ast.literal_eval(word.value) for word in mark.keywords}
                yield Found(name, summary, module, part.name, **facts)


def experiments(root: Path = ROOT) -> dict[str, Found]:
    """Return every experiment by name, without running or importing any.

    Raises:
        ValueError: two have one name.
    """
    found: dict[str, Found] = {}
    for path in sorted((root / "regression").rglob("*.py")):
        for one in _in_file(path, root):
            if one.name in found:
                raise ValueError(f"{one.module} and {found[one.name].module} are both {one.name}")
            found[one.name] = one
    return dict(sorted(found.items()))


def run_experiment(name: str, arguments: Sequence[str]) -> int:
    """Run an experiment with its own command-line arguments; return its exit status."""
    found = experiments()[name]
    return int(getattr(importlib.import_module(found.module), found.function)(list(arguments)))
