# SPDX-License-Identifier: BSD-3-Clause
"""What the Verilog reader refuses, as sentences: file and line, what was found, what to write.

The reader reports most of it as diagnostics with a place. Of some constructs it says only in its
log that it has not heard of them, and of a few it does not even say where.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from goldengate.allowances import (
    DIAGNOSTICS,
    PARAMETER_CHECK,
    errors_of,
    is_delay,
    load_diagnostics,
    text_at,
)
from goldengate.bridges import BRIDGE_MODULE
from goldengate.errors import nearest
from goldengate.passes import escapes
from goldengate.passes.instead import INSTEAD, KINDS, NETS, PARTS, STATEMENTS, TYPES
from goldengate.state import State

_MODULE = re.compile(
    r"\b(?:macro)?module\b(?:\s|//[^\n]*\n|/\*.*?\*/|\b(?:automatic|static)\b)+\\?(\w+)", re.DOTALL
)
_PLACES = "places.json"
"""Whose file each file is that was read, and whose name each plain one."""
READER = "reader.json"
"""With which words the reader was called last."""
LOCATED = "located.json"
"""What `goldengate.locate` found."""
_OPTIONS = re.compile(r",? ?(?:[(\[][^()\[\]]*--[^()\[\]]*[)\]]|(?:set|see) '--.*)")
"""Where the reader names its own options, which are not ours."""

_RANDOM = re.compile(r"unsupported system task '(\$u?random(?:_range)?)'")
_TYPE = re.compile(r'^ {2,4}"type": "(.*)"', re.MULTILINE)
_KIND = re.compile(r'^  "kind": "(\w+)"', re.MULTILINE)
_CALLED = re.compile(r"(\w+)\s*$")


def note_places(state: State) -> None:
    """Keep for an explanation what this process, which the reader may end, knows of the files."""
    places = {"original": state.original, "plain_names": state.plain_names}
    (state.out / _PLACES).write_text(json.dumps(places))


def note_words(state: State, words: list[str], versions: list[str]) -> None:
    """Keep how the reader is called, for `goldengate.locate`."""
    kept = {"words": words, "versions": versions, "original": state.original}
    kept["sources"] = [str(path) for path in state.sources]
    (state.out / READER).write_text(json.dumps(kept))


def with_places(state: State) -> State:
    """Fill in what `note_places` kept."""
    path = state.out / _PLACES
    if path.is_file():
        places = json.loads(path.read_text())
        state.original, state.plain_names = places["original"], places["plain_names"]
    return state


def declared_modules(paths: list[Path]) -> set[str]:
    """Return the names of modules that stand in the text of these files, before any macro."""
    return {name for path in paths for name in _MODULE.findall(path.read_text(errors="replace"))}


def _top(state: State, modules: set[str]) -> str:
    top = state.request.top
    if top in modules:
        return (
            f"{top}: this module cannot be the top: expected no interface as its port, and a "
            f"value for each parameter."
        )
    return f"{top}: no source file declares this module{nearest(top, modules)}."


def _parameter(state: State, name: str) -> str:
    """Say that the top has no such parameter, which it has as far as its text tells."""
    top = state.request.top
    for file in state.request.sources:
        text = Path(file).read_text(errors="replace")
        found = re.search(
            rf"\bmodule\s+(?:automatic\s+)?{re.escape(top)}\b(.*?)\bendmodule\b", text, re.DOTALL
        )
        if not found:
            continue
        head = re.match(r"\s*#\s*\(((?:[^()]|\([^()]*\))*)\)", found[1])
        parts = re.findall(r"\bparameter\b([^;)]*(?:\([^)]*\)[^;)]*)*)", found[1])
        known = {
            each
            for part in [*parts, head[1] if head else ""]
            for each in re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*=(?!=)", part)
        }
        line = text.count("\n", 0, found.start()) + 1
        return (
            f"{file}:{line}: module {top} has no parameter '{name}'{nearest(name, known)}; "
            f"its parameters are: {', '.join(sorted(known)) or 'none'}."
        )
    return f"{top}: this module has no parameter '{name}'."


def _data_file(state: State, where: str, name: str) -> str:
    if "/" in name:
        return f"{where}found the file '{name}', expected a name without a folder."
    known = [Path(file).name for file in state.request.data_files]
    return (
        f"{where}the file '{name}' is not among the data files ({', '.join(known) or 'none'})"
        f"{nearest(name, known)}."
    )


def _given(state: State, message: str) -> str:
    """Explain what is wrong with the value of a parameter."""
    name = re.fullmatch(r"use of undeclared identifier '(\w+)'", message)
    for parameter, value in state.request.parameters.items():
        if name and value == name[1]:
            return (
                f"parameter '{parameter}': found {value}, expected a number; a text has quotes: "
                f"'\"{value}\"'."
            )
    return f"a parameter of {state.request.top}: {message}."


def _about_the_request(state: State, location: str, message: str, modules: set[str]) -> str | None:
    """Explain what is wrong with the top or with its parameters, which no file says."""
    if re.fullmatch(r"'.*' is not a valid top-level module", message):
        return _top(state, modules)
    if PARAMETER_CHECK not in location:
        return None
    parameter = re.fullmatch(r"parameter '(\w+)' does not exist in '.*'", message)
    return _parameter(state, parameter[1]) if parameter else _given(state, message)


def _with_inout(state: State, before: str) -> str | None:
    """Return the subroutine, called in the text before one of its arguments, that has `inout`."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        depth += (before[at] in ")]}") - (before[at] in "([{")
        if depth < 0 and before[at] == "(" and (called := _CALLED.search(before[:at])):
            declared = re.compile(
                rf"\b(function|task)\b[^;(]*\b{called[1]}\s*[;(].*?\bend\1\b", re.DOTALL
            )
            for path in state.sources or map(Path, state.request.sources):
                if (found := declared.search(path.read_text(errors="replace"))) and re.search(
                    r"\binout\b", found[0]
                ):
                    return called[1]
    return None


def _instead(state: State, location: str, message: str) -> str | None:
    """Return our words for what the reader leaves out of a design."""
    for begin, instead in INSTEAD.items():
        if message.startswith(begin):
            following = text_at(state, location)[1] if location else ""
            if begin.startswith("unsynthesizable timing") and following.startswith("#"):
                return "a process that only delays drive, expected a clock as an input"
            return instead
    if numbers := _RANDOM.fullmatch(message):
        return (
            f"'{numbers[1]}', whose numbers each simulator chooses, expected '$random(seed)' with "
            f"a variable, or it inside '`ifndef SYNTHESIS'"
        )
    strength = re.fullmatch(r"(?:net type|primitives of type) '(\w+)' unsupported", message)
    if strength and strength[1] in NETS:
        return f"'{strength[1]}', {NETS[strength[1]]}"
    if task := re.fullmatch(r"unsupported system task '(\S+)'", message):
        return f"'{task[1]}', which only a simulator knows, expected it inside '`ifndef SYNTHESIS'"
    if message in ("unsupported language feature", "unsynthesizable feature") and location:
        before, following = text_at(state, location)
        word = re.match(r"->|\w+", following)
        if (not word or word[0] not in STATEMENTS) and (called := _with_inout(state, before)):
            return (
                f"an 'inout' argument of '{called}', which the reader does not take, expected an "
                f"'input' and an 'output'"
            )
        other = STATEMENTS.get(word[0] if word else "", "logic under a clock's edge")
        return f"'{word[0] if word else '?'}', which is no hardware, expected {other}"
    return None


def explain(diagnostic: dict[str, Any], state: State, modules: set[str]) -> str:
    """Turn one diagnostic of the reader into `file:line: what; nearest name`."""
    location = str(diagnostic.get("location", ""))
    location = "" if location.startswith(":") else location
    message = escapes.shown(state, str(diagnostic["message"]))
    about = _about_the_request(state, location, message, modules)
    if about is not None:
        return about
    where = f"{state.place(location)}: " if location else f"{state.request.top}: "
    if missing := re.fullmatch(r"failed to open file '(.*)'", message):
        return _data_file(state, where, missing[1])
    if instead := _instead(state, location, message):
        return f"{where}found {instead}."
    unknown = re.fullmatch(r"unknown module '(.+)'", message)
    if not unknown:
        return f"{where}{_OPTIONS.sub('', message)}."
    name = unknown[1]
    if BRIDGE_MODULE.fullmatch(name):
        return f"{where}unknown bridge '{name}'{nearest(name, state.bridge_kinds)}."
    return (
        f"{where}module '{name}' is instantiated here but no source file declares it"
        f"{nearest(name, modules)}."
    )


def _construct(log: str) -> str | None:
    """Return our words for the construct that the reader's log shows, if there are any."""
    kind = _KIND.search(log)
    if kind and kind[1] in KINDS:
        return KINDS[kind[1]]
    for type_ in _TYPE.findall(log[kind.start() :] if kind else ""):
        for pattern, what in TYPES.items():
            if re.fullmatch(pattern, type_):
                return what
    return None


def _unknown_construct(state: State, log: str) -> str | None:
    """Explain a construct that the reader's log shows instead of a diagnostic."""
    line = re.search(r"^Source line (.*?):(\d+):(\d+): (.*)$", log, re.MULTILINE)
    if not line:
        return None
    where = state.place(f"{line[1]}:{line[2]}")
    what = _construct(log)
    if what is None:
        shown = escapes.shown(state, line[4][int(line[3]) - 1 :].partition(";")[0].strip())
        what = f"'{shown[:60]}', which the reader does not take, expected another form of it"
    return f"{where}: found {what}."


def _nets(state: State) -> str | None:
    """Explain a net or gate with a strength, of which the reader does not say where it is."""
    pattern = re.compile(
        r'(?P<skip>//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\\\S+)|[`$.]\w+|'
        rf"\b(?P<word>{'|'.join(NETS)})\b",
        re.DOTALL,
    )
    for file in state.request.sources:
        text = Path(file).read_text(errors="replace")
        for match in pattern.finditer(text):
            if word := match["word"]:
                line = text.count("\n", 0, match.start()) + 1
                return f"{file}:{line}: found '{word}', {NETS[word]}."
    return None


def explain_failure(state: State, log: str) -> str:
    """Return the first error of a reader that ended the process."""
    paths = [Path(file) for file in state.request.sources]
    modules = declared_modules(paths)
    errors = errors_of(load_diagnostics(state.out / DIAGNOSTICS))
    for diagnostic in [one for one in errors if not is_delay(state, one)] or errors:
        return explain(diagnostic, state, modules)
    found = _unknown_construct(state, log) or _nets(state)
    if found is not None:
        return found
    lines = [line for line in log.splitlines() if "ERROR:" in line]
    text = lines[-1].replace("ERROR: ", "", 1) if lines else "it said nothing"
    return (
        f"{state.request.top}: the Verilog reader gave up without a place ({text.rstrip('.')}); "
        f"leave files or modules out to find what it is about."
    )


def lacks_place(state: State, log: str) -> bool:
    """Return whether the reader failed without a word of where."""
    if errors_of(load_diagnostics(state.out / DIAGNOSTICS)):
        return False
    return "Source line <internal>" in log or not (_unknown_construct(state, log) or _nets(state))


_MISSING = re.compile(r"wire for symbol (\S+) is missing")


def explain_located(state: State, log: str, refused: str) -> str:
    """Return the error of a reader that said no place, with the place that was searched for."""
    file = state.out / LOCATED
    if not file.is_file():
        return refused
    found = json.loads(file.read_text())
    place, text = found["place"], escapes.shown(state, found["text"])
    if what := _construct(log) or PARTS.get(found["kind"]):
        return f"{place}: found {what}."
    if missing := _MISSING.search(log):
        return (
            f"{place}: found '{missing[1]}', a variable outside of all modules, expected a "
            f"signal of the module: '{text}'."
        )
    if "ERROR:" not in log:
        return (
            f"{place}: found '{text}', at which the Verilog reader never comes to an end, expected "
            f"no function that calls itself, or an end that constants decide."
        )
    return (
        f"{place}: found '{text}', at which the Verilog reader fails, expected the same in other "
        f"words, such as smaller steps."
    )
