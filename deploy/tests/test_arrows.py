# SPDX-License-Identifier: BSD-3-Clause
"""Arrows go down: which folder may include or import which, and that nothing else happens.
The tables below are the only place where this is written; ARCHITECTURE.md says why."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from firesim_common.paths import ROOT

CPP_ARROWS: dict[str, set[str]] = {
    "sim/core": set(),
    "sim/engine": set(),
    **{f"sim/{name}": {"sim/core"} for name in ("gateway", "transport", "devices")},
    "sim/traces": {"sim/core", "sim/devices"},
    "sim/hostlib": {"sim/core", "sim/engine"},
    "sim/hostlib/ways": {"sim/devices", "sim/hostlib"},
    "sim/bridges": {f"sim/{n}" for n in "core engine devices traces hostlib hostlib/ways".split()},
    "sim/goldengate": {"sim/engine"},
    "target-design/examples": set(),
    "target-design/rocket": set(),
    **{f"target-design/{name}": {"sim/core"} for name in ("switch", "functional/core")},
    "target-design/functional": {
        *("sim/core", "sim/devices", "sim/traces", "target-design/functional/core"),
    },
    "target-design/parts": {"sim/core", "target-design/functional"},
    "simulator": {
        *("sim/core", "sim/devices", "sim/gateway", "sim/transport", "sim/hostlib", "sim/bridges"),
        *("target-design/switch", "target-design/functional"),
    },
}
"""What the C++ below a folder may include besides its own; the longest folder that fits counts.
Nothing below `sim/` may ever include `target-design/`. Tests obey the rule of their folder."""

PYTHON_ARROWS: dict[str, set[str]] = {
    "firesim_common": set(),
    "goldengate": {"firesim_common"},
    "firesim_software": {"firesim_common"},
    "firesim": {"firesim_common", "goldengate", "firesim_software"},
    "regression": {"firesim_common", "firesim", "goldengate", "firesim_software"},
}
"""What a Python package may import of the others. Its folder `tests` may import any of them."""

MANAGER_ARROWS: dict[str, set[str]] = {
    "engines": set(),
    "units": set(),
    "metrics": set(),
    "hosts": set(),
    "config": {"engines", "metrics", "units"},
    "topology": {"config", "engines", "units"},
    "importing": {"topology"},
    "build": {"config", "topology"},
    "report": {"engines", "metrics", "topology", "units"},
    "timeline": {"build", "report"},
    "watch": {"topology", "units"},
    "work": {"build", "hosts"},
    "boards": {"build", "topology"},
    "suite": {"build"},
    "farm": {"config", "hosts", "work"},
    "results": {"metrics", "report", "timeline", "topology", "units", "work"},
    "snapshots": {"build", "config", "engines", "topology", "work"},
    "bitstream": {"boards", "build", "config", "farm", "hosts", "work"},
    "remote": {"bitstream", "config", "farm", "hosts", "snapshots", "topology", "work"},
    "bind": {*"bitstream boards build config engines farm hosts snapshots topology".split()},
    "prepare": {"bind", "bitstream", "build", "config", "metrics", "topology", "work"},
    "pipeline": {
        *"bind build config engines hosts metrics prepare remote results topology units".split(),
        *("watch", "work"),
    },
    "run": {
        *"bind build config hosts pipeline remote results snapshots topology".split(),
        *("watch", "work"),
    },
    "access": {"build", "hosts", "pipeline", "run", "topology", "work"},
    "view": {
        *("access", "engines", "hosts", "metrics", "remote", "report", "run", "snapshots", "sweep"),
        *("topology", "units", "watch", "work"),
    },
    "debug": {"build", "config", "pipeline", "run", "snapshots", "topology", "work"},
    "why": {
        *"config engines pipeline report results run snapshots timeline topology units work".split()
    },
    "sweep": {"config", "pipeline", "results", "run", "units", "work"},
    "sampling": set("bind build config engines farm hosts metrics pipeline remote".split())
    | set("report results timeline topology units work".split()),
    "api": {
        *"config metrics pipeline report results run sampling snapshots sweep topology why".split(),
    },
    "cli": {
        *"access api bind bitstream boards build config debug engines farm hosts importing".split(),
        *"pipeline remote report results run sampling snapshots suite sweep timeline".split(),
        *("topology", "view", "why", "work"),
    },
}
"""What a room of the manager, a folder or file of it, imports of the others; all is needed."""

KNOWN_INNER: dict[str, set[str]] = {
    "build/design.py": {"firesim.build.training", "firesim.build.own_training"},
    "build/training.py": {"firesim.build.launch"},
    "watch/watch.py": {"firesim.watch.metrics", "firesim.watch.metrics_server"},
}
"""Imports inside functions, outside of `cli`. A blade's training runs its model, which is made of
its design; `build/training.py` is a part of the key of every model in the cache; and most runs do
without the library of Prometheus. This list only ever becomes shorter."""

KNOWN_UPWARD: dict[str, set[str]] = {}
"""Modules that a package imports against its arrows today. This list only ever becomes shorter."""

CPP_SUFFIXES = {".cc", ".c", ".h", ".inc"}
INCLUDE_FOLDERS = [ROOT, ROOT / "sim", ROOT / "sim/engine", ROOT / "target-design"]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
GENERATED_NAMES = re.compile(r"(verilated\w*|V\w+|FiresimModel\w*|\w+_ports|address_map)\.h")
"""What Verilator and Golden Gate write beside a model that is being compiled, and what the target's
software is given of the address map."""


def _cpp_files(root: Path) -> Iterator[Path]:
    for top in ("sim", "target-design", "simulator"):
        for file in sorted((root / top).rglob("*")):
            outside = {"target", "project", "build"} & set(file.relative_to(root).parts)
            if file.suffix in CPP_SUFFIXES and not outside:
                yield file


def _room(path: str, rooms: Iterable[str]) -> str | None:
    """Return the longest of the folders `rooms` that `path` lies in."""
    around = [room for room in rooms if path.startswith(room + "/")]
    return max(around, key=len) if around else None


def _included(name: str, file: Path, folders: list[Path]) -> Path | None:
    """Return the file of this tree that `name` means in `file`, as the compiler looks for it."""
    for folder in [file.parent, *folders]:
        if (folder / name).is_file():
            return (folder / name).resolve()
    return None


def cpp_faults(root: Path, arrows: Mapping[str, set[str]]) -> list[str]:
    """Return each #include below `root` that follows no arrow: place, found and expected."""
    root = root.resolve()
    folders = [root / folder.relative_to(ROOT) for folder in INCLUDE_FOLDERS]
    faults = []
    for file in _cpp_files(root):
        here = file.relative_to(root).as_posix()
        room = _room(here, arrows)
        if room is None:
            faults.append(f"{here}: its folder is not in the table of arrows")
            continue
        text = file.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            place = f"{here}:{text.count(chr(10), 0, match.start()) + 1}"
            bracket, name = match.groups()
            target = _included(name, file, folders)
            if target is None:
                if bracket == '"' and not GENERATED_NAMES.fullmatch(name):
                    faults.append(f'{place}: includes "{name}", which is nowhere in this tree')
                continue
            there = _room(target.relative_to(root).as_posix(), arrows)
            if there != room and there not in arrows[room]:
                allowed = ", ".join(sorted(arrows[room])) or "nothing"
                faults.append(f"{place}: {room} includes {name} of {there}, expected {allowed}")
    return faults


