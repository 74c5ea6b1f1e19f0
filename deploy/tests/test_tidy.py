# SPDX-License-Identifier: BSD-3-Clause
"""Rules that hold for every file of program text: licence line, suffix, size, one JSON reader."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from firesim_common.paths import ROOT

FOLDERS = ("common", "deploy", "regression", "scripts", "sim", "simulator", "sw", "target-design")
NOT_OURS = {"target", "build", "__pycache__"}
LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
LICENCE_LINES = 12
LICENSED = set(".py .cc .h .c .S .inc .scala .sbt .sv .v .sh .js .css".split())
OTHER_CPP_SUFFIXES = {".cpp", ".cxx", ".C", ".hpp", ".hh", ".hxx"}
LARGEST_FILE_LINES, LARGEST_FUNCTION_LINES = 400, 60
LONGER_FILES = {"sim/bridges/memory/rtl/dram_timing.sv": 533}  # one state machine
LONGER_FUNCTIONS = {
    ("deploy/firesim/cli/verilog.py", "verilog"): 74,  # its options
    ("deploy/tests/test_report.py", "complete"): 68,  # one results folder
}
"""Functions that are longer, and how long. This table only ever becomes shorter."""
LOADS_YAML = re.compile(r"yaml\.(safe_load|load|compose)\(|yaml\.SafeLoader\b")
YAML_READER = "common/firesim_common/yaml_text.py"
NEAREST = "common/firesim_common/errors.py"
JSON_READER = "sim/core/json_reader.cc"
PARSES_JSON = re.compile(r"json::(sax_)?parse\(|json::accept\(|>> *json\b")


def _files() -> Iterator[Path]:
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file() and not any(map(_is_made, file.relative_to(ROOT).parents)):
                yield file


def _is_made(folder: Path) -> bool:
    """Return whether a tool fills this folder; a Python package of such a name is ours."""
    return folder.name in NOT_OURS and not (ROOT / folder / "__init__.py").is_file()


def _names(files: Iterator[Path]) -> list[str]:
    return [file.relative_to(ROOT).as_posix() for file in files]


def _has_licence(file: Path) -> bool:
    with file.open(encoding="utf-8") as stream:
        head = [line for _, line in zip(range(LICENCE_LINES), stream, strict=False)]
    return not head or any(LICENCE in line for line in head)


def test_every_source_names_its_licence() -> None:
    missing = _names(f for f in _files() if f.suffix in LICENSED and not _has_licence(f))
    assert missing == [], f'expected a line with "{LICENCE}" at the head of each'


def test_cpp_files_have_one_suffix() -> None:
    found = _names(f for f in _files() if f.suffix in OTHER_CPP_SUFFIXES)
    assert found == [], "C++ files end in .cc and .h"


def _functions(file: Path) -> Iterator[tuple[str, int]]:
    """Yield the name and the lines of each Python function in a file."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            yield node.name, node.end_lineno - node.lineno + 1


def test_files_are_small() -> None:
    large = []
    for file in (f for f in _files() if f.suffix in LICENSED):
        lines = len(file.read_text(encoding="utf-8").splitlines())
        name = _names(iter([file]))[0]
        if lines > LONGER_FILES.get(name, LARGEST_FILE_LINES):
            large.append(f"{name}: {lines} lines")
    assert large == [], f"expected {LARGEST_FILE_LINES} lines at most: one file is about one thing"


def test_functions_are_short() -> None:
    long = {
        (name, function): lines
        for file in _files()
        if file.suffix == ".py"
        for name in _names(iter([file]))
        for function, lines in _functions(file)
        if lines > LARGEST_FUNCTION_LINES
    }
    text = f"expected {LARGEST_FUNCTION_LINES} lines at most, and the table without what is shorter"
    assert long == LONGER_FUNCTIONS, text


def test_nothing_after_the_plan_asks_the_configuration() -> None:
    """Only what comes before the plan may: `api`, `config`, `topology`, the second step."""
    before = {"api", "config", "topology", "resolve.py"}
    files = (f for f in _files() if f.suffix == ".py" and not before & set(f.parts))
    after = (f for f in files if "tests" not in f.relative_to(ROOT).parts)
    found = _names(f for f in after if "loaded.config" in f.read_text(encoding="utf-8"))
    assert found == [], "what is wanted of a system is in its Plan"


def test_only_the_plan_asks_where_it_is_from() -> None:
    manager = (f for f in _files() if "firesim" in f.parts and f.suffix == ".py")
    after = (f for f in manager if "tests" not in f.relative_to(ROOT).parts)
    found = _names(f for f in after if "plan.origin" in f.read_text(encoding="utf-8"))
    assert found == [], "a plan says by `error`, `file_beside` and `configuration` what it knows"


def test_one_reader_reads_yaml_of_users() -> None:
    """Experiments may read our own recipes as they are."""
    files = (f for f in _files() if f.suffix == ".py" and "tests" not in f.parts)
    ours = (f for f in files if not f.is_relative_to(ROOT / "regression"))
    found = _names(f for f in ours if LOADS_YAML.search(f.read_text(encoding="utf-8")))
    assert found == [YAML_READER], f"YAML is read by {YAML_READER}, which is strict and has places"


def test_one_search_finds_the_nearest_name() -> None:
    python = (f for f in _files() if f.suffix == ".py" and "tests" not in f.parts)
    found = _names(f for f in python if "get_close_matches" in f.read_text(encoding="utf-8"))
    assert found == [NEAREST], f"names that are alike are looked for by {NEAREST}"


def test_one_reader_reads_json() -> None:
    # Tests, and what makes broken JSON on purpose, need another one.
    ours = (f for f in _files() if not {"tests", "hostile"} & set(f.relative_to(ROOT).parts))
    cpp = (f for f in ours if f.suffix in {".cc", ".h"})
    found = _names(f for f in cpp if PARSES_JSON.search(f.read_text(encoding="utf-8")))
    assert found == [JSON_READER], f"all JSON goes through {JSON_READER}, which limits it"


def test_one_place_starts_the_simulator() -> None:
    """Elsewhere it may be built, and not be the word of a command."""
    found = [
        _names(iter([file]))[0]
        for file in _files()
        if file.suffix == ".py" and "tests" not in file.parts and file.name != "launch.py"
        if re.search(r"(\[|str\()simulator\(\)", file.read_text(encoding="utf-8"))
    ]
    assert found == [], "firesim-sim is started by firesim.build.launch"
