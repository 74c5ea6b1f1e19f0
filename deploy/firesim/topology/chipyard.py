# SPDX-License-Identifier: BSD-3-Clause
"""Chipyard's generated Verilog as the sources of a blade: what is taken, left out and replaced.

A `gen-collateral` has one file a module for hardware and harness alike, and models in C for a
simulator. What the top module needs is taken, by the names of modules in the text; a module that
`sim/chipyard` has, too, is taken from there: it stands for a part outside the chip, with the same
ports and one of our bridges behind them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from firesim_common.errors import listed, nearest
from firesim_common.paths import ROOT

from firesim.topology.chipyard_facts import DRAM, Facts, facts_of

SHIMS = ROOT / "sim" / "chipyard"
FOLDER, LIST = "gen-collateral", "filelist.f"
TOP = "TestHarness"
SUFFIXES = (".sv", ".v")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MODULE = re.compile(r"^\s*(?:extern\s+)?module\s+(?:automatic\s+)?(\w+)", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_]\w*")
_C_MODEL = re.compile(r'import\s+"DPI(?:-C)?"')


class CollateralError(ValueError):
    """A folder that is not what is expected: what was found, and what instead."""


@dataclass(frozen=True)
class Collateral:
    """What of a folder makes a blade."""

    top: str
    folder: Path
    """The gen-collateral."""
    sources: tuple[Path, ...]
    """Files of the folder and shims, without those that nothing needs."""
    replaced: tuple[str, ...]
    """Modules of the folder, or needed by it, that are ours."""
    left_out: int
    """Verilog files of the folder that are not taken."""
    facts: Facts


@dataclass
class _File:
    """A file: its text without comments, and what it defines."""

    path: Path
    text: str
    modules: list[str] = field(default_factory=list)

    def words(self) -> set[str]:
        return set(_WORD.findall(self.text))


def read_collateral(given: Path, top: str = TOP) -> Collateral:
    """Read a `gen-collateral`, or a `generated-src/NAME` with one.

    Raises:
        CollateralError: it is no such folder, or something that the top module needs is missing.
    """
    folder = _folder(given)
    names = _listed(folder)
    files = [_read(path) for path in sorted(folder.iterdir()) if path.suffix in SUFFIXES]
    shims = [_read(path) for path in sorted(SHIMS.glob("*.sv"))]
    ours = {name: one for one in shims for name in one.modules}
    theirs = _by_module([one for one in files if one.path.name in names])
    theirs = _by_module([one for one in files if one.path.name not in names]) | theirs
    if top not in theirs:
        close = nearest(top, list(theirs))
        raise CollateralError(
            f'found no module {top} in "{folder}", expected it: Chipyard writes {TOP} for its '
            f"simulators (make verilog in sims/verilator)"
            + (f', did you mean "{close}"?' if close else ".")
        )
    taken, used = _needed(top, {**theirs, **ours}, folder)
    _refuse_c_models(taken, list(ours))
    kept = [one for one in taken if one.path.parent == folder]
    facts = facts_of([one.text for one in kept])
    if len(facts.drams) > 1:
        raise CollateralError(
            f'found {len(facts.drams)} memories ({DRAM}) in "{folder}", expected one: a node has '
            f"one memory, so the design needs one channel."
        )
    return Collateral(
        top,
        folder,
        tuple(one.path for one in taken),
        tuple(sorted(name for name in used & set(ours) if not name.startswith("firesim_"))),
        len(files) - len(kept),
        facts,
    )


def _folder(given: Path) -> Path:
    """Return the folder with the Verilog."""
    if not given.is_dir():
        what = "a file" if given.exists() else "nothing of this name"
        raise CollateralError(f'found {what} at "{given}", expected a folder {FOLDER} of Chipyard.')
    inner = given / FOLDER
    folder = inner if inner.is_dir() else given
    if not (folder / LIST).is_file():
        below = sorted(path.parent.name for path in given.glob(f"*/{FOLDER}"))
        hint = f", such as {listed(below)} below it" if below else ""
        raise CollateralError(
            f'found no {LIST} in "{folder}", expected a folder {FOLDER} of Chipyard, or a '
            f"generated-src/NAME with one{hint}."
        )
    return folder


def _listed(folder: Path) -> set[str]:
    """Return the names in the list of files; lists have paths of the machine that wrote them."""
    lines = (folder / LIST).read_text(errors="replace").split()
    names = {Path(line).name for line in lines if line.endswith(SUFFIXES)}
    missing = sorted(name for name in names if not (folder / name).is_file())
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise CollateralError(
            f'found no file "{missing[0]}"{more} in "{folder}", expected all that its {LIST} '
            f"names."
        )
    return names


def _read(path: Path) -> _File:
    text = _COMMENT.sub("", path.read_text(errors="replace"))
    return _File(path, text, _MODULE.findall(text))


def _by_module(files: list[_File]) -> dict[str, _File]:
    found: dict[str, _File] = {}
    for one in files:
        for name in one.modules:
            found.setdefault(name, one)
    return found


def _needed(top: str, known: dict[str, _File], folder: Path) -> tuple[list[_File], set[str]]:
    """Return the files that a module needs, in order of their names, and the modules so found."""
    used: set[str] = set()
    taken: dict[Path, _File] = {}
    todo = [top]
    while todo:
        name = todo.pop()
        if name in used:
            continue
        used.add(name)
        one = known[name]
        if one.path not in taken:
            taken[one.path] = one
            todo += sorted(one.words() & known.keys())
    return sorted(taken.values(), key=lambda one: (one.path.parent == folder, one.path)), used


def _refuse_c_models(files: list[_File], shims: list[str]) -> None:
    for one in files:
        if _C_MODEL.search(one.text):
            ours = sorted(name for name in shims if not name.startswith("firesim_"))
            raise CollateralError(
                f'found {one.modules[0]} in "{one.path.name}", which calls functions in C, '
                f"expected a design without it: FireSim has parts in place of {listed(ours)}."
            )


def decisions(name: str, found: Collateral, clock_hz: int) -> Iterator[str]:
    """Say in lines what was made of a folder."""
    verilog = sum(path.parent == found.folder for path in found.sources)
    yield (
        f"{name}: {verilog} files of {found.folder}; {found.left_out} that {found.top} does not "
        f"need, or that are for a simulator, are left out"
    )
    if found.replaced:
        yield f"{name}: FireSim's parts in place of {', '.join(found.replaced)}"
    yield from (f"{name}: {line}" for line in found.facts.lines(clock_hz))
