# SPDX-License-Identifier: BSD-3-Clause
"""Random .proto files and messages of them, in the shapes of the fleet's; right and wrong ones.

Kinds of fields, sizes and densities follow chapter 6.3 of the dissertation: mostly varints by
number, mostly strings and bytes by size, half of the messages of at most 32 bytes.
"""

from __future__ import annotations

import math
import random
import struct
from pathlib import Path
from typing import Any

from firesim_software.protobuf import descriptor_set
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor as Kind
from google.protobuf.message import DecodeError, Message

MESSAGES = 4
"""Message types of a file: m0 to m3."""
_VARINTS = ("int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool")
_FIXED = ("fixed32", "fixed64", "sfixed32", "sfixed64", "float", "double")
_SIZES = ((8, 0.55), (32, 0.34), (300, 0.1), (3_000, 0.01))
"""Bytes of a string, at most, and how often."""


def varint(value: int) -> bytes:
    """Return a varint."""
    digits = bytearray()
    while value >= 128:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])


def key(number: int, wire: int) -> bytes:
    """Return what stands in front of a value."""
    return varint(number << 3 | wire)


def _type(rng: random.Random, enums: bool) -> str:
    chance = rng.random()
    if chance < 0.5:
        return rng.choice(_VARINTS)
    if chance < 0.6:
        return "color" if enums else "int32"
    if chance < 0.8:
        return rng.choice(("string", "bytes"))
    return rng.choice(_FIXED) if chance < 0.9 else f"m{rng.randrange(MESSAGES)}"


def schema_text(rng: random.Random, package: str, enums: bool) -> str:
    """Return a .proto file with messages m0 to m3, which may hold each other; m0 holds itself."""
    lines = ['syntax = "proto2";', f"package {package};"]
    lines.append("enum color { RED = 0; GREEN = 1; BLUE = -5; GREY = 70000; }")
    for index in range(MESSAGES):
        count = rng.choice((3, 6, 12, 40, 90))
        number = rng.choice((0, 0, 0, 200, 16_000))
        spread = rng.randint(1, 3)
        lines.append(f"message m{index} {{")
        if not index:
            number += 1
            lines.append(f"  optional m0 inner = {number};")
        for field in range(count):
            number += rng.randint(1, spread)
            kind = _type(rng, enums)
            repeated = rng.random() < 0.25
            packs = kind in (*_VARINTS, *_FIXED, "color") and rng.random() < 0.5
            tail = " [packed = true]" if repeated and packs else ""
            label = "repeated" if repeated else "optional"
            lines.append(f"  {label} {kind} f{field} = {number}{tail};")
        lines.append("}")
    return "\n".join([*lines, ""])


class Types:
    """The library's classes for the messages of a .proto file."""

    def __init__(self, proto: Path, flip_packed: bool = False) -> None:
        """Read the file; with `flip_packed`, what is packed is not, and the other way round."""
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_set(proto).file:
            for message in file.message_type if flip_packed else ():
                for field in message.field:
                    if field.label == field.LABEL_REPEATED and field.type not in (9, 11, 12):
                        field.options.packed = not field.options.packed
            pool.Add(file)
            self.package = file.package
        self._pool = pool

    def new(self, name: str) -> Any:
        """Return an empty message."""
        found = self._pool.FindMessageTypeByName(f"{self.package}.{name}")
        return message_factory.GetMessageClass(found)()


def _number(rng: random.Random, bits: int, signed: bool) -> int:
    value = rng.getrandbits(rng.randint(1, bits))
    if not signed:
        return value
    value >>= value.bit_length() == bits
    return -value - 1 if rng.random() < 0.3 else value


