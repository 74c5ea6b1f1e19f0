# SPDX-License-Identifier: BSD-3-Clause
"""Nothing is declared that nobody uses: Python by vulture, C++ by counting words.

Both look for names only, so what has the name of something else that is used is not found. Fields
of classes are left out: many are read by name, as keys of YAML and JSON.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from firesim_common.paths import ROOT

PACKAGES = ("common", "deploy", "regression", "sim/goldengate", "sw/firesim-software")
DECORATORS = ("@*command*", "@*callback*", "@*_validator*", "@pytest.fixture*")
"""What is called by typer, pydantic or pytest."""
OVERRIDES = (
    *("__dir__", "__getattr__", "__test__", "pytestmark"),
    *("do_GET", "do_POST", "do_PUT", "log_message", "server_name", "server_version"),
    *("handle_endtag", "handle_starttag", "on_broken_pipe", "readinto", "seekable"),
    *("connect_timeout", "numbering"),
)
"""What Python and libraries look for by its name."""
BY_NAME = {
    "deploy/firesim/hosts/agent.py",  # what a message asks for
    "common/firesim_common/address_map.py",  # made for three languages
    "regression/fuzzers/reader_fuzz/expressions.py",  # by the kind of an expression
    "sim/goldengate/engine/emit.py",  # by the kind of an item
    "sim/goldengate/engine/ir.py",  # by the name of an operation
}
"""Files whose methods or constants are taken by names that are put together."""
FOR_USERS = {"of_graph", "load_manifest"}
"""What only tests call, and programs of users."""
IN_KEYS = {
    'sim/goldengate/engine/netlist.py: variable "OUTPUT"',
    'sim/goldengate/state.py: variable "ASSERTIONS"',
    "sim/engine/generated/runtime.h: i32",
}
"""In files that every compiled model has in its key in the cache: these go with the next change.
This table only ever becomes shorter."""
VULTURE = re.compile(r"(?P<file>.*):\d+: (?:unused (?P<kind>\w+) '(?P<name>.*)'|(?P<other>.*)) \(")

CPP_FOLDERS = ("sim", "simulator", "target-design")
CPP_SUFFIXES = {".h", ".cc", ".inc"}
MADE_FOLDERS = {"build", "target"}
"""Of sbt and its tests."""
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")
DECLARES = re.compile(
    r"\b(?:class|struct|union)\s+(\w+)\s*(?:final\s*)?[:{]"
    r"|\bconstexpr\s+[\w:<>, *]+?\s(\w+)(?:\[\w*\])?\s*[={]"
    r"|\busing\s+(\w+)\s*="
    r"|(?<![.>\w])[\w:<>,*&]+\s+[*&]*(\w+)\("
)
CALLED = re.compile(r"\b(\w+)\(")
STATEMENT = re.compile(r"\s*(?:#|return|throw|else|delete|new|case)")
MADE = "address_map.h"
CALLED_FROM_OUTSIDE = re.compile(
    r"register_\w+|firesim_make_part|LLVMFuzzer\w+|__tsan_default_suppressions"
)
"""By CMake's list of bridges and switches, by functional blades, and by the runtimes of clang."""


def python_faults(root: Path, folders: Iterable[str], *, tests: bool) -> list[str]:
    """Return what no Python file below some folders uses, each with its file."""
    command = [sys.executable, "-m", "vulture", "--min-confidence", "60", *folders]
    command += ["--ignore-decorators", ",".join(DECORATORS), "--ignore-names", ",".join(OVERRIDES)]
    command += [] if tests else ["--exclude", "*/tests/*"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3) and not done.stderr, done.stderr
    found = []
    for match in map(VULTURE.match, done.stdout.splitlines()):
        assert match
        is_field = match["kind"] in ("variable", "attribute") and not match["name"].isupper()
        if not is_field and match["file"] not in BY_NAME:
            what = match["other"] or f'{match["kind"]} "{match["name"]}"'
            found.append(f"{match['file']}: {what}")
    return found


