# SPDX-License-Identifier: BSD-3-Clause
"""Step `files`: the source files of a model: state, zones, cycle and tables."""

from __future__ import annotations

from collections.abc import Iterable

from goldengate.engine import access, asks
from goldengate.engine.design import Column, Port
from goldengate.engine.emit import Emitter, field_name, storage_type
from goldengate.engine.expressions import allocated_rows, literal

UNROLLED_COPIES = 8
"""Up to this number, copies are asked one by one, each with a branch of its own to be foreseen."""


def _port_field(index: int, port: Port) -> str:
    if port.width > 64:
        return f"  u64 p{index}[{(port.width + 63) // 64}];"
    return f"  {storage_type(port.width)} p{index};"


def _column_field(column: Column) -> str:
    name = field_name(("column", column.index))
    return f"  {storage_type(column.width)} {name}[{allocated_rows(column)}];"


def _by_width(fields: Iterable[tuple[int, str]]) -> list[str]:
    """Return fields of (width, name), wide ones first, so that none is padded."""
    order = {"u64": 0, "u32": 1, "u16": 2, "u8": 3}
    typed = sorted(
        ((storage_type(width), name) for width, name in fields), key=lambda f: order[f[0]]
    )
    return [f"  {kind} {name};" for kind, name in typed]


def _kept_fields(emitter: Emitter) -> dict[object, int]:
    """Return the width of every value that is kept, memories and ports apart, by its key."""
    found: dict[object, int] = {r.leaf.value: r.leaf.width for r in emitter.design.registers}
    for uid, item in sorted(emitter.items.of_node.items()):
        if item.node is not None and emitter.is_kept(uid):
            found[uid] = item.node.width
    return found


def _staged(emitter: Emitter) -> list[int]:
    """Return the registers whose next values are staged."""
    return [item.index for item in emitter.items.items if item.staged]


def _structure(emitter: Emitter, module: int | None) -> tuple[list[str], list[str]]:
    """Return the words and the memories of one copy of a module, or (None) of no copy."""
    design, places = emitter.design, emitter.folding.places

    def belongs(key: object) -> bool:
        place = places.get(key)
        if place is None or module is None:
            return place is None and module is None
        return place.module == module and place.copy == 0

    kept = _kept_fields(emitter)
    slots = emitter.arrays.slots
    own = {key: width for key, width in kept.items() if belongs(key)}
    fields = [(width, field_name(key)) for key, width in own.items() if key not in slots]
    for array, keys in enumerate(emitter.arrays.members):
        if keys[0] in own:
            fields.append((own[keys[0]], f"a{array}[{len(keys)}]"))
    for index in _staged(emitter):
        name = emitter.staged_place(index).rpartition(".")[2]
        place, width = places.get(("register", index)), kept["register", index]
        if (place.module if place else None) == module and (width, name) not in fields:
            fields.append((width, name))
    if module is None:
        fields += [(node.width, f"w{index}") for index, node in enumerate(design.probed)]
    columns = [c for c in design.columns if belongs(("column", c.index))]
    if emitter.keep_all:
        written = (emitter.written_place(c.index).rpartition(".")[2] for c in columns)
        fields += [(1, name) for name in written]
    return _by_width(fields), [_column_field(c) for c in columns]


def state_header(emitter: Emitter) -> str:
    """Return the header that declares the state and the zones."""
    design = emitter.design
    inputs = [_port_field(i, p) for i, p in enumerate(design.ports) if p.is_input]
    outputs = [_port_field(i, p) for i, p in enumerate(design.ports) if not p.is_input]
    lines = ["#pragma once", '#include "runtime.h"', "namespace model {"]
    lines += ["struct Inputs {", *inputs, "};"]
    members = []
    for module, count in enumerate(emitter.folding.modules):
        lines += [f"struct Copy{module} {{", f"  u8 flag[{emitter.flag_count(module) or 1}];"]
        lines += [f"  u16 link[{len(emitter.links[module]) or 1}];"]
        words, memories = _structure(emitter, module)
        lines += [*words, *memories, "};"]
        members.append(f"  Copy{module} copies{module}[{count}];")
    words, memories = _structure(emitter, None)
    lines += ["struct Words {", *words, "};"]
    lines += ["struct State : Words {", "  Inputs in;", "  Inputs seen;", *outputs]
    # One flag more than there are zones: what a copy without such a reader sets.
    assert emitter.flag_count(None) < 1 << 16, "more zones than a link can name"
    lines += [f"  u8 flag[{emitter.flag_count(None) + 1}];", "  u8 unchanged;"]
    lines += [*memories, *members, "};"]
    # Defined nowhere: for the sizes of its fields.
    lines += ["extern const State kLayout;"]
    lines += [f"void {function(emitter, index)};" for index in range(len(emitter.zones))]
    return "\n".join([*lines, "}", ""])


def function(emitter: Emitter, index: int) -> str:
    """Return the head of a zone's function."""
    module = emitter.zones[index].module
    copy = "" if module is None else f", Copy{module} &c"
    return f"{emitter.functions[index]}(State &s{copy})"


def zone_file(emitter: Emitter, indices: list[int]) -> str:
    """Return a source file with the functions of some zones."""
    lines = ['#include "state.h"', "namespace model {"]
    for index in indices:
        lines.append(f"void {function(emitter, index)} {{")
        lines += [f"  {line}" for line in emitter.zone(index)]
        lines.append("}")
    return "\n".join([*lines, "}", ""])


