"""Seeded random netlists as RTLIL: every kind of cell the generated engine takes, any widths.

Many small netlists lie side by side in one module, since compiling is what costs. Each is made from
a seed of its own and its wires begin with `s<seed>_`, so a difference names the netlist to replay.
Divisors are made odd, because a division by zero is unknown in Verilog.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

TOP = "Fuzz"
_UNARY = ("$not", "$pos", "$neg")
_REDUCE = (
    "$reduce_and", "$reduce_or", "$reduce_xor", "$reduce_xnor", "$reduce_bool", "$logic_not",
)  # fmt: skip
_BINARY = ("$and", "$or", "$xor", "$xnor", "$add", "$sub", "$mul")
_DIVIDE = ("$div", "$mod", "$divfloor", "$modfloor")
_SHIFT = ("$shl", "$shr", "$sshl", "$sshr", "$shift", "$shiftx")
_COMPARE = ("$lt", "$le", "$eq", "$ne", "$ge", "$gt", "$eqx", "$nex")
_LOGIC = ("$logic_and", "$logic_or")
_MUX = ("$mux", "$pmux", "$bmux", "$demux")
# Not $dffsr: CXXRTL 0.70 loses its clocked value (it updates the value before the edge).
_REGISTER = (
    "$dff", "$dffe", "$sdff", "$sdffe", "$sdffce", "$adff", "$adffe", "$aldff", "$aldffe",
)  # fmt: skip
_KINDS = (
    (_UNARY, 3), (_REDUCE, 3), (_BINARY, 6), (_DIVIDE, 1), (_SHIFT, 4), (_COMPARE, 4),
    (_LOGIC, 1), (_MUX, 5), (_REGISTER, 5), (("memory",), 1),
)  # fmt: skip
_WIDTHS = (1, 1, 1, 2, 3, 5, 8, 13, 16, 31, 32, 33, 40, 63, 64, 65, 84, 100, 128, 129, 200)


class Netlist:
    """One random netlist; its ports are wires of the common module."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.prefix = f"s{seed}_"
        self.wires: list[str] = []
        self.cells: list[str] = []
        self.ports: list[tuple[str, int, str]] = []
        self.widths: dict[str, int] = {}
        self.registers: list[tuple[str, int]] = []
        for _ in range(self.random.randint(2, 4)):
            self._port("input", self._width())
        for _ in range(self.random.randint(0, 3)):
            self._declare_register()
        for _ in range(self.random.randint(4, 14)):
            self._cell()
        for name, width in self.registers:
            self._register(name, width)
        for _ in range(self.random.randint(1, 3)):
            width = self._width()
            name = self._port("output", width)
            self.cells.append(f"  connect {name} {self._signal(width)}")
        # Every value is looked at, so that the first port that differs names the cell at fault.
        for wire, width in list(self.widths.items()):
            if wire not in {port for port, _, _ in self.ports}:
                port = f"{wire}_seen"
                self.ports.append((port, width, "output"))
                self.cells.append(f"  connect {port} {wire}")

    def _width(self) -> int:
        return self.random.choice(_WIDTHS)

    def _port(self, direction: str, width: int) -> str:
        name = f"\\{self.prefix}{direction[0]}{len(self.ports)}"
        self.ports.append((name, width, direction))
        if direction == "input":
            self.widths[name] = width
        return name

    def _wire(self, width: int, initial: str = "") -> str:
        name = f"\\{self.prefix}w{len(self.wires)}"
        attribute = f"  attribute \\init {width}'{initial}\n" if initial else ""
        self.wires.append(f"{attribute}  wire width {width} {name}")
        return name

    def _bits(self, width: int) -> str:
        kind = self.random.random()
        if kind < 0.2:
            return self.random.choice("01") * width
        return "".join(self.random.choice("01") for _ in range(width))

    def _declare_register(self) -> None:
        width = self._width()
        initial = self._bits(width) if self.random.random() < 0.6 else ""
        name = self._wire(width, initial)
        self.widths[name] = width
        self.registers.append((name, width))

    def _signal(self, width: int) -> str:
        """Return a random signal of a width: wires, slices, concatenations, constants."""
        parts, missing = [], width
        while missing:
            if self.random.random() < 0.1:
                size = self.random.randint(1, missing)
                parts.append(f"{size}'{self._bits(size)}")
            else:
                name = self.random.choice(sorted(self.widths))
                have = self.widths[name]
                size = min(have, missing)
                if self.random.random() < 0.3:
                    size = self.random.randint(1, size)
                low = self.random.randint(0, have - size)
                parts.append(f"{name} [{low + size - 1}:{low}]")
            missing -= size
        return parts[0] if len(parts) == 1 else "{ " + " ".join(reversed(parts)) + " }"

    def _add(self, kind: str, parameters: Mapping[str, int | str], ports: dict[str, str]) -> None:
        lines = [f"  cell {kind} ${self.prefix}c{len(self.cells)}"]
        lines += [f"    parameter \\{name} {value}" for name, value in parameters.items()]
        lines += [f"    connect \\{name} {value}" for name, value in ports.items()]
        self.cells.append("\n".join([*lines, "  end"]))

    def _cell(self) -> None:
        kinds, weights = zip(*_KINDS, strict=True)
        group = self.random.choices(kinds, weights)[0]
        kind = self.random.choice(group)
        if group is _REGISTER:
            self._declare_register()
        elif kind == "memory":
            self._memory()
        elif group is _MUX:
            self._mux(kind)
        else:
            self._operator(kind, group)

    def _operator(self, kind: str, group: tuple[str, ...]) -> None:
        a, b, y = self._width(), self._width(), self._width()
        is_signed = self.random.randint(0, 1)
        ports = {"A": self._signal(a)}
        parameters: dict[str, int | str] = {"A_WIDTH": a, "A_SIGNED": is_signed}
        if group in (_COMPARE, _LOGIC, _REDUCE) and self.random.random() < 0.8:
            y = 1
        if group not in (_UNARY, _REDUCE):
            parameters |= {"B_WIDTH": b, "B_SIGNED": is_signed}
            ports["B"] = self._signal(b)
        if group is _DIVIDE:
            b += 1
            parameters["B_WIDTH"] = b
            ports["B"] = "{ " + self._signal(b - 1) + " 1'1 }"
            if kind.endswith("floor"):
                # CXXRTL looks at the remainder only after cutting it to the width of Y.
                y = max(a, b, y)
        if group is _SHIFT:
            b = self.random.choice((1, 3, 5, 6, 7, 8, 9, 33))
            signed_amount = kind in ("$shift", "$shiftx") and self.random.randint(0, 1)
            parameters |= {"B_WIDTH": b, "B_SIGNED": int(signed_amount)}
            parameters["A_SIGNED"] = 0 if kind == "$shiftx" else is_signed
            ports["B"] = self._signal(b)
            if kind in ("$shr", "$shift") and parameters["A_SIGNED"]:
                # CXXRTL cuts a signed A to the width of Y before it shifts.
                y = max(a, y)
        parameters["Y_WIDTH"] = y
        self._finish(kind, parameters, ports, y)

    def _finish(
        self, kind: str, parameters: Mapping[str, int | str], ports: dict[str, str], width: int
    ) -> None:
        name = self._wire(width)
        self._add(kind, parameters, {**ports, "Y": name})
        self.widths[name] = width

    def _mux(self, kind: str) -> None:
        width = self._width()
        if kind == "$mux":
            ports = {"A": self._signal(width), "B": self._signal(width), "S": self._signal(1)}
            self._finish(kind, {"WIDTH": width}, ports, width)
            return
        width = min(width, 40)
        if kind == "$pmux":
            # One-hot selections, as case statements make them.
            of = self._signal(2)
            selects = []
            for value in range(3):
                chosen = self._wire(1)
                parameters = dict(A_WIDTH=2, A_SIGNED=0, B_WIDTH=2, B_SIGNED=0, Y_WIDTH=1)
                self._add("$eq", parameters, {"A": of, "B": f"2'{value:02b}", "Y": chosen})
                selects.append(chosen)
            ports = {
                "A": self._signal(width),
                "B": self._signal(3 * width),
                "S": "{ " + " ".join(selects) + " }",
            }
            self._finish(kind, {"WIDTH": width, "S_WIDTH": 3}, ports, width)
            return
        count = self.random.randint(1, 3)
        wide = width << count
        parameters = {"WIDTH": width, "S_WIDTH": count}
        a = self._signal(wide if kind == "$bmux" else width)
        out = width if kind == "$bmux" else wide
        self._finish(kind, parameters, {"A": a, "S": self._signal(count)}, out)

    def _register(self, name: str, width: int) -> None:
        kind = self.random.choice(_REGISTER)
        parameters: dict[str, int | str] = {"WIDTH": width, "CLK_POLARITY": 1}
        ports = {"CLK": "\\clock", "D": self._signal(width), "Q": name}
        inputs = [port for port, size, way in self.ports if way == "input"]
        # Asynchronous controls come from inputs: from state they would race with the clock.
        control = self.random.choice(inputs)
        bit = f"{control} [{self.random.randint(0, self.widths[control] - 1)}]"

        def add(port: str, value: str) -> None:
            ports[port] = value
            parameters[f"{port}_POLARITY"] = self.random.randint(0, 1)

        if kind in ("$dffe", "$sdffe", "$sdffce", "$adffe", "$aldffe"):
            add("EN", self._signal(1))
        if kind.startswith("$sdff"):
            add("SRST", self._signal(1))
            parameters["SRST_VALUE"] = f"{width}'{self._bits(width)}"
        if kind.startswith("$adff"):
            add("ARST", bit)
            parameters["ARST_VALUE"] = f"{width}'{self._bits(width)}"
        if kind.startswith("$aldff"):
            add("ALOAD", bit)
            ports["AD"] = f"{width}'{self._bits(width)}"
        self._add(kind, parameters, ports)

    def _memory(self) -> None:
        width, bits = min(self._width(), 100), self.random.randint(1, 5)
        size = 1 << bits
        name = f"\\{self.prefix}m{len(self.cells)}"
        self.wires.append(f"  memory width {width} size {size} {name}")
        memid = '"\\\\' + name[1:] + '"'
        if self.random.randint(0, 1):
            words = self.random.randint(1, size)
            self._add(
                "$meminit_v2",
                {"MEMID": memid, "ABITS": 8, "WIDTH": width, "WORDS": words, "PRIORITY": 0},
                {
                    "ADDR": "8'00000000",
                    "DATA": f"{width * words}'{self._bits(width * words)}",
                    "EN": f"{width}'{'1' * width}",
                },
            )
        shared: dict[str, int | str] = {"MEMID": memid, "ABITS": bits, "WIDTH": width}
        for _ in range(self.random.randint(1, 2)):
            out = self._wire(width)
            unused = {"CLK_ENABLE": 0, "CLK_POLARITY": 0, "CE_OVER_SRST": 0}
            values = dict.fromkeys(
                ("ARST_VALUE", "SRST_VALUE", "INIT_VALUE"), f"{width}'{'x' * width}"
            )
            writes = 2
            masks = dict.fromkeys(("TRANSPARENCY_MASK", "COLLISION_X_MASK"), f"{writes}'00")
            ports = {"CLK": "1'x", "EN": "1'1", "ARST": "1'0", "SRST": "1'0"}
            address = self._signal(bits)
            self._add(
                "$memrd_v2",
                {**shared, **unused, **values, **masks},
                {**ports, "ADDR": address, "DATA": out},
            )
            self.widths[out] = width
        for port in range(2):
            enable = self._signal(1)
            mask = "{ " + " ".join([enable] * width) + " }"
            if self.random.randint(0, 1):
                mask = self._signal(width)
            priority = f"2'{'01' if port else '00'}"
            self._add(
                "$memwr_v2",
                {**shared, "CLK_ENABLE": 1, "CLK_POLARITY": 1, "PORTID": port,
                 "PRIORITY_MASK": priority},
                {"CLK": "\\clock", "EN": mask, "ADDR": self._signal(bits),
                 "DATA": self._signal(width)},
            )  # fmt: skip


def module(seeds: list[int]) -> tuple[str, list[tuple[str, int, str]]]:
    """Return the RTLIL of one module with a netlist for each seed, and its ports."""
    netlists = [Netlist(seed) for seed in seeds]
    ports = [port for netlist in netlists for port in netlist.ports]
    lines = [f"module \\{TOP}", "  wire input 1 \\clock"]
    for index, (name, width, direction) in enumerate(ports):
        lines.append(f"  wire width {width} {direction} {index + 2} {name}")
    for netlist in netlists:
        lines += netlist.wires
    for netlist in netlists:
        lines += netlist.cells
    found = [(name[1:], width, direction) for name, width, direction in ports]
    return "\n".join([*lines, "end", ""]), found
