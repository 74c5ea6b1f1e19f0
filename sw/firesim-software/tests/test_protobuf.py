# SPDX-License-Identifier: BSD-3-Clause
"""C of .proto files: the layout that the docs state, and the files of programs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from firesim_common.errors import InputError
from firesim_common.paths import ROOT
from firesim_software.builder import own_program
from firesim_software.protobuf import generate

PROGRAMS = ROOT / "sw/firesim-software/programs"
OTHER = 'syntax = "proto2"; package far.away; message Thing { optional bool on = 1; }'
EVERYTHING = """\
syntax = "proto2";
package a.b;
import "other.proto";
enum Colour { RED = 0; BLUE = -2; }
message Empty {}
message All {
  message Inner { repeated All alls = 3; }
  optional bool first = 1;
  optional Colour colour = 2 [default = BLUE];
  optional double number = 3 [default = -inf];
  optional sint32 zigzag = 4;
  repeated sfixed64 fixed = 5 [packed = true];
  optional bytes data = 7;
  optional Inner inner = 9;
  repeated string texts = 10;
  optional far.away.Thing thing = 11;
  optional int32 int = 12 [default = -2147483648];
  optional uint64 most = 13 [default = 18446744073709551615];
}
"""
CHECKS = """\
#include "everything.pb.h"
#include "runtime.h"

#define SAME(found, expected) _Static_assert((found) == (expected), #found)
SAME(sizeof(struct a_b_Empty), 8);
SAME(offsetof(struct a_b_All, first), 8);
SAME(offsetof(struct a_b_All, colour), 12);
SAME(offsetof(struct a_b_All, number), 16);
SAME(offsetof(struct a_b_All, zigzag), 24);
SAME(offsetof(struct a_b_All, fixed), 32);
SAME(offsetof(struct a_b_All, data), 48);
SAME(offsetof(struct a_b_All, inner), 64);
SAME(offsetof(struct a_b_All, texts), 72);
SAME(sizeof(struct a_b_All), 112);
SAME(a_b_Colour_BLUE, -2);

int main(int hart, const struct arguments *arguments) {
  (void)arguments;
  const struct a_b_All all = {{(uint64_t)hart}, .first = true};
  return !a_b_All_has_first(&all) || a_b_All_get_colour(&all) != -2 ||
         a_b_All_get_int_(&all) != INT32_MIN || a_b_All_get_most(&all) != UINT64_MAX ||
         a_b_All_table.fields[0].layout != (PB_BOOL | 8UL << 32);
}
"""


@pytest.mark.parametrize("proto", ["protobuf/people.proto", "hyperscale/orders.proto"])
def test_the_files_of_programs_are_made_of_their_protos(proto: str, tmp_path: Path) -> None:
    source = PROGRAMS / proto
    for made in generate(source, tmp_path):
        command = f"./firesim build protobuf {source} -o {source.parent}"
        assert (source.parent / made.name).read_text() == made.read_text(), f"run {command}"


def test_structs_have_the_stated_layout(tmp_path: Path) -> None:
    (tmp_path / "other.proto").write_text(OTHER)
    (tmp_path / "everything.proto").write_text(EVERYTHING)
    _, code = generate(tmp_path / "everything.proto", tmp_path)
    checks = tmp_path / "checks.c"
    checks.write_text(CHECKS)
    own_program([checks, code], tmp_path / "checks.elf")


def test_what_is_imported_is_refused_at_its_own_line(tmp_path: Path) -> None:
    (tmp_path / "other.proto").write_text(OTHER.replace("optional", "\nrequired"))
    (tmp_path / "everything.proto").write_text(EVERYTHING)
    with pytest.raises(InputError, match=r"other\.proto:2: found the required field"):
        generate(tmp_path / "everything.proto", tmp_path)


def test_a_missing_protoc_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"found no protoc.*-m pip install 'grpcio-tools"):
        generate(PROGRAMS / "protobuf/people.proto", tmp_path)
    with pytest.raises(InputError, match="expected a file that exists"):
        generate(tmp_path / "none.proto", tmp_path)
