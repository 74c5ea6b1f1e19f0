# SPDX-License-Identifier: BSD-3-Clause
"""Step `emit`: zones of items become C++.

Every zone is a function of the model's state, run in the cycles in which its flag is set; who
changes a value sets the flags of those that read it. The zones that copies of a module
share are functions of the state `s` and of that of one copy, `c`.
"""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass

from goldengate.engine import names, sides
from goldengate.engine.arrays import Arrays
from goldengate.engine.design import Design
from goldengate.engine.expressions import expression, highest, in_range, literal, type_of
from goldengate.engine.fold import Folding
from goldengate.engine.items import Item, is_free, key_of
from goldengate.engine.nodes import Node
from goldengate.engine.sides import Branch, Side


@dataclass
class Zone:
    """Items run together, in order; those of the first copy, where copies of a module share it."""

    items: list[Item]
    module: int | None = None


Reader = tuple[int, int]
"""A zone that reads a value, and for which copy it runs, 0 if it is not shared."""


def storage_type(width: int) -> str:
    """Return the C++ type in which a value of up to 64 bits is kept."""
    return f"u{next(size for size in (8, 16, 32, 64) if width <= size)}"


class Emitter:
    """Knows who reads what and where it is kept; writes the text of zones."""

    def __init__(
        self,
        folding: Folding,
        zones: list[Zone],
        keep_all: bool = False,
        *,
        is_whole: bool = False,
    ) -> None:
        self.folding = folding
        self.items = folding.found
        self.design: Design = self.items.design
        self.arrays = Arrays(folding)
        self.zones = zones
        self.functions = names.functions(self.items, [zone.items for zone in zones])
        self.home = self._homes()
        self.is_whole = is_whole
        """Whether all zones run in each cycle, and rest when a whole cycle has changed nothing."""
        assert not (is_whole and folding.modules), "copies of a module have flags of their own"
        self.flag = self._flags()
        """The number of each zone's flag, among those of its module or among the others."""
        self._kept: set[object] = set()
        """Keys of nodes that are kept in the state; where copies correspond, of the first's."""
        self.erratic: set[object] = set()
        """Keys of values whose change is not branched on (step `branches`)."""
        self.least_sides = sides.LEAST_COST
        """What the sides of a selection cost, at least, when it is branched on (step `sides`)."""
        self.asks = [range(index, index + 1) for index in range(len(zones))]
        """The zones in their order, eight asked for at once or one alone (step `asks`)."""
        self.flags_of: dict[object, set[Reader]] = {}
        self._find_readers()
        self.keep_all = keep_all
        """Whether every value is kept and every write to a memory noted, as a profile needs it."""
        if keep_all:
            self._kept = {self._first(uid) for uid in self.items.of_node}
        self.links: list[list[list[int]]] = [[] for _ in self.folding.modules]
        """Flags of others that read a copy's value: for each module, lists of one for each copy."""
        self._link_of: dict[object, list[str]] = {}
        self._find_links()

    def _homes(self) -> dict[int, Reader]:
        """Return, for each item, its zone and copy."""
        found = {}
        for index, zone in enumerate(self.zones):
            for first in zone.items:
                for copy, item in enumerate(self.folding.unit(first).items):
                    found[item.number] = (index, copy)
        return found

    def _flags(self) -> list[int]:
        found, counts = [], dict.fromkeys((None, *range(len(self.folding.modules))), 0)
        for zone in self.zones:
            found.append(counts[zone.module])
            counts[zone.module] += 1
        return found

    def flag_count(self, module: int | None) -> int:
        """Return how many flags each copy of a module has, or (None) all else."""
        return sum(zone.module == module for zone in self.zones)

    def _first(self, key: object) -> object:
        """Return the key of what stands for a value in the first copy."""
        place = self.folding.places.get(key)
        return key if place is None else place.first

    def is_kept(self, key: object) -> bool:
        """Whether a value is kept in the state: all but what only its own zone reads."""
        return not isinstance(key, int) or self._first(key) in self._kept

    def _find_readers(self) -> None:
        for first, keys in self.folding.members.items():
            if any(not isinstance(key, int) for key in keys):  # state, which always has its place
                self._kept.add(first)
        for item in self.items.items:
            reader = self.home[item.number]
            for node in item.reads:
                if node.op != "leaf":
                    if self.home[self.items.of_node[node.uid].number] == reader:
                        continue
                    self._kept.add(self._first(node.uid))
                self.flags_of.setdefault(key_of(node), set()).add(reader)
            for column in item.columns:
                self.flags_of.setdefault(("column", column), set()).add(reader)

    def _find_links(self) -> None:
        """Find the flags outside of a module that differ between the copies that set them."""
        for first, keys in self.folding.members.items():
            module = self.folding.places[first].module
            others = [
                {index for index, _ in self.flags_of.get(key, ()) if self._module(index) != module}
                for key in keys
            ]
            assert all(self._module(index) is None for readers in others for index in readers)
            common = set.intersection(*others)
            rest = [sorted(readers - common) for readers in others]
            places = [f"s.flag[{self.flag[index]}]" for index in sorted(common)]
            unused = self.flag_count(None)
            for number in range(max(map(len, rest))):
                links = [self.flag[of[number]] if number < len(of) else unused for of in rest]
                places.append(f"s.flag[c.link[{len(self.links[module])}]]")
                self.links[module].append(links)
            self._link_of[first] = places

    def _module(self, zone: int) -> int | None:
        return self.zones[zone].module

    def place(self, key: object, module: int | None = None) -> str:
        """Return where a value is kept, as code of the first copy of `module` names it."""
        if isinstance(key, tuple) and key[0] == "input":
            _, index, word = key
            wide = self.design.ports[index].width > 64
            return f"s.in.p{index}[{word}]" if wide else f"s.in.p{index}"
        place = self.folding.places.get(key)
        if place is None:
            return f"s.{self._field(key)}"
        name = self._field(place.first)
        if place.module == module:
            assert place.copy == 0, "code of one copy reads another"
            return f"c.{name}"
        return f"s.copies{place.module}[{place.copy}].{name}"

    def _field(self, first: object) -> str:
        slot = self.arrays.slots.get(first)
        return field_name(first) if slot is None else f"a{slot.array}[{slot.at}]"

    def staged_place(self, register: int, module: int | None = None) -> str:
        """Return where the next value of a staged register is, beside the register."""
        structure, _, name = self.place(("register", register), module).rpartition(".")
        return f"{structure}.next_{name}"

    def written_place(self, column: int, module: int | None = None) -> str:
        """Return where a profiling model notes that a memory was written to, beside the memory."""
        structure, _, name = self.place(("column", column), module).rpartition(".")
        return f"{structure}.written_{name}"

    def _flag_places(self, key: object, module: int | None) -> list[str]:
        """Return the flags of the readers of a value, as code of `module` names them."""
        readers = sorted(self.flags_of.get(key, ()))
        place = self.folding.places.get(key)
        if module is not None and place is not None and place.module == module:
            own = [index for index, copy in readers if self._module(index) == module and copy == 0]
            return [f"c.flag[{self.flag[index]}]" for index in own] + self._link_of[key]
        return [self.flag_place(index, copy) for index, copy in readers]

    def flag_place(self, index: int, copy: int) -> str:
        """Return where the flag of a zone is for one copy."""
        module, flag = self._module(index), self.flag[index]
        return f"s.flag[{flag}]" if module is None else f"s.copies{module}[{copy}].flag[{flag}]"

    def raise_flags(self, key: object, module: int | None = None) -> str:
        """Return statements that set the flags of the readers of a value."""
        if self.is_whole:
            return " s.flag[0] = 1;"
        return "".join(f" {place} = 1;" for place in self._flag_places(key, module))

    def store(self, key: object, value: str, width: int, module: int | None = None) -> str:
        """Return statements that keep a value, setting flags when it changes."""
        place, cast = self.place(key, module), f"({storage_type(width)})"
        if self.is_whole:
            return f"{place} = {cast}{value};"
        flags = self._flag_places(key, module)
        if not flags:
            return f"{place} = {cast}{value};"
        if key in self.erratic:
            raised = "".join(f" {flag} |= changed;" for flag in flags)
            return f"{{ const u8 changed = {place} != {value}; {place} = {cast}{value};{raised} }}"
        raised = "".join(f" {flag} = 1;" for flag in flags)
        return f"if ({place} != {value}) [[unlikely]] {{ {place} = {cast}{value};{raised} }}"

    def plan(self, index: int) -> Side:
        """Return the items of a zone, with its branches."""
        items, registers = self.zones[index].items, self.design.registers
        return sides.plan(items, registers, self.is_kept, self.least_sides)

    def zone(self, index: int) -> list[str]:
        """Return the statements of a zone."""
        body = _Body(self, self.zones[index].module)
        owner = "s" if body.module is None else "c"
        if index == 0 or not self.is_whole:
            body.lines.append(f"{owner}.flag[{self.flag[index]}] = 0;")
        body.side(self.plan(index))
        return body.lines