def _imported(file: Path) -> Iterator[tuple[int, str]]:
    """Yield line and full name of each module that is imported anywhere in a Python file."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.lineno, node.module


def python_packages() -> dict[str, Path]:
    """Return the folders of our Python packages by name, as setup.py has them."""
    found = re.findall(r'below\("([^"]+)", "([^"]+)"\)', (ROOT / "setup.py").read_text())
    return {name: ROOT / folder for folder, name in found}


def python_faults(
    packages: Mapping[str, Path], arrows: Mapping[str, set[str]], known: Mapping[str, set[str]]
) -> list[str]:
    """Return each import between packages that follows no arrow, and each exception not needed."""
    faults = []
    for package, folder in packages.items():
        needed = set()
        for file in sorted(folder.rglob("*.py")):
            if "tests" in file.relative_to(folder).parts:
                continue
            for line, module in _imported(file):
                other = module.split(".")[0]
                if other not in packages or other == package or other in arrows[package]:
                    continue
                if module in known.get(package, set()):
                    needed.add(module)
                    continue
                allowed = ", ".join(sorted(arrows[package])) or "no other package"
                faults.append(f"{file}:{line}: {package} imports {module}, expected {allowed}")
        faults += [
            f"{package} no longer imports {module}: take it out of KNOWN_UPWARD"
            for module in sorted(known.get(package, set()) - needed)
        ]
    return faults


def room_faults(folder: Path) -> list[str]:
    """Return each import in a room of `regression` of another one; all may import `support`."""
    faults = []
    for file in sorted(folder.rglob("*.py")):
        room = file.relative_to(folder).parts[0]
        for line, module in _imported(file) if room != "tests" else ():
            other = module.partition("regression.")[2].partition(".")[0]
            if module.startswith("regression.") and other not in (room, "support"):
                where = file.relative_to(folder).as_posix()
                faults.append(f"{where}:{line}: imports {module}, expected {room} or support")
    return faults


def _of_manager(node: ast.AST) -> list[str]:
    """Return the modules of the manager that a statement imports, with what it takes of rooms."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name.startswith("firesim.")]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        if node.module.count(".") == 1 and node.module.startswith("firesim."):
            return [f"{node.module}.{alias.name}" for alias in node.names]
        if node.module == "firesim":
            return [f"firesim.{alias.name}" for alias in node.names if alias.name[0] != "_"]
        return [node.module] if node.module.startswith("firesim.") else []
    return []


