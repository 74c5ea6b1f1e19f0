# SPDX-License-Identifier: BSD-3-Clause
"""Blade files: what they are composed of, what they extend, and what is refused in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.build.events import events_of
from firesim.build.parts import part_names, peripheral_names, read_part, soc_part
from firesim.build.rtl_blade import (
    BLADES,
    Blade,
    blade_names,
    definition,
    load_blade,
    read_blade,
)
from firesim.build.rtl_device_tree import device_tree_source
from firesim_common.errors import InputError, listed

GOOD = """\
description: a test blade
clock_hz: 3200000000
soc: {kind: rocket, cores: 2}
parts: [uart, finisher]
events:
  - {name: other, signal: soc.other, description: others}
"""
PART = """\
kind: peripheral
description: a part of the user's
title: mine
place: {at: 0x6001_0000, interrupt: 4}
hardware: mine.Mine
options:
  depth: {default: 4, least: 1, most: 8, power_of_two: true, description: entries}
"""


COPROCESSOR = """\
kind: coprocessor
description: an accelerator of the user's
title: mine
hardware: mine.Mine
opcodes: [custom0, custom2]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/part.yaml").write_text(PART)
    (tmp_path / "mine/soc.dtsi").write_text("$name: mine@$unit { reg = <$reg>; d = <$depth>; };\n")
    (tmp_path / "mine/cpu.dtsi").write_text("next = <&$name>;\n")
    (tmp_path / "near").mkdir()
    (tmp_path / "near/part.yaml").write_text(COPROCESSOR)
    (tmp_path / "base.yaml").write_text(GOOD)
    return tmp_path


def blade(folder: Path, text: str) -> Blade:
    path = folder / "b.yaml"
    path.write_text(text)
    return read_blade(path)


def test_every_shipped_part_and_blade_loads_and_names_distinct_events() -> None:
    assert {"rocket", "uart", "block_device", "nic", "finisher", "l2"} <= set(part_names())
    for name in peripheral_names():
        kind = "coprocessor" if name in ("copy", "protobuf", "snappy", "zstd") else "peripheral"
        assert read_part(BLADES.parent / "parts" / name).kind == kind
    assert {"rocket-1", "rocket-2", "rocket-4", "rocket-8"} <= set(blade_names())
    for name in blade_names():
        loaded = load_blade(name)
        names = [event.name for event in events_of(loaded.events, loaded.cores.count)]
        assert len(names) == len(set(names)) == loaded.cores.count * len(loaded.events)
        assert loaded.events[: len(soc_part().events)] == soc_part().events


def test_rockets_differ_in_their_cores_alone() -> None:
    one = load_blade("rocket-1")
    for cores in (2, 4, 8):
        name = f"rocket-{cores}"
        lines = (BLADES / f"{name}.yaml").read_text().splitlines()
        assert len(lines) == 3
        other = load_blade(name)
        assert other.cores.count == cores
        assert (other.parts, other.bridges, other.clock_hz) == (
            one.parts,
            one.bridges,
            one.clock_hz,
        )


def test_events_are_the_socs_for_each_hart_and_the_files_own(folder: Path) -> None:
    loaded = blade(folder, GOOD)
    events = events_of(loaded.events, loaded.cores.count)
    assert [event.name for event in events if event.name.endswith("icache_miss")] == [
        "hart0_icache_miss",
        "hart1_icache_miss",
    ]
    assert "soc.system.tile_1.core.take_pc_mem" in [event.signal for event in events]
    assert events[-1].name == "other"


def test_probes_are_files_beside_the_blade_that_names_them(folder: Path) -> None:
    (folder / "near").mkdir(exist_ok=True)
    (folder / "near/probe.sv").write_text("module Probe; endmodule\n")
    (folder / "base.yaml").write_text(GOOD + "probes: [near/probe.sv]\n")
    loaded = blade(folder, "description: d\nextends: ./base.yaml\nprobes: [./near/probe.sv]\n")
    assert loaded.probes == ((folder / "near/probe.sv").resolve(),) * 2
    # What only looks is the machine that it looks at, also to software.
    assert loaded.machine == "base" and loaded.name == "b"
    assert blade(folder, OVER + "soc: {cores: 1}\n").machine == "b"
    assert load_blade("rocket-1-topdown").machine == "rocket-1"
    assert load_blade("rocket-1-topdown+htif").machine == "rocket-1+htif"
    with pytest.raises(InputError, match=r'b\.yaml:7: probes\[0\]: found "none.sv", expected a fi'):
        blade(folder, GOOD + "probes: [none.sv]\n")


