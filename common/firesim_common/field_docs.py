# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings below the fields of a class, read from its source only when somebody asks for them.

pydantic can read them as each class is made, which was a fifth of the time of a short command.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from itertools import pairwise


def field_docs(cls: type) -> dict[str, str]:
    """Return the docstring of each field of a class and of those that it derives from, by name."""
    found: dict[str, str] = {}
    for each in reversed(cls.__mro__):
        if "__annotations__" in vars(each) and each.__module__ != "pydantic.main":
            found |= _own_docs(each)
    return found


def _own_docs(cls: type) -> dict[str, str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError):  # made while the program runs
        return {}
    body = tree.body[0]
    assert isinstance(body, ast.ClassDef)
    return {
        field.target.id: inspect.cleandoc(below.value.value)
        for field, below in pairwise(body.body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }
