"""Seeded random netlists as RTLIL: every kind of cell the generated engine takes, any widths.

A netlist is a module of its own, made from its seed alone. Most are small, since a fault shows in
few cells and many netlists find more than large ones; some are large, for what needs company.

Values that may be unknown in Verilog (a division by zero, a row or bit beyond the end, several
selections at once) go to outputs only, where an unknown bit is not compared: fed on, one of them
could make a register's future unknown.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence

_UNARY = ("$not", "$pos", "$buf", "$neg")
_REDUCE = (
    "$reduce_and", "$reduce_or", "$reduce_xor", "$reduce_xnor", "$reduce_bool", "$logic_not",
)  # fmt: skip
_BINARY = ("$and", "$or", "$xor", "$xnor", "$add", "$sub", "$mul")
_DIVIDE = ("$div", "$mod", "$divfloor", "$modfloor")
_SHIFT = ("$shl", "$shr", "$sshl", "$sshr", "$shift", "$shiftx")
_COMPARE = ("$lt", "$le", "$eq", "$ne", "$ge", "$gt", "$eqx", "$nex")
_LOGIC = ("$logic_and", "$logic_or")
_MUX = ("$mux", "$mux", "$pmux", "$bmux", "$demux")
_SYNCHRONOUS = ("$dff", "$dffe", "$sdff", "$sdffe", "$sdffce")
_ASYNCHRONOUS = ("$adff", "$adffe", "$dffsr", "$dffsre")
_LOADED = ("$aldff", "$aldffe")
_GROUPS = (
    (_UNARY, 3), (_REDUCE, 3), (_BINARY, 6), (_DIVIDE, 2), (_SHIFT, 4), (_COMPARE, 4), (_LOGIC, 1),
    (_MUX, 5), (("register",), 3), (("memory",), 3),
)  # fmt: skip
_WIDTHS = (
    1, 1, 1, 1, 2, 2, 3, 4, 5, 7, 8, 8, 9, 13, 16, 16, 24, 31, 32, 32, 33, 40, 63, 64, 64, 65, 84,
    100, 127, 128, 129, 200,
)  # fmt: skip
_AMOUNT_WIDTHS = (1, 2, 3, 5, 6, 7, 7, 8, 9, 33, 65)
WORD = 64
CLOCK = "\\clock"


def name_of(seed: int) -> str:
    """Return the name of a netlist's module, without the backslash."""
    return f"n{seed}"


class Netlist:
    """One random netlist.

    `kinds` counts its cells by kind and by the words of 64 bits of their widest port. `has_load`
    says that a register follows data while a control is active, `contended` names the memories of
    which several ports may write one row at once: the oracle needs to know.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.kinds: Counter[tuple[str, int]] = Counter()
        self.contended: list[str] = []
        self.has_load = False
        self.wires: list[tuple[str, int, str]] = []
        self.inputs: list[str] = []
        self.outputs: list[tuple[str, int]] = []
        self.memories: list[str] = []
        self.cells: list[str] = []
        self.widths: dict[str, int] = {}
        self.pool: list[str] = []
        self.registers: list[tuple[str, str]] = []
        self.plain: list[str] = []
        # $ff changes with every step of the oracle, loads need two steps a cycle: never both.
        self.special = self.random.choice((("$ff",), _LOADED))
        self._build()

    def _build(self) -> None:
        rng = self.random
        large = rng.random() < 0.08
        self.hides = rng.random() < 0.25
        for _ in range(rng.randint(1, 4)):
            name = f"\\i{len(self.inputs)}"
            self.inputs.append(name)
            self._use(name, self._width())
        if rng.random() < 0.05:
            self._use(CLOCK, 1)
        for _ in range(rng.randint(0, 2)):
            self._declare_register()
        for _ in range(rng.randint(8, 25) if large else rng.randint(1, 6)):
            self._cell()
        for name, kind in self.registers:
            self._register(name, kind)
        if rng.random() < 0.3:
            width = self._width()
            name = self._wire(width, shown=True)
            self.cells.append(f"  connect {name} {self._signal(width)}")

    def _width(self) -> int:
        return self.random.choice(_WIDTHS)

    def _use(self, name: str, width: int) -> None:
        """Let cells that follow read a wire."""
        self.widths[name] = width
        self.pool.append(name)

    def _wire(self, width: int, *, shown: bool = False, initial: str = "") -> str:
        """Add a wire. Nearly all are outputs, so that the first that differs names its cell."""
        hidden = not shown and self.hides and self.random.random() < 0.5
        name = f"{'$' if hidden else chr(92)}w{len(self.wires)}"
        self.wires.append((name, width, initial))
        if not hidden:
            self.outputs.append((name, width))
        return name

    def _bits(self, width: int) -> str:
        if self.random.random() < 0.2:
            return self.random.choice("01") * width
        return format(self.random.getrandbits(width), f"0{width}b")

    def _constant(self, width: int) -> str:
        return f"{width}'{self._bits(width)}"

    def _declare_register(self) -> None:
        width = self._width()
        initial = self._bits(width) if self.random.random() < 0.6 else ""
        name = self._wire(width, initial=initial)
        kind = self.random.choice((*_SYNCHRONOUS, *_ASYNCHRONOUS, *self.special))
        if kind in _SYNCHRONOUS or kind == "$ff":
            self.plain.append(name)
        self._use(name, width)
        self.registers.append((name, kind))

    def _signal(self, width: int, of: Sequence[str] = ()) -> str:
        """Return a random signal of a width: wires, slices, concatenations, constants."""
        rng, parts, missing = self.random, list[str](), width
        names = of or self.pool
        while missing:
            if rng.random() < 0.08:
                size = rng.randint(1, missing)
                parts.append(self._constant(size))
            else:
                name = max(
                    rng.choices(names, k=2 if missing > 16 else 1), key=self.widths.__getitem__
                )
                have = self.widths[name]
                size = min(have, missing)
                if rng.random() < 0.2:
                    size = rng.randint(1, size)
                low = rng.randint(0, have - size)
                part = name if size == have else f"{name} [{low + size - 1}:{low}]"
                repeats = min(missing // size, rng.choice((1, 1, 1, 2, 8)))
                parts += [part] * repeats
                size *= repeats
            missing -= size
        return parts[0] if len(parts) == 1 else "{ " + " ".join(reversed(parts)) + " }"

    def _add(
        self, kind: str, parameters: Mapping[str, int | str], ports: dict[str, str], widest: int
    ) -> None:
        self.kinds[kind, (widest + WORD - 1) // WORD] += 1
        lines = [f"  cell {kind} $c{len(self.cells)}"]
        lines += [f"    parameter \\{name} {value}" for name, value in parameters.items()]
        lines += [f"    connect \\{name} {value}" for name, value in ports.items()]
        self.cells.append("\n".join([*lines, "  end"]))

    def _cell(self) -> None:
        groups, weights = zip(*_GROUPS, strict=True)
        group = self.random.choices(groups, weights)[0]
        kind = self.random.choice(group)
        if kind == "register":
            self._declare_register()
        elif kind == "memory":
            self._memory()
        elif kind == "$pmux":
            self._pmux()
        elif group is _MUX:
            self._mux(kind)
        elif group is _DIVIDE:
            self._divide(kind)
        elif group is _SHIFT:
            self._shift(kind)
        else:
            self._operator(kind, group)

    def _finish(
        self, kind: str, parameters: dict[str, int | str], ports: dict[str, str], width: int,
        widest: int, known: bool = True,
    ) -> None:  # fmt: skip
        """Add a cell with output Y; only what is `known` for all inputs is fed on."""
        name = self._wire(width, shown=not known)
        self._add(kind, parameters, {**ports, "Y": name}, max(width, widest))
        if known:
            self._use(name, width)

    def _three_widths(self) -> tuple[int, int, int]:
        """Return widths of A, B and Y: often the same, as in most designs."""
        a = self._width()
        if self.random.random() < 0.4:
            return a, a, a
        return a, self._width(), self._width()

    def _operator(self, kind: str, group: tuple[str, ...]) -> None:
        a, b, y = self._three_widths()
        is_signed = self.random.randint(0, 1)
        if group in (_COMPARE, _LOGIC, _REDUCE) and self.random.random() < 0.8:
            y = 1
        ports = {"A": self._signal(a)}
        parameters: dict[str, int | str] = {"A_WIDTH": a, "A_SIGNED": is_signed, "Y_WIDTH": y}
        if group in (_UNARY, _REDUCE):
            b = 0
            if kind == "$buf":
                y, parameters = a, {"WIDTH": a}
        else:
            parameters |= {"B_WIDTH": b, "B_SIGNED": is_signed}
            ports["B"] = self._signal(b)
        self._finish(kind, parameters, ports, y, max(a, b))

    def _divide(self, kind: str) -> None:
        a, b, y = self._three_widths()
        is_signed = self.random.randint(0, 1)
        divisor = self._signal(b)
        odd = b > 1 and self.random.random() < 0.5
        if odd:
            divisor = "{ " + self._signal(b - 1) + " 1'1 }"
        parameters: dict[str, int | str] = {
            "A_WIDTH": a, "A_SIGNED": is_signed, "B_WIDTH": b, "B_SIGNED": is_signed, "Y_WIDTH": y,
        }  # fmt: skip
        ports = {"A": self._signal(a), "B": divisor}
        self._finish(kind, parameters, ports, y, max(a, b), known=odd)

    def _shift(self, kind: str) -> None:
        a, b, y = self._width(), self.random.choice(_AMOUNT_WIDTHS), self._width()
        signed_amount = kind in ("$shift", "$shiftx") and self.random.randint(0, 1)
        known = kind != "$shiftx"
        if kind == "$shiftx" and self.random.random() < 0.5:
            # No amount leads beyond A.
            b, y, signed_amount, known = self.random.randint(1, 6), min(y, 40), 0, True
            a = (1 << b) - 1 + y
        parameters: dict[str, int | str] = {
            "A_WIDTH": a, "A_SIGNED": 0 if kind == "$shiftx" else self.random.randint(0, 1),
            "B_WIDTH": b, "B_SIGNED": int(signed_amount), "Y_WIDTH": y,
        }  # fmt: skip
        amount = self._signal(b)
        if b > 5 and self.random.random() < 0.3:
            # A multiple of 32 or 64: beyond a word, or by just its width.
            low = self.random.choice((5, min(6, b - 1)))
            amount = "{ " + self._signal(b - low) + f" {low}'{'0' * low} }}"
        self._finish(kind, parameters, {"A": self._signal(a), "B": amount}, y, a, known)

    def _mux(self, kind: str) -> None:
        width = self._width()
        if kind == "$mux":
            ports = {"A": self._signal(width), "B": self._signal(width), "S": self._signal(1)}
            self._finish(kind, {"WIDTH": width}, ports, width, width)
            return
        count = self.random.randint(1, 3)
        width = min(width, 200 >> count)
        wide = width << count
        a, y = (wide, width) if kind == "$bmux" else (width, wide)
        ports = {"A": self._signal(a), "S": self._signal(count)}
        self._finish(kind, {"WIDTH": width, "S_WIDTH": count}, ports, y, wide)

    def _pmux(self) -> None:
        """Select by one-hot bits, as case statements make them, or by any bits."""
        width, count = self._width(), self.random.randint(1, 4)
        width = min(width, 200 // count)
        one_hot = self.random.random() < 0.7
        selects = self._signal(count)
        if one_hot:
            of, chosen = self._signal(2), []
            for value in range(count):
                chosen.append(self._wire(1))
                compared = dict(A_WIDTH=2, A_SIGNED=0, B_WIDTH=2, B_SIGNED=0, Y_WIDTH=1)
                ports = {"A": of, "B": f"2'{value:02b}", "Y": chosen[-1]}
                self._add("$eq", compared, ports, 2)
            selects = "{ " + " ".join(chosen) + " }"
        ports = {"A": self._signal(width), "B": self._signal(count * width), "S": selects}
        parameters: dict[str, int | str] = {"WIDTH": width, "S_WIDTH": count}
        self._finish("$pmux", parameters, ports, width, count * width, known=one_hot or count == 1)

    def _clock(self, parameters: dict[str, int | str], ports: dict[str, str]) -> None:
        """Choose the clock of a register or of a write port."""
        parameters["CLK_POLARITY"] = 1
        ports["CLK"] = CLOCK

    def _register(self, name: str, kind: str) -> None:
        width = self.widths[name]
        parameters: dict[str, int | str] = {"WIDTH": width}
        # All of $ff's past must be of the inputs of the cycle before: it has no clock.
        ports = {"D": self._signal(width, self.inputs if kind == "$ff" else ()), "Q": name}
        if kind != "$ff":
            self._clock(parameters, ports)

        def control(port: str, value: str) -> None:
            ports[port] = value
            parameters[f"{port}_POLARITY"] = self.random.randint(0, 1)

        if kind in ("$dffe", "$sdffe", "$sdffce", "$adffe", "$aldffe", "$dffsre"):
            control("EN", self._signal(1))
        if kind.startswith("$sdff"):
            control("SRST", self._signal(1))
            parameters["SRST_VALUE"] = self._constant(width)
        # Asynchronous controls come from inputs: from state they would race with the clock.
        if kind.startswith("$adff"):
            control("ARST", self._signal(1, self.inputs))
            parameters["ARST_VALUE"] = self._constant(width)
        if kind.startswith("$dffsr"):
            control("SET", self._signal(width, self.inputs))
            control("CLR", self._signal(width, self.inputs))
        if kind.startswith("$aldff"):
            control("ALOAD", self._signal(1, self.inputs))
            # What may load must not depend on what is loaded, which could be a loop.
            ports["AD"] = self._signal(width, [*self.inputs, *self.plain])
            self.has_load = True
        self._add(kind, parameters, ports, width)

    def _memory(self) -> None:
        rng = self.random
        writers = rng.choice((0, 1, 1, 2, 2, 3))
        width = min(self._width(), 129)
        # With several writers the oracle makes registers of it, so it is kept small.
        size = rng.randint(1, 6 if writers > 1 else 20)
        if rng.random() < 0.5:
            size = 1 << (size - 1).bit_length()
        bits = max(1, (size - 1).bit_length()) + (rng.random() < 0.1)
        name = f"\\m{len(self.memories)}"
        if writers > 1:
            self.contended.append(name[1:])
        self.memories.append(f"  memory width {width} size {size} {name}")
        memid = '"\\\\' + name[1:] + '"'
        for priority in range(rng.choice((0, 1, 1, 2)) if writers else 1):
            self._initial_rows(memid, width, size, priority)
        shared: dict[str, int | str] = {"MEMID": memid, "ABITS": bits, "WIDTH": width}
        for _ in range(rng.randint(1, 2)):
            self._read_port(shared, size, writers)
        for port in range(writers):
            self._write_port(shared, port, writers)

    def _initial_rows(self, memid: str, width: int, size: int, priority: int) -> None:
        first = self.random.randint(0, size - 1)
        words = self.random.randint(1, size - first)
        parameters: dict[str, int | str] = {
            "MEMID": memid, "ABITS": 8, "WIDTH": width, "WORDS": words, "PRIORITY": priority,
        }  # fmt: skip
        ports = {"ADDR": f"8'{first:08b}", "DATA": self._constant(width * words)}
        kind = self.random.choice(("$meminit", "$meminit_v2"))
        if kind == "$meminit_v2":
            ports["EN"] = self._constant(width)
        self._add(kind, parameters, ports, width)

    def _read_port(self, shared: dict[str, int | str], size: int, writers: int) -> None:
        width, bits = int(shared["WIDTH"]), int(shared["ABITS"])
        known = size == 1 << bits
        guarded = not known and writers > 1
        out = f"$r{len(self.cells)}" if guarded else self._wire(width, shown=not known)
        parameters = {**shared, "CLK_ENABLE": 0, "CLK_POLARITY": 0, "CE_OVER_SRST": 0}
        for value in ("ARST_VALUE", "SRST_VALUE", "INIT_VALUE"):
            parameters[value] = f"{width}'{'x' * width}"
        for mask in ("TRANSPARENCY_MASK", "COLLISION_X_MASK"):
            parameters[mask] = f"{writers}'{'0' * writers}" if writers else "0'0"
        ports = {"CLK": "1'x", "EN": "1'1", "ARST": "1'0", "SRST": "1'0"}
        ports |= {"ADDR": self._signal(bits), "DATA": out}
        self._add("$memrd_v2", parameters, ports, width)
        if guarded:
            self._guard(out, width, ports["ADDR"], bits, size)
        elif known:
            self._use(out, width)

    def _guard(self, row: str, width: int, address: str, bits: int, size: int) -> None:
        """Show a row only where it is one: as registers, rows beyond the end repeat others."""
        self.wires.append((row, width, ""))
        inside = self._wire(1)
        parameters: dict[str, int | str] = {
            "A_WIDTH": bits, "A_SIGNED": 0, "B_WIDTH": 8, "B_SIGNED": 0, "Y_WIDTH": 1,
        }  # fmt: skip
        self._add("$lt", parameters, {"A": address, "B": f"8'{size:08b}", "Y": inside}, 8)
        ports = {"A": f"{width}'{'0' * width}", "B": row, "S": inside}
        self._finish("$mux", {"WIDTH": width}, ports, width, width)

    def _write_port(self, shared: dict[str, int | str], port: int, writers: int) -> None:
        """Add a port that wins over all before it."""
        width = int(shared["WIDTH"])
        mask = "{ " + " ".join([self._signal(1)] * width) + " }"
        style = self.random.random()
        if style < 0.3:
            mask = self._signal(width)
        elif style < 0.6 and width > 8:
            lanes = [self._signal(1) for _ in range((width + 7) // 8)]
            mask = "{ " + " ".join(lanes[bit // 8] for bit in reversed(range(width))) + " }"
        parameters: dict[str, int | str] = {
            **shared, "CLK_ENABLE": 1, "PORTID": port,
            "PRIORITY_MASK": f"{writers}'{'1' * port:0>{writers}}",
        }  # fmt: skip
        ports = {"EN": mask, "ADDR": self._signal(int(shared["ABITS"])),
                 "DATA": self._signal(width)}  # fmt: skip
        self._clock(parameters, ports)
        self._add("$memwr_v2", parameters, ports, width)

    def ports(self) -> list[tuple[str, int, bool]]:
        """Return (name, width, whether it is an input) of all ports but the clock."""
        found = [(name[1:], self.widths[name], True) for name in self.inputs]
        return found + [(name[1:], width, False) for name, width in self.outputs]

    def text(self) -> str:
        """Return the netlist as a module."""
        lines = [f"module \\{name_of(self.seed)}", f"  wire input 1 {CLOCK}"]
        for index, name in enumerate(self.inputs):
            lines.append(f"  wire width {self.widths[name]} input {index + 2} {name}")
        places = {name: len(self.inputs) + 2 + i for i, (name, _) in enumerate(self.outputs)}
        for name, width, initial in self.wires:
            if initial:
                lines.append(f"  attribute \\init {width}'{initial}")
            output = f" output {places[name]}" if name in places else ""
            lines.append(f"  wire width {width}{output} {name}")
        return "\n".join([*lines, *self.memories, *self.cells, "end", ""])
