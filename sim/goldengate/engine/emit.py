"""Step `emit`: clusters of items become C++.

Every cluster is a function of the model's state, run in the cycles in which its flag is set; who
changes a value sets the flags of the clusters that read it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from goldengate.engine import access, names
from goldengate.engine.design import Column, Design, Port
from goldengate.engine.expressions import (
    allocated_rows,
    expression,
    in_range,
    literal,
    type_of,
)
from goldengate.engine.ir import Node
from goldengate.engine.items import Item, Items, is_free


@dataclass
class Cluster:
    """Items run together, in order."""

    items: list[Item]


def storage_type(width: int) -> str:
    """Return the C++ type in which a value of up to 64 bits is kept."""
    return f"u{next(size for size in (8, 16, 32, 64) if width <= size)}"


class Emitter:
    """Knows who reads what; writes the text of clusters."""

    def __init__(self, items: Items, clusters: list[Cluster], keep_all: bool = False) -> None:
        self.items = items
        self.design: Design = items.design
        self.clusters = clusters
        self.functions = names.functions(items, [cluster.items for cluster in clusters])
        self.home = {
            item.number: index for index, cluster in enumerate(clusters) for item in cluster.items
        }
        self.kept: set[int] = set()
        self.erratic: set[object] = set()
        """Keys of values whose change is not branched on (step `branches`)."""
        self.flags_of: dict[object, set[int]] = {}
        self._find_readers()
        if keep_all:
            self.kept = set(items.of_node)

    def _find_readers(self) -> None:
        for item in self.items.items:
            reader = self.home[item.number]
            for node in item.reads:
                if node.op == "leaf":
                    key: object = node.value
                else:
                    key = node.uid
                    if self.home[self.items.of_node[node.uid].number] == reader:
                        continue
                    self.kept.add(node.uid)
                self.flags_of.setdefault(key, set()).add(reader)
            for column in item.columns:
                self.flags_of.setdefault(("column", column), set()).add(reader)

    def leaf(self, node: Node) -> str:
        """Return where a leaf is kept."""
        if node.value[0] == "register":
            return f"s.r{node.value[1]}"
        _, index, word = node.value
        wide = self.design.ports[index].width > 64
        return f"s.in.p{index}[{word}]" if wide else f"s.in.p{index}"

    def raise_flags(self, key: object) -> str:
        """Return statements that set the flags of the readers of a value."""
        return "".join(f" s.flag[{index}] = 1;" for index in sorted(self.flags_of.get(key, ())))

    def store(self, key: object, place: str, value: str, width: int) -> str:
        """Return statements that keep a value, setting flags when it changes."""
        flags = self.raise_flags(key)
        cast = f"({storage_type(width)})"
        if not flags:
            return f"{place} = {cast}{value};"
        if key in self.erratic:
            raised = "".join(f" s.flag[{index}] |= c;" for index in sorted(self.flags_of[key]))
            return f"{{ const u8 c = {place} != {value}; {place} = {cast}{value};{raised} }}"
        return f"if ({place} != {value}) [[unlikely]] {{ {place} = {cast}{value};{flags} }}"

    def cluster(self, index: int) -> list[str]:
        """Return the statements of a cluster."""
        body = _Body(self)
        body.lines.append(f"s.flag[{index}] = 0;")
        for item in self.clusters[index].items:
            body.item(item)
        return body.lines


class _Body:
    """Writes the statements of one cluster; names what it has computed or loaded."""

    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        self.lines: list[str] = []
        self.local: dict[int, str] = {}

    def name(self, node: Node) -> str:
        """Return the text of a value, computing or loading it first when needed."""
        if node.is_const:
            return literal(node.number, node.width)
        found = self.local.get(node.uid)
        if found is None:
            found = self.local[node.uid] = f"n{node.uid}"
            if node.op == "leaf":
                text = self.emitter.leaf(node)
            elif is_free(node):
                text = expression(node, self.name, self.emitter.design.columns)
            else:
                text = f"s.v{node.uid}"
            self.lines.append(f"const {type_of(node.width)} {found} = {text};")
        return found

    def item(self, item: Item) -> None:
        """Add the statements of an item."""
        getattr(self, f"_{item.kind}")(item)

    def _node(self, item: Item) -> None:
        node = item.node
        assert node is not None
        text = expression(node, self.name, self.emitter.design.columns)
        found = self.local[node.uid] = f"n{node.uid}"
        self.lines.append(f"const {type_of(node.width)} {found} = {text};")
        if node.uid in self.emitter.kept:
            self.lines.append(self.emitter.store(node.uid, f"s.v{node.uid}", found, node.width))

    def _update(self, item: Item) -> None:
        register = self.emitter.design.registers[item.index]
        value, width = self.name(register.following), register.leaf.width
        if item.staged:
            self.lines.append(f"s.t{item.index} = ({storage_type(width)}){value};")
            return
        key = register.leaf.value
        self.lines.append(self.emitter.store(key, f"s.r{item.index}", value, width))

    def _write(self, item: Item) -> None:
        column = self.emitter.design.columns[item.index]
        write = column.writes[item.port]
        address, data = self.name(write.address), self.name(write.data)
        check = in_range(address, write.address, column)
        enable = self.name(write.enable)
        place = f"s.m{column.index}[{address}]"
        condition = " && ".join(part for part in (enable, check) if part)
        value = data if write.whole else f"({place} & ~{enable}) | ({data} & {enable})"
        self.lines.append(
            f"if ({condition}) {{ {place} = ({storage_type(column.width)})({value});"
            f"{self.emitter.raise_flags(('column', column.index))} }}"
        )

    def _output(self, item: Item) -> None:
        port = self.emitter.design.ports[item.index]
        node = port.words[item.port]
        value = self.name(node)
        wide = port.width > 64
        place = f"s.p{item.index}[{item.port}]" if wide else f"s.p{item.index}"
        cast = "u64" if wide else storage_type(port.width)
        self.lines.append(f"{place} = ({cast}){value};")

    def _probe(self, item: Item) -> None:
        node = self.emitter.design.probed[item.index]
        self.lines.append(f"s.w{item.index} = ({storage_type(node.width)}){self.name(node)};")


def _port_field(index: int, port: Port) -> str:
    if port.width > 64:
        return f"  u64 p{index}[{(port.width + 63) // 64}];"
    return f"  {storage_type(port.width)} p{index};"


def _column_field(column: Column) -> str:
    return f"  {storage_type(column.width)} m{column.index}[{allocated_rows(column)}];"


def _by_width(fields: Iterable[tuple[int, str]]) -> list[str]:
    """Return fields of (width, name), wide ones first, so that none is padded."""
    order = {"u64": 0, "u32": 1, "u16": 2, "u8": 3}
    typed = sorted(
        ((storage_type(width), name) for width, name in fields), key=lambda f: order[f[0]]
    )
    return [f"  {kind} {name};" for kind, name in typed]


def state_header(emitter: Emitter) -> str:
    """Return the header that declares the state and the clusters."""
    design = emitter.design
    nodes = {item.node.uid: item.node for item in emitter.items.items if item.node is not None}
    fields = [(register.leaf.width, f"r{register.index}") for register in design.registers]
    fields += [(nodes[uid].width, f"v{uid}") for uid in sorted(emitter.kept)]
    fields += [(node.width, f"w{index}") for index, node in enumerate(design.probed)]
    staged = [item.index for item in emitter.items.items if item.staged]
    fields += [(design.registers[index].leaf.width, f"t{index}") for index in staged]
    inputs = [_port_field(i, p) for i, p in enumerate(design.ports) if p.is_input]
    outputs = [_port_field(i, p) for i, p in enumerate(design.ports) if not p.is_input]
    lines = ["#pragma once", '#include "runtime.h"', "namespace model {", "struct Inputs {"]
    lines += [*inputs, "};", "struct State {", "  Inputs in;", "  Inputs seen;", *outputs]
    lines += [f"  u8 flag[{max(1, len(emitter.clusters))}];", *_by_width(fields)]
    lines += [_column_field(column) for column in design.columns]
    lines += ["};"]
    lines += [f"void {function}(State &s);" for function in emitter.functions]
    lines += ["}", ""]
    return "\n".join(lines)


def cluster_file(emitter: Emitter, indices: list[int]) -> str:
    """Return a source file with the functions of some clusters."""
    lines = ['#include "state.h"', "namespace model {"]
    for index in indices:
        lines.append(f"void {emitter.functions[index]}(State &s) {{")
        lines += [f"  {line}" for line in emitter.cluster(index)]
        lines.append("}")
    return "\n".join([*lines, "}", ""])


def _input_changes(emitter: Emitter) -> list[str]:
    """Return the statements that set the flags of readers of inputs that have changed."""
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
            lines.append(f"  s.r{register.index} = {value};")
    for column in emitter.design.columns:
        for row, word in enumerate(column.initial):
            if word:
                lines.append(f"  s.m{column.index}[{row}] = {literal(word, column.width)};")
    return lines


def _cycle_lines(emitter: Emitter) -> list[str]:
    """Return the body of a cycle."""
    lines = ["  if (std::memcmp(&s.in, &s.seen, sizeof(Inputs)) != 0) input_changes(s);"]
    for index, function in enumerate(emitter.functions):
        lines.append(f"  if (s.flag[{index}]) [[unlikely]] {function}(s);")
    for item in emitter.items.items:
        if item.staged:
            leaf = emitter.design.registers[item.index].leaf
            text = emitter.store(leaf.value, f"s.r{item.index}", f"s.t{item.index}", leaf.width)
            lines.append(f"  {text}")
    return lines


def main_file(emitter: Emitter, design_hash: str, more: list[str]) -> str:
    """Return the source file with the cycle, the initial state and the table of ports."""
    design = emitter.design
    lines = ['#include "firesim_engine.h"', '#include "state.h"', "namespace model {"]
    lines += ["void wake(State &s) {", "  std::memset(s.flag, 1, sizeof s.flag);", "}"]
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
    """Return the text of every file of a model by name; cluster code is cut into `files`.

    `more` are declarations for the main file, in namespace model.
    """
    clusters = emitter.clusters
    total = sum(len(cluster.items) for cluster in clusters)
    groups: list[list[int]] = [[]]
    size = 0
    for index, cluster in enumerate(clusters):
        if size > total * len(groups) / files:
            groups.append([])
        groups[-1].append(index)
        size += len(cluster.items)
    texts = {"state.h": state_header(emitter), "main.cc": main_file(emitter, design_hash, more)}
    for number, indices in enumerate(groups):
        texts[f"clusters_{number}.cc"] = cluster_file(emitter, indices)
    return texts
