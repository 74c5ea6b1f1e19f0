# SPDX-License-Identifier: BSD-3-Clause
"""Pass `read`: Verilog and SystemVerilog files become a Yosys design.

In: the files of pass `rewrite`, and what the reader is to allow (`allowances.py`). Out: RTLIL
modules with processes, hierarchy kept unless names reach across it. The reader is slang
(SystemVerilog-2017), with SYNTHESIS defined as for any synthesis tool, unless the request says
otherwise. Bridges the design does not declare are declared from their `bridge.yaml`. Both
directions of trouble with a bridge (a port that does not exist, a wrong width) end here. A reader
that refuses ends this process; `explain.py` says why.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from pyosys import libyosys as ys

from goldengate.allowances import DIAGNOSTICS, PARAMETER_CHECK, load_diagnostics
from goldengate.bridges import stub_verilog
from goldengate.errors import GoldenGateError
from goldengate.large_arrays import give_words_back
from goldengate.passes import adapt, escapes, resets
from goldengate.passes.clock_sources import CLOCK_SOURCE, CLOCK_SOURCE_STUB
from goldengate.passes.explain import declared_modules, explain, note_places, note_words
from goldengate.passes.instead import REFUSED_WARNINGS
from goldengate.passes.rewrite import keyword_versions
from goldengate.state import State


def _options(state: State) -> list[str]:
    """Return the options of the reader that decide what the files mean."""
    request, allowed = state.request, state.allowed
    words = ["--single-unit", "--error-limit", "0", "--diag-column-unit", "byte"]
    for folder in request.include_dirs:
        words += ["-I", folder]
    for path in dict.fromkeys(Path(source).parent for source in request.sources):
        words += ["-I", str(path)]
    for name, value in request.defines.items():
        words.append(f"-D{name}" if value is None else f"-D{name}={value}")
    if not request.synthesis:
        words.append("--no-synthesis-define")
    if allowed.delays:
        words.append("--ignore-timing")
    if allowed.late_names:
        words.append("--allow-use-before-declare")
    if allowed.wide_parts:
        words.append("-Wno-error=range-width-oob")
    return words + keyword_versions(state)


def _value(state: State, name: str) -> str:
    value = state.request.parameters[name]
    return f'"{value}"' if name in state.allowed.texts else value


def _read(state: State, stubs: Path, diagnostics: Path) -> None:
    note_places(state)
    words = ["read_slang", "--no-proc", "--top", state.request.top]
    if not state.allowed.dissolved:
        words.append("--keep-hierarchy")
    words += ["--diag-json", str(diagnostics), "--allow-dup-initial-drivers"]
    words += ["-Wport-width-trunc", "-Wport-width-expand", *_options(state)]
    if state.allowed.shows_design:
        words.append("--dump-ast")
    for name in state.request.parameters:
        words += ["-G", f"{name}={_value(state, name)}"]
    for module in (*state.bridge_kinds, CLOCK_SOURCE):
        words += ["--blackboxed-module", module]
    words += [str(stubs), *map(str, state.sources)]
    note_words(state, words, keyword_versions(state))
    ys.Pass.call(state.design, words)


def _check_parameters(state: State, stubs: Path, diagnostics: Path) -> None:
    """Let the reader refuse parameters that the top module does not have: as `-G`, it drops them.

    It refuses them at an instance.
    """
    if not state.request.parameters:
        return
    note_places(state)
    given = ", ".join(f".{name}({_value(state, name)})" for name in state.request.parameters)
    check = state.out / f"{PARAMETER_CHECK}.sv"
    check.write_text(
        f"module {PARAMETER_CHECK};\n  \\{state.request.top} #({given}) top();\nendmodule\n"
    )
    words = ["read_slang", "--ast-compilation-only", "--top", PARAMETER_CHECK, *_options(state)]
    words += ["--diag-json", str(diagnostics), str(check), str(stubs)]
    words += map(str, state.sources)
    ys.Pass.call(ys.Design(), words)


def _instances_of_bridges(state: State) -> dict[str, list[tuple[int, int, str]]]:
    """List, by file, the line ranges in which a bridge is instantiated, with its module name."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    pattern = re.compile(r"\b(FireSim\w*Bridge)\b(?!\s*;)[^;]*;", re.DOTALL)
    for file in state.sources:
        text = file.read_text(errors="replace")
        path = state.original[os.path.realpath(file)]
        for match in pattern.finditer(text):
            first = text.count("\n", 0, match.start()) + 1
            last = text.count("\n", 0, match.end()) + 1
            found.setdefault(path, []).append((first, last, match[1]))
    return found


def _check_bridge_widths(state: State, diagnostics: list[dict[str, Any]]) -> None:
    """Refuse a width mismatch at a bridge; elsewhere Verilog's own rules hold."""
    instances = _instances_of_bridges(state)
    for diagnostic in diagnostics:
        if "port-width" not in str(diagnostic.get("optionName", "")):
            continue
        where = state.place(str(diagnostic.get("location", "")))
        file, _, line = where.rpartition(":")
        for first, last, module in instances.get(file, []):
            if first <= int(line) <= last:
                raise GoldenGateError(
                    f"{where}: {diagnostic['message']}; "
                    f"a port of {module} must have exactly the width of its table in "
                    f"docs/reference/interfaces.md."
                )


def _check_warnings(state: State, diagnostics: list[dict[str, Any]]) -> None:
    """Refuse what the reader merely warns of, but leaves out of the design."""
    for diagnostic in diagnostics:
        if str(diagnostic["message"]) in REFUSED_WARNINGS:
            raise GoldenGateError(explain(diagnostic, state, set()))


def run(state: State) -> None:
    """Fill `state.design`. A failure of the reader ends this process; see `explain.py`."""
    state.warnings += state.allowed.warnings
    adapt.run(state)
    modules = declared_modules(state.sources) | set(state.allowed.declared_bridges)
    stubs = state.out / "bridges.sv"
    kinds = state.bridge_kinds.values()
    boxes = [stub_verilog(kind) for kind in kinds if kind.module not in modules]
    boxes += [CLOCK_SOURCE_STUB] if CLOCK_SOURCE not in modules else []
    stubs.write_text("\n".join(boxes))
    diagnostics = state.out / DIAGNOSTICS
    _check_parameters(state, stubs, diagnostics)
    _read(state, stubs, diagnostics)
    if resets.mend(state):
        state.run("tee -q design -reset")
        _read(state, stubs, diagnostics)
    give_words_back(state)
    found = load_diagnostics(diagnostics)
    _check_warnings(state, found)
    _check_bridge_widths(state, found)
    escapes.restore(state)