def manager_faults(
    folder: Path, arrows: Mapping[str, set[str]], known_inner: Mapping[str, set[str]]
) -> list[str]:
    """Return imports without an arrow or inside a function, and arrows that nothing needs."""
    faults: list[str] = []
    used: dict[str, set[str]] = {room: set() for room in arrows}
    inner: set[tuple[str, str]] = set()
    for file in sorted(folder.rglob("*.py")):
        here = file.relative_to(folder).as_posix()
        room = here.partition("/")[0].removesuffix(".py")
        if room not in arrows:
            faults += [] if here == "__init__.py" else [f"{here}: {room} is not in the table"]
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        outside = {id(node) for node in _outside_of_functions(tree)}
        for node in ast.walk(tree):
            for module in _of_manager(node):
                line, other = getattr(node, "lineno", 0), module.split(".")[1]
                used[room].add(other)
                if other != room and other not in arrows[room]:
                    faults.append(f"{here}:{line}: {room} imports {module}, expected no {other}")
                if id(node) in outside or room == "cli":
                    continue
                if module in known_inner.get(here, set()):
                    inner.add((here, module))
                else:
                    faults.append(f"{here}:{line}: imports {module} in a function")
    for room, below in arrows.items():
        faults += [f"{room} needs no arrow to {other}" for other in sorted(below - used[room])]
    for here, modules in known_inner.items():
        gone = sorted(module for module in modules if (here, module) not in inner)
        faults += [f"{here} imports {module} in no function any more" for module in gone]
    return faults


