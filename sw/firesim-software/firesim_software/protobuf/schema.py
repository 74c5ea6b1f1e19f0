# SPDX-License-Identifier: BSD-3-Clause
"""Reads a .proto file by protoc, and refuses what C objects do not have, with file and line."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from firesim_common.errors import InputError

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import (
        DescriptorProto,
        EnumDescriptorProto,
        FieldDescriptorProto,
        FileDescriptorProto,
        FileDescriptorSet,
    )

MOST_SPAN = 1 << 16
"""Of the field numbers of a message: each takes 16 bytes of its table."""
PACKAGE = "'grpcio-tools>=1.80'"
"""What pip installs so that there is a protoc."""
_SCALARS = {
    1: ("double", "PB_FIXED", 3),
    2: ("float", "PB_FIXED", 2),
    3: ("int64_t", "PB_UNSIGNED", 3),
    4: ("uint64_t", "PB_UNSIGNED", 3),
    5: ("int32_t", "PB_SIGNED", 2),
    6: ("uint64_t", "PB_FIXED", 3),
    7: ("uint32_t", "PB_FIXED", 2),
    8: ("bool", "PB_BOOL", 0),
    9: ("struct pb_bytes", "PB_BYTES", 4),
    12: ("struct pb_bytes", "PB_BYTES", 4),
    13: ("uint32_t", "PB_UNSIGNED", 2),
    14: ("int32_t", "PB_SIGNED", 2),
    15: ("int32_t", "PB_FIXED", 2),
    16: ("int64_t", "PB_FIXED", 3),
    17: ("int32_t", "PB_ZIGZAG", 2),
    18: ("int64_t", "PB_ZIGZAG", 3),
}
"""By FieldDescriptorProto.Type: C type, kind, and log2 of the bytes of an element."""
_GROUP, _MESSAGE, _ENUM, _BYTES = 10, 11, 14, "PB_BYTES"
_REQUIRED, _REPEATED = 2, 3
_KEYWORDS = frozenset(
    "asm auto bool break case char const continue default do double else enum extern float for "
    "goto has if inline int long register restrict return short signed sizeof static struct "
    "switch typedef typeof union unsigned void volatile while".split()
)

Path_ = tuple[int, ...]
"""Where something is in a FileDescriptorProto: numbers of fields and places in lists."""


@dataclass(frozen=True)
class Field:
    """A field of a struct; `message` is the C name of the message that it holds, if any."""

    name: str
    number: int
    c_type: str
    kind: str
    size_log: int
    repeated: bool
    packed: bool
    hasbit: int
    message: str | None
    default: str | None


@dataclass(frozen=True)
class Message:
    """A struct and its table."""

    name: str
    fields: tuple[Field, ...]

    @property
    def first(self) -> int:
        """The least field number; 1 for a message without fields."""
        return self.fields[0].number if self.fields else 1

    @property
    def span(self) -> int:
        """Numbers from the least one to the greatest."""
        return self.fields[-1].number - self.first + 1 if self.fields else 0

    @property
    def hasbit_words(self) -> int:
        """Words of hasbits at the beginning of an object, at least one."""
        return max(1, -(-sum(not field.repeated for field in self.fields) // 64))


@dataclass(frozen=True)
class Schema:
    """Messages and enums (C name, and names and numbers of its values) of a .proto file."""

    messages: tuple[Message, ...]
    enums: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]


def descriptor_set(proto: Path) -> FileDescriptorSet:
    """Return what protoc reads in a .proto file and its imports, with the place of everything.

    Imports are looked for in the folder of the file.

    Raises:
        InputError: there is no such file, protoc is not installed, or it refuses the file.
    """
    if not proto.is_file():
        raise InputError(f'protobuf: found "{proto}", expected a file that exists.')
    if importlib.util.find_spec("grpc_tools") is None:
        pip = f"{sys.executable} -m pip install {PACKAGE}"
        raise InputError(f"protobuf: found no protoc, expected it: {pip}")
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "set"
        options = ["--include_imports", "--include_source_info", f"--descriptor_set_out={out}"]
        places = [f"--proto_path={proto.parent.absolute()}", proto.name]
        done = subprocess.run(
            [sys.executable, "-P", "-m", "grpc_tools.protoc", *options, *places],
            text=True,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        if done.returncode != 0:
            first = (done.stderr.strip() or "protoc failed").splitlines()[0]
            said = first.removeprefix(f"{proto.parent.absolute()}/")
            where = re.match(r"(\S+?):(\d+):\d+: (.*)", said)
            shown = f"{proto.parent / where[1]}:{where[2]}: {where[3]}" if where else said
            raise InputError(shown)
        return FileDescriptorSet.FromString(out.read_bytes())


def c_name(full: str) -> str:
    """Return the C name of a message or an enum: `.a.B.C` is a_B_C."""
    return full.strip(".").replace(".", "_")


@dataclass
class _Reader:
    """Reads one file; it knows on which line of it everything stands."""

    file: FileDescriptorProto
    shown: Path
    names: dict[str, str]
    messages: list[Message] = field(default_factory=list)
    enums: list[tuple[str, tuple[tuple[str, int], ...]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        info = self.file.source_code_info
        self.lines = {tuple(place.path): place.span[0] + 1 for place in info.location}

    def refuse(self, path: Path_, found: str, expected: str) -> InputError:
        while path and path not in self.lines:
            path = path[:-1]
        line = self.lines.get(path, 1)
        return InputError(f"{self.shown}:{line}: found {found}, expected {expected}.")

    def read(self) -> None:
        file = self.file
        if file.syntax not in ("", "proto2"):
            raise self.refuse((12,), f'the syntax "{file.syntax}"', '"proto2"')
        if file.extension:
            raise self.refuse((7, 0), "an extension", "fields inside their message")
        prefix = f"{file.package}." if file.package else ""
        for index, enum in enumerate(file.enum_type):
            self.enum((5, index), prefix, enum)
        for index, message in enumerate(file.message_type):
            self.message((4, index), prefix, message)

    def claim(self, path: Path_, full: str) -> str:
        name = c_name(full)
        other = self.names.setdefault(name, full)
        if other != full:
            raise self.refuse(path, f'"{full}"', f'a name other than that of "{other}" in C')
        return name

    def enum(self, path: Path_, prefix: str, enum: EnumDescriptorProto) -> None:
        name = self.claim(path, prefix + enum.name)
        self.enums.append((name, tuple((value.name, value.number) for value in enum.value)))

    def message(self, path: Path_, prefix: str, message: DescriptorProto) -> None:
        name = self.claim(path, prefix + message.name)
        if message.oneof_decl:
            oneof = message.oneof_decl[0].name
            raise self.refuse((*path, 8, 0), f'the oneof "{oneof}"', "fields outside it")
        if message.extension:
            raise self.refuse((*path, 6, 0), "an extension", "fields inside their message")
        self.messages.append(Message(name, tuple(self.fields(path, message))))
        inner = f"{prefix}{message.name}."
        for index, enum in enumerate(message.enum_type):
            self.enum((*path, 4, index), inner, enum)
        maps = {one.name for one in message.nested_type if one.options.map_entry}
        for index, one in enumerate(message.nested_type):
            if one.name not in maps:
                self.message((*path, 3, index), inner, one)

    def fields(self, path: Path_, message: DescriptorProto) -> Iterator[Field]:
        maps = {one.name for one in message.nested_type if one.options.map_entry}
        hasbits = 0
        listed = sorted(enumerate(message.field), key=lambda pair: pair[1].number)
        for index, one in listed:
            place = (*path, 2, index)
            if one.type == _MESSAGE and one.type_name.rsplit(".", 1)[-1] in maps:
                raise self.refuse(place, f'the map "{one.name}"', "a repeated message")
            if one.number - listed[0][1].number >= MOST_SPAN:
                least = listed[0][1].number
                most = f"at most {least + MOST_SPAN - 1:,}, since another is {least:,}"
                raise self.refuse(place, f"field number {one.number:,}", most)
            yield self.field(place, one, hasbits)
            hasbits += one.label != _REPEATED

    def field(self, place: Path_, one: FieldDescriptorProto, hasbit: int) -> Field:
        if one.type == _GROUP:
            raise self.refuse(place, f'the group "{one.name}"', "a message")
        if one.label == _REQUIRED:
            raise self.refuse(place, f'the required field "{one.name}"', '"optional"')
        message = c_name(one.type_name) if one.type == _MESSAGE else None
        c_type, kind, size_log = _SCALARS.get(one.type, (f"struct {message} *", "PB_MESSAGE", 3))
        default = _default(one) if one.HasField("default_value") else None
        if default is not None and kind == _BYTES:
            raise self.refuse(place, f'a default for "{one.name}"', "none for strings and bytes")
        name = f"{one.name}_" if one.name in _KEYWORDS else one.name
        repeated = one.label == _REPEATED
        packed = repeated and one.options.packed
        return Field(
            name, one.number, c_type, kind, size_log, repeated, packed, hasbit, message, default
        )


def _default(one: FieldDescriptorProto) -> str:
    """Return the default of a number as C has it."""
    text = one.default_value
    if one.type == _ENUM:
        return f"{c_name(one.type_name)}_{text}"
    special = {"inf": "__builtin_inf()", "-inf": "-__builtin_inf()", "nan": '__builtin_nan("")'}
    if text in special:
        return special[text]
    if text == str(-(1 << 63)):
        return "INT64_MIN"
    if text == str(-(1 << 31)):
        return "INT32_MIN"
    return f"{text}UL" if text.isdigit() and int(text) > (1 << 63) - 1 else text


def read_schema(proto: Path) -> Schema:
    """Return the messages and enums of a .proto file and of what it imports.

    Raises:
        InputError: as for `descriptor_set`, or the file has what objects do not have: another
            syntax than proto2, required fields, groups, oneofs, maps, extensions.
    """
    names: dict[str, str] = {}
    messages: list[Message] = []
    enums: list[tuple[str, tuple[tuple[str, int], ...]]] = []
    for file in descriptor_set(proto).file:
        reader = _Reader(file, proto.parent / file.name, names)
        reader.read()
        messages += reader.messages
        enums += reader.enums
    return Schema(tuple(messages), tuple(enums))