def field_name(key: object) -> str:
    """Return the name of the field in which a value is kept."""
    if isinstance(key, int):
        return f"v{key}"
    assert isinstance(key, tuple)
    return f"{'r' if key[0] == 'register' else 'm'}{key[1]}"


class _Body:
    """Writes the statements of one zone; names what it has computed or loaded."""

    def __init__(self, emitter: Emitter, module: int | None) -> None:
        self.emitter = emitter
        self.module = module
        self.lines: list[str] = []
        self.local: ChainMap[int, str] = ChainMap()
        """Names that are known on the side that is being written."""

    def name(self, node: Node) -> str:
        """Return the text of a value, computing or loading it first when needed."""
        if node.is_const:
            return literal(node.number, node.width)
        found = self.local.get(node.uid)
        if found is None:
            found = self.local[node.uid] = f"n{node.uid}"
            if node.op != "leaf" and is_free(node):
                text = self._expression(node)
            else:
                text = self.emitter.place(key_of(node), self.module)
            self._declare(node, found, text)
        return found

    def _declare(self, node: Node, name: str, text: str) -> None:
        """Add a local variable.

        It is not const: of a constant integer, a C++ compiler looks whether all that it comes from
        is known when it compiles, along each way to it. Of values in which such meet again and
        again, as in a chain of selections, the ways are as many as 2 to the length of the chain.
        """
        self.lines.append(f"{type_of(node.width)} {name} = {text};")

    def _pick(self, node: Node) -> str:
        """Return a load of what lies side by side, else selections."""
        index, *elements = node.args
        last, number = len(elements) - 1, self.name(index)
        run = self.emitter.arrays.run(elements)
        if run < last:
            names = [self.name(element) for element in elements]
            cases = [f"{number} == {at} ? {name} : " for at, name in enumerate(names[:-1])]
            return "".join([*cases, names[-1]])
        first = self.emitter.place(key_of(elements[0]), self.module)
        array, _, start = first.removesuffix("]").rpartition("[")
        beyond = f"({number} < {last} ? {number} : {last})"
        at = beyond if run > last and highest(index) > last else number
        text = f"{array}[{at}]" if start == "0" else f"{array}[{start} + {at}]"
        return text if run > last else f"{number} < {last} ? {text} : {self.name(elements[last])}"

    def _expression(self, node: Node) -> str:
        if node.op == "pick":
            return self._pick(node)
        memory = ""
        if node.op == "read":
            memory = self.emitter.place(("column", node.value), self.module)
        return expression(node, self.name, self.emitter.design.columns, memory)

    def side(self, side: Side) -> None:
        """Add the statements of a zone, or of one side of a branch."""
        for entry in side.entries:
            if isinstance(entry, Branch):
                self._branch(entry)
            else:
                self.item(entry)

    def _branch(self, branch: Branch) -> None:
        muxes = [item.node for item in branch.muxes if item.node is not None]
        select = self.name(branch.select)
        for node in muxes:
            self.lines.append(f"{type_of(node.width)} n{node.uid};")
        for index, side, head in (
            (1, branch.high, f"if ({select}) {{"),
            (2, branch.low, "} else {"),
        ):
            self.lines.append(head)
            self.local = self.local.new_child()
            self._arm(side, [(node.uid, node.args[index]) for node in muxes])
            self.local = self.local.parents
        self.lines.append("}")
        for node in muxes:
            found = self.local[node.uid] = f"n{node.uid}"
            if self.emitter.is_kept(node.uid):
                self.lines.append(self.emitter.store(node.uid, found, node.width, self.module))

    def _arm(self, side: Side, values: list[tuple[int, Node]]) -> None:
        """Add the statements of a side, which gives each of `values` what its node is."""
        wanted = [node for _, node in values] + [node for _, node in side.stores]
        # What is read from state is read before an update inside may change it.
        for node in wanted:
            if is_free(node):
                self.name(node)
        self.side(side)
        for uid, node in values:
            self.lines.append(f"n{uid} = {self.name(node)};")
        for item, node in side.stores:
            self._store(item, node)

    def item(self, item: Item) -> None:
        """Add the statements of an item."""
        getattr(self, f"_{item.kind}")(item)

    def _node(self, item: Item) -> None:
        node = item.node
        assert node is not None
        text = self._expression(node)
        found = self.local[node.uid] = f"n{node.uid}"
        self._declare(node, found, text)
        if self.emitter.is_kept(node.uid):
            self.lines.append(self.emitter.store(node.uid, found, node.width, self.module))

    def _update(self, item: Item) -> None:
        self._store(item, self.emitter.design.registers[item.index].following)

    def _store(self, item: Item, following: Node) -> None:
        """Add the statement that gives a register its next value."""
        register = self.emitter.design.registers[item.index]
        value, width = self.name(following), register.leaf.width
        if item.staged:
            place = self.emitter.staged_place(item.index, self.module)
            self.lines.append(f"{place} = ({storage_type(width)}){value};")
            return
        self.lines.append(self.emitter.store(register.leaf.value, value, width, self.module))

    def _write(self, item: Item) -> None:
        column = self.emitter.design.columns[item.index]
        write = column.writes[item.port]
        address, data = self.name(write.address), self.name(write.data)
        check = in_range(address, write.address, column)
        enable = self.name(write.enable)
        key = ("column", column.index)
        place = f"{self.emitter.place(key, self.module)}[{address}]"
        condition = " && ".join(part for part in (enable, check) if part)
        value = data if write.whole else f"({place} & ~{enable}) | ({data} & {enable})"
        raised = self.emitter.raise_flags(key, self.module)
        if self.emitter.keep_all:
            raised += f" {self.emitter.written_place(column.index, self.module)} = 1;"
        self.lines.append(
            f"if ({condition}) {{ {place} = ({storage_type(column.width)})({value});{raised} }}"
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
