# SPDX-License-Identifier: BSD-3-Clause
"""Pydantic's error records into our sentences: where, what was found, what was expected."""

from __future__ import annotations

import re
import types
import typing
from typing import Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, RootModel, ValidationError
from pydantic_core import ErrorDetails

from firesim_common.base import BLADE_RULE, NAME_RULE
from firesim_common.errors import InputError, cut, listed, nearest, unknown
from firesim_common.positions import KeyPath, Source, dotted

MOST_LINES = 20
"""Of what is wrong with one file, as much is said."""
_UNITS = {
    "_cycles": " of cycles",
    "_gbps": " of Gb/s",
    "_mib": " of MiB",
    "_kib": " of KiB",
    "_bytes": " of bytes",
    "_hz": " of Hz",
    "_sectors": " of sectors",
    "_us": " of us",
    "_s": " of seconds",
}
_LIMITS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}
_KINDS = {
    "bool_type": "true or false",
    "string_type": "text",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_NUMBERS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
}


def shown(value: Any) -> str:
    """Return a value as a message shows it."""
    if isinstance(value, str):
        return f'"{cut(value)}"'
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        kind = "mapping" if isinstance(value, dict) else "list"
        return f"a {kind}" if value else f"an empty {kind}"
    return f"{value}"


def _arms(annotation: Any) -> tuple[Any, ...]:
    origin = get_origin(annotation)
    if origin is typing.Annotated:
        return _arms(get_args(annotation)[0])
    if origin in (typing.Union, types.UnionType):
        return tuple(arm for part in get_args(annotation) for arm in _arms(part))
    return (annotation,)


def _tagged(model: type[BaseModel], tag: str | int) -> bool:
    fields = (model.model_fields.get(name) for name in ("kind", "model"))
    return any(field is not None and tag in get_args(field.annotation) for field in fields)


def _keys_at(annotation: Any, location: tuple[str | int, ...]) -> list[str] | None:
    """Return the keys that the mapping at `location` may have, or None when it is not a model."""
    for arm in _arms(annotation):
        origin = get_origin(arm)
        if origin in (dict, list) and location:
            return _keys_at(get_args(arm)[-1], location[1:])
        if not (isinstance(arm, type) and issubclass(arm, BaseModel)):
            continue
        if issubclass(arm, RootModel):  # A file that is one of several kinds.
            found = _keys_at(arm.model_fields["root"].annotation, location)
            if found is not None:
                return found
            continue
        if not location:
            return list(arm.model_fields)
        head = str(location[0])
        if head in arm.model_fields:
            found = _keys_at(arm.model_fields[head].annotation, location[1:])
        else:
            found = _keys_at(arm, location[1:]) if _tagged(arm, head) else None
        if found is not None:
            return found
    return None


def _path(data: Any, location: tuple[str | int, ...]) -> KeyPath:
    """Return the part of `location` that exists in `data`, without the union tags in it."""
    path: KeyPath = ()
    for part in location:
        inside = part in data if isinstance(data, dict) else False
        if isinstance(data, list) and isinstance(part, int):
            inside = part < len(data)
        if inside:
            data = data[part]
            path = (*path, part)
    return path


def _pattern(key: str, pattern: str) -> str:
    if key == "program":
        return "the name of a program of FireSim, or a file of yours under the key elf"
    if pattern == NAME_RULE:
        return "a name of letters, digits, _ and single - that starts with a letter"
    if pattern == BLADE_RULE:
        return "the name of a blade, or a file that ends in .yaml"
    if key == "command":
        return "printable ASCII text without double quotes"
    return (
        f"text of the form {pattern}" if key != "mac" else "a MAC address such as 00:12:6D:00:00:02"
    )


def _unit(path: KeyPath) -> str:
    key = str(path[-1]) if path else ""
    return next((unit for end, unit in _UNITS.items() if key.endswith(end)), "")


