# SPDX-License-Identifier: BSD-3-Clause
"""The items of a random module: each declares signals and gives all of them a value.

A function of ITEMS takes the text and a number for its names, and returns the lines of the item and
what they declare. Everything an item reads was declared before it, so that there are no loops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from regression.fuzzers.reader_fuzz.expressions import UNKNOWN_BITS, Text, Vector
from regression.fuzzers.reader_fuzz.statements import Statements


@dataclass
class Item:
    """Lines of a module; others may read `vectors`, rows of `arrays`, `functions`, `constants`.

    `outside` stands before the module.
    """

    lines: list[str]
    vectors: list[Vector] = field(default_factory=list)
    arrays: list[tuple[str, int, int]] = field(default_factory=list)
    functions: list[tuple[str, int]] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


def _declare(vector: Vector, initial: str = "") -> str:
    return f"logic {vector.shape}{vector.name}{initial};"


def assign(text: Text, number: int) -> Item:
    """A net with a continuous assignment, perhaps of parts, or with its value declared."""
    vector = text.vector(f"s{number}")
    kind = text.one_of("assign", "wire with a value", "assign parts", "assign some bits")
    if text.happens(0.1, "streaming"):
        value = (
            f"{{<<{text.random.choice((1, 2, 3, 4, 8))}{{{vector.width}'({text.expression()})}}}}"
        )
        return Item([_declare(vector), f"assign {vector.name} = {value};"], [vector])
    if kind == "wire with a value":
        return Item([f"wire {vector.shape}{vector.name} = {text.expression()};"], [vector])
    if kind == "assign" or vector.width < 2 or vector.left is None:
        delay = "#1 " if text.happens(0.1, "delay of a net") else ""
        return Item(
            [_declare(vector), f"assign {delay}{vector.name} = {text.expression()};"], [vector]
        )
    cut = text.random.randint(1, vector.width - 1)
    low, high = vector.part(vector.low, cut), vector.part(vector.low + cut, vector.width - cut)
    lines = [f"wire {vector.shape}{vector.name};", f"assign {low} = {text.expression()};"]
    if kind == "assign parts":
        lines.append(f"assign {high} = {text.expression()};")
    return Item(lines, [vector])


def combinational(text: Text, number: int) -> Item:
    """A combinational process with a value for every path."""
    vector = text.vector(f"c{number}")
    head = text.one_of("always_comb", "always @*")
    lines = [f"{vector.name} = {text.expression()};"]
    text.vectors.append(vector)
    lines += [Statements(text, vector, "=").statement() for _ in range(text.random.randint(1, 2))]
    text.vectors.remove(vector)
    if head == "always @*" and not text.reads("\n".join(lines)):
        # IEEE 1800, 9.4.2.2: nothing is in its list of events, so it never runs.
        head = "always_comb"
    return Item([_declare(vector), f"{head} begin", *lines, "end"], [vector])


def register(text: Text, number: int) -> Item:
    """A register with some reset, perhaps of some bits, perhaps assigned in the reset only."""
    vector = text.vector(f"r{number}")
    delay = "#1 " if text.happens(0.1, "delay") else ""
    initial = f" = {text.literal()}" if text.happens(0.2, "initial value") else ""
    lines = [_declare(vector, initial)]
    reset = text.one_of(
        "posedge arst", "negedge arst_n", "synchronous reset", "no reset", "posedge arst"
    )
    # What it was may be read: it is a register.
    text.vectors.append(vector)
    clocked = Statements(text, vector, "<=").statement()
    part = vector.name
    if vector.left is not None and text.happens(0.25, "reset of a part"):
        part = vector.part(vector.low, text.random.randint(1, vector.width))
    value = text.literal(vector.width)
    condition = text.random.choice(("1", "0", "P0", "P0 > 3", "!P0"))
    if text.happens(0.3, "constant condition"):
        clocked = f"if ({condition}) begin {clocked} end"
    elif text.happens(0.1, "assigned in the reset only"):
        clocked = ";"
    text.vectors.remove(vector)
    lines += process(text, reset, f"{part} <= {delay}{value};", clocked)
    if text.happens(0.1, "assert property"):
        first, second = text.condition(), text.condition()
        lines.append(f"assert property (@(posedge clock) disable iff (srst) {first} |=> {second});")
    return Item(lines, [vector])


def wired(text: Text, number: int) -> Item:
    """A net with several drivers, none constant: Verilator drops all drivers but a constant one."""
    vector = text.vector(f"w{number}")
    word = {"wired and": "wand", "wired or": "wor"}[text.one_of("wired and", "wired or")]
    varying = ("(a + 24301)", "(i * 54321)")  # what no expression has by chance: x ^ x is constant
    drivers = [f"assign {vector.name} = ({text.expression()}) ^ {one};" for one in varying]
    return Item([f"{word} {vector.shape}{vector.name};", *drivers], [vector])


def process(text: Text, reset: str, on_reset: str, clocked: str) -> list[str]:
    """Return an `always` with a reset."""
    edge, _, name = reset.partition(" ")
    head = text.one_of("always_ff", "always")
    if edge in ("posedge", "negedge"):
        test = f"!{name}" if edge == "negedge" else name
        if text.happens(0.2, "reset compared"):
            test = f"{name} == 1'b{int(edge == 'posedge')}"
        body = f"if ({test}) begin {on_reset} end else {clocked}"
        if text.happens(0.5, "process in a block"):
            body = f"begin : p{text.random.getrandbits(30)}\n{body}\nend"
        return [f"{head} @(posedge clock or {reset})", body]
    if reset == "synchronous reset":
        return [f"{head} @(posedge clock)", f"if (srst) {on_reset} else {clocked}"]
    return [f"{head} @(posedge clock) begin", clocked, "end"]


def partial_registers(text: Text, number: int) -> Item:
    """One variable whose bits are registers of several processes, and some of none."""
    vector = Vector(f"b{number}", text.random.randint(3, 12) - 1, 0)
    lines, low = [_declare(vector)], 0
    while low < vector.width - 1:
        size = text.random.randint(1, vector.width - low)
        part = vector.part(low, size)
        low += size
        if text.happens(0.2, "bits that nothing assigns"):
            continue
        reset = text.one_of("posedge arst", "negedge arst_n", "synchronous reset")
        clocked = f"if ({text.condition()}) {part} <= {text.expression()};"
        lines += process(text, reset, f"{part} <= {text.literal(size)};", clocked)
    return Item([line.replace("always_ff", "always") for line in lines], [vector])


def memory(text: Text, number: int) -> Item:
    """An array with clocked writes, of which some rows may never be written."""
    rng, name = text.random, f"m{number}"
    rows, width = rng.choice((2, 3, 4, 5, 8, 11, 16)), text.width()
    bounds = text.one_of("rows up", "rows down", "rows by count", "first row not 0")
    declared = {
        "rows up": f"[0:{rows - 1}]", "rows down": f"[{rows - 1}:0]", "rows by count": f"[{rows}]",
        "first row not 0": f"[1:{rows - 1}]",
    }[bounds]  # fmt: skip
    lines = [f"logic [{width - 1}:0] {name} {declared};"]
    if text.happens(0.2, "initial block"):
        lines.append(
            f"initial for (int k = 1; k < {rows}; k++) "
            f"{name}[k] = {width}'(k * {rng.randint(1, 99)});"
        )
    writes = []
    for _ in range(rng.randint(1, 3)):
        kind = text.one_of("write a row", "write a variable row", "write a masked row")
        row = str(rng.randrange(1, rows)) if kind == "write a row" else text.index(rows)
        part = "" if kind != "write a masked row" or width < 2 else f"[{width - 1}:{width // 2}]"
        writes.append(f"if ({text.condition()}) {name}[{row}]{part} <= {text.expression()};")
    reset = text.one_of("no reset", "no reset", "posedge arst", "synchronous reset")
    rest = f"for (int k = 1; k < {rows}; k++) {name}[k] <= {width}'(k);"
    lines += process(text, reset, rest, f"begin {' '.join(writes)} end")
    return Item(lines, arrays=[(name, rows, width)])


def partial_array(text: Text, number: int) -> Item:
    """An array of variables of which some elements have a value."""
    name, rows = f"a{number}", text.random.randint(2, 6)
    width = text.width()
    lines = [f"logic [{width - 1}:0] {name} [0:{rows - 1}];"]
    for row in range(rows):
        if text.happens(0.25, "elements that nothing assigns"):
            continue
        kind = text.one_of("element assigned", "element computed", "element clocked")
        value = text.expression()
        lines.append(
            {
                "element assigned": f"assign {name}[{row}] = {value};",
                "element computed": f"always_comb {name}[{row}] = {value};",
                "element clocked": f"always_ff @(posedge clock) {name}[{row}] <= {value};",
            }[kind]
        )
    return Item(lines, arrays=[(name, rows, width)])


def function(text: Text, number: int) -> Item:
    """An automatic function with a loop, locals and returns."""
    name, saved = f"f{number}", (text.vectors, text.inputs, text.arrays, text.functions)
    arguments = [text.vector(f"x0_{number}", text.random.randint(1, UNKNOWN_BITS))]
    arguments += [text.vector(f"x{k}_{number}") for k in range(1, text.random.randint(1, 3))]
    result = text.vector(name)
    local = text.vector(f"y{number}", 7)
    text.vectors, text.inputs, text.arrays, text.functions = arguments, arguments[:1], [], []
    body = [f"logic {local.shape}{local.name};", f"{local.name} = {text.expression(2)};"]
    text.vectors = [*arguments, local]
    if text.happens(0.3, "variable with its value"):
        body[:2] = [f"automatic logic {local.shape}{local.name} = {body[1].partition(' = ')[2]}"]
    body.append(Statements(text, local, "=").statement())
    if text.happens(0.4, "early return"):
        body.append(f"if ({text.condition()}) return {text.expression(2)};")
    last = text.one_of("return", "assign to the function's name")
    value = text.expression()
    body.append(f"return {value};" if last == "return" else f"{name} = {value};")
    text.vectors, text.inputs, text.arrays, text.functions = saved
    heads = ", ".join(f"input logic {one.shape}{one.name}" for one in arguments)
    head = f"function automatic logic {result.shape}{name}({heads});"
    return Item([head, *body, "endfunction"], functions=[(name, len(arguments))])


def generate(text: Text, number: int) -> Item:
    """Generate blocks, chosen by a parameter or repeated."""
    vector = Vector(f"g{number}", text.random.randint(2, 9) - 1, 0)
    kind = text.one_of(
        "generate if",
        "generate case",
        "generate for",
        "generate for of registers",
        "reversed select",
    )
    lines, width = [f"logic {vector.shape}{vector.name};"], vector.width
    if kind == "generate if":
        lines += [f"if (P0 > {text.random.randint(0, 7)}) begin : yes{number}"]
        lines += [f"assign {vector.name} = {text.expression()};", f"end else begin : no{number}"]
        reset = text.one_of("posedge arst", "negedge arst_n")
        clocked = f"{vector.name} <= {text.expression()};"
        lines += process(text, reset, f"{vector.name} <= {text.literal(width)};", clocked)
        lines.append("end")
    elif kind == "reversed select":
        lines += [f"if (P0 > 7) begin : yes{number}", f"assign {vector.name} = a[P0 - 8:14];"]
        lines += [f"end else begin : no{number}", f"assign {vector.name} = {text.expression()};"]
        lines.append("end")
    elif kind == "generate case":
        lines.append("case (P0)")
        for case in (0, 1, 5):
            lines.append(f"{case}: assign {vector.name} = {text.expression()};")
        lines += [f"default: always_comb {vector.name} = {text.expression()};", "endcase"]
    else:
        lines.append(f"for (genvar n = 0; n < {width}; n++) begin : each{number}")
        value = f"{text.condition()} ^ ((n & {text.random.randint(1, 7)}) == 1)"
        if kind == "generate for":
            lines += [f"logic inner; assign inner = {value};", f"assign {vector.name}[n] = inner;"]
        else:
            reset = text.one_of("posedge arst", "negedge arst_n", "synchronous reset", "no reset")
            on_reset = f"{vector.name}[n] <= n & 1;"
            clocked = f"if (n != {text.random.randrange(width)}) {vector.name}[n] <= {value};"
            lines += process(text, reset, on_reset, clocked)
        lines.append("end")
    return Item(lines, [vector])


def machine(text: Text, number: int) -> Item:
    """An enumeration and a register that goes through its states."""
    states = [f"S{number}_{k}" for k in range(text.random.randint(2, 5))]
    name, following = f"q{number}", f"n{number}"
    kind = f"state{number}_t"
    lines = [
        f"typedef enum logic [2:0] {{{', '.join(states)}}} {kind};",
        f"{kind} {name}, {following};",
    ]
    lines += ["always_comb begin", f"{following} = {name};"]
    lines.append(f"{text.one_of('case', 'unique case', 'priority case')} ({name})")
    for state in states[: text.random.randint(1, len(states))]:
        lines.append(
            f"{state}: if ({text.condition()}) {following} = {text.random.choice(states)};"
        )
    lines += ["default: ;" if text.happens(0.6, "default") else "", "endcase"]
    if text.happens(0.3, "step of an enumeration"):
        step = text.random.choice(("next()", "prev()", "next(2)"))
        lines.append(f"if ({text.condition()}) {following} = {name}.{step};")
    lines.append("end")
    reset = text.one_of("posedge arst", "negedge arst_n", "synchronous reset")
    lines += process(text, reset, f"{name} <= {states[-1]};", f"{name} <= {following};")
    shown = Vector(f"o{number}", 2, 0)
    return Item([*lines, f"logic [2:0] {shown.name}; assign {shown.name} = {name};"], [shown])


def structure(text: Text, number: int) -> Item:
    """A packed structure, as a register or a variable, and its members."""
    name, kind = f"t{number}", f"pair{number}_t"
    first, second = text.width(), text.width()
    sort = text.one_of("packed struct", "packed union of equals", "packed array")
    if sort == "packed array":
        rows = text.random.randint(2, 4)
        lines = [f"logic [{rows - 1}:0][{first - 1}:0] {name};"]
        parts = [f"{name}[{row}]" for row in range(rows)]
        width = rows * first
    elif sort == "packed struct":
        members = f"logic [{first - 1}:0] one; logic [{second - 1}:0] two;"
        lines = [f"typedef struct packed {{{members}}} {kind};"]
        lines.append(f"{kind} {name};")
        parts, width = [f"{name}.one", f"{name}.two"], first + second
    else:
        members = f"logic [{first - 1}:0] one; logic [0:{first - 1}] two;"
        lines = [f"typedef union packed {{{members}}} {kind};"]
        lines.append(f"{kind} {name};")
        parts, width = [f"{name}.one"], first
    values = [f"{part} <= {text.expression()};" for part in parts]
    if text.happens(0.4, "members computed"):
        lines.append(f"always_comb begin {' '.join(values).replace('<=', '=', 0)} end")
        lines[-1] = f"always_comb begin {' '.join(v.replace('<=', '=', 1) for v in values)} end"
    else:
        reset = text.one_of("posedge arst", "negedge arst_n", "synchronous reset", "no reset")
        if text.happens(0.4, "assignment pattern") and sort == "packed struct":
            on_reset = f"{name} <= '{{one: {text.literal(first)}, two: '0}};"
        else:
            on_reset = f"{name} <= {text.literal(width)};"
        lines += process(text, reset, on_reset, f"begin {' '.join(values)} end")
    shown = Vector(f"u{number}", width - 1, 0)
    return Item(
        [*lines, f"logic {shown.shape}{shown.name}; assign {shown.name} = {name};"], [shown]
    )


def instance(text: Text, number: int) -> Item:
    """A module of its own with parameters, instantiated, perhaps with a port left open."""
    name, width = f"child{number}", text.random.randint(1, 20)
    outer = text.vectors, text.inputs, text.arrays, text.functions, text.constants
    text.inputs = [Vector("n", UNKNOWN_BITS - 1, 0)]
    text.vectors = [Vector("p", width - 1, 0), Vector("q", 4, 0, True), *text.inputs]
    text.arrays, text.functions, text.constants = [], [], ["K"]
    inner, other = text.expression(), text.expression()
    clocked = text.expression()
    reset = text.one_of("posedge arst", "negedge arst_n", "synchronous reset", "no reset")
    lines = process(text, reset, "held <= K;", f"if (K != 3) held <= {clocked};")
    text.vectors, text.inputs, text.arrays, text.functions, text.constants = outer
    ports = "input logic clock, arst, arst_n, srst, input logic [W-1:0] p"
    ports += f", input logic signed [4:0] q, input logic [{UNKNOWN_BITS - 1}:0] n"
    outside = [
        f'module {name}_SEED #(parameter W = 4, parameter K = 2, parameter M = "no") ({ports},'
    ]
    outside += [
        "output logic [W-1:0] y, output logic [7:0] held);",
        f'assign y = M == "yes" ? {inner} : {other};',
    ]
    outside += [*lines, "endmodule"]
    shown = [Vector(f"y{number}", width - 1, 0), Vector(f"h{number}", 7, 0)]
    mode = ', .M("yes")' if text.happens(0.3, "text as a parameter") else ""
    own = f"\\i[{number}]/x " if text.happens(0.2, "escaped name of an instance") else f"i{number}"
    open_port = text.happens(0.2, "input left open")
    second = "" if open_port else f", .q({text.varying()})"
    return Item(
        [
            *(_declare(one) for one in shown),
            f"{name}_SEED #(.W({width}), .K({text.random.randint(1, 5)}){mode}) {own} (.clock, "
            f".arst, .arst_n, .srst, .p({text.varying()}){second}, .n({text.unknown()}), "
            f".y({shown[0].name}), .held({shown[1].name}));",
        ],
        shown,
        outside=outside,
    )


def latch(text: Text, number: int) -> Item:
    """A latch that an input opens."""
    vector = text.vector(f"z{number}")
    enable = text.random.choice(("e", "i[0]", "i[1]"))
    head = text.one_of("always_latch", "always @* of a latch").partition(" of")[0]
    saved = text.vectors, text.inputs, text.arrays
    text.vectors = text.inputs = [one for one in text.inputs if one.name in ("a", "b", "c", "i")]
    text.arrays = []
    value = text.expression()
    text.vectors, text.inputs, text.arrays = saved
    return Item([_declare(vector), f"{head} if ({enable}) {vector.name} = {value};"], [vector])


def parameter(text: Text, number: int) -> Item:
    """A local parameter."""
    name = f"L{number}"
    value = text.random.choice((text.literal(), f"P0 + {number}", "P0 * 3 - 1", "$bits(a) + P0"))
    kind = text.one_of("untyped parameter", "typed parameter")
    shape = f"logic signed [{text.random.randint(3, 20)}:0] " if kind == "typed parameter" else ""
    return Item([f"localparam {shape}{name} = {value};"], constants=[name])


ITEMS: tuple[Callable[[Text, int], Item], ...] = (
    wired, assign, assign, combinational, combinational, register, register, register,
    partial_registers, memory, partial_array, function, generate, machine, structure,
    instance, latch, parameter,
)  # fmt: skip
