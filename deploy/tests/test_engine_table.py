# SPDX-License-Identifier: BSD-3-Clause
"""One table knows the engines: nothing else in the manager asks for one by its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from firesim.engines import ENGINES, Engine
from firesim_common.paths import ROOT

MANAGER = ROOT / "deploy/firesim"
OTHER_MEANINGS = {
    "bind/checks.py": 2,  # metasim.memory: a value, and a key of the configuration
    "bind/fpgas.py": 2,  # keys of the configuration
    "bitstream/forms.py": 2,  # memory of a build recipe
    "build/model.py": 1,  # a target of Golden Gate
    "build/own_training.py": 1,  # a description of its own; part of the key of every model
    "build/parts.py": 1,  # a key of a part
    "build/rtl.py": 1,  # a kind of the cache's
    "build/training.py": 1,  # as own_training
    "cli/estimate.py": 1,  # a target of Golden Gate
    "cli/form_options.py": 3,  # targets of Golden Gate, where the memory's timing is
    "cli/verilog.py": 2,  # targets of Golden Gate
    "cli/workload.py": 2,  # what `workload launch` starts
    "config/bitstream.py": 1,  # memory of a build recipe
    "config/engines.py": 1,  # metasim.memory
    "config/network.py": 2,  # a mode of the network
    "prepare/forms.py": 1,  # a key of the configuration
    "prepare/models.py": 1,  # metasim.memory
    "report/about.py": 1,  # a key of a workload
    "report/network.py": 1,  # a mode of the network
    "sampling/settings.py": 1,  # how caches are warmed
    "snapshots/restart.py": 1,  # metasim.memory
    "topology/describe.py": 1,  # a mode of the network
    "work/folder.py": 1,  # a mode of the network
}
"""Where a word that is an engine's name means another thing, and how often."""


def literals(text: str) -> Iterator[int]:
    """Yield the line of each string in Python text that is the name of an engine."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and node.value in get_args(Engine):
            yield node.lineno


def test_no_other_file_names_an_engine() -> None:
    found = {}
    for file in sorted(MANAGER.rglob("*.py")):
        here = file.relative_to(MANAGER).as_posix()
        if here != "engines.py" and (lines := list(literals(file.read_text()))):
            found[here] = len(lines)
    assert found == OTHER_MEANINGS


def test_a_name_is_found_in_a_comparison_and_in_a_table() -> None:
    text = 'if node.engine == "fpga":\n    cost = {"rtl": 1.0}[x]\nname = "rtl_engine"\n'
    assert list(literals(text)) == [1, 2]


def test_the_table_is_whole() -> None:
    assert tuple(ENGINES) == get_args(Engine)
    assert {name: kind.name for name, kind in ENGINES.items()} == {name: name for name in ENGINES}


def test_this_file_is_where_it_says() -> None:
    assert (MANAGER / "engines.py").is_file()
    assert [name for name in OTHER_MEANINGS if not Path(MANAGER / name).is_file()] == []
