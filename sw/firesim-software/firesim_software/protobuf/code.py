# SPDX-License-Identifier: BSD-3-Clause
"""Writes the C of a schema: a header with structs and hasbits, and a file with the tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from firesim_software.protobuf.schema import Field, Message, Schema, read_schema

_LICENCE = re.compile(r"^// SPDX-License-Identifier: .*$", re.MULTILINE)


def generate(proto: Path, folder: Path) -> list[Path]:
    """Write NAME.pb.h and NAME.pb.c of NAME.proto into `folder`; return both.

    They have the licence that the .proto file names (`// SPDX-License-Identifier: ...`), if any.

    Raises:
        InputError: the file is refused, with its line.
    """
    schema = read_schema(proto)
    folder.mkdir(parents=True, exist_ok=True)
    header, code = folder / f"{proto.stem}.pb.h", folder / f"{proto.stem}.pb.c"
    licence = _LICENCE.findall(proto.read_text(errors="replace"))[:1]
    header.write_text("\n".join([*licence, *_header(proto.name, schema), ""]))
    code.write_text("\n".join([*licence, *_code(proto.name, header.name, schema), ""]))
    return [header, code]


def _header(source: str, schema: Schema) -> Iterator[str]:
    guard = re.sub(r"\W", "_", source).upper() + "_PB_H_"
    yield f"// Made of {source} by `firesim build protobuf`: objects of its messages."
    yield "// clang-format off"
    yield f"#ifndef {guard}\n#define {guard}\n"
    yield '#include "protobuf.h"\n'
    for name, values in schema.enums:
        yield f"enum {name} {{"
        yield from (f"  {name}_{value} = {number}," for value, number in values)
        yield "};\n"
    yield from (f"struct {message.name};" for message in schema.messages)
    for message in schema.messages:
        yield from _struct(message)
    for message in schema.messages:
        yield f"\nextern const struct pb_message {message.name}_table;"
        for one in message.fields:
            if not one.repeated:
                yield from _accessors(message.name, one)
    yield f"\n#endif  // {guard}"


def _struct(message: Message) -> Iterator[str]:
    yield f"\nstruct {message.name} {{"
    yield f"  uint64_t has[{message.hasbit_words}];"
    for one in message.fields:
        if one.repeated:
            yield f"  struct pb_array {one.name};  // of {one.c_type}"
        else:
            yield f"  {one.c_type}{'' if one.c_type.endswith('*') else ' '}{one.name};"
    yield "};"


def _accessors(name: str, one: Field) -> Iterator[str]:
    this = f"const struct {name} *object"
    yield f"static inline bool {name}_has_{one.name}({this}) {{"
    yield f"  return pb_has(object, {one.hasbit});\n}}"
    if one.default is not None:
        has = f"{name}_has_{one.name}(object)"
        yield f"static inline {one.c_type} {name}_get_{one.name}({this}) {{"
        yield f"  return {has} ? object->{one.name} : ({one.c_type}){one.default};\n}}"


def _code(source: str, header: str, schema: Schema) -> Iterator[str]:
    yield f"// Made of {source} by `firesim build protobuf`: tables of its messages."
    yield "// clang-format off"
    yield f'#include "{header}"'
    for message in schema.messages:
        struct = f"struct {message.name}"
        yield f"\nconst struct pb_message {message.name}_table = {{"
        yield f"    sizeof({struct}), {message.first}, {message.span}, 0,"
        yield "    {"
        for one in message.fields:
            flags = one.kind + (" | PB_REPEATED" if one.repeated else "")
            flags += " | PB_PACKED" if one.packed else ""
            place = f"(uint64_t)offsetof({struct}, {one.name}) << 32"
            table = f"&{one.message}_table" if one.message else "NULL"
            layout = f"{flags} | {one.size_log} << 5 | {one.hasbit}UL << 16 | {place}"
            yield f"        [{one.number - message.first}] = {{{layout}, {table}}},"
        yield "    }};"
