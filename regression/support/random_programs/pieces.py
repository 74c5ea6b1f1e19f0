# SPDX-License-Identifier: BSD-3-Clause
"""Pieces of rtl-oracle's random programs: a few instructions each, for the present mode."""

from __future__ import annotations

from enum import IntEnum

from regression.support.random_programs.float import FloatPieces
from regression.support.random_programs.system import SystemPieces

Lines = list[str]

RR = (
    "add sub sll slt sltu xor srl sra or and addw subw sllw srlw sraw "
    "mul mulh mulhsu mulhu mulw div divu rem remu divw divuw remw remuw"
).split()
RI = "addi slti sltiu xori ori andi addiw".split()
SHIFTS = {"slli": 63, "srli": 63, "srai": 63, "slliw": 31, "srliw": 31, "sraiw": 31}
AMOS = "swap add xor and or min max minu maxu".split()
LOADS = {"lb": 1, "lbu": 1, "lh": 2, "lhu": 2, "lw": 4, "lwu": 4, "ld": 8}
STORES = {"sb": 1, "sh": 2, "sw": 4, "sd": 8}
BRANCHES = "beq bne blt bge bltu bgeu".split()
SPECIAL = (0, 1, -1, 2, -2, 1 << 63, (1 << 63) - 1, 1 << 31, (1 << 31) - 1, -(1 << 31), 1 << 32)


class Mode(IntEnum):
    """Privilege modes, as in mstatus.MPP."""

    U = 0
    S = 1
    M = 3


