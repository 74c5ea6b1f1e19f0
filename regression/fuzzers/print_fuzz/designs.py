# SPDX-License-Identifier: BSD-3-Clause
"""Random designs that print: formats of every kind, with arguments of every type, in many scopes.

Every print begins with a number of its own, since simulators may order the prints of a cycle
differently. Two things that Verilator prints otherwise than the standard says are not generated: a
`-` holds for all later items of its format, and a zero byte ends the text.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

STATE_BITS = 192
_WIDE = "{24{8'h40}}"
"""Makes every byte of a text a character that is no zero and no end of a line."""
_TASKS = ("$display", "$display", "$display", "$write", "$fdisplay", "$fwrite", "$displayh",
          "$displayb", "$displayo", "$writeh")  # fmt: skip


@dataclass(frozen=True)
class Argument:
    """An argument and the letters of the items that print it; none of what needs no item."""

    text: str
    letters: str


class Printer:
    """Makes the statements of one module by a seed."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.registers: list[str] = []
        """What is printed is held by registers: Verilator may print more bits than a wire has."""

    def _register(self, value: str, width: int, signed: bool) -> str:
        name = f"v{len(self.registers)}"
        sign = "signed " if signed else ""
        self.registers.append(
            f"  logic {sign}[{width - 1}:0] {name}; always @(posedge clock) {name} <= {value};"
        )
        return name

    def _slice(self, widths: tuple[int, ...]) -> str:
        width = self._chance.choice(widths)
        low = self._chance.randrange(STATE_BITS - width + 1)
        return f"s[{low} +: {width}]"

    def _number(self) -> Argument:
        chance = self._chance
        widths = (1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 32, 33, 63, 64)
        width = chance.choice(widths)
        value = self._register(self._slice((width,)), width, chance.random() < 0.5)
        form = chance.randrange(6)
        if form == 0:
            value = f"{value} + {self._register(self._slice((8,)), 8, False)}"
        elif form == 1:
            value = chance.choice(
                ("W", "8'd200", "-5", "32'hdead_beef", "16'sd77", "minus", "sum(s[7:0])")
            )
        return Argument(value, "ddddhxobtpefgv")

    def _wide(self) -> Argument:
        width = self._chance.choice((65, 70, 96, 100, 128, 150))
        value = self._register(self._slice((width,)), width, self._chance.random() < 0.5)
        return Argument(value, "dhobp")

    def _text(self) -> Argument:
        chance = self._chance
        width = chance.choice((8, 16, 32, 40, 64, 96))
        letters = "ssssc" + ("u" if width % 32 == 0 else "")
        value = f"{width}'({_WIDE}) | {self._slice((width,))}"
        return Argument(self._register(value, width, False), letters)

    def _literal(self) -> Argument:
        words = ("lit", "a", "x y", "hello, world")
        return Argument(f'"{self._chance.choice(words)}"', "sssdhoc")

    def _other(self) -> Argument:
        chance = self._chance
        return chance.choice(
            (
                Argument("NAME", "ssp"),
                Argument("PACKED", "sdhp"),
                Argument("state.name()", "s"),
                Argument("state", "dhp"),
                Argument("pair", "dhbp"),
                Argument("matrix", "dhbp"),
                Argument('s[3] ? "odd" : "even"', "s"),
                Argument('{"con", "cat"}', "sdh"),
            )
        )

    def _argument(self) -> Argument:
        kinds = (self._number, self._number, self._number, self._wide, self._text, self._literal)
        return self._chance.choice((*kinds, self._other, self._other))()

    def _item(self, argument: Argument, last: bool) -> str:
        chance = self._chance
        letter = chance.choice(argument.letters)
        width = chance.choice(("", "", "0", "1", "4", "12", "30"))
        if letter in "cuv":
            width = ""
        if letter == "p":
            width = chance.choice(("", "0"))
        if letter in "efg":
            width = chance.choice(("", "12", "0.3", "14.2", ".1"))
        if letter == "d" and chance.random() < 0.2:
            width = "08"
        left = "-" if last and letter in "dhobsx" and width not in ("0", "08") else ""
        left = left if chance.random() < 0.5 else ""
        return f"%{left}{width}{letter.upper() if chance.random() < 0.1 else letter}"

    def statement(self, number: int) -> str:
        """Return a call that begins its text with `#number `."""
        chance = self._chance
        task = chance.choice(_TASKS)
        words, arguments = [f"#{number} "], []
        count = chance.randrange(6)
        for at in range(count):
            argument = self._argument()
            words.append(chance.choice(("", " ", "[", "%m ", "%%", "|", "\\t", "text ", "]")))
            words.append(self._item(argument, at == count - 1))
            arguments.append(argument.text)
        if "-" not in words[-1]:
            words.append(chance.choice(("", ".", " end", " %m")))
        given = [f'"{"".join(words)}"', *arguments]
        more = 0 if "%-" in given[0] else chance.choice((0, 0, 0, 1, 2))
        for _ in range(more):
            given.append(
                chance.choice((self._number, self._wide, self._literal, self._other))().text
            )
        if more and chance.random() < 0.2:
            given.append('"", ' + self._number().text)
        if "write" in task:
            given.append('"\\n"')
        if task[1] == "f":
            given.insert(0, "32'h8000_0001")
        return f"{task}({', '.join(given)});"


