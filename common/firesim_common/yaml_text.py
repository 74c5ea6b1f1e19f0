# SPDX-License-Identifier: BSD-3-Clause
"""YAML text into nodes and plain values of the YAML 1.2 core schema, within limits.

A hostile text can use up neither the stack nor the memory nor the patience of its
reader, and no value holds what a terminal would obey. Every refusal has its line.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import Any

import yaml
from yaml._yaml import CParser
from yaml.composer import Composer
from yaml.reader import ReaderError
from yaml.resolver import Resolver

from firesim_common.errors import InputError, cut
from firesim_common.printable import printable

MOST_DEPTH = 64
"""Mappings and lists within each other."""
_MOST_NUMBER_CHARACTERS = 40
_INTEGER = re.compile(r"[-+]?[0-9]+")


class _TooDeepError(Exception):
    """Lists and mappings lie too deep within each other."""

    def __init__(self, line: int) -> None:
        """Take the line, which counts from 1."""
        super().__init__()
        self.line = line


class _Composer(Composer, Resolver):
    """Composes nodes with the scalars of the YAML 1.2 core schema, and only goes so deep."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Compose one node and what is in it; the composer calls itself for each level."""
        if self.depth > MOST_DEPTH:
            event: yaml.Event = self.peek_event()  # type: ignore[attr-defined]
            raise _TooDeepError(event.start_mark.line + 1 if event.start_mark else 1)
        self.depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


class _Loader(_Composer, yaml.SafeLoader):
    """All in Python: its errors say the most."""


class _FastLoader(_Composer, CParser):
    """Has its events from libyaml: a ninth of the time."""

    def __init__(self, text: str) -> None:
        """Begin with the text; none of the bases initialises the next."""
        CParser.__init__(self, text)
        Composer.__init__(self)
        Resolver.__init__(self)


def _resolvers() -> None:
    add = _Composer.add_implicit_resolver
    add("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false|True|False)$"), list("tfTF"))
    add(
        "tag:yaml.org,2002:int",
        re.compile(r"^[-+]?(?:0x[0-9a-fA-F_]+|[0-9][0-9_]*)$"),
        list("-+0123456789"),
    )
    add(
        "tag:yaml.org,2002:float",
        re.compile(
            r"^[-+]?(?:[0-9][0-9_]*\.[0-9]*(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+|\.[0-9]+)$"
        ),
        list("-+.0123456789"),
    )
    add("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|Null|)$"), ["~", "n", "N", ""])
    add("tag:yaml.org,2002:merge", re.compile(r"^<<$"), ["<"])


_resolvers()


def compose(text: str, name: str) -> yaml.Node | None:
    """Return the tree of nodes of a text, None for an empty one; `name` is what errors call it.

    Raises:
        InputError: not YAML, not printable, or too deep.
    """
    if "\t" not in text:  # which libyaml takes where YAML has blanks
        with suppress(yaml.YAMLError, ValueError, _TooDeepError):  # the other reader says it better
            return _FastLoader(text).get_single_node()
    loader: _Loader | None = None
    try:
        loader = _Loader(text)
        node: yaml.Node | None = loader.get_single_node()
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        code = ord(text[error.position])
        raise InputError(
            f"{name}:{line}: found the character U+{code:04X}, expected printable text."
        ) from error
    except _TooDeepError as error:
        raise InputError(
            f"{name}:{error.line}: found more than {MOST_DEPTH} lists and mappings within each "
            "other, expected fewer."
        ) from error
    except yaml.MarkedYAMLError as error:
        what = cut(str(error.problem))
        called = "JSON" if name.endswith(".json") else "YAML"
        raise InputError(f"{name}:{_line(error)}: not valid {called}: {what}.") from error
    except yaml.YAMLError as error:
        what = cut(" ".join(str(error).split()))
        raise InputError(f"{name}:1: not valid YAML: {what}.") from error
    except ValueError as error:
        line = loader.line + 1 if loader is not None else 1
        raise InputError(
            f"{name}:{line}: not valid YAML: found too large a number, expected that of a "
            "character or of a version."
        ) from error
    finally:
        if loader is not None:
            loader.dispose()
    return node


def _line(error: yaml.MarkedYAMLError) -> int:
    return error.problem_mark.line + 1 if error.problem_mark else 1


def scalar(node: yaml.Node, what: str) -> Any:
    """Return the value of a scalar; `what` is its place for messages.

    Raises:
        InputError: no plain value, not what its tag says, too large a number, or not printable.
    """
    kind, text = node.tag.rpartition(":")[2], plain_text(node, what)
    if kind == "str":
        return text
    if kind not in ("null", "bool", "int", "float"):
        raise InputError(f"{what}found the tag {cut(node.tag)}, expected a plain value.")
    if _implied(text) != node.tag:
        raise InputError(f'{what}found "{_cut(text)}", expected what its tag {node.tag} says.')
    if kind == "null":
        return None
    return text in ("true", "True") if kind == "bool" else _number(text, what)


def plain_text(node: yaml.Node, what: str) -> str:
    """Return the text of a scalar.

    Raises:
        InputError: it holds a control character other than a tab or the end of a line.
    """
    text = str(node.value)
    if printable(text) == text:
        return text
    bad = next(c for c in text if not c.isprintable() and c not in "\n\t")
    raise InputError(f"{what}found the character U+{ord(bad):04X}, expected printable text.")


def _implied(text: str) -> str:
    """Return the tag that a plain scalar has by what it looks like."""
    resolvers = _Composer.yaml_implicit_resolvers.get(text[:1], [])
    return next((tag for tag, looks in resolvers if looks.match(text)), "tag:yaml.org,2002:str")


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_NUMBER_CHARACTERS else f"{text[:30]}... ({len(text):,})"


def _whole_or_not(text: str) -> int | float:
    """Return 1e6 as the whole number it is; 1.0 is none, since somebody wrote the point for it.

    Infinite where the text is another number than 0 and yet too small to be one.
    """
    value = float(text)
    if value == 0 and re.search("[1-9]", text.lower().partition("e")[0]):
        return math.inf
    has_exponent = "e" in text.lower()
    return int(value) if has_exponent and value.is_integer() and abs(value) < 2**53 else value


def _number(text: str, what: str) -> int | float:
    plain = text.replace("_", "")
    value: int | float = math.inf
    try:
        if "x" in plain:
            value = int(plain, 16)
        elif len(plain) <= _MOST_NUMBER_CHARACTERS:
            value = int(plain, 10) if _INTEGER.fullmatch(plain) else _whole_or_not(plain)
    except ValueError as error:  # "0x_"
        raise InputError(f'{what}found "{_cut(text)}", expected a number.') from error
    if not -(2**63) <= value < 2**64:
        raise InputError(f"{what}found the number {_cut(text)}, expected one that fits 64 bits.")
    return value
