# SPDX-License-Identifier: BSD-3-Clause
"""The microbenchmarks of figure 6.11: five numbers a message, or one field of another class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from regression.support.protobuf_messages import Types

FIELDS = 5
_STRINGS = {"string 8": 8, "string 16": 16, "string 512": 512, "string 4096": 4_096}
_SCALARS = ("uint64", "double", "float")


@dataclass(frozen=True)
class FieldClass:
    """A message of one class; `group` is the part of the figure that it is in."""

    group: str
    name: str
    message: str
    data: bytes


def proto_text() -> str:
    """Return the .proto file of the messages."""
    lines = ['syntax = "proto2";', "package speed;"]
    for kind in _SCALARS:
        fields = [f"optional {kind} f{i} = {i};" for i in range(1, FIELDS + 1)]
        arrays = [f"repeated {kind} f{i} = {i};" for i in range(1, FIELDS + 1)]
        lines.append(f"message {kind}s {{ {' '.join(fields)} }}")
        lines.append(f"message {kind}_arrays {{ {' '.join(arrays)} }}")
    lines.append("message text { optional string f1 = 1; }")
    for kind, body in (("bool", "bool"), ("double", "double"), ("text", "string")):
        lines.append(f"message inner_{kind} {{ optional {body} f1 = 1; }}")
        lines.append(f"message outer_{kind} {{ optional inner_{kind} f1 = 1; }}")
    return "\n".join([*lines, ""])


def _filled(types: Types, message: str, value: Any) -> bytes:
    made = types.new(message)
    for field in made.DESCRIPTOR.fields:
        if field.is_repeated:
            getattr(made, field.name).append(value)
        else:
            setattr(made, field.name, value)
    return bytes(made.SerializeToString(deterministic=True))


def varint_value(size: int) -> int:
    """Return the least number whose varint has `size` bytes; 0 has one, as 1 has."""
    return 1 << 7 * (size - 1) if size > 1 else 1


def classes(types: Types) -> list[FieldClass]:
    """Return the messages, in the figure's order."""
    found: list[tuple[str, str, str, Any]] = []
    numbers = {f"varint {size}": varint_value(size) for size in range(1, 11)}
    for name, value in {"varint 0": 0, **numbers}.items():
        found.append(("inline", name, "uint64s", value))
    found += [("inline", "double", "doubles", 1.5), ("inline", "float", "floats", 1.5)]
    for name, value in numbers.items():
        found.append(("allocating", f"{name} repeated", "uint64_arrays", value))
    found.append(("allocating", "double repeated", "double_arrays", 1.5))
    found.append(("allocating", "float repeated", "float_arrays", 1.5))
    for name, size in _STRINGS.items():
        found.append(("allocating", name, "text", "x" * size))
    out = [
        FieldClass(group, name, kind, _filled(types, kind, value))
        for group, name, kind, value in found
    ]
    values: dict[str, Any] = {"bool": True, "double": 1.5, "text": "x" * 8}
    for kind, value in values.items():
        outer = types.new(f"outer_{kind}")
        outer.f1.f1 = value
        data = bytes(outer.SerializeToString(deterministic=True))
        out.append(FieldClass("allocating", f"message of {kind}", f"outer_{kind}", data))
    return out
