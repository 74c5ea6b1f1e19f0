# SPDX-License-Identifier: BSD-3-Clause
"""Pass `rewrite`: system tasks and assertions become what the reader forgets nothing of.

In: Verilog files. Out: the same files, or copies with equal line numbers in which `$display`,
`$error`, `$fatal`, `$finish` and `$stop` are numbered calls of `$write`, immediate assertions with
an `else` are conditions, and concurrent ones are registers and conditions. What a call prints is in
`state.calls`, for the passes `prints` and `instrument`. Before, what modules see that are bound
without ports, and options of a command line, are put into the text.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from goldengate import suspects
from goldengate.errors import GoldenGateError
from goldengate.state import REFUSE, State

if TYPE_CHECKING:
    from goldengate.tasks.source import Source

_TOKEN = re.compile(
    r'(?P<skip>//[^\n]*|/\*.*?\*/|\s+)|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<word>[$`]?\w+)|(?P<other>.)',
    re.DOTALL,
)
_OF_INTEREST = re.compile(
    r"\$f?(?:display|write|strobe|monitor)|\$(?:error|fatal|finish|stop|exit|info|warning)\b"
    r"|\b(?:assert|assume|cover|restrict|expect|property|sequence|clocking|disable)\b|`include\b"
)

_BINDS, _PLUSARGS = re.compile(r"\bbind\b"), re.compile(r"\$(?:value|test)\$plusargs\b")
_INCLUDED = re.compile(r'`include\s*"([^"\n]+)"')


def tokens_of(text: str) -> list[tuple[str, int, int]]:
    """List (token, start, end) without white space and comments."""
    return [
        (match.group(), match.start(), match.end())
        for match in _TOKEN.finditer(text)
        if match.lastgroup != "skip"
    ]


def module_at(text: str, at: int) -> str:
    """Return the text of the module around a place."""
    begin = max((match.start() for match in re.finditer(r"\bmodule\b", text[:at])), default=0)
    end = re.compile(r"\bendmodule\b").search(text, at)
    return text[begin : end.start() if end else len(text)]


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
    texts: list[str] = []
    for name in state.request.sources:
        path = Path(name)
        check_readable(path)
        texts += _texts(state, path, set())
        state.sources.append(path)
        state.original[os.path.realpath(path)] = name
    if any(map(_BINDS.search, texts)):
        _place_bound(state)
    if state.request.plusargs or any(map(_PLUSARGS.search, texts)):
        _put_options(state)
    if state.request.plusargs or any(map(suspects.may_change, texts)):
        _make_readable(state)
        from goldengate.tasks import side_effects

        side_effects.check(source_of(state))
    if any(map(_OF_INTEREST.search, texts)):
        _change(state)


def _texts(state: State, path: Path, seen: set[Path]) -> Iterator[str]:
    """Yield the text of a file and of those that it includes."""
    seen.add(path)
    text = path.read_text(errors="replace")
    yield text
    for name in _INCLUDED.findall(text):
        for folder in (path.parent, *map(Path, state.request.include_dirs)):
            if (folder / name).is_file() and folder / name not in seen:
                yield from _texts(state, folder / name, seen)


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


def source_of(state: State) -> Source:
    """Return the trees of the files as they are now."""
    # Only here: the library is large, and most commands read no Verilog.
    from goldengate.tasks.source import Source

    sources = [str(path) for path in state.sources]
    request = dataclasses.replace(state.request, sources=sources)
    return Source(request, state.original, keyword_versions(state))


def take_copies(state: State, source: Source, folder: Path) -> None:
    """Write the changed files into a folder, and take them in place of the others."""
    for original, copy in source.write(folder):
        real = os.path.realpath(original)
        state.original[os.path.realpath(copy)] = state.original.get(real, str(original))
        state.sources = [copy if os.path.realpath(path) == real else path for path in state.sources]


def keyword_versions(state: State) -> list[str]:
    """Return the reader's options for files in which the words of SystemVerilog are names."""
    words = []
    for file in state.allowed.verilog_2005:
        read = [str(p) for p in state.sources if state.original.get(os.path.realpath(p)) == file]
        for path_read in read or [file]:
            words += ["--map-keyword-version", f"1364-2005+{path_read}"]
    return words


def _place_bound(state: State) -> None:
    """Put modules that are bound without ports into those that they are bound into."""
    from goldengate.tasks.bound import Bound

    _make_readable(state)
    source = source_of(state)
    Bound(source).run()
    take_copies(state, source, state.out / "bound")


def _put_options(state: State) -> None:
    """Put the options of a command line into the text."""
    from goldengate.tasks.plusargs import Plusargs

    _make_readable(state)
    source = source_of(state)
    Plusargs(source, state.request.plusargs).run()
    take_copies(state, source, state.out / "options")


def _change(state: State) -> None:
    from goldengate.tasks.elaborated import bodies
    from goldengate.tasks.rewriting import Rewriting

    _make_readable(state)
    source = source_of(state)
    dissolved = state.allowed.dissolved
    rewriting = Rewriting(source, state.request.assertions == REFUSE, dissolved)
    state.warnings += rewriting.run()
    state.calls = rewriting.calls
    if dissolved and state.calls:
        state.instances = {path for _, (path, _) in bodies(source)}
    take_copies(state, source, state.out / "rewritten")
