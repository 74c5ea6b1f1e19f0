# SPDX-License-Identifier: BSD-3-Clause
"""Registers as gdb knows them: numbers, names and the description in XML."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

PC, FIRST_FLOAT, FIRST_CSR, PRIVILEGE = 32, 33, 65, 4161
_ABI = (
    *("zero ra sp gp tp t0 t1 t2 fp s1 a0 a1 a2 a3 a4 a5 a6 a7".split()),
    *("s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()),
)
_FLOAT_ABI = (
    *(f"ft{i}" for i in range(8)),
    *("fs0 fs1".split()),
    *(f"fa{i}" for i in range(8)),
    *(f"fs{i}" for i in range(2, 12)),
    *(f"ft{i}" for i in range(8, 12)),
)
CSRS: Mapping[str, int] = {
    **{"fflags": 0x001, "frm": 0x002, "fcsr": 0x003},
    **{"sstatus": 0x100, "sie": 0x104, "stvec": 0x105, "scounteren": 0x106, "sscratch": 0x140},
    **{"sepc": 0x141, "scause": 0x142, "stval": 0x143, "sip": 0x144, "satp": 0x180},
    **{"mstatus": 0x300, "misa": 0x301, "medeleg": 0x302, "mideleg": 0x303, "mie": 0x304},
    **{"mtvec": 0x305, "mcounteren": 0x306, "mscratch": 0x340, "mepc": 0x341, "mcause": 0x342},
    **{"mtval": 0x343, "mip": 0x344, "pmpcfg0": 0x3A0},
    **{f"pmpaddr{i}": 0x3B0 + i for i in range(8)},
    **{"mcycle": 0xB00, "minstret": 0xB02, "mhartid": 0xF14},
}
"""Numbers of the privileged manual."""


@dataclass(frozen=True)
class Register:
    """A register of gdb; `name` is ours, `shown` gdb's."""

    name: str
    shown: str
    number: int
    group: str


def _every() -> list[Register]:
    return [
        *(Register(f"x{i}", _ABI[i], i, "cpu") for i in range(32)),
        Register("pc", "pc", PC, "cpu"),
        *(Register(f"f{i}", _FLOAT_ABI[i], FIRST_FLOAT + i, "fpu") for i in range(32)),
        *(
            Register(name, name, FIRST_CSR + number, "fpu" if number <= 3 else "csr")
            for name, number in CSRS.items()
        ),
        Register("priv", "priv", PRIVILEGE, "virtual"),
    ]


def every() -> list[str]:
    """Return the names of all registers that a hart can have."""
    return [one.name for one in _every()]


def known(names: Collection[str]) -> list[Register]:
    """Return gdb's registers in order of number, as far as a hart has them.

    All of the integer and floating-point registers: gdb refuses programs with floating point on a
    target without. What is not known is unavailable.
    """
    return [one for one in _every() if one.group in ("cpu", "fpu") or one.name in names]


def description(registers: Collection[Register]) -> str:
    """Return the target description: docs of gdb, "RISC-V Features"."""
    lines = ['<?xml version="1.0"?>', '<!DOCTYPE target SYSTEM "gdb-target.dtd">', "<target>"]
    lines.append("<architecture>riscv:rv64</architecture>")
    for group in ("cpu", "fpu", "csr", "virtual"):
        members = [one for one in registers if one.group == group]
        if not members:
            continue
        lines.append(f'<feature name="org.gnu.gdb.riscv.{group}">')
        lines += [f"<reg {_attributes(one)}/>" for one in members]
        lines.append("</feature>")
    return "\n".join([*lines, "</target>", ""])


def _attributes(one: Register) -> str:
    kind = {"fpu": "ieee_double", "cpu": "int64"}.get(one.group, "uint64")
    if one.name == "pc":
        kind = "code_ptr"
    if one.group == "fpu" and one.name in CSRS:
        kind = "int"
    return f'name="{one.shown}" bitsize="{bits(one)}" type="{kind}" regnum="{one.number}"'


def bits(one: Register) -> int:
    """Return how wide gdb takes a register to be."""
    return 32 if one.group == "fpu" and one.name in CSRS else 64


def as_hex(one: Register, values: Mapping[str, int]) -> str:
    """Return the value of a register as gdb wants it; x's where it is not known."""
    count = bits(one) // 8
    if one.name not in values:
        return "xx" * count
    return (values[one.name] & (1 << 8 * count) - 1).to_bytes(count, "little").hex()
