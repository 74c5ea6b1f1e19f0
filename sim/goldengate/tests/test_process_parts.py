# SPDX-License-Identifier: BSD-3-Clause
"""Large `always` blocks, which are divided into parts, take the values that the text says."""

import random
from pathlib import Path

import goldengate
from goldengate.harness import Model
from goldengate.process_parts import LARGE, VARIABLES, divided
from goldengate.tests.designs import seed, write

REGISTERS = LARGE + 40
BITS = 2
PORTS = f"input clock, input reset, input [15:0] x, output [{REGISTERS * BITS - 1}:0] y"

Statement = tuple[int, int, int | None] | tuple[int, list["Statement"], list["Statement"]]
"""(register, bits of x from here, which of its bits or None for all) or (bit of x, then, else)."""


def _block(random_: random.Random, depth: int) -> list[Statement]:
    found: list[Statement] = []
    for _ in range(random_.randrange(1, 7)):
        if depth and random_.random() < 0.5:
            then, otherwise = _block(random_, depth - 1), _block(random_, depth - 1)
            found.append((random_.randrange(16), then, otherwise))
        else:
            part = random_.choice([None, *range(BITS)])
            found.append((random_.randrange(REGISTERS), random_.randrange(15), part))
    return found


def _text(block: list[Statement]) -> str:
    lines = []
    for one in block:
        if isinstance(one[1], list):
            assert isinstance(one[2], list)
            lines.append(f"if (x[{one[0]}]) begin {_text(one[1])} end")
            lines.append(f"else begin {_text(one[2])} end")
        elif one[2] is None:
            lines.append(f"r{one[0]} <= x[{one[1]} +: {BITS}];")
        else:
            lines.append(f"r{one[0]}[{one[2]}] <= x[{one[1]}];")
    return "\n".join(lines)


def _run(block: list[Statement], x: int, registers: list[int]) -> None:
    for one in block:
        if isinstance(one[1], list):
            side = one[1] if x >> one[0] & 1 else one[2]
            assert isinstance(side, list)
            _run(side, x, registers)
        elif one[2] is None:
            registers[one[0]] = x >> one[1] & (1 << BITS) - 1
        else:
            assert isinstance(one[2], int)
            kept = registers[one[0]] & ~(1 << one[2])
            registers[one[0]] = kept | (x >> one[1] & 1) << one[2]


def test_registers_of_a_large_block_take_what_the_text_says(tmp_path: Path) -> None:
    random_ = random.Random(seed())
    block = [one for _ in range(50) for one in _block(random_, 2)]
    names = [f"r{number}" for number in range(REGISTERS)]
    body = f"reg [{BITS - 1}:0] {', '.join(f'{name} = 0' for name in names)};\n"
    body += f"always @(posedge clock) begin\n{_text(block)}\nend\n"
    body += f"assign y = {{{', '.join(reversed(names))}}};"
    source = write(tmp_path, f"module Top({PORTS});\n{body}\nendmodule\n")
    model = goldengate.compile([source], "Top", tmp_path / "model")
    registers = [0] * REGISTERS
    with Model(model / "model.so") as instance:
        for _ in range(200):
            expected = sum(value << BITS * number for number, value in enumerate(registers))
            x = random_.getrandbits(16)
            assert instance.step({"x": x})["y"] == expected
            _run(block, x, registers)


def test_a_part_has_its_variables_and_the_branches_around_them_alone() -> None:
    many = [f"assign \\v{number} \\x\n" for number in range(LARGE + 1)]
    other = many[-1].replace("\\x", "1'1")
    switch = ["switch \\s\n", "case 1'0\n", *many[:-1], "case 1'1\n", other, "case \n", "end\n"]
    event = ["sync always\n", "update \\r \\v0\n", "end\n"]
    text = list(divided("process $p\n", [*many, *switch, *event]))
    parts = [number for number, line in enumerate(text) if line.startswith("process")]
    count = LARGE // VARIABLES
    heads = [text[number] for number in parts]
    assert heads == ["process $p\n", *(f"process $p$part{one}\n" for one in range(1, count + 1))]
    first = [*many[:VARIABLES], *switch[:2], *many[:VARIABLES], "end\n", *event]
    assert text[1 : parts[1]] == first
    assert text[parts[-1] + 1 :] == [many[-1], *switch[:2], "case 1'1\n", other, "end\n", "end\n"]


def test_variables_that_one_line_assigns_are_in_one_part() -> None:
    many = [f"assign \\v{number} \\x\n" for number in range(2 * LARGE)]
    both = f"assign {{ \\v0 [3:2] \\v{2 * LARGE - 1} }} \\y\n"
    text = list(divided("process $p\n", [*many, both, "end\n"]))
    assert text[1] == many[0]
    assert text.index(many[-1]) < text.index("end\n")