_HEAD = """\
package kinds;
  typedef enum logic [1:0] {IDLE, BUSY = 2, DONE} state_t;
  typedef struct packed {logic [2:0] high; logic signed [4:0] low;} pair_t;
endpackage
"""
_MODULE = """\
module @NAME@ #(parameter string NAME = "none", parameter W = 5)
    (input clock, input reset, input [@BITS@ - 1:0] s, input [7:0] turn);
  localparam PACKED = "packed";
  localparam signed [6:0] minus = -3;
  kinds::state_t state;
  kinds::pair_t pair;
  logic [1:0][3:0] matrix;
  always @(posedge clock) state <= kinds::state_t'(s[1:0]);
  always @(posedge clock) pair <= s[20:13];
  always @(posedge clock) matrix <= s[30:23];
  function automatic [9:0] sum(input [7:0] a); sum = a + W; endfunction
@BODY@
endmodule
"""
_TOP = """\
module Top(input clock, input reset, output [7:0] y);
  logic [@BITS@ - 1:0] s; logic [7:0] turn;
  always @(posedge clock)
    if (reset) begin s <= @SEED@; turn <= 0; end
    else begin
      s <= {s[@BITS@ - 2:0], s[191] ^ s[189] ^ s[178] ^ s[104]} ^ {s[9:0], 170'd0};
      turn <= turn + 1;
    end
  assign y = s[7:0];
@INSTANCES@
endmodule
"""


def _body(chance: random.Random, first: int, count: int) -> str:
    printer, lines = Printer(chance), []
    for number in range(first, first + count):
        print_ = f"if (!reset && turn[3:0] == {number % 16}) {printer.statement(number)}"
        form = chance.randrange(4)
        if form == 0:
            print_ = f"begin : block_{number} {print_} end"
        line = f"  always @(posedge clock) {print_}"
        if form == 1:
            line = f"  for (genvar i = 0; i < 2; i++) begin : loop_{number}\n  {line}\n  end"
        elif form == 2:
            line = f"  if (W > 0) begin : branch_{number}\n  {line}\n  end"
        lines.append(line)
    return "\n".join([*printer.registers, *lines])


def design(seed: int, prints: int) -> str:
    """Return a design, whose top is `Top`, with this many calls in its text."""
    chance = random.Random(seed)
    modules, half = [], prints // 2
    for name, first in (("First", 0), ("Second", half)):
        text = _MODULE.replace("@NAME@", name).replace("@BODY@", _body(chance, first, half))
        modules.append(text)
    instances = (
        "  First one(.clock, .reset, .s, .turn);\n"
        '  Second #("two", 9) two(.clock, .reset, .s, .turn);\n'
        "  for (genvar g = 0; g < 2; g++) begin : many\n"
        '    First #(g == 0 ? "even" : "odd", 3 + g) inner(.clock, .reset, .s, .turn);\n  end'
    )
    seed_text = f"{STATE_BITS}'h{chance.getrandbits(STATE_BITS) | 1:x}"
    top = _TOP.replace("@SEED@", seed_text).replace("@INSTANCES@", instances)
    return "".join([_HEAD, *modules, top]).replace("@BITS@", str(STATE_BITS))
