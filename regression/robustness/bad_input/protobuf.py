# SPDX-License-Identifier: BSD-3-Clause
"""Protobuf files that have no C objects."""

from __future__ import annotations

from regression.robustness.bad_input.case import Case

HEAD = 'syntax = "proto2";\n'


def case(name: str, message: str, text: str) -> Case:
    """Return a .proto file that the generator refuses."""
    return Case(name, message, text, proto=True)


PROTOBUF_CASES = [
    case(
        "a .proto file of another syntax",
        'bad.yaml:1: found the syntax "proto3", expected "proto2".',
        'syntax = "proto3";\nmessage A { int32 a = 1; }\n',
    ),
    case(
        "a .proto file that protoc refuses",
        'bad.yaml:4: Expected ";".',
        HEAD + "message A {\n  optional int32 a = 1\n}\n",
    ),
    case(
        "a required field",
        'bad.yaml:4: found the required field "b", expected "optional".',
        HEAD + "message A {\n  optional int32 a = 1;\n  required int32 b = 2;\n}\n",
    ),
    case(
        "a map",
        'bad.yaml:3: found the map "a", expected a repeated message.',
        HEAD + "message A {\n  map<int32, int32> a = 1;\n}\n",
    ),
    case(
        "a oneof",
        'bad.yaml:3: found the oneof "x", expected fields outside it.',
        HEAD + "message A {\n  oneof x { int32 a = 1; }\n}\n",
    ),
    case(
        "a group",
        'bad.yaml:3: found the group "g", expected a message.',
        HEAD + "message A {\n  optional group G = 1 { optional int32 a = 2; }\n}\n",
    ),
    case(
        "an extension",
        "bad.yaml:3: found an extension, expected fields inside their message.",
        HEAD + "message A { extensions 9 to 12; }\nextend A { optional int32 x = 9; }\n",
    ),
    case(
        "a default for a string",
        'bad.yaml:2: found a default for "a", expected none for strings and bytes.',
        HEAD + 'message A { optional string a = 1 [default = "x"]; }\n',
    ),
    case(
        "field numbers too far apart",
        "bad.yaml:4: found field number 70,000, expected at most 65,536, since another is 1.",
        HEAD + "message A {\n  optional int32 a = 1;\n  optional int32 b = 70000;\n}\n",
    ),
    case(
        "two messages with one name in C",
        'bad.yaml:4: found "A.B.C", expected a name other than that of "A.B_C" in C.',
        HEAD + "message A {\n  message B_C {}\n  message B { message C {} }\n}\n",
    ),
]
