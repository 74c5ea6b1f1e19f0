# SPDX-License-Identifier: BSD-3-Clause
"""Pass `rewrite`: system tasks that only a simulator knows become ones the reader knows.

In: Verilog files. Out: the same files, or copies with equal line numbers in which
`$fwrite(fd, ...)` is `$write(...)`; `$error(...)` and `$fatal(...)` are failing asserts, whose text
is kept for the manifest; `assert (...) else $error(...);` has lost its `else`, text kept; and
`$finish`, `$stop`, `$info` and `$warning` are gone.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from goldengate.errors import GoldenGateError
from goldengate.state import State

_TOKEN = re.compile(
    r'(?P<skip>//[^\n]*|/\*.*?\*/|\s+)|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<word>[$`]?\w+)|(?P<other>.)',
    re.DOTALL,
)
_TASKS = {"$fwrite", "$fdisplay", "$error", "$fatal", "$finish", "$stop", "$info", "$warning"}
_NEEDS_REWRITE = re.compile(r"\$(?:fwrite|fdisplay|error|fatal|finish|stop|info|warning)\b")


@dataclass
class _Call:
    """A system task call: text range, and the texts of its arguments."""

    task: str
    start: int
    end: int
    arguments: list[str] = field(default_factory=list)


def tokens_of(text: str) -> list[tuple[str, int, int]]:
    """List (token, start, end) without white space and comments."""
    return [
        (match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(text)
        if match.lastgroup != "skip"
    ]


def _read_call(text: str, tokens: list[tuple[str, int, int]], index: int) -> _Call:
    """Read the call whose task name is tokens[index]; without parentheses it has no arguments."""
    task, start, end = tokens[index]
    call = _Call(task, start, end)
    if index + 1 == len(tokens) or tokens[index + 1][0] != "(":
        return call
    depth, argument_start = 0, tokens[index + 1][2]
    for token, token_start, token_end in tokens[index + 1 :]:
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
        if depth == 0 or (depth == 1 and token == ","):
            call.arguments.append(text[argument_start:token_start].strip())
            argument_start = token_end
        if depth == 0:
            call.end = token_end
            return call
    raise GoldenGateError(f"unclosed parenthesis after {task}")


def _message(call: _Call) -> str:
    strings = [text for text in call.arguments if text.startswith('"')]
    return strings[0][1:-1].replace("\\n", " ").strip() if strings else call.task


def _newlines(text: str) -> str:
    return "\n" * text.count("\n")


def rewrite_text(text: str) -> tuple[str, dict[int, str]]:
    """Return the rewritten text and, by line number, the messages of its asserts."""
    tokens = tokens_of(text)
    messages: dict[int, str] = {}
    pieces: list[str] = []
    done = 0
    for index, (token, start, _) in enumerate(tokens):
        if token not in _TASKS or start < done:
            continue
        call = _read_call(text, tokens, index)
        before = [item[0] for item in tokens[max(0, index - 2) : index]]
        begin = start
        replacement = ""
        if token in ("$fwrite", "$fdisplay"):
            arguments = ", ".join(call.arguments[1:])
            replacement = f"{'$write' if token == '$fwrite' else '$display'}({arguments})"
        elif before == [")", "else"]:
            begin = tokens[index - 1][1]
            assert_start = _matching_open(tokens, index - 2)
            messages[text.count("\n", 0, tokens[assert_start - 1][1]) + 1] = _message(call)
        elif token in ("$error", "$fatal"):
            replacement = "assert(0)"
            messages[text.count("\n", 0, start) + 1] = _message(call)
        kept_lines = text.count("\n", begin, call.end) - replacement.count("\n")
        pieces += [text[done:begin], replacement, "\n" * kept_lines]
        done = call.end
    return "".join([*pieces, text[done:]]), messages


def _matching_open(tokens: list[tuple[str, int, int]], close: int) -> int:
    """Return the index of the parenthesis that tokens[close] closes."""
    depth = 0
    for index in range(close, -1, -1):
        depth += {")": 1, "(": -1}.get(tokens[index][0], 0)
        if depth == 0:
            return index
    raise GoldenGateError("unopened parenthesis before else")


def check_readable(path: Path) -> str:
    """Return the text of a source file, or refuse it by name."""
    try:
        return path.read_text(errors="replace")
    except OSError as error:
        raise GoldenGateError(
            f"{path}: cannot be read ({error.strerror or error}); expected a Verilog file."
        ) from error


def run(state: State) -> None:
    """Fill `state.sources` with files to read, `state.original` and `state.messages`."""
    for number, name in enumerate(state.request.sources):
        path = Path(name)
        text = check_readable(path)
        if not _NEEDS_REWRITE.search(text):
            state.sources.append(path)
            state.original[os.path.realpath(path)] = name
            continue
        try:
            rewritten, messages = rewrite_text(text)
        except GoldenGateError as error:
            raise GoldenGateError(f"{name}: {error}.") from error
        copy = state.out / "rewritten" / str(number) / path.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(rewritten)
        state.sources.append(copy)
        state.original[os.path.realpath(copy)] = name
        state.messages.update({(name, line): message for line, message in messages.items()})
