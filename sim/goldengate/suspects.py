# SPDX-License-Identifier: BSD-3-Clause
"""Texts that may change a variable under a condition in an expression: a quick look, without slang.

`tasks/side_effects.py` then looks at the trees.
"""

from __future__ import annotations

import re

_CHANGES = re.compile(
    r"(?:\?|&&|\|\||->)[^;]*(?:\+\+|--|\(\s*\w+(?:\[[^\]]*\]|\.\w+)*\s*(?:[-+*/%&|^]|<<<?|>>>?)?=(?!=))"
)
"""A step or an assignment in an expression with such an operator; more is found than there is."""
_FUNCTION = re.compile(r"\bfunction\b(.*?)\bendfunction\b", re.DOTALL)
_ASSIGNED = re.compile(
    r"(?<![.\w$])([A-Za-z_]\w*)\s*(?:(?:\[[^\];]*\]|\.\w+)\s*)*(?:(?:[-+*/%&|^]|<<<?|>>>?)?=(?!=)|\+\+|--)"
    r"|(?:\+\+|--)\s*([A-Za-z_]\w*)"
)
_BEFORE = re.compile(r"(\w+|\S)\s*$")
_NO_TYPES = ("begin", "else", "return", "do")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def may_change(text: str) -> bool:
    """Return whether a text may have such an expression; it is quick, and says yes too often."""
    text = _COMMENT.sub(" ", text)
    if _CHANGES.search(text):
        return True
    return any(_changes_variables(match[1]) for match in _FUNCTION.finditer(text))


def _changes_variables(function: str) -> bool:
    """Return whether a function may change what its caller sees: an argument, or a variable.

    What is its own is declared first: after its type, a range or another name.
    """
    if re.search(r"\b(?:output|inout|ref)\b", function):
        return True
    for name in {match[1] or match[2] for match in _ASSIGNED.finditer(function)}:
        first = re.search(rf"(?<![.\w$]){name}\b", function)
        before = _BEFORE.search(function[: first.start()]) if first else None
        word = before[1] if before else ""
        if word in _NO_TYPES or not (word[-1:].isalnum() or word in ("]", ",", "}", "_")):
            return True
    return False
