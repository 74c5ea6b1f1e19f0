# SPDX-License-Identifier: BSD-3-Clause
"""Pass `rewrite`: system tasks and assertions become what the reader forgets nothing of.

In: Verilog files. Out: the same files, or copies with equal line numbers in which `$display`,
`$error`, `$fatal`, `$finish` and `$stop` are numbered calls of `$write`, immediate assertions with
an `else` are conditions, and concurrent ones are registers and conditions. What a call prints is in
`state.calls`, for the passes `prints` and `instrument`.
"""

from __future__ import annotations

import dataclasses
import os
import re
from pathlib import Path

from goldengate.errors import GoldenGateError
from goldengate.state import REFUSE, State

_TOKEN = re.compile(
    r'(?P<skip>//[^\n]*|/\*.*?\*/|\s+)|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<word>[$`]?\w+)|(?P<other>.)',
    re.DOTALL,
)
_OF_INTEREST = re.compile(
    r"\$f?(?:display|write|strobe|monitor)|\$(?:error|fatal|finish|stop|exit|info|warning)\b"
    r"|\b(?:assert|assume|cover|restrict|expect|property|sequence|clocking|disable)\b|`include\b"
)


def tokens_of(text: str) -> list[tuple[str, int, int]]:
    """List (token, start, end) without white space and comments."""
    return [
        (match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(text)
        if match.lastgroup != "skip"
    ]


def check_readable(path: Path) -> str:
    """Return the text of a source file, or refuse it by name."""
    try:
        return path.read_text(errors="replace")
    except OSError as error:
        raise GoldenGateError(
            f"{path}: cannot be read ({error.strerror or error}); expected a Verilog file."
        ) from error


def run(state: State) -> None:
    """Fill `state.sources` with files to read, `state.original` and `state.calls`."""
    found = False
    for name in state.request.sources:
        path = Path(name)
        found = bool(_OF_INTEREST.search(check_readable(path))) or found
        state.sources.append(path)
        state.original[os.path.realpath(path)] = name
    if found:
        _change(state)


def _make_readable(state: State) -> None:
    """Copy the files that are no UTF-8, as old comments are, with a sign for each wrong byte."""
    for number, path in enumerate(state.sources):
        raw = path.read_bytes()
        text = raw.decode("utf-8", "replace")
        if text.encode() != raw:
            copy = state.out / "readable" / str(number) / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(text.encode())
            state.sources[number] = copy
            state.original[os.path.realpath(copy)] = state.original[os.path.realpath(path)]


def _change(state: State) -> None:
    # Only here: the library is large, and most commands read no Verilog.
    from goldengate.tasks.rewriting import Rewriting
    from goldengate.tasks.source import Source

    _make_readable(state)
    sources = [str(path) for path in state.sources]
    source = Source(dataclasses.replace(state.request, sources=sources), state.original)
    rewriting = Rewriting(source, state.request.assertions == REFUSE)
    state.warnings += rewriting.run()
    state.calls = rewriting.calls
    for original, copy in source.write(state.out / "rewritten"):
        real = os.path.realpath(original)
        state.original[os.path.realpath(copy)] = state.original.get(real, str(original))
        state.sources = [copy if os.path.realpath(path) == real else path for path in state.sources]