def cpp_faults(texts: Mapping[str, str], others: str = "") -> list[str]:
    """Return the functions, types and constants of C++ files that occur nowhere else.

    A line that begins a function at the left margin defines it, which is no use of its name.
    `others` is text in other languages, which may use any of them.
    """
    uses: Counter[str] = Counter(WORD.findall(others))
    places: dict[str, list[str]] = defaultdict(list)
    for file, text in texts.items():
        for line in COMMENT.sub("", text).splitlines():
            declared: set[str] = set()
            if not STATEMENT.match(line):
                declared = {next(filter(None, found)) for found in DECLARES.findall(line)}
            first = CALLED.search(line) if not line[:1].isspace() else None
            for word in WORD.findall(line):
                if word in declared and (file.endswith(".h") or not line[:1].isspace()):
                    places[word].append(file)
                elif not (first and first[1] == word):
                    uses[word] += 1
    return sorted(
        f"{files[0]}: {name}"
        for name, files in places.items()
        if len(files) == 1 and not uses[name] and not files[0].endswith(MADE)
        if not CALLED_FROM_OUTSIDE.fullmatch(name)
    )


def test_no_python_is_dead() -> None:
    found = python_faults(ROOT, PACKAGES, tests=True)
    assert [fault for fault in found if fault not in IN_KEYS] == []


def test_no_python_is_for_tests_alone() -> None:
    """Experiments lend tests what is in `regression/support`."""
    names = {f'"{name}"' for name in FOR_USERS}
    found = python_faults(ROOT, PACKAGES, tests=False)
    lent = [fault for fault in found if fault.startswith("regression/support/")]
    ours = [fault for fault in found if fault not in lent and fault.split()[-1] not in names]
    assert [fault for fault in ours if fault not in IN_KEYS] == []


def test_no_cpp_is_dead() -> None:
    found = (file for folder in CPP_FOLDERS for file in sorted((ROOT / folder).rglob("*.*")))
    files = [file for file in found if not MADE_FOLDERS & set(file.relative_to(ROOT).parts)]
    names = {file: file.relative_to(ROOT).as_posix() for file in files if file.is_file()}
    read = {
        name: file.read_text(encoding="utf-8", errors="replace")
        for file, name in names.items()
        if file.suffix in CPP_SUFFIXES | {".py", ".yaml", ".txt"}
    }
    cpp = {name: text for name, text in read.items() if Path(name).suffix in CPP_SUFFIXES}
    others = " ".join(text for name, text in read.items() if name not in cpp)
    assert len(cpp) > 300
    assert [fault for fault in cpp_faults(cpp, others) if fault not in IN_KEYS] == []


def test_what_is_excused_is_still_there() -> None:
    for excused in IN_KEYS:
        file, _, name = excused.partition(": ")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert len(re.findall(rf"\b{name.split()[-1].strip(chr(34))}\b", text)) == 1, excused
    assert all((ROOT / file).is_file() for file in BY_NAME)


def test_dead_python_is_found(tmp_path: Path) -> None:
    (tmp_path / "pack/tests").mkdir(parents=True)
    (tmp_path / "pack/one.py").write_text(
        "DEAD = 1\nLIVE = 2\n\n\nclass Gone:\n    pass\n\n\nclass Used:\n    field = LIVE\n\n"
        "    def asked(self) -> None: ...\n\n    def never(self) -> None: ...\n\n\n"
        "def tested() -> None:\n    Used().asked()\n    return\n    LIVE\n"
    )
    (tmp_path / "pack/tests/test_one.py").write_text("from pack.one import tested\n\ntested()\n")
    dead = ['variable "DEAD"', 'class "Gone"', 'method "never"']
    unreached = "unreachable code after 'return'"
    assert python_faults(tmp_path, ["pack"], tests=True) == [
        f"pack/one.py: {what}" for what in (*dead, unreached)
    ]
    assert python_faults(tmp_path, ["pack"], tests=False) == [
        f"pack/one.py: {what}" for what in (*dead, 'function "tested"', unreached)
    ]


def test_dead_cpp_is_found() -> None:
    header = (
        "class Gone {\n};\nconstexpr int kDead = 1;\nclass Used {\n public:\n  int asked() const;\n"
        "  int never() const;  // asked by never()\n  int written();\n};\nusing Alias = int;\n"
    )
    source = (
        "int Used::never() const { return 1; }\nint Used::asked() const {\n  return written();\n}\n"
        "int Used::written() { return Used().asked(); }\n"
    )
    texts = {"sim/one.h": header, "sim/one.cc": source}
    dead = ["Alias", "Gone", "kDead", "never"]
    assert cpp_faults(texts) == [f"sim/one.h: {name}" for name in dead]
    assert cpp_faults(texts, "never Alias") == ["sim/one.h: Gone", "sim/one.h: kDead"]
