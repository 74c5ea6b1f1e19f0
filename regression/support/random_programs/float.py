# SPDX-License-Identifier: BSD-3-Clause
"""Floating-point pieces: single and double, every rounding mode, flags, NaN boxes."""

from __future__ import annotations

from regression.support.random_programs.base import Base

Lines = list[str]

ROUNDING = ("rne", "rtz", "rdn", "rup", "rmm", "dyn")
DOUBLES = (
    *(0x0, 1 << 63, 0x7FF0 << 48, 0xFFF0 << 48, 0x7FF8 << 48, 0x7FF4 << 48, 0x3FF0 << 48),
    *(0x1, 0xFFFFFFFFFFFFF, 0x10000000000000, 0x7FEFFFFFFFFFFFFF, 0xBFF0000000000001),
    *(0x43E0000000000000, 0xC3E0000000000000, 0x41DFFFFFFFC00000, 0x3FDFFFFFFFFFFFFF),
)
SINGLES = (
    *(0x0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7FA00000, 0x3F800000, 0x1),
    *(0x7FFFFF, 0x800000, 0x7F7FFFFF, 0xBF800001, 0x4F000000, 0x5F000000, 0x3EFFFFFF),
)
BOX = 0xFFFFFFFF << 32


class FloatPieces(Base):
    """Pieces for the floating-point unit."""

    def float_bits(self) -> int:
        """Return bits for a register: doubles, boxed singles, and singles boxed wrongly."""
        kind = self.rng.random()
        if kind < 0.2:
            return self.rng.choice(DOUBLES)
        if kind < 0.4:
            return BOX | self.rng.choice(SINGLES)
        exponent = self.rng.randint(-40, 40)
        if kind < 0.65:
            fraction = self.rng.getrandbits(52)
            return self.rng.getrandbits(1) << 63 | (1023 + exponent) << 52 | fraction
        if kind < 0.9:
            single = self.rng.getrandbits(1) << 31 | (127 + exponent) << 23
            return BOX | single | self.rng.getrandbits(23)
        return self.rng.getrandbits(64)

    def freg(self) -> str:
        """Return a floating-point register."""
        return f"f{self.rng.randint(0, 31)}"

    def rounding(self) -> str:
        """Return a rounding mode, more often the dynamic one."""
        return "dyn" if self.rng.random() < 0.4 else self.rng.choice(ROUNDING)

    def floating(self) -> Lines:
        """Return a random floating-point piece."""
        makers = (
            *[self._two] * 8,
            *[self._fused] * 4,
            *[self._one] * 2,
            *[self._convert] * 6,
            *[self._compare] * 3,
            *[self._move] * 3,
            *[self._float_memory] * 5,
            *[self._flags] * 3,
            *[self._refresh] * 5,
        )
        lines = self.rng.choice(makers)()
        result = lines[-1].split()[1].rstrip(",")
        if (
            result[0] == "f"
            and lines[-1].split()[0] not in ("fsw", "fsd")
            and self.rng.random() < 0.4
        ):
            lines += self._keep(result)
        return lines

    def _keep(self, result: str) -> Lines:
        """Fold a result and the flags into the signature, so that it cannot be lost unseen."""
        offset = 8 * self.rng.randint(0, 255)
        total, value, flags = self.rng.sample(self.FREE, 3)
        return [
            f"  ld {total}, {offset}(gp)",
            f"  fmv.x.d {value}, {result}",
            f"  frflags {flags}",
            f"  add {total}, {total}, {value}",
            f"  add {total}, {total}, {flags}",
            f"  sd {total}, {offset}(gp)",
        ]

    def _size(self) -> str:
        return self.rng.choice("sd")

    def _two(self) -> Lines:
        s, operands = self._size(), f"{self.freg()}, {self.freg()}, {self.freg()}"
        if self.rng.random() < 0.6:
            op = self.rng.choice(("fadd", "fsub", "fmul", "fdiv"))
            return [f"  {op}.{s} {operands}, {self.rounding()}"]
        op = self.rng.choice(("fsgnj", "fsgnjn", "fsgnjx", "fmin", "fmax"))
        return [f"  {op}.{s} {operands}"]

    def _fused(self) -> Lines:
        op = self.rng.choice(("fmadd", "fmsub", "fnmsub", "fnmadd"))
        registers = ", ".join(self.freg() for _ in range(4))
        return [f"  {op}.{self._size()} {registers}, {self.rounding()}"]

    def _one(self) -> Lines:
        return [f"  fsqrt.{self._size()} {self.freg()}, {self.freg()}, {self.rounding()}"]

    def _convert(self) -> Lines:
        s, integer = self._size(), self.rng.choice(("w", "wu", "l", "lu"))
        kind = self.rng.random()
        if kind < 0.4:
            return [f"  fcvt.{integer}.{s} {self.reg()}, {self.freg()}, {self.rounding()}"]
        if kind < 0.8:
            exact = s == "d" and integer in ("w", "wu")
            mode = "" if exact else f", {self.rounding()}"
            return [f"  fcvt.{s}.{integer} {self.freg()}, {self.reg()}{mode}"]
        if kind < 0.9:
            return [f"  fcvt.d.s {self.freg()}, {self.freg()}"]
        return [f"  fcvt.s.d {self.freg()}, {self.freg()}, {self.rounding()}"]

    def _compare(self) -> Lines:
        s = self._size()
        if self.rng.random() < 0.25:
            return [f"  fclass.{s} {self.reg()}, {self.freg()}"]
        op = self.rng.choice(("feq", "flt", "fle"))
        return [f"  {op}.{s} {self.reg()}, {self.freg()}, {self.freg()}"]

    def _move(self) -> Lines:
        w = self.rng.choice("wd")
        if self.rng.random() < 0.5:
            return [f"  fmv.x.{w} {self.reg()}, {self.freg()}"]
        return [f"  fmv.{w}.x {self.freg()}, {self.reg()}"]

    def _float_memory(self) -> Lines:
        op, size = self.rng.choice((("flw", 4), ("fld", 8), ("fsw", 4), ("fsd", 8)))
        return [f"  {op} {self.freg()}, {self.offset(size)}(sp)"]

    def _flags(self) -> Lines:
        kind = self.rng.random()
        if kind < 0.4:
            return [f"  frflags {self.reg()}"]
        if kind < 0.6:
            return [f"  fsflags {self.reg()}, {self.reg()}"]
        if kind < 0.75:
            return [f"  frcsr {self.reg()}"]
        lines = [f"  fsrmi {self.reg()}, {self.rng.randint(0, 4)}"]
        if kind > 0.95:  # a reserved rounding mode: dynamic rounding is then illegal
            lines = [f"  fsrmi {self.rng.randint(5, 7)}", *self._fused_dynamic(), "  fsrmi 0"]
        return lines

    def _fused_dynamic(self) -> Lines:
        s = self._size()
        return [
            f"  fmadd.{s} {self.freg()}, {self.freg()}, {self.freg()}, {self.freg()}, dyn",
            f"  fadd.{s} {self.freg()}, {self.freg()}, {self.freg()}, rne",
        ]

    def _refresh(self) -> Lines:
        """Bring in new values, so that not everything becomes a NaN."""
        temporary = self.reg()
        return [f"  li {temporary}, {self.float_bits()}", f"  fmv.d.x {self.freg()}, {temporary}"]
