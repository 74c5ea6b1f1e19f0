# SPDX-License-Identifier: BSD-3-Clause
"""Pass `undefined`: what the text leaves unknown is 0, before anything may choose otherwise.

In: modules as the reader leaves them, with processes. Out: modules without processes, in which

- an `x` (or `z`) of the text is 0, but in patterns: a case item with an `x` matches nothing, nor
  does `=== 1'bx`;
- registers without an initial value begin with 0;
- a selection that is partly outside of a vector is 0 there, also to Verilator, which would not read
  such a selection right;
- the promise that a case is complete or parallel (`unique`, `full_case`) changes nothing;
- variables that nothing assigns are wires without a driver, of which `elaborate` warns.

With `unknown` FREE, all but selections and the last is left to the optimisation, which takes what
makes the logic smallest, as synthesis does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pyosys import libyosys as ys

from goldengate.process_parts import assigned, divided, is_name
from goldengate.state import FREE, State, plain, public

_PROCESSES = (
    "proc_clean", "proc_rmdead", "proc_prune", "proc_init", "proc_rom", "proc_mux", "proc_clean",
    "opt_expr -keepdc",
)  # fmt: skip
_FOLD = ("opt_expr -mux_undef", "opt_reduce")
_NESTED = 4
"""What always enables a latch is made constant, from the innermost of nested cases outwards. The x
that may be replaced by then stands only where no case can lead to."""
_UNKNOWN = re.compile(r"(?<= )(\d+)'([01xz]*[xz][01xz]*)(?=\s|$)")
_PROMISES = ("\\full_case", "\\parallel_case")


def _zero(match: re.Match[str]) -> str:
    bits = match[2] if len(match[2]) > 1 else match[2] * int(match[1])
    return f"{match[1]}'{bits.translate(str.maketrans('xz', '00'))}"


def _cases(lines: Iterable[str]) -> Iterator[str]:
    """Leave out of a process the patterns that match nothing, and cases that have no others."""
    depth = skipped = 0
    for line in lines:
        words = line.split(maxsplit=1)
        if words[0] == "case" and skipped in (0, depth):
            patterns = words[1].rstrip("\n").split(" , ") if len(words) > 1 else [""]
            kept = [one for one in patterns if not _UNKNOWN.search(f" {one}")]
            skipped = 0 if kept else depth
            line = f"{line[: line.index('case')]}case {' , '.join(kept)}\n"
        elif words[0] == "end" and skipped == depth:
            skipped = 0
        depth += {"switch": 1, "end": -1}.get(words[0], 0)
        if not skipped:
            yield line


def _names(words: Iterable[str]) -> set[str]:
    """Return those of the words of RTLIL that name wires."""
    return set(filter(is_name, words))


class _Module:
    """The text of one module: the widths of its wires, and what its processes compute.

    `carriers` maps a wire to the variables that continuously take its value: a process computes
    the wire, and the variable is combinational. `enables` are the wires that enable latches.
    """

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.widths: dict[str, int] = {}
        self.carriers: dict[str, set[str]] = {}
        self.enables: set[str] = set()
        for number, line in enumerate(lines):
            words = line.split()
            if words[:1] == ["wire"]:
                wide = "width" in words[:-1]
                self.widths[words[-1]] = int(words[words.index("width") + 1]) if wide else 1
            elif words[:2] == ["cell", "$dlatch"]:
                ports = (lines[number + more].split() for more in range(1, 6))
                for port in ports:
                    if port[:2] == ["connect", "\\EN"]:
                        self.enables.update(_names(port[2:]))
            elif words[:2] == ["cell", "$buf"]:
                taken, variable = (lines[number + more].split() for more in (2, 3))
                for word in _names(taken[2:]):
                    self.carriers.setdefault(word, set()).update(_names(variable[2:]))

    def defined(self) -> Iterator[str]:
        """Yield the lines with 0 for everything unknown."""
        lines = iter(self.lines)
        for line in lines:
            word = line.split(maxsplit=1)[0] if line.strip() else ""
            if word == "process":
                yield from divided(line, list(self._process(list(_to_end(lines)))))
            else:
                yield _UNKNOWN.sub(_zero, line) if word == "connect" else line

    def _process(self, lines: list[str]) -> Iterator[str]:
        promises = any("attribute \\full_case" in line for line in lines)
        for line in self._completed(list(_cases(lines))):
            words = line.split()
            if words[0] == "attribute":
                if words[1] not in _PROMISES:
                    yield line
                continue
            if promises and words[0] == "assign" and words[2] in self.carriers.get(words[1], ()):
                line = f"{line[: line.index(words[2])]}{self._nothing(words[2:])}\n"
            yield _UNKNOWN.sub(_zero, line) if words[0] != "case" else line

    def _completed(self, lines: list[str]) -> Iterator[str]:
        """Give each case that promises to be complete a default, which enables its latches.

        The reader makes a latch of a variable that a case leaves out. In the default it takes what
        the process has come to, 0 if nothing: so the promise leaves no latch behind. A variable
        that a branch itself leaves out keeps its latch.
        """
        promised = False
        stack: list[dict[str, list[str]] | None] = []
        for line in lines:
            words = line.split()
            if words[:2] == ["attribute", "\\full_case"]:
                promised = True
            elif words[0] == "switch":
                stack.append({} if promised else None)
                promised = False
            elif words == ["case"] and stack:
                stack[-1] = None
            elif words[0] == "assign" and self.enables.issuperset(_names(assigned(line))):
                for enabled in stack:
                    if enabled is not None:
                        enabled[" ".join(assigned(line))] = assigned(line)
            elif words[0] == "end" and stack and (enabled := stack.pop()):
                yield "case \n"
                for text, target in enabled.items():
                    yield f"assign {text} {self._constant(target, '1')}\n"
            yield line

    def _constant(self, target: list[str], bit: str) -> str:
        """Return a constant as wide as the left side of an assignment."""
        width = 0
        for number, word in enumerate(target):
            if not is_name(word):
                continue
            following = target[number + 1] if number + 1 < len(target) else ""
            if following.startswith("["):
                high, _, low = following.strip("[]").partition(":")
                width += int(high) - int(low or high) + 1
            else:
                width += self.widths[word]
        return f"{width}'{bit * width}"

    def _nothing(self, signal: list[str]) -> str:
        """Return zeros for the old value of a variable, where a promised case is not complete.

        To keep the value would be a loop, as the variable is combinational.
        """
        return self._constant(signal, "0")


def _to_end(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines of a process up to the `end` that closes it."""
    depth = 1
    for line in lines:
        depth += {"switch": 1, "end": -1}.get(line.split(maxsplit=1)[0], 0)
        yield line
        if depth == 0:
            return