def test_an_expression_has_braces_of_its_own_beside_those_of_the_hart(folder: Path) -> None:
    given = "expression: '{soc.{tile}.a, soc.trace_{hart}_valid} == 3', for_each: hart"
    loaded = blade(folder, GOOD.replace("signal: soc.other", given))
    events = events_of(loaded.events, loaded.cores.count)
    assert [(one.name, one.signal, one.expression) for one in events[-2:]] == [
        ("hart0_other", "", "{soc.tile.a, soc.trace_0_valid} == 3"),
        ("hart1_other", "", "{soc.tile_1.a, soc.trace_1_valid} == 3"),
    ]


def test_an_l2_is_refused_where_it_cannot_be(folder: Path) -> None:
    for option, message in (
        ("size_kib: 300", "options.size_kib: found 300, expected a power of two."),
        ("size_kib: 1", "options.size_kib: found 1, expected 2 to 16384."),
        ("ways: 3", "options.ways: found 3, expected a power of two."),
        ("ways: 32", "options.ways: found 32, expected 2 to 16."),
        ("mshrs: 17", "options.mshrs: found 17, expected 1 to 16."),
        ("mshr: 3", 'options.mshr: found "mshr", expected one of the options "mshrs", '),
    ):
        with pytest.raises(InputError) as caught:
            blade(folder, OVER + f"parts: [{{part: l2, options: {{{option}}}}}]\n")
        assert f"b.yaml:3: parts[2].{message}" in str(caught.value)


def test_a_blade_may_extend_another_and_leave_parts_out(folder: Path) -> None:
    extended = blade(
        folder,
        "description: more\nextends: rocket-1\nsoc: {cores: 2}\n"
        "parts: [./mine, {part: ./mine, name: second, at: 0x6001_2000, interrupt: 5}]\n"
        "without: [nic]\n",
    )
    assert [part.name for part in extended.parts] == [
        "uart",
        "block_device",
        "finisher",
        "mine",
        "second",
    ]
    assert "nic" not in extended.bridges
    assert [entry["at"] for entry in definition(extended)][-2:] == [0x6001_0000, 0x6001_2000]
    tree = device_tree_source(extended)
    assert "second: mine@60012000 { reg = <0x0 0x60012000 0x0 0x1000>; d = <4>; };" in tree
    assert tree.count("next = <&mine>;\nnext = <&second>;") == 2
    assert "ethernet" not in tree


def test_a_part_of_the_same_name_takes_the_place_of_the_inherited_one(folder: Path) -> None:
    (folder / "middle.yaml").write_text("description: m\nextends: base\nparts: [./mine]\n")
    found = blade(
        folder,
        "description: top\nextends: ./middle.yaml\n"
        "parts: [{part: ./mine, at: 0x6002_0000, options: {depth: 8}}]\n",
    )
    assert [(part.name, part.at) for part in found.parts][-1] == ("mine", 0x6002_0000)
    assert len(found.parts) == 3 and found.parts[-1].options == {"depth": 8}


def test_a_coprocessor_has_opcodes_and_no_place(folder: Path) -> None:
    two = "[./near, {part: ./near, name: other, opcodes: [custom1]}]"
    found = blade(folder, f"description: d\nextends: rocket-1\nparts: {two}\n")
    assert [(part.name, part.opcodes) for part in found.coprocessors] == [
        ("near", ("custom0", "custom2")),
        ("other", ("custom1",)),
    ]
    assert all(part.at is None and not part.functional for part in found.coprocessors)
    assert [part.functional for part in found.parts[:4]] == [True] * 4
    assert load_blade("rocket-1").coprocessors == []


def test_functional_nodes_may_leave_out_a_coprocessor_that_software_does_without(
    folder: Path,
) -> None:
    part = folder / "near/part.yaml"
    part.write_text(f"{part.read_text()}dispensable: true\n")
    found = blade(folder, "description: d\nextends: rocket-1\nparts: [./near]\n")
    assert all(part.functional for part in found.parts)
    assert all(part.functional for part in load_blade("rocket-1-copy").parts)
    assert not all(part.functional for part in load_blade("rocket-1-snappy").parts)


