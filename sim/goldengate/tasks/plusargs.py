# SPDX-License-Identifier: BSD-3-Clause
"""Options of a simulator's command line that a design asks for, which a request has in its place.

In: the syntax trees, and the options that are given. Out: `$test$plusargs("name")` is 1 or 0, and
`$value$plusargs("name=%d", v)` gives `v` its value and is 1, or leaves it and is 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from firesim_common.errors import unknown

from goldengate.errors import GoldenGateError
from goldengate.tasks.source import Source, is_token, kind, short, text

Node = Any
TEST, VALUE = "$test$plusargs", "$value$plusargs"
_FORMAT = re.compile(r"(?P<name>[^%]*?)=?%0?(?P<letter>[a-zA-Z])")
_NUMBER = re.compile(r"[0-9]+")
_TEXT = "s"


class Plusargs:
    """Puts values in place of calls; `given` has options by name, those without a value as None."""

    def __init__(self, source: Source, given: Mapping[str, str | None]) -> None:
        self.source = source
        self.given = given
        self.asked: set[str] = set()
        self._beginnings: set[str] = set()

    def run(self) -> None:
        """Change the text.

        Raises:
            GoldenGateError: the design asks for none of this name, or in another way.
        """
        calls = [call for member in self.source.members() for call in _calls(member)]
        self.source.replace([(call, self._instead(call)) for call in calls])
        for name in self.given:
            if name not in self.asked and not any(map(name.startswith, self._beginnings)):
                what = "one of the options that the design asks for:"
                known = sorted(self.asked | self._beginnings)
                raise GoldenGateError(f"plusargs: {unknown(name, what, known)}")

    def _instead(self, call: Node) -> str:
        """Return what a call is."""
        words = [one for one in call.arguments.parameters if not is_token(one)]
        wanted = words[0].getFirstToken() if words else None
        if wanted is None or kind(wanted) != "StringLiteral":
            if not self.given:
                return "1'b0"
            place = self.source.place(call)
            raise GoldenGateError(f"{place}: found {short(call)}, expected a text for its option.")
        asked = str(wanted.valueText)
        if text(call.left) == TEST:
            self._beginnings.add(asked)
            return f"1'b{int(any(name.startswith(asked) for name in self.given))}"
        found = _FORMAT.fullmatch(asked)
        name = found["name"] if found else asked
        self.asked.add(name)
        if name not in self.given or len(words) < 2:
            return "1'b0"
        value = self._value(call, name, found["letter"].lower() if found else "")
        return f"(({text(words[1])} = {value}) == {text(words[1])})"

    def _value(self, call: Node, name: str, letter: str) -> str:
        value = self.given[name]
        if letter == _TEXT and value is not None:
            return f'"{value}"'
        if letter and value is not None and _NUMBER.fullmatch(value):
            return f"64'd{value}"
        shown = "no value" if value is None else f'"{value}"'
        raise GoldenGateError(
            f"plusargs.{name}: found {shown}, expected a number, which {self.source.place(call)} "
            f"asks for."
        )


def _calls(node: Node) -> Iterator[Node]:
    """Yield the calls below a node, without those in another one."""
    if is_token(node) or "plusargs" not in str(node):
        return
    if kind(node) == "InvocationExpression" and text(node.left) in (TEST, VALUE):
        yield node
        return
    for child in node:
        if child is not None:
            yield from _calls(child)