class Pieces(SystemPieces, FloatPieces):
    """Makes pieces; each may use every free register and keeps the reserved ones (runtime.S)."""

    def initial_registers(self) -> Lines:
        """Give every register a random value."""
        lines = [f"  li {r}, {self.value()}" for r in self.FREE]
        for i in range(32):
            lines += [f"  li t0, {self.float_bits()}", f"  fmv.d.x f{i}, t0"]
        return [*lines, f"  li t0, {self.value()}", "  li a7, 0", "  li t6, 0"]

    def piece(self) -> Lines:
        """Return a random piece for the present mode."""
        usual = (
            *[self.arithmetic] * 30,
            *[self.constant] * 4,
            *[self.memory] * 14,
            *[self.amo] * 5,
            *[self.reservation] * 2,
            *[self.floating] * 30,
            *[self.branch] * 6,
            *[self.loop] * 2,
            *[self.jump] * 3,
            *[self.sign] * 6,
            *[self.patch_code] * 1,
            *[self.trap] * 2,
            *[self.registers_of_mode] * 4,
        )
        lines = self.rng.choice(usual)()
        if self.rng.random() < 0.2:
            return ["  .option push", "  .option norvc", *lines, "  .option pop"]
        return lines

    def simple(self, avoid: str = "") -> str:
        """Return one integer instruction that never writes `avoid`."""
        rd = self.reg(avoid)
        kind = self.rng.random()
        if kind < 0.5:
            return f"  {self.rng.choice(RR)} {rd}, {self.reg()}, {self.reg()}"
        if kind < 0.75:
            source = rd if self.rng.random() < 0.5 else self.reg()
            return f"  {self.rng.choice(RI)} {rd}, {source}, {self.immediate()}"
        if kind < 0.9:
            op = self.rng.choice(list(SHIFTS))
            return f"  {op} {rd}, {self.reg()}, {self.rng.randint(0, SHIFTS[op])}"
        op = self.rng.choice(("lui", "auipc"))
        return f"  {op} {rd}, {self.rng.getrandbits(20)}"

    def arithmetic(self) -> Lines:
        return [self.simple() for _ in range(self.rng.randint(1, 3))]

    def constant(self) -> Lines:
        rd, rs = self.reg(), self.reg()
        lines = [f"  li {rd}, {self.rng.choice(SPECIAL)}"]
        if self.rng.random() < 0.7:
            op = self.rng.choice(RR[15:])
            lines += [f"  li {rs}, {self.rng.choice(SPECIAL)}", f"  {op} {self.reg()}, {rd}, {rs}"]
        return lines

    def memory(self) -> Lines:
        lines = []
        for _ in range(self.rng.randint(1, 3)):
            op = self.rng.choice([*LOADS, *STORES])
            size = (LOADS | STORES)[op]
            lines.append(f"  {op} {self.reg()}, {self.offset(size)}(sp)")
        return lines

    def amo(self) -> Lines:
        size, suffix = self.rng.choice(((4, "w"), (8, "d")))
        order = self.rng.choice(("", ".aq", ".rl", ".aqrl"))
        address = self.reg()
        op = f"amo{self.rng.choice(AMOS)}.{suffix}{order}"
        lines = [f"  addi {address}, sp, {self.offset(size)}"]
        return [*lines, f"  {op} {self.reg()}, {self.reg()}, ({address})"]

    def reservation(self) -> Lines:
        """LR and SC to the same place, to another line, or an SC with nothing reserved."""
        suffix, size = self.rng.choice((("w", 4), ("d", 8)))
        here, there, result = self.rng.sample(self.FREE, 3)
        first = self.offset(size)
        other = first - 128 if first >= 0 else first + 128
        lines = [f"  addi {here}, sp, {first}", f"  addi {there}, sp, {other}", "  .balign 32"]
        kind = self.rng.random()
        target = here if kind < 0.7 else there
        between = [self.simple_safe({here, there}) for _ in range(self.rng.randint(0, 2))]
        return [
            *lines,
            f"  lr.{suffix} {result}, ({here})",
            *between,
            f"  sc.{suffix} {self.reg(result)}, {self.reg()}, ({target})",
            f"  sc.{suffix} {result}, {self.reg()}, ({self.rng.choice(('sp', 'gp'))})",
        ]

    def simple_safe(self, avoid: set[str]) -> str:
        """Return a short integer instruction that writes none of `avoid`."""
        rd = self.rng.choice([r for r in self.FREE if r not in avoid])
        return f"  {self.rng.choice(('add', 'xor', 'sub', 'or'))} {rd}, {self.reg()}, {self.reg()}"

    def branch(self) -> Lines:
        label = self.label()
        op = f"  {self.rng.choice(BRANCHES)} {self.reg()}, {self.reg()}, {label}"
        if self.rng.random() < 0.3:
            op = f"  {self.rng.choice(('beqz', 'bnez'))} {self.reg()}, {label}"
        return [op, *(self.simple() for _ in range(self.rng.randint(1, 4))), f"{label}:"]

    def loop(self) -> Lines:
        label, count = self.label(), self.reg()
        body = [self.simple(count) for _ in range(self.rng.randint(1, 4))]
        times = self.rng.randint(2, 9)
        return [
            f"  li {count}, {times}",
            f"{label}:",
            *body,
            f"  addi {count}, {count}, -1",
            f"  bnez {count}, {label}",
        ]

    def jump(self) -> Lines:
        there, back, link = self.label(), self.label(), self.reg()
        kind = self.rng.random()
        skipped = [self.simple(link) for _ in range(self.rng.randint(1, 3))]
        if kind < 0.3:
            return [f"  jal {link}, {there}", *skipped, f"{there}:"]
        if kind < 0.6:
            odd = self.rng.randint(0, 1)  # bit 0 of the target is ignored
            return [
                f"  la {link}, {there}",
                f"  jalr {self.reg()}, {odd}({link})",
                *skipped,
                f"{there}:",
            ]
        return [
            f"  jal ra, {there}",
            f"  j {back}",
            f"{there}:",
            *(self.simple("ra") for _ in "12"),
            "  ret",
            f"{back}:",
        ]

    def sign(self) -> Lines:
        """Leave a register in the signature, so that a wrong value cannot be overwritten unseen."""
        offset = 8 * self.rng.randint(0, 255)
        if self.rng.random() < 0.3:
            return [f"  fsd f{self.rng.randint(0, 31)}, {offset}(gp)"]
        first, second = self.rng.sample(self.FREE, 2)
        return [
            f"  ld {first}, {offset}(gp)",
            f"  add {first}, {first}, {second}",
            f"  sd {first}, {offset}(gp)",
        ]

    def patch_code(self) -> Lines:
        """Write an instruction, fence.i, run it: addi with an immediate known only then."""
        label = self.label()
        address, word, extra = self.rng.sample(self.FREE, 3)
        target, source = self.number(self.reg()), self.number(self.reg())
        encoding = self.rng.getrandbits(11) << 20 | source << 15 | target << 7 | 0x13
        return [
            f"  la {address}, {label}",
            f"  li {word}, {encoding}",
            f"  andi {extra}, {extra}, 0x7ff",
            f"  slli {extra}, {extra}, 20",
            f"  xor {word}, {word}, {extra}",
            f"  sw {word}, 0({address})",
            "  fence.i",
            "  .option push",
            "  .option rvc",
            "  .balign 4",
            "  .option norvc",
            f"{label}:",
            "  nop",
            "  .option pop",
        ]
