# SPDX-License-Identifier: BSD-3-Clause
"""Expressions over counters, such as `1000 * dcache_miss / instructions`: read, checked, valued.

Nothing but numbers, names, + - * / and the functions below; nothing of Python is evaluated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from firesim_common.errors import cut, unknown

from firesim.metrics.percentiles import HISTOGRAM_FUNCTIONS, histogram_value

MOST_CHARACTERS = 1000
MOST_DEPTH = 40
"""Of parentheses and signs inside each other."""
_NAME = r"[A-Za-z_][\w$]*(?:\[\d+\])?(?:\.[A-Za-z_][\w$]*(?:\[\d+\])?)*"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|(?P<name>{_NAME})|`(?P<quoted>[^`]+)`"
    r"|(?P<sign>[-+*/(),]))"
)

Value = float | None
"""None where there is none, as of a division by 0."""
Scope = Callable[[str], Value]
Counts = Callable[[str], Sequence[float] | None]
"""The cycles in which a vector had each of its values, by its name; None for no such vector."""


@dataclass(frozen=True)
class _Number:
    value: float


@dataclass(frozen=True)
class _Name:
    name: str


@dataclass(frozen=True)
class _Call:
    """An operation or a function of what it is applied to."""

    what: str
    of: tuple[_Node, ...]


_Node = _Number | _Name | _Call


def _divided(left: float, right: float) -> Value:
    return left / right if right else None


_OPERATIONS: dict[str, Callable[..., Value]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divided,
    "negative": lambda value: -value,
    "min": min,
    "max": max,
}
FUNCTIONS = ("min", "max", *HISTOGRAM_FUNCTIONS)


@dataclass(frozen=True)
class Expression:
    """An expression that was read."""

    text: str
    root: _Node

    def names(self) -> list[str]:
        """Return the counters that it names, each once."""
        return list(dict.fromkeys(name for name, whole in _named(self.root) if not whole))

    def histograms(self) -> list[str]:
        """Return the vectors whose histograms it names, each once."""
        return list(dict.fromkeys(name for name, whole in _named(self.root) if whole))

    def value(self, scope: Scope, counts: Counts) -> Value:
        """Return what it comes to; None where a part has no value or it is no finite number."""
        found = _value(self.root, scope, counts)
        return found if found is not None and math.isfinite(found) else None


def _named(node: _Node) -> Iterator[tuple[str, bool]]:
    """Yield each name, and whether a whole histogram is meant."""
    if isinstance(node, _Name):
        yield node.name, False
    elif isinstance(node, _Call):
        for inner in node.of:
            for name, whole in _named(inner):
                yield name, whole or node.what in HISTOGRAM_FUNCTIONS


def _value(node: _Node, scope: Scope, counts: Counts) -> Value:
    if isinstance(node, _Number):
        return node.value
    if isinstance(node, _Name):
        return scope(node.name)
    if node.what in HISTOGRAM_FUNCTIONS:
        (vector,) = node.of
        assert isinstance(vector, _Name), "the reader saw to it"
        found = counts(vector.name)
        return None if found is None else histogram_value(node.what, found)
    values = [_value(inner, scope, counts) for inner in node.of]
    known = [value for value in values if value is not None]
    return _OPERATIONS[node.what](*known) if len(known) == len(values) else None


def read_expression(text: str) -> Expression:
    """Return what a text means.

    Raises:
        ValueError: it is no expression; the message says what was found where.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"found {len(text)} characters, expected at most {MOST_CHARACTERS}.")
    reader = _Reader(text)
    root = reader.sum()
    reader.expect_end()
    return Expression(text, root)


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.token: re.Match[str] | None = None
        self.advance()

    def advance(self) -> None:
        self.token = _TOKEN.match(self.text, self.at)
        if self.token is not None:
            self.at = self.token.end()
        elif rest := self.text[self.at :].strip():
            raise self.error(rest[0], "a number, a counter, + - * / or a parenthesis")

    def error(self, found: str | None, expected: str) -> ValueError:
        what = "its end" if found is None else f'"{cut(found)}"'
        return ValueError(f'found {what} in "{cut(self.text)}", expected {expected}.')

    def shown(self) -> str | None:
        return self.token[0].strip() if self.token is not None else None

    def takes(self, *signs: str) -> str | None:
        """Return a sign that stands here, and go on behind it; None for anything else."""
        found = self.token["sign"] if self.token is not None else None
        if found not in signs:
            return None
        self.advance()
        return found

    def expect_end(self) -> None:
        if self.token is not None:
            raise self.error(self.shown(), "+ - * / or its end")

    def sum(self) -> _Node:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise ValueError(f"found more than {MOST_DEPTH} parentheses deep, expected fewer.")
        node = self.product()
        while sign := self.takes("+", "-"):
            node = _Call(sign, (node, self.product()))
        self.depth -= 1
        return node

    def product(self) -> _Node:
        node = self.factor()
        while sign := self.takes("*", "/"):
            node = _Call(sign, (node, self.factor()))
        return node

    def factor(self) -> _Node:
        if self.takes("-"):
            self.depth += 1
            if self.depth > MOST_DEPTH:
                raise ValueError(f"found more than {MOST_DEPTH} signs deep, expected fewer.")
            node = _Call("negative", (self.factor(),))
            self.depth -= 1
            return node
        if self.takes("("):
            inside = self.sum()
            if not self.takes(")"):
                raise self.error(self.shown(), '")"')
            return inside
        token = self.token
        if token is None or token["sign"]:
            raise self.error(self.shown(), "a number, a counter or a parenthesis")
        self.advance()
        if token["number"]:
            return _Number(float(token["number"]))
        if token["quoted"]:
            return _Name(token["quoted"])
        return self.call(token["name"]) if self.takes("(") else _Name(token["name"])

    def call(self, name: str) -> _Node:
        """Read the arguments of a function, behind its parenthesis."""
        if name not in FUNCTIONS:
            raise ValueError(unknown(name, "one of the functions", list(FUNCTIONS)))
        arguments = [self.sum()]
        while self.takes(","):
            arguments.append(self.sum())
        if not self.takes(")"):
            raise self.error(self.shown(), '"," or ")"')
        if name not in HISTOGRAM_FUNCTIONS:
            if len(arguments) < 2:
                raise ValueError(f'found {name} of one value in "{cut(self.text)}", expected two.')
            return _Call(name, tuple(arguments))
        if len(arguments) != 1 or not isinstance(arguments[0], _Name):
            raise ValueError(
                f'found {name} of something else in "{cut(self.text)}", '
                f"expected {name}(NAME) of one histogram."
            )
        return _Call(name, tuple(arguments))
