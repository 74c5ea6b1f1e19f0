# SPDX-License-Identifier: BSD-3-Clause
"""What a refused design is read again with: habits of Verilog that the reader takes when asked.

The reader is strict at first, so that whatever it takes at once means what it always meant. Its
refusal says what to allow: delays (ignored, as synthesis does), names used before their
declaration, part selects wider than the vector, the words of SystemVerilog as names in `.v` files,
a text as a parameter's value, initial values that depend on signals where nothing reads them,
names that reach into an instance, interfaces as ports without a modport, arrays of 2³¹ bytes.
Each is allowed with a warning that says where, unless it means what it always does, and never more
than the design needs.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldengate import backward

if TYPE_CHECKING:
    from goldengate.state import State

FILE = "allowances.json"
DIAGNOSTICS = "diagnostics.json"
PARAMETER_CHECK = "firesim_parameter_check"
"""The module, and its file, in which the reader first sees the values of the top's parameters."""
_NO_PLACE = "unsynthesizable feature"
_TIMING = "unsynthesizable timing control"
_ACROSS = "hierarchical reference across preserved module boundary"
_NO_MODPORT = "interface port on kept module boundary must be a modport"
_INITIAL = "reading net state during design initialization"
_TOO_LARGE = "object size exceeds implementation limit"
_SYSTEMVERILOG = (".sv", ".svh", ".svp")
_FREE_RUNNING = re.compile(r"\balways\s*(?:begin\s*(?::\s*\w+\s*)?)?$")
_FUNCTION = re.compile(r"system task '(next|prev|\$random)'")
_BAD_NAME = "which is not allowed in RTLIL identifiers"
_MEMBER = '(failed condition "(bool) const_result")'
"""What the reader says of a member of `inside` that is a signal."""
_SYNTAX = ("Expected", "Misplaced", "InvalidToken", "UnexpectedToken")
_WORDS = frozenset(
    """accept_on alias always_comb always_ff always_latch assert assume before bind bins binsof bit
    break byte chandle checker class clocking const constraint context continue cover covergroup
    coverpoint cross dist do endchecker endclass endclocking endgroup endinterface endpackage
    endprogram endproperty endsequence enum eventually expect export extends extern final
    first_match foreach forkjoin global iff ignore_bins illegal_bins implements implies import
    inside int interconnect interface intersect join_any join_none let local logic longint matches
    modport nettype new nexttime null package packed priority program property protected pure rand
    randc randcase randsequence ref reject_on restrict return s_always s_eventually s_nexttime
    s_until s_until_with sequence shortint shortreal soft solve static string strong struct super
    sync_accept_on sync_reject_on tagged this throughout timeprecision timeunit type typedef union
    unique unique0 until until_with untyped var virtual void wait_order weak wildcard with
    within""".split()
)


@dataclass(frozen=True)
class Allowances:
    """What the reader is asked to take, and what the user is told of it."""

    delays: bool = False
    late_names: bool = False
    wide_parts: bool = False
    """Whether a part select may be wider than the vector; its further bits are undefined."""
    verilog_2005: tuple[str, ...] = ()
    """Files in which the words of SystemVerilog are names."""
    texts: tuple[str, ...] = ()
    """Parameters whose value is a text without its quotes."""
    plain_names: bool = False
    """Whether escaped names are replaced while the reader works."""
    declared_bridges: tuple[str, ...] = ()
    """Bridges that the design declares itself."""
    functions: bool = False
    """Whether functions that the reader lacks are written in other words."""
    members: bool = False
    """Whether members of `inside` that are signals are written as ranges."""
    dissolved: bool = False
    """Whether the reader puts all instances into the top module, as names across them need."""
    shows_design: bool = False
    """Whether the reader writes down the elaborated design before it refuses it."""
    selections: tuple[tuple[str, str], ...] = ()
    """Part selects that run backwards where no parameter leads: module, name of the vector."""
    initial_values: tuple[tuple[str, str, int], ...] = ()
    """Initial values that nothing reads: file, name of the variable, line."""
    large_arrays: tuple[tuple[str, str, int], ...] = ()
    """Arrays that the reader is told of with fewer words: file, name, line."""
    warnings: tuple[str, ...] = ()
    refused: str = ""
    """Why the design was refused before the last of these was allowed."""

    def write(self, folder: Path) -> None:
        """Put them where the worker finds them."""
        (folder / FILE).write_text(json.dumps(dataclasses.asdict(self)))

    @staticmethod
    def read(folder: Path) -> Allowances:
        """Undo `write`; none when there is no such file."""
        if not (folder / FILE).is_file():
            return Allowances()
        data = json.loads((folder / FILE).read_text())
        lists = {key: tuple(value) for key, value in data.items() if isinstance(value, list)}
        for key in ("selections", "initial_values", "large_arrays"):
            lists[key] = tuple(tuple(one) for one in data[key])
        return Allowances(**{**data, **lists})


