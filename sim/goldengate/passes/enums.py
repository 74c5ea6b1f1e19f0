# SPDX-License-Identifier: BSD-3-Clause
"""Step of pass `read`: `e.next()` and `e.prev()` of an enumeration, which the reader does not know.

In: a file's text. Out: the same with a choice in their place, `(e == A ? B : e == B ? A : t'(0))`,
for variables whose type the files spell out. A value that is none of the names leads to 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_TYPE = re.compile(r"\btypedef\s+enum\b[^{};]*\{(?P<names>[^{}]*)\}\s*(?P<type>\w+)\s*;", re.DOTALL)
_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:=[^,]*)?$", re.DOTALL)
_CALL = re.compile(
    r"(?<![\w.$\])])(?P<variable>[A-Za-z_]\w*)\.(?P<step>next|prev)\b"
    r"(?:\s*\(\s*(?:(?:\d*'[dD])?(?P<by>\d+))?\s*\))?"
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def enumerations(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of each enumeration that the files give a type, by the type's name."""
    found: dict[str, list[str]] = {}
    for text in texts:
        for match in _TYPE.finditer(_COMMENT.sub(" ", text)):
            names = [_NAME.match(one) for one in match["names"].split(",")]
            if all(names):
                found[match["type"]] = [name[1] for name in names if name]
    return found


def without_steps(text: str, types: dict[str, list[str]]) -> str:
    """Return the text with a choice for each `next` and `prev` of a variable of these types."""
    if not types:
        return text
    kinds = "|".join(map(re.escape, types))
    declaration = re.compile(rf"(?:\b(\w+)::)?\b({kinds})\s+((?:\w+\s*(?:=[^,;()]*)?,\s*)*\w+)")
    variables = {
        re.match(r"\s*(\w+)", one)[1]: (package, kind)  # type: ignore[index]
        for package, kind, names in declaration.findall(_COMMENT.sub(" ", text))
        for one in names.split(",")
    }

    def choice(match: re.Match[str]) -> str:
        name = match["variable"]
        if name not in variables:
            return match[0]
        package, kind = variables[name]
        prefix = f"{package}::" if package else ""
        names = types[kind]
        by = int(match["by"] or 1) * (1 if match["step"] == "next" else -1)
        steps = (
            f"{name} == {prefix}{one} ? {prefix}{names[(number + by) % len(names)]} : "
            for number, one in enumerate(names)
        )
        return f"({''.join(steps)}{prefix}{kind}'(0))"

    return _CALL.sub(choice, text)
