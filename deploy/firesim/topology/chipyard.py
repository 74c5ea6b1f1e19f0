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

from firesim.topology.chipyard_facts import AXI_MEMORY, DRAM, Dram, Facts, facts_of
from firesim.topology.chipyard_ports import ports_of

SHIMS = ROOT / "sim" / "chipyard"
FOLDER, LIST = "gen-collateral", "filelist.f"
TOP = "TestHarness"
SUFFIXES = (".sv", ".v")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MODULE = re.compile(r"^\s*(?:extern\s+)?module\s+(?:automatic\s+)?(\w+)", re.MULTILINE)
_NO_EFFECT = re.compile(r"_(?:lock|cache|prot|qos|region|user|resp)$")
"""Ports that a generator may leave out, since nothing depends on them."""
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

    def defines(self, memory_base: int) -> dict[str, str | None]:
        """Return macros for our parts, of a node with its memory at `memory_base`."""
        if AXI_MEMORY not in self.replaced:
            return {}
        return axi_memory_defines(self.facts.drams[0], memory_base)


def axi_memory_defines(memory: Dram, memory_base: int) -> dict[str, str | None]:
    """Return the macros of sim/chipyard/SimAXIMem.sv."""
    from_zero = memory_base >> memory.address_bits != 0
    return {
        "FIRESIM_AXI_ADDRESS_BITS": str(memory.address_bits),
        "FIRESIM_AXI_DATA_BITS": str(memory.data_bits),
        "FIRESIM_AXI_ID_BITS": str(memory.id_bits),
        "FIRESIM_AXI_BASE": f"64'h{memory_base if from_zero else 0:x}",
    }


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
    theirs = _by_module([one for one in files if one.path.name in names])
    theirs = _by_module([one for one in files if one.path.name not in names]) | theirs
    ours = {
        name: one for one in shims for name in one.modules if _fits(name, one, theirs.get(name))
    }
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
    replaced = used & set(ours)
    memories = {name: theirs[name].text for name in replaced & theirs.keys()}
    facts = facts_of([one.text for one in kept], memories.get(AXI_MEMORY))
    if len(facts.drams) > 1:
        raise CollateralError(
            f'found {len(facts.drams)} memories ({DRAM}) in "{folder}", expected one: a node has '
            f"one memory, so the design needs one channel."
        )
    return Collateral(
        top,
        folder,
        tuple(one.path for one in taken),
        tuple(sorted(name for name in replaced if not name.startswith("firesim_"))),
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


def _fits(name: str, shim: _File, theirs: _File | None) -> bool:
    """Tell whether a part has the ports of the module that it replaces: some names are of two.

    A generator leaves out ports that are constant in its own module, and may not be so in ours. A
    model in C is of no use here, whatever its ports.
    """
    if theirs is None or _C_MODEL.search(theirs.text):
        return True
    if not (found := ports_of(theirs.text, name)):
        return True
    ours = ports_of(shim.text, name)
    return found <= ours and all(_NO_EFFECT.search(port) for port in ours - found)


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


def decisions(
    name: str, found: Collateral, clock_hz: int, keeps_checks: bool = False
) -> Iterator[str]:
    """Say in lines what was made of a folder; `keeps_checks`: SYNTHESIS is not defined."""
    verilog = sum(path.parent == found.folder for path in found.sources)
    yield (
        f"{name}: {verilog} files of {found.folder}; {found.left_out} that {found.top} does not "
        f"need, or that are for a simulator, are left out"
    )
    if found.replaced:
        yield f"{name}: FireSim's parts in place of {', '.join(found.replaced)}"
    yield from (f"{name}: {line}" for line in found.facts.lines(clock_hz, keeps_checks))