def load_diagnostics(path: Path) -> list[dict[str, Any]]:
    """Read what the reader reported; an empty list when it wrote nothing."""
    if not path.is_file() or not path.read_text().strip():
        return []
    return list(json.loads(path.read_text()))


def errors_of(diagnostics: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return those that make the reader refuse the design."""
    return [one for one in diagnostics if one.get("severity") in ("error", "fatal")]


def _split(location: str) -> tuple[str, int, int]:
    """Split `file:line:column`."""
    file, line, column = location.rsplit(":", 2)
    return file, int(line), int(column)


def text_at(state: State, location: str) -> tuple[str, str]:
    """Return what stands before and from a place of a file; nothing when it has none."""
    file, line, column = _split(location)
    path = state.out / file
    if not file or not path.is_file():
        return "", ""
    text = path.read_bytes()
    start = 0
    for _ in range(line - 1):
        start = text.find(b"\n", start) + 1
    at = start + column - 1
    before = text[max(0, at - 400) : at].decode(errors="replace")
    return before, text[at : at + 400].decode(errors="replace")


def is_delay(state: State, diagnostic: dict[str, Any]) -> bool:
    """Return whether this is about a delay that changes nothing but when something happens.

    One that makes a process run for ever without an event is a clock generator.
    """
    if not str(diagnostic["message"]).startswith(_TIMING):
        return False
    places = [diagnostic, *diagnostic.get("macroStack", ())]
    texts = [text_at(state, str(one.get("location", ":0:0"))) for one in places]
    if _FREE_RUNNING.search(re.sub(r"//[^\n]*\n|/\*.*?\*/", " ", texts[0][0]).rstrip()):
        return False
    is_macro = texts[0][1].startswith("`")
    return any(
        following.startswith("#") and not following.startswith("##")
        for _, following in (texts if is_macro else texts[:1])
    )


def _whole(state: State, location: str) -> tuple[str, int]:
    """Return the text of the file of a place, and where in it that is."""
    file, line, column = _split(location)
    path = state.out / file
    if not file or not path.is_file():
        return "", 0
    lines = path.read_bytes().split(b"\n")
    before = b"\n".join([*lines[: line - 1], lines[line - 1][: column - 1]])
    return path.read_text(errors="replace"), len(before.decode(errors="replace"))


def _many(number: int, what: str) -> str:
    return f" ({number} {what})" if number > 1 else ""


class _Reasons:
    """Goes through the errors of a refused design for what may be allowed."""

    def __init__(self, state: State, allowed: Allowances, errors: list[dict[str, Any]]) -> None:
        self.state = state
        self.allowed = allowed
        self.errors = errors

    def _warn(self, diagnostic: dict[str, Any], text: str) -> None:
        place = self.state.place(str(diagnostic["location"]))
        self._allow(warnings=(*self.allowed.warnings, f"{place}: {text}"))

    def _allow(self, **more: Any) -> None:
        self.allowed = dataclasses.replace(self.allowed, **more)

    def _original(self, diagnostic: dict[str, Any]) -> str:
        return self.state.place(str(diagnostic["location"])).rpartition(":")[0]

    def words(self) -> bool:
        """Read files as Verilog-2005 whose syntax is wrong and that have words beyond it."""
        found = {
            self._original(one): one
            for one in reversed(self.errors)
            if str(one.get("code", "")).startswith(_SYNTAX)
        }
        for file, diagnostic in sorted(found.items()):
            if file.endswith(_SYSTEMVERILOG) or file in self.allowed.verilog_2005:
                continue
            if not Path(file).is_file():
                continue
            text = Path(file).read_text(errors="replace")
            before, following = text_at(self.state, str(diagnostic["location"]))
            near = re.findall(r"\w+", before.rpartition("\n")[2] + following.partition("\n")[0])
            words = [word for word in near if word in _WORDS]
            if not words and not _WORDS & set(re.findall(r"\w+", text)):
                continue
            named = f"'{words[0]}' is a name here: " if words else ""
            self._allow(verilog_2005=(*self.allowed.verilog_2005, file))
            self._warn(diagnostic, f"{named}the file is read as Verilog-2005.")
        return len(found) > 0

    def late_names(self) -> None:
        """Let names be used before their declaration."""
        found = [one for one in self.errors if one.get("code") == "UsedBeforeDeclared"]
        if found and not self.allowed.late_names:
            self._allow(late_names=True)
            name = re.findall(r"'(.*)'", str(found[0]["message"]))
            more = _many(len(found), "such uses")
            self._warn(found[0], f"'{''.join(name)}' is used before its declaration{more}.")

    def wide_parts(self) -> None:
        """Take part selects that are wider than what they select from."""
        found = [one for one in self.errors if one.get("code") == "RangeWidthOOB"]
        if found and not self.allowed.wide_parts:
            self._allow(wide_parts=True)
            size, kind = re.findall(r"range of (\d+) elements from '(.*)'", found[0]["message"])[0]
            more = _many(len(found), "such selections")
            self._warn(
                found[0],
                f"a part of {size} is selected from '{kind}': what lies beyond is undefined{more}.",
            )

    def delays(self) -> None:
        """Ignore delays, if all that the reader says of time is about delays."""
        found = [one for one in self.errors if str(one["message"]).startswith(_TIMING)]
        if not found or self.allowed.delays:
            return
        if all(is_delay(self.state, one) for one in found):
            self._allow(delays=True)
            more = _many(len(found), "delays")
            self._warn(found[0], f"delays are ignored, as in synthesis{more}.")

    def texts(self) -> None:
        """Take the value of a parameter as a text, where the design has a text by default."""
        for one in self.errors:
            name = re.fullmatch(r"use of undeclared identifier '(\w+)'", str(one["message"]))
            if not name or PARAMETER_CHECK not in str(one.get("location")):
                continue
            for parameter, value in self.state.request.parameters.items():
                is_new = value == name[1] and parameter not in self.allowed.texts
                if is_new and has_text(self.state, parameter):
                    self._allow(texts=(*self.allowed.texts, parameter))

    def functions(self) -> None:
        """Write steps of an enumeration, and `$random` with a seed, in other words."""
        if any(_FUNCTION.search(str(one["message"])) for one in self.errors):
            self._allow(functions=True)

    def initial_values(self) -> None:
        """Leave out initial values that depend on signals, of variables that nothing reads."""
        from goldengate import unread  # Only here: it takes apart text, as the passes do.

        texts = [Path(file).read_text(errors="replace") for file in self.state.request.sources]
        for one in self.errors:
            location = str(one.get("location", ":0"))
            if not str(one["message"]).startswith(_INITIAL) or location.startswith(":"):
                continue
            name, line = unread.variable_at(*_whole(self.state, location))
            variable = (self._original(one), name, line)
            if not name or variable in self.allowed.initial_values:
                continue
            if not unread.is_reached(texts, name):
                self._allow(initial_values=(*self.allowed.initial_values, variable))
                self._warn(one, f"nothing reads '{name}', whose initial value is left out.")

    def large_arrays(self) -> None:
        """Tell the reader of fewer words of arrays that are used word by word."""
        from goldengate import large_arrays  # As above.

        for one in self.errors:
            if not str(one["message"]).startswith(_TOO_LARGE):
                continue
            name, line = large_arrays.array_at(*_whole(self.state, str(one["location"])))
            array = (self._original(one), name, line)
            if name and array not in self.allowed.large_arrays:
                self._allow(large_arrays=(*self.allowed.large_arrays, array))

    def dissolved(self) -> None:
        """Put all instances into the top module where names reach across their boundaries."""
        if self.allowed.dissolved:
            return
        for one in self.errors:
            message = str(one["message"])
            if message not in (_ACROSS, _NO_MODPORT):
                continue
            self._allow(dissolved=True)
            if message == _ACROSS:
                name = re.match(r"[\w$.\[\]]+", text_at(self.state, str(one["location"]))[1])
                more = _many(
                    sum(other["message"] == _ACROSS for other in self.errors), "such names"
                )
                shown = f"'{name[0]}'" if name else "a name here"
                self._warn(one, f"{shown} reaches into another instance{more}.")
                return

    def bridges(self) -> None:
        """Leave the declaration of a bridge to the design, if it has one."""
        for one in self.errors:
            name = re.match(r"duplicate definition of '(FireSim\w*Bridge)'", str(one["message"]))
            if name and name[1] not in self.allowed.declared_bridges:
                self._allow(declared_bridges=(*self.allowed.declared_bridges, name[1]))

    def selections(self, log: str) -> None:
        """Mend part selects that run backwards, once the reader has shown the design."""
        unplaced = [
            one
            for one in self.errors
            if one["message"] == _NO_PLACE and str(one.get("location", ":0")).startswith(":")
        ]
        if not unplaced or self.allowed.selections:
            return
        if not self.allowed.shows_design:
            self._allow(shows_design=True)
            return
        sources = self.state.request.sources
        places = {
            one: where
            for one in backward.in_elaboration(log.splitlines())
            if (where := backward.place(sources, *one))
        }
        self._allow(selections=tuple(places), shows_design=False)
        for module in sorted({module for module, _ in places}):
            names = [f"'{name}'" for other, name in places if other == module]
            first = min(where for (other, _), where in places.items() if other == module)
            text = f"parts of {', '.join(names)} may run backwards where no parameter leads."
            self._allow(warnings=(*self.allowed.warnings, f"{first}: {text}"))


def has_text(state: State, parameter: str) -> bool:
    """Return whether a source file gives a parameter of this name a text."""
    pattern = re.compile(rf"\b{re.escape(parameter)}\b\s*(?:\[[^\]]*\]\s*)?=\s*\"")
    files = [Path(file) for file in state.request.sources]
    return any(pattern.search(file.read_text(errors="replace")) for file in files)


def further(state: State, allowed: Allowances, log: str, refused: str) -> Allowances | None:
    """Return what to read a refused design with, or None when that would not help."""
    reasons = _Reasons(state, allowed, errors_of(load_diagnostics(state.out / DIAGNOSTICS)))
    if not reasons.words():
        reasons.late_names()
        reasons.wide_parts()
        reasons.delays()
        reasons.texts()
        reasons.dissolved()
        reasons.bridges()
        reasons.functions()
        reasons.initial_values()
        reasons.large_arrays()
        reasons.selections(log)
    found = reasons.allowed
    if _MEMBER in log and not found.members:
        found = dataclasses.replace(found, members=True)
    if _BAD_NAME in log and not found.plain_names:
        found = dataclasses.replace(found, plain_names=True)
    showed_nothing = allowed.shows_design and not found.selections
    if found == allowed or showed_nothing:
        return None
    return dataclasses.replace(found, refused=refused)


def is_worse(state: State, allowed: Allowances) -> bool:
    """Return whether a file makes no sense as Verilog-2005 either."""
    if not allowed.verilog_2005:
        return False
    errors = errors_of(load_diagnostics(state.out / DIAGNOSTICS))
    return any(
        str(one.get("code", "")).startswith(_SYNTAX)
        and state.place(str(one["location"])).rpartition(":")[0] in allowed.verilog_2005
        for one in errors
    )