def test_a_stage_of_the_stream_socket_may_have_a_functional_model() -> None:
    for blade in ("rocket-1-big-rdma", "rocket-1-big-hll"):
        assert all(part.functional for part in load_blade(blade).parts)
    own = [part for part in load_blade("rocket-1-big-hll").parts if part.name == "hll"]
    assert [part.functional for part in own] == [True]


OVER = "description: d\nextends: base\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace("cores: 2", "cores: 9"), "b.yaml:3: soc.cores: found 9, expected at most 8."),
        (
            GOOD.replace("cores: 2", "cors: 2"),
            'b.yaml:3: soc: found "cors", expected one of the keys "btb", "core", "cores",',
        ),
        (GOOD.replace("rocket", "boom"), 'b.yaml:3: soc.kind: found "boom", expected "rocket"'),
        (GOOD.replace("3200000000", "3200000001"), "b.yaml:2: clock_hz: found 3200000001"),
        (
            GOOD.replace("[uart,", "[uarts,"),
            'b.yaml:4: parts[0]: found "uarts", expected one of the parts '
            f'{listed(sorted(peripheral_names()))}, did you mean "uart"?',
        ),
        (
            GOOD.replace("[uart,", "[uart, uart,"),
            'b.yaml:4: parts[1]: found "uart" twice, expected a name of its own for each',
        ),
        (GOOD.replace("[uart,", "[rocket,"), 'b.yaml:4: parts[0]: found "rocket", expected one'),
        (
            GOOD.replace("[uart,", "[./other,"),
            'b.yaml:4: parts[0]: found "./other", expected a folder with a part.yaml.',
        ),
        (
            OVER + "parts: [{part: ./mine, at: 0x6000_3000}]\n",
            'b.yaml:3: parts[2]: found "mine" at 0x60003000 to 0x60003fff, which overlaps '
            '"finisher" at 0x60003000.',
        ),
        (
            OVER + "parts: [{part: ./mine, at: 0x8000_0000}]\n",
            'b.yaml:3: parts[2]: found "mine" at 0x80000000 to 0x80000fff, expected it in '
            "0x60000000 to 0x7fffffff.",
        ),
        (
            OVER + "parts: [{part: ./mine, at: 0x6001_0004}]\n",
            "b.yaml:3: parts[2].at: found 1610678276",
        ),
        (
            OVER + "parts: [{part: ./mine, interrupt: 1}]\n",
            'b.yaml:3: parts[2]: found interrupt 1 at "mine", which "uart" has.',
        ),
        (
            OVER + "parts: [{part: ./mine, interrupt: 9}]\n",
            "b.yaml:3: parts[2]: found interrupt 9, expected 1 to 8.",
        ),
        (
            OVER + "parts: [{part: ./mine, options: {dept: 2}}]\n",
            'b.yaml:3: parts[2].options.dept: found "dept", expected one of the options "depth", '
            'did you mean "depth"?',
        ),
        (
            OVER + "parts: [{part: ./mine, options: {depth: 9}}]\n",
            "b.yaml:3: parts[2].options.depth: found 9, expected 1 to 8.",
        ),
        (
            OVER + "parts: [{part: ./mine, options: {depth: 6}}]\n",
            "b.yaml:3: parts[2].options.depth: found 6, expected a power of two.",
        ),
        (
            OVER + "parts: [{part: uart, at: 0x6001_0000}]\n",
            "b.yaml:3: parts[1].at: found 0x60010000, expected 0x60000000, where software finds "
            "it without asking.",
        ),
        (
            OVER + "parts: [{part: finisher, interrupt: 5}]\n",
            'b.yaml:3: parts[1].interrupt: found 5, expected none: "finisher" has none.',
        ),
        (
            OVER + "parts: [./near, {part: ./near, name: b, opcodes: [custom2]}]\n",
            'b.yaml:3: parts[3]: found custom2 at "b", which "near" has, expected each opcode once',
        ),
        (
            OVER + "parts: [{part: ./near, opcodes: [custom4]}]\n",
            'b.yaml:3: parts[2].opcodes[0]: found "custom4", expected "custom0", "custom1", ',
        ),
        (
            OVER + "parts: [{part: ./near, at: 0x6001_0000}]\n",
            'b.yaml:3: parts[2].at: found 0x60010000, expected none: "near" has none.',
        ),
        (
            OVER + "parts: [{part: ./mine, opcodes: [custom1]}]\n",
            "b.yaml:3: parts[2].opcodes: found custom1, expected none: it is no coprocessor.",
        ),
        (
            OVER + "without: [nic]\n",
            'b.yaml:3: without[0]: found "nic", expected one of the parts of the blade it extends '
            '"finisher" or "uart".',
        ),
        (GOOD + "without: [uart]\n", 'b.yaml:7: without: found it without the key "extends"'),
        ("description: d\nextends: rocket-3\n", 'b.yaml:2: extends: found "rocket-3", expected'),
        ("description: d\nextends: ./x.yaml\n", 'b.yaml:2: extends: found "./x.yaml", expected a'),
        (
            "description: d\nextends: ./b.yaml\n",
            "b.yaml:2: extends: found a circle: b extends b.",
        ),
        (OVER + "soc: {cores: 12}\n", "b.yaml:3: soc.cores: found 12, expected at most 8."),
        ("[]\n", "b.yaml:1: found no keys and values, expected those of a blade."),
        (
            GOOD.replace("soc.other", '"soc.{tile}"'),
            'b.yaml:6: events[0].signal: found "soc.{tile}", expected no braces without',
        ),
        (
            GOOD.replace("signal: soc.other", "for_each: hart, signal: soc.other"),
            'b.yaml:6: events[0].signal: found "soc.other", expected {tile} or {hart} in it.',
        ),
        (
            GOOD.replace("signal: soc.other", 'expression: "{soc.{tile}.a, soc.b} == 3"'),
            'b.yaml:6: events[0].expression: found "{soc.{tile}.a, soc.b} == 3", expected no ',
        ),
        (
            GOOD.replace("signal: soc.other", "signal: soc.other, expression: soc.other"),
            "b.yaml:6: events[0]: found both of signal and expression, expected one of the two.",
        ),
        (
            GOOD.replace("signal: soc.other, ", ""),
            "b.yaml:6: events[0]: found neither of signal and expression, expected one of the",
        ),
    ],
)
def test_bad_blade_file_is_refused(folder: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        blade(folder, text)
    assert message in str(caught.value)


def test_what_is_wrong_in_a_blade_that_is_extended_is_shown_there(folder: Path) -> None:
    (folder / "base.yaml").write_text(GOOD.replace("cores: 2", "cores: 9"))
    with pytest.raises(InputError, match=r"base\.yaml:3: soc\.cores: found 9"):
        blade(folder, OVER)


def test_a_circle_of_two_is_refused(folder: Path) -> None:
    (folder / "c.yaml").write_text("description: c\nextends: b\n")
    with pytest.raises(InputError, match=r"c\.yaml:2: extends: found a circle: b extends c"):
        blade(folder, "description: b\nextends: c\n")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind: peripheral", "kind: perpheral", 'part.yaml:1: kind: found "perpheral"'),
        ("0x6001_0000", "0x6001_0800", "part.yaml:4: place.at: found 1610680320"),
        ("default: 4", "default: 9", "part.yaml:7: options.depth.default: found 9, expected 1"),
        ("title: mine", "title: mine\nbytes: 0x3000", "part.yaml:4: bytes: found 0x3000, expected"),
        ("mine.Mine", "mine Mine", 'part.yaml:5: hardware: found "mine Mine"'),
        (
            "title: mine",
            "title: mine\nfunctional: true",
            "part.yaml:4: functional: found true, expected a file functional.cc beside it.",
        ),
    ],
)
def test_bad_part_file_is_refused(folder: Path, old: str, new: str, message: str) -> None:
    (folder / "mine/part.yaml").write_text(PART.replace(old, new))
    with pytest.raises(InputError) as caught:
        blade(folder, OVER + "parts: [./mine]\n")
    assert message in str(caught.value)


def test_a_piece_of_device_tree_with_an_unknown_word_is_refused(folder: Path) -> None:
    (folder / "mine/soc.dtsi").write_text("mine@$adress {};\n")
    with pytest.raises(InputError, match=r"soc\.dtsi: found 'adress' after a \$, expected one of"):
        device_tree_source(blade(folder, OVER + "parts: [./mine]\n"))


def test_unknown_blade_names_the_nearest() -> None:
    with pytest.raises(InputError, match=r'found "rocket-3", .*did you mean "rocket-'):
        load_blade("rocket-3")
