# SPDX-License-Identifier: BSD-3-Clause
"""Step of pass `read`: escaped names, which the reader cannot give to an instance.

In: files with names such as `\\u[0] ` and `\\core/alu `, usual in netlists. Out, for the reader:
the same with plain names; after it: modules in which everything has its own name again.
"""

from __future__ import annotations

import re

from goldengate.state import State

_NAME = re.compile(
    r'(?P<skip>//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*")|(?<!`)\\(?P<name>[!-~]+)(?=\s)', re.DOTALL
)
_PREFIX = "firesim_escaped_"
_STAND_IN = re.compile(rf"{_PREFIX}\d+_")
_UNSAFE = re.compile(r'["\\]')
"""What cannot stand in a text of Yosys' RTLIL: a name with any of it keeps its plain one."""


def hide(state: State, text: str) -> str:
    """Return a file's text with a plain name for each escaped one; note which stands for which."""

    def plain_name(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None or re.fullmatch(r"[A-Za-z_]\w*", name):
            return match[0]
        known = state.plain_names
        return known.setdefault(name, f"{_PREFIX}{len(known)}_")

    return _NAME.sub(plain_name, text)


def shown(state: State, text: str) -> str:
    """Return a text in which everything has its own name again."""
    own = {plain: name for name, plain in state.plain_names.items()}
    return _STAND_IN.sub(lambda match: own.get(match[0], match[0]), text)


def restore(state: State) -> None:
    """Give everything in the design its own name again."""
    if not state.plain_names:
        return
    safe = {plain: name for name, plain in state.plain_names.items() if not _UNSAFE.search(name)}
    file = state.out / "escaped.il"
    state.run(f"tee -q write_rtlil {file}")
    text = file.read_text()
    file.write_text(_STAND_IN.sub(lambda match: safe.get(match[0], match[0]), text))
    state.run("tee -q design -reset")
    state.run(f"tee -q read_rtlil {file}")
    file.unlink()