def _input_changes(emitter: Emitter) -> list[str]:
    """Return the statements that set the flags of readers of inputs that have changed."""
    if emitter.is_whole:
        return ["  s.flag[0] = 1;", "  s.unchanged = 0;"]
    lines = []
    for index, port in enumerate(emitter.design.ports):
        for word, node in enumerate(port.words if port.is_input else []):
            flags = emitter.raise_flags(node.value)
            place = f"p{index}[{word}]" if port.width > 64 else f"p{index}"
            if flags:
                lines.append(f"  if (s.in.{place} != s.seen.{place}) {{{flags} }}")
    return lines


def _initial_state(emitter: Emitter) -> list[str]:
    lines = ["  wake(s);"]
    for register in emitter.design.registers:
        if register.initial:
            value = literal(register.initial, register.leaf.width)
            lines.append(f"  {emitter.place(register.leaf.value)} = {value};")
    for column in emitter.design.columns:
        place = emitter.place(("column", column.index))
        for row, word in enumerate(column.initial):
            if word:
                lines.append(f"  {place}[{row}] = {literal(word, column.width)};")
    for module, links in enumerate(emitter.links):
        for number, of_copies in enumerate(links):
            for copy, flag in enumerate(of_copies):
                lines.append(f"  s.copies{module}[{copy}].link[{number}] = {flag};")
    return lines


def _wake(emitter: Emitter) -> list[str]:
    lines = ["  std::memset(s.flag, 1, sizeof s.flag);"]
    for module in range(len(emitter.folding.modules)):
        lines.append(f"  for (auto &c : s.copies{module}) std::memset(c.flag, 1, sizeof c.flag);")
    return lines


def _ask(emitter: Emitter, zones: range) -> list[str]:
    """Return the statements that run zones of one module where their flags are set.

    Copies of a module read nothing of each other within it, so it matters not which is run first.
    """
    module = emitter.zones[zones[0]].module
    if module is None:
        return _ask_of(emitter, zones, "s", "s")
    count, copies = emitter.folding.modules[module], f"s.copies{module}"
    if count > UNROLLED_COPIES:
        return [f"  for (auto &c : {copies}) {{", *_ask_of(emitter, zones, "c", "s, c"), "  }"]
    names = [f"{copies}[{copy}]" for copy in range(count)]
    return [line for copy in names for line in _ask_of(emitter, zones, copy, f"s, {copy}")]


def _ask_of(emitter: Emitter, zones: range, owner: str, arguments: str) -> list[str]:
    """Return the statements that run zones whose flags are in `owner`."""
    calls = []
    for index in zones:
        call = f"{emitter.functions[index]}({arguments});"
        calls.append(f"  if ({owner}.flag[{emitter.flag[index]}]) [[unlikely]] {call}")
    if len(zones) == 1:
        return calls
    assert len(zones) == asks.WORD, "flags are asked for singly or by the word"
    first = f"{owner}.flag[{emitter.flag[zones[0]]}]"
    return [f"  if (eight_flags(&{first}) != 0) [[unlikely]] {{", *calls, "  }"]


def _cycle_lines(emitter: Emitter) -> list[str]:
    """Return the body of a cycle."""
    lines = ["  if (std::memcmp(&s.in, &s.seen, sizeof(Inputs)) != 0) input_changes(s);"]
    staged = []
    for index in _staged(emitter):
        leaf = emitter.design.registers[index].leaf
        staged.append(f"  {emitter.store(leaf.value, emitter.staged_place(index), leaf.width)}")
    if emitter.is_whole:
        lines += ["  if (s.flag[0] == 0) return;", "  run_whole<Words>(s, [](State &s) {"]
        return [*lines, *(f"  {name}(s);" for name in emitter.functions), *staged, "  });"]
    for zones in emitter.asks:
        lines += _ask(emitter, zones)
    return lines + staged


def main_file(emitter: Emitter, design_hash: str, more: list[str]) -> str:
    """Return the source file with the cycle, the initial state and the table of ports."""
    design = emitter.design
    lines = ['#include "firesim_engine.h"', '#include "state.h"', "namespace model {"]
    lines += ["void wake(State &s) {", *_wake(emitter), "}"]
    lines += ["void initialize(State &s) {"]
    lines += [*_initial_state(emitter), "}", "void input_changes(State &s) {"]
    lines += [*_input_changes(emitter), "  s.seen = s.in;", "}"]
    lines += ["void cycle(State &s) {", *_cycle_lines(emitter)]
    lines += ["}", "const PortEntry kPorts[] = {"]
    for index, port in enumerate(design.ports):
        field = f"in.p{index}" if port.is_input else f"p{index}"
        lines.append(
            f'  {{"{port.name}", {port.width}, {int(port.is_input)}, offsetof(State, {field})}},'
        )
    lines += ["};", *access.table(emitter), *more, "}"]
    lines += [f'#define FIRESIM_DESIGN_HASH "{design_hash}"', '#include "instance.h"', ""]
    return "\n".join(lines)


def write(emitter: Emitter, design_hash: str, files: int, more: list[str]) -> dict[str, str]:
    """Return the text of every file of a model by name; zone code is cut into `files`.

    `more` are declarations for the main file, in namespace model.
    """
    zones = emitter.zones
    total = sum(len(zone.items) for zone in zones)
    groups: list[list[int]] = [[]]
    size = 0
    for index, zone in enumerate(zones):
        if size > total * len(groups) / files:
            groups.append([])
        groups[-1].append(index)
        size += len(zone.items)
    texts = {"state.h": state_header(emitter), "main.cc": main_file(emitter, design_hash, more)}
    for number, indices in enumerate(groups):
        texts[f"zones_{number}.cc"] = zone_file(emitter, indices)
    return texts