def _outside_of_functions(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
            yield from _outside_of_functions(node)


def _has_cycle(arrows: Mapping[str, set[str]]) -> bool:
    left = {room: set(below) for room, below in arrows.items()}
    while left:
        bottom = {room for room, below in left.items() if not below & set(left)}
        if not bottom:
            return True
        left = {room: below for room, below in left.items() if room not in bottom}
    return False


def test_cpp_includes_follow_the_arrows() -> None:
    assert cpp_faults(ROOT, CPP_ARROWS) == []


def test_python_imports_follow_the_arrows() -> None:
    packages = python_packages()
    assert set(packages) == set(PYTHON_ARROWS), "a package of setup.py is not in the table"
    assert python_faults(packages, PYTHON_ARROWS, KNOWN_UPWARD) == []


def test_rooms_of_the_manager_follow_the_arrows() -> None:
    folder = python_packages()["firesim"]
    assert manager_faults(folder, MANAGER_ARROWS, KNOWN_INNER) == []


def test_each_room_of_the_manager_says_what_it_is_and_what_it_imports() -> None:
    folder = python_packages()["firesim"]
    for room, below in MANAGER_ARROWS.items():
        if (folder / room).is_dir():
            text = (folder / room / "README.md").read_text(encoding="utf-8")
            may_import = text.partition("What it may import: ")[2].partition(" of the manager")[0]
            assert set(re.findall(r"`(\w+)`", may_import)) == below, room
            assert "Who calls it: " in text and len(text.splitlines()) <= 14, room


def test_wrong_arrows_in_the_manager_are_found(tmp_path: Path) -> None:
    texts = {
        "low/a.py": "from firesim.high.b import c\n",
        "high/b.py": "from firesim.low import a\n\n\ndef f():\n    import firesim.low.a\n",
        "cli/c.py": "def f():\n    from firesim.low.a import d\n",
        "new/d.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    arrows: dict[str, set[str]] = {"low": set(), "high": {"low"}, "cli": {"low", "high"}}
    assert manager_faults(tmp_path, arrows, {"low/a.py": {"firesim.low.e"}}) == [
        "high/b.py:5: imports firesim.low.a in a function",
        "low/a.py:1: low imports firesim.high.b, expected no high",
        "new/d.py: new is not in the table",
        "cli needs no arrow to high",
        "low/a.py imports firesim.low.e in no function any more",
    ]


def test_rooms_of_regression_stand_on_support_alone() -> None:
    assert room_faults(ROOT / "regression") == []


def test_an_import_from_another_room_is_found(tmp_path: Path) -> None:
    for room in ("oracles", "fuzzers", "tests"):
        (tmp_path / room).mkdir()
        texts = ["support.experiment", "oracles.rtl_oracle"]
        text = "".join(f"from regression.{module} import run\n" for module in texts)
        (tmp_path / room / "one.py").write_text(text)
    expected = (
        "fuzzers/one.py:2: imports regression.oracles.rtl_oracle, expected fuzzers or support"
    )
    assert room_faults(tmp_path) == [expected]


@pytest.mark.parametrize("arrows", [CPP_ARROWS, PYTHON_ARROWS, MANAGER_ARROWS])
def test_arrows_form_no_circle(arrows: dict[str, set[str]]) -> None:
    assert not _has_cycle(arrows)
    assert {below for room in arrows.values() for below in room} <= set(arrows)


def test_nothing_below_sim_reaches_the_target_design() -> None:
    for room, below in CPP_ARROWS.items():
        if room.startswith("sim/"):
            assert not [other for other in below if not other.startswith("sim/")]


def test_a_circle_is_seen() -> None:
    assert _has_cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": set()})


def test_upward_includes_are_found(tmp_path: Path) -> None:
    texts = {
        "sim/core/model.h": '#include <vector>\n#include <switch/port.h>\n#include "model.h"\n',
        "sim/core/tests/model_test.cc": '#include "core/model.h"\n  # include "../../loose.h"\n',
        "sim/loose.h": "",
        "target-design/switch/port.h": '#include "core/model.h"\n#include "none.h"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cpp_faults(tmp_path, CPP_ARROWS) == [
        "sim/core/model.h:2: sim/core includes switch/port.h of target-design/switch, "
        "expected nothing",
        "sim/core/tests/model_test.cc:2: sim/core includes ../../loose.h of None, expected nothing",
        "sim/loose.h: its folder is not in the table of arrows",
        'target-design/switch/port.h:2: includes "none.h", which is nowhere in this tree',
    ]


def test_upward_imports_are_found(tmp_path: Path) -> None:
    (tmp_path / "low/tests").mkdir(parents=True)
    (tmp_path / "high").mkdir()
    (tmp_path / "low/a.py").write_text("import os\n\n\ndef f():\n    from high.b import c\n")
    (tmp_path / "low/tests/test_a.py").write_text("import high.b\n")
    (tmp_path / "high/b.py").write_text("import low.a\nfrom . import d\n")
    packages = {"low": tmp_path / "low", "high": tmp_path / "high"}
    arrows: dict[str, set[str]] = {"low": set(), "high": {"low"}}
    assert python_faults(packages, arrows, {}) == [
        f"{tmp_path}/low/a.py:5: low imports high.b, expected no other package"
    ]
    assert python_faults(packages, arrows, {"low": {"high.b", "high.d"}}) == [
        "low no longer imports high.d: take it out of KNOWN_UPWARD"
    ]
