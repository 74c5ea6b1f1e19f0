# SPDX-License-Identifier: BSD-3-Clause
"""Rules that hold for every file of program text: licence line, suffix, one reader of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from firesim_common.paths import ROOT

FOLDERS = ("deploy", "regression", "scripts", "sim", "simulator", "sw", "target-design")
NOT_OURS = {"target", "build", "__pycache__"}
LICENCE = "SPDX-License-Identifier: BSD-3-Clause"
LICENCE_LINES = 12
LICENSED = set(".py .cc .h .c .S .inc .scala .sbt .sv .v .sh .js .css".split())
OTHER_CPP_SUFFIXES = {".cpp", ".cxx", ".C", ".hpp", ".hh", ".hxx"}
JSON_READER = "sim/core/json_reader.cc"
PARSES_JSON = re.compile(r"json::(sax_)?parse\(|json::accept\(|>> *json\b")


def _files() -> Iterator[Path]:
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if not NOT_OURS & set(file.relative_to(ROOT).parts) and file.is_file():
                yield file


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


def test_nothing_after_the_plan_asks_the_configuration() -> None:
    """Only what makes the plan may: `firesim.config` and `firesim.topology`."""
    before = {"config", "topology"}
    files = (f for f in _files() if f.suffix == ".py" and not before & set(f.parts))
    after = (f for f in files if "tests" not in f.relative_to(ROOT).parts)
    found = _names(f for f in after if "loaded.config" in f.read_text(encoding="utf-8"))
    assert found == [], "what is wanted of a system is in its Plan"


def test_one_reader_reads_json() -> None:
    cpp = (f for f in _files() if f.suffix in {".cc", ".h"} and "tests" not in f.parts)
    found = _names(f for f in cpp if PARSES_JSON.search(f.read_text(encoding="utf-8")))
    assert found == [JSON_READER], f"all JSON goes through {JSON_READER}, which limits it"
