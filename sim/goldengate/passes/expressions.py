# SPDX-License-Identifier: BSD-3-Clause
"""Part of the pass `elaborate`: events that are Verilog expressions become wires.

In: the flat module, and expressions over its wires by their paths (`core.alu.sum > 3`). Out: a wire
for each, which the pass `instrument` counts. The expressions are read as SystemVerilog, in a module
of their own that has the wires they name as inputs: so operators and widths are those of the
language. The flat module does not know which of its wires are signed, so that none is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pyslang
import pyslang.ast as ast
import pyslang.syntax as syntax
from pyosys import libyosys as ys

from goldengate.errors import GoldenGateError, nearest
from goldengate.state import Event, State, plain, public
from goldengate.tasks.source import is_token, kind

MODULE = "firesim_events"
_NAMES = ("ScopedName", "IdentifierName", "IdentifierSelectName")
_NO_VALUES = ("AssignmentExpression", "crementExpression")


def wire_name(index: int) -> Any:
    """Return the name of the wire of the event of this number; no name of a user's is like it."""
    return ys.IdString(f"$firesim$event${index}")


@dataclass
class _Inputs:
    """The wires that the expressions name, by their place among the module's inputs."""

    state: State
    wires: list[Any] = field(default_factory=list)

    def name(self, path: str) -> str | None:
        """Return the input that stands for a wire of the design, None if there is no such wire."""
        flat = path[1:].rstrip() if path.startswith("\\") else re.sub(r"\s", "", path)
        request = self.state.request
        for one in (flat, flat.removeprefix(request.top + ".")):
            wire = self.state.module.wire(public(one))
            if wire is not None and one not in (request.clock, *request.clock_ratios):
                known = [plain(other.name) for other in self.wires]
                if one not in known:
                    self.wires.append(wire)
                    known.append(one)
                return f"i{known.index(one)}"
        return None


def _nodes(node: Any) -> Iterator[Any]:
    """Yield a node and all below it, outer ones first, no tokens."""
    if not is_token(node):
        yield node
        for child in node:
            if child is not None:
                yield from _nodes(child)


def _parsed(event: Event) -> Any:
    """Return the syntax of an expression.

    Raises:
        GoldenGateError: it is none, or changes something.
    """
    tree = syntax.SyntaxTree.fromText(event.expression)
    root = tree.root
    if not kind(root).endswith(("Expression", *_NAMES)):
        raise _error(event, "it is no expression")
    if tree.diagnostics:
        raise _error(event, _message(tree, tree.diagnostics))
    for node in _nodes(root):
        if kind(node).endswith(_NO_VALUES):
            raise _error(event, "it changes a value")
        if kind(node) == "InvocationExpression" and not str(node).lstrip().startswith("$"):
            raise _error(event, "it calls a function of the design")
    return tree


def _message(tree: Any, diagnostics: Any) -> str:
    """Return what the reader says first, without place and picture."""
    report = pyslang.DiagnosticEngine.reportAll(tree.sourceManager, diagnostics)
    found = re.search(r"(?:error|warning): (.*?)(?: \[-W[\w-]+\])?$", report, re.MULTILINE)
    return found[1] if found else report.strip()


def _error(event: Event, why: str) -> GoldenGateError:
    return GoldenGateError(
        f"event '{event.name}': found '{event.expression}', expected a SystemVerilog expression "
        f"over wires of the design: {why}."
    )


def _without_last_select(path: str) -> str:
    """Return `a[1].b` of `a[1].b[c[2]]`, and what has no select behind it as it is."""
    depth = 0
    for at in range(len(path) - 1, -1, -1):
        depth += (path[at] == "]") - (path[at] == "[")
        if not depth:
            return path[:at].rstrip() if path[at] == "[" else path
    return path


def _translated(state: State, event: Event, inputs: _Inputs) -> str:
    """Return an expression with the names of inputs in place of paths."""
    text, covered, pieces = event.expression, 0, []
    tree = _parsed(event)
    for node in _nodes(tree.root):
        start, end = (getattr(node.sourceRange, one).offset for one in ("start", "end"))
        if kind(node) not in _NAMES or start < covered:
            continue
        path = text[start:end]
        while (name := inputs.name(path)) is None:
            shorter = _without_last_select(path)
            if shorter == path:
                raise GoldenGateError(
                    f"event '{event.name}': the design has no signal '{path}'"
                    f"{nearest(path, state.signals)}."
                )
            path = shorter
        pieces += [text[covered:start], name]
        covered = start + len(path)
    return " ".join("".join([*pieces, text[covered:]]).split())


def _declared(wire: Any) -> str:
    first, last = wire.start_offset + wire.width - 1, wire.start_offset
    ends = (last, first) if wire.upto else (first, last)
    return f"logic [{ends[0]}:{ends[1]}]"


def _check(text: str, events: dict[int, Event], line_of: dict[int, int]) -> None:
    """Refuse what the language refuses, or warns of, such as a select beyond a wire.

    Raises:
        GoldenGateError: the first error, at its event.
    """
    compilation = ast.Compilation()
    tree = syntax.SyntaxTree.fromText(text)
    compilation.addSyntaxTree(tree)
    for found in compilation.getAllDiagnostics():
        line = tree.sourceManager.getLineNumber(found.location)
        event = next(events[index] for index, at in line_of.items() if at == line)
        raise _error(event, _message(tree, [found]))


def _module(state: State, events: dict[int, Event]) -> tuple[str, list[Any]]:
    """Return the text of the module, and the wires that are its inputs, `i0` and so on."""
    inputs = _Inputs(state)
    values = {index: _translated(state, event, inputs) for index, event in events.items()}
    ports = [f"input {_declared(wire)} i{number}" for number, wire in enumerate(inputs.wires)]
    line_of = {}
    for index, value in values.items():
        line_of[index] = 2 + len(ports)
        ports.append(f"output logic [$bits({value})-1:0] e{index}")
    text = f"module {MODULE}(\n" + ",\n".join(ports) + ");\n"
    text += "".join(f"assign e{index} = {value};\n" for index, value in values.items())
    text += "endmodule\n"
    _check(text, events, line_of)
    return text, inputs.wires


def run(state: State) -> None:
    """Add a wire for each event that is an expression, and what drives it."""
    numbered = enumerate(state.request.events)
    events = {index: event for index, event in numbered if event.expression}
    if not events:
        return
    text, wires = _module(state, events)
    file = state.out / f"{MODULE}.sv"
    file.write_text(text)
    ys.Pass.call(state.design, ["read_slang", "--no-proc", "--top", MODULE, str(file)])
    state.run(f"proc -noopt {MODULE}")
    module = state.module
    cell = module.addCell(ys.IdString(f"$firesim${MODULE}"), public(MODULE))
    for number, wire in enumerate(wires):
        cell.setPort(public(f"i{number}"), ys.SigSpec(wire))
    for index in events:
        width = state.design.module(public(MODULE)).wire(public(f"e{index}")).width
        found = module.addWire(wire_name(index), width)
        found.set_bool_attribute(public("keep"), True)
        cell.setPort(public(f"e{index}"), ys.SigSpec(found))
    state.run("flatten")