def _number_word(path: KeyPath, limit: Any) -> str:
    unit = _unit(path).removeprefix(" of ")
    if limit == 1:
        unit = unit.removesuffix("s")
    return f"{limit:g} {unit}".strip() if isinstance(limit, float) else f"{limit} {unit}".strip()


def _choice(error: ErrorDetails) -> str:
    """Say what a value should have been that is not one of a few words."""
    context, found = error.get("ctx", {}), error["input"]
    if error["type"] == "union_tag_not_found":
        return f'expected the key "{_unquoted(context["discriminator"])}".'
    if error["type"] == "union_tag_invalid":
        names = re.findall(r"'([^']*)'", str(context["expected_tags"]))
        return unknown(str(context["tag"]), _unquoted(context["discriminator"]), names)
    names = re.findall(r"'([^']*)'", str(context["expected"]))
    close = nearest(found, names) if isinstance(found, str) and len(names) > 1 else None
    hint = f', did you mean "{close}"?' if close else "."
    return f"found {shown(found)}, expected {listed(names)}{hint}"


def _unquoted(value: object) -> str:
    return str(value).strip("'")


def _expected(error: ErrorDetails, path: KeyPath) -> str:
    """Say what kind of value was expected, after "found X, expected"."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in _LIMITS:
        word, name = _LIMITS[kind]
        return f"{word} {_number_word(path, context[name])}"
    if kind in _NUMBERS:
        return f"{_NUMBERS[kind]}{_unit(path)}"
    if kind == "string_pattern_mismatch":
        return _pattern(str(path[-1]), str(context["pattern"]))
    if kind == "too_short":
        return f"at least {context['min_length']} item"
    if kind == "string_too_long":
        return f"at most {context['max_length']} characters"
    return _KINDS.get(kind, error["msg"])


def _sentence(error: ErrorDetails, model: type[BaseModel], path: KeyPath) -> str:
    kind = error["type"]
    if kind == "missing":
        return f'expected the key "{error["loc"][-1]}".'
    if kind == "extra_forbidden":
        keys = _keys_at(model, error["loc"][:-1]) or []
        return unknown(str(error["loc"][-1]), "one of the keys", keys)
    if kind in ("literal_error", "union_tag_invalid", "union_tag_not_found"):
        return _choice(error)
    if kind == "value_error":
        text, found = str(error["ctx"]["error"]), error["input"]
        return text.replace(found, cut(found)) if isinstance(found, str) and found else text
    return f"found {shown(error['input'])}, expected {_expected(error, path)}."


def _without_consequences(records: list[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out the missing keys that are there but misspelt."""
    extra = [record["loc"] for record in records if record["type"] == "extra_forbidden"]
    return [
        record
        for record in records
        if record["type"] != "missing"
        or not any(
            other[:-1] == record["loc"][:-1] and nearest(str(other[-1]), [str(record["loc"][-1])])
            for other in extra
        )
    ]


def explain(error: ValidationError, model: type[BaseModel], source: Source) -> str:
    """Return one line for each error: `file:line: key.path: found ..., expected ...`."""
    lines: list[str] = []
    records = _without_consequences(error.errors())
    for number, record in enumerate(records):
        if len(lines) == MOST_LINES:
            lines.append(f"{source.name}: and {len(records) - number:,} more.")
            break
        path = _path(source.data, record["loc"])
        shown_path = path[:-1] if record["type"] == "extra_forbidden" else path
        line = f"{source.place(path)}: {dotted(shown_path)}{_sentence(record, model, path)}"
        if line not in lines:
            lines.append(line)
    return "\n".join(lines)


M = TypeVar("M", bound=BaseModel)


def checked(model: type[M], source: Source) -> M:
    """Return what a file says as its model.

    Raises:
        InputError: one line for each thing wrong, with its place.
    """
    try:
        return model.model_validate(source.data)
    except ValidationError as error:
        raise InputError(explain(error, model, source)) from error