def _value(field: Any, rng: random.Random) -> Any:
    """Return a random value of a field that is no message."""
    match field.type:
        case Kind.TYPE_BOOL:
            return rng.random() < 0.5
        case Kind.TYPE_ENUM:
            return rng.choice((0, 1, -5, 70_000))
        case Kind.TYPE_FLOAT:
            return struct.unpack("<f", struct.pack("<f", rng.uniform(-1e6, 1e6)))[0]
        case Kind.TYPE_DOUBLE:
            return rng.choice((0.0, -0.0, math.inf, rng.gauss(0, 1e9)))
        case Kind.TYPE_STRING | Kind.TYPE_BYTES:
            most = rng.choices([size for size, _ in _SIZES], [often for _, often in _SIZES])[0]
            size = rng.randint(0, most)
            if field.type == Kind.TYPE_BYTES:
                return rng.randbytes(size)
            return "".join(chr(rng.randint(32, 126)) for _ in range(size))
        case Kind.TYPE_UINT32 | Kind.TYPE_FIXED32:
            return _number(rng, 32, signed=False)
        case Kind.TYPE_UINT64 | Kind.TYPE_FIXED64:
            return _number(rng, 64, signed=False)
        case Kind.TYPE_INT32 | Kind.TYPE_SINT32 | Kind.TYPE_SFIXED32:
            return _number(rng, 32, signed=True)
        case _:
            return _number(rng, 64, signed=True)


def fill(message: Any, rng: random.Random, depth: int, most: float) -> None:
    """Fill some fields, about `most` of them; messages inside get fewer, down to `depth`."""
    fields = message.DESCRIPTOR.fields
    chance = most / len(fields)
    for field in fields:
        if rng.random() >= chance:
            continue
        times = rng.randint(1, rng.choice((2, 3, 20))) if field.is_repeated else 1
        if field.type == Kind.TYPE_MESSAGE:
            for _ in range(min(times, 4) if depth else 0):
                place = getattr(message, field.name)
                inner = place.add() if field.is_repeated else place
                inner.SetInParent()
                fill(inner, rng, depth - 1, most / 2)
        elif field.is_repeated:
            getattr(message, field.name).extend(_value(field, rng) for _ in range(times))
        else:
            setattr(message, field.name, _value(field, rng))


def nested(message: Any, levels: int, rng: random.Random) -> None:
    """Put `levels` messages m0 inside each other."""
    for _ in range(levels):
        message = message.inner
        message.SetInParent()
        if rng.random() < 0.2:
            fill(message, rng, 0, 2)


def unknown(rng: random.Random, depth: int = 0) -> bytes:
    """Return a field that no message has."""
    number = rng.randint(1 << 17, (1 << 29) - 1)
    match rng.randint(0, 4 if depth < 3 else 3):
        case 0:
            return key(number, 0) + varint(rng.getrandbits(rng.randint(1, 64)))
        case 1:
            return key(number, 1) + rng.randbytes(8)
        case 2:
            return key(number, 5) + rng.randbytes(4)
        case 3:
            size = rng.randint(0, 40)
            return key(number, 2) + varint(size) + rng.randbytes(size)
        case _:
            inner = b"".join(unknown(rng, depth + 1) for _ in range(rng.randint(0, 2)))
            return key(number, 3) + inner + key(number, 4)


def broken(data: bytes, rng: random.Random) -> bytes:
    """Return a message with a fault; now and then it is good all the same."""
    at = rng.randrange(len(data)) if data else 0
    match rng.randint(0, 6):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + rng.randbytes(1) + data[at + 1 :]
        case 2:
            return data + b"\x08" + b"\xff" * rng.randint(9, 12) + b"\x01"  # a varint too long
        case 3:
            return data + b"\x80" * rng.randint(4, 6) + b"\x00\x01"  # a key
        case 4:
            return data + key(rng.randint(1, 300), rng.choice((2, 3, 4, 6, 7))) + b"\x7f"
        case 5:
            return data + b"\x00\x05"  # field 0
        case _:
            return rng.randbytes(rng.randint(1, 30))


def library_reads(empty: Message, data: bytes) -> bytes | None:
    """Return what the library serialises again, without unknown fields, or None: it refuses."""
    try:
        empty.ParseFromString(data)
    except DecodeError:
        return None
    empty.DiscardUnknownFields()
    return empty.SerializeToString(deterministic=True)
