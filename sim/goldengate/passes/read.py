# SPDX-License-Identifier: BSD-3-Clause
"""Pass `read`: Verilog and SystemVerilog files become a Yosys design.

In: the files of pass `rewrite`. Out: RTLIL modules, hierarchy kept, with processes. The reader is
slang (SystemVerilog-2017), with SYNTHESIS defined, as for any synthesis tool. Bridges the design
does not declare are declared from their `bridge.yaml`. Both directions of trouble with a bridge (a
port that does not exist, a wrong width) end here.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from goldengate.bridges import BRIDGE_MODULE, stub_verilog
from goldengate.errors import GoldenGateError, nearest
from goldengate.passes import resets
from goldengate.state import State

_MODULE = re.compile(r"^\s*(?:\(\*.*?\*\)\s*)?module\s+\\?(\w+)", re.MULTILINE)


def declared_modules(paths: list[Path]) -> set[str]:
    """Return the names of all modules declared in these files."""
    return {name for path in paths for name in _MODULE.findall(path.read_text(errors="replace"))}


def _check_parameters(state: State, files: list[Path]) -> None:
    """Refuse values for parameters that the top module does not have: the reader drops them."""
    top = re.escape(state.request.top)
    for path in files:
        text = path.read_text(errors="replace")
        found = re.search(rf"\bmodule\s+{top}\b(.*?)\bendmodule\b", text, re.DOTALL)
        if not found or not state.request.parameters:
            continue
        if re.search(r"`(?!define|ifdef|ifndef|else|endif)\w", found[1]):
            return  # A macro may hold a declaration.
        known = {
            name
            for part in re.findall(r"\bparameter\b([^;)]*(?:\([^)]*\)[^;)]*)*)", found[1])
            for name in re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*=", part)
        }
        line = text.count("\n", 0, found.start()) + 1
        for name in set(state.request.parameters) - known:
            raise GoldenGateError(
                f"{state.original[os.path.realpath(path)]}:{line}: module {state.request.top} has "
                f"no parameter '{name}'{nearest(name, known)}; "
                f"its parameters are: {', '.join(sorted(known)) or 'none'}."
            )


def _quoted(path: Path | str) -> str:
    if re.search(r'["\s;]', str(path)):
        raise GoldenGateError(
            f"{path}: paths with white space, quotes or semicolons are not supported by the reader."
        )
    return str(path)


def _command(state: State, files: list[Path], diagnostics: Path) -> str:
    words = [
        "read_slang",
        "--no-proc",
        "--keep-hierarchy",
        "--single-unit",
        "--top",
        state.request.top,
    ]
    words += ["--diag-json", _quoted(diagnostics), "--allow-dup-initial-drivers"]
    words += ["-Wport-width-trunc", "-Wport-width-expand"]
    for folder in state.request.include_dirs:
        words += ["-I", _quoted(folder)]
    for path in dict.fromkeys(Path(source).parent for source in state.request.sources):
        words += ["-I", _quoted(path)]
    for name, value in state.request.defines.items():
        words.append(f"-D{name}" if value is None else f"-D{name}={value}")
    for name, value in state.request.parameters.items():
        words += ["-G", f"{name}={_quoted(value)}"]
    for module in state.bridge_kinds:
        words += ["--blackboxed-module", module]
    return " ".join(words + [_quoted(path) for path in files])


def explain(diagnostic: dict[str, Any], state: State, modules: set[str]) -> str:
    """Turn one diagnostic of the reader into `file:line: what; nearest name`."""
    location = str(diagnostic.get("location", ""))
    where = f"{state.place(location)}: " if location else ""
    message = str(diagnostic["message"])
    if missing := re.fullmatch(r"failed to open file '(.*)'", message):
        name = missing[1]
        if "/" in name:
            return f"{where}found the file '{name}', expected a name without a folder."
        known = [Path(file).name for file in state.request.data_files]
        return (
            f"{where}the file '{name}' is not among the data files ({', '.join(known) or 'none'})"
            f"{nearest(name, known)}."
        )
    unknown = re.fullmatch(r"unknown module '(\w+)'", message)
    if not unknown:
        return f"{where}{message}."
    name = unknown[1]
    if BRIDGE_MODULE.fullmatch(name):
        return f"{where}unknown bridge '{name}'{nearest(name, state.bridge_kinds)}."
    return (
        f"{where}module '{name}' is instantiated here but no source file declares it"
        f"{nearest(name, modules)}."
    )


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


def run(state: State) -> None:
    """Fill `state.design`. A failure of the reader ends this process; see `explain_failure`."""
    files = list(state.sources)
    modules = declared_modules(files)
    if state.request.top not in modules:
        raise GoldenGateError(
            f"{state.request.top}: no source file declares this module"
            f"{nearest(state.request.top, modules)}."
        )
    _check_parameters(state, files)
    stubs = state.out / "bridges.sv"
    kinds = state.bridge_kinds.values()
    stubs.write_text("\n".join(stub_verilog(kind) for kind in kinds if kind.module not in modules))
    diagnostics = state.out / "diagnostics.json"
    state.run(_command(state, [stubs, *files], diagnostics))
    if resets.mend(state):
        state.run("tee -q design -reset")
        state.run(_command(state, [stubs, *state.sources], diagnostics))
    _check_bridge_widths(state, load_diagnostics(diagnostics))


def load_diagnostics(path: Path) -> list[dict[str, Any]]:
    """Read what the reader reported; an empty list when it wrote nothing."""
    if not path.is_file() or not path.read_text().strip():
        return []
    return list(json.loads(path.read_text()))


def explain_failure(state: State, log: str) -> str:
    """Return the first error of a reader that ended the process."""
    modules = declared_modules(state.sources)
    for diagnostic in load_diagnostics(state.out / "diagnostics.json"):
        if diagnostic.get("severity") in ("error", "fatal"):
            return explain(diagnostic, state, modules)
    lines = [line for line in log.splitlines() if "ERROR:" in line]
    return (
        lines[0].replace("ERROR: ", "", 1) if lines else "the Verilog reader failed without a word."
    )