def defined_text(text: str) -> str:
    """Return RTLIL text with 0 for everything unknown in cells, connections and processes."""
    modules = re.split(r"^(?=module )", text, flags=re.MULTILINE)
    found = [modules[0]]
    for module in modules[1:]:
        found += _Module(module.splitlines(keepends=True)).defined()
    return "".join(found)


def _release(module: Any, cell: Any) -> None:
    """Take the driver from the bits of a variable that the reader found to be unknown for ever."""
    values, bits = (cell.getPort(public(port)).to_sigbit_vector() for port in ("A", "Y"))
    pairs = [(value, bit) for value, bit in zip(values, bits, strict=True)]
    if not any(_is_unknown(value) for value, _ in pairs):
        return
    module.remove(cell)
    for value, bit in pairs:
        if not _is_unknown(value):
            module.connect(ys.SigSpec(bit, 1), ys.SigSpec(value, 1))


def _is_unknown(bit: Any) -> bool:
    return not bit.is_wire() and bit.data not in (ys.State.S0, ys.State.S1)


def _case_equality(module: Any, cell: Any) -> None:
    """Decide `===` and `!==` where one side has an unknown bit: no signal has any."""
    sides = (cell.getPort(public(port)).to_sigbit_vector() for port in ("A", "B"))
    if any(_is_unknown(one) != _is_unknown(other) for one, other in zip(*sides, strict=True)):
        result = cell.getPort(public("Y"))
        value = ys.Const(int(plain(cell.type) == "$nex"), result.size())
        module.remove(cell)
        module.connect(result, ys.SigSpec(value))


def _define(state: State) -> bool:
    """Write 0 for everything unknown; return whether a case had promised to be complete."""
    file = state.out / "read.il"
    state.run(f"tee -q write_rtlil {file}")
    text = file.read_text()
    file.write_text(defined_text(text))
    state.run("tee -q design -reset")
    state.run(f"tee -q read_rtlil {file}")
    file.unlink()
    return "attribute \\full_case" in text


def run(state: State) -> None:
    """Give everything unknown its value, and turn processes into cells."""
    is_free = state.request.unknown == FREE
    for module in state.design.modules_.values():
        for cell in list(module.cells_.values()):
            kind = plain(cell.type)
            if kind == "$buf":
                _release(module, cell)
            elif kind == "$shiftx":
                cell.type = ys.IdString("$shift")
            elif kind in ("$eqx", "$nex") and not is_free:
                _case_equality(module, cell)
    promised = not is_free and _define(state)
    for command in (*_PROCESSES, *(_FOLD * _NESTED if promised else ())):
        state.run(command)
    if not is_free:
        state.run("setundef -zero -init")
