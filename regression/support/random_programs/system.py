# SPDX-License-Identifier: BSD-3-Clause
"""Privileged pieces: modes, traps, CSRs, page tables and interrupts."""

from __future__ import annotations

from regression.support.random_programs.base import Base

Lines = list[str]

ALIAS = 0x4000_0000
LEAVE = 0x5CA1AB1E
TEST_PAGES = 0x4000_0000
DENIED_PAGE = 0x8010_6000
UNMAPPED = 0x2500_0000
CLINT = 0x0200_0000
FETCHED_PAGES = (0, 3, 5)
USER, SUPERVISOR, MACHINE = 0, 1, 3
SV39 = 8 << 60
ROOT_PAGE = 0x8010_0000 >> 12
DELEGABLE_EXCEPTIONS = 0xB15C
"""Illegal, breakpoint, misaligned, user call, page faults: what every core can delegate."""
SUM, MXR, TVM, TW, TSR, MPRV = (1 << bit for bit in (18, 19, 20, 21, 22, 17))

# Writable CSRs of a mode, each with the bits any core has to keep.
ADDRESS_BITS = 0x3FFFFFFFFE
MACHINE_CSRS = {
    "mepc": ADDRESS_BITS, "mcause": 15, "mtval": ADDRESS_BITS, "sepc": ADDRESS_BITS, "scause": 15,
    "stval": ADDRESS_BITS, "mcounteren": 7, "scounteren": 7, "mie": 0xAAA,
}  # fmt: skip
SUPERVISOR_CSRS = {
    "sepc": ADDRESS_BITS, "scause": 15, "stval": ADDRESS_BITS, "scounteren": 7, "sie": 0x222,
}  # fmt: skip
READABLE_M = "mstatus mtvec stvec mip mie medeleg mideleg sstatus sie sip satp mhartid pmpcfg0"
READABLE_S = "sstatus sie sip satp stvec sepc scause stval sscratch"
FORBIDDEN_U = "sstatus satp mstatus mepc sscratch mhartid mie"
FORBIDDEN_S = "mstatus mepc medeleg mscratch mhartid mie"
ILLEGAL = (0x0000000B, 0x0000002B, 0x0000005B, 0x0000007B, 0x0000006B, 0x00007003, 0x0000705B)
"""Custom and reserved encodings of 32 bits; QEMU's log never ends at one of all ones."""


class SystemPieces(Base):
    """Pieces that need to know the present mode, and the changes of mode."""

    mode = MACHINE
    paging = False
    moved = False
    """sp and gp are at the alias of the data, as for user mode with paging."""
    tw = False

    # --- modes ---------------------------------------------------------------------------------

    def enter(self, mode: int, *, paging: bool) -> Lines:
        """Go from M-mode to a mode, with random delegation and status bits."""
        rng = self.rng
        self.mode, self.paging = mode, paging
        satp = SV39 | ROOT_PAGE if paging else 0
        tsr = rng.random() < 0.15
        delegated = 0 if tsr or rng.random() < 0.4 else rng.getrandbits(16) & DELEGABLE_EXCEPTIONS
        interrupts = 0 if tsr else rng.choice((0, 0x222))
        self.tw = rng.random() < 0.3
        bits = sum(bit for bit in (SUM, MXR, TVM) if rng.random() < 0.5)
        bits |= (TW if self.tw else 0) | (TSR if tsr else 0)
        lines = [
            "  csrci mstatus, 8",
            f"  li t0, {satp}",
            "  csrw satp, t0",
            "  sfence.vma",
            f"  li t0, {delegated}",
            "  csrw medeleg, t0",
            f"  li t0, {interrupts}",
            "  csrw mideleg, t0",
            "  csrw mie, zero",
            "  csrw mip, zero",
            f"  li t0, {SUM | MXR | TVM | TW | TSR | 0x1800}",
            "  csrc mstatus, t0",
            f"  li t0, {bits | mode << 11}",
            "  csrs mstatus, t0",
        ]
        self.moved = paging and mode == USER
        if mode == MACHINE:
            return lines
        label = self.label()
        lines += self._pending_before_entry() if rng.random() < 0.3 else []
        lines += [f"  la t0, {label}"]
        if self.moved:
            lines += [
                f"  li t1, {ALIAS}",
                "  add t0, t0, t1",
                "  add sp, sp, t1",
                "  add gp, gp, t1",
            ]
        return [*lines, "  csrw mepc, t0", "  mret", f"{label}:"]

    def leave(self) -> Lines:
        """Go back to M-mode, through the trap handlers."""
        lines = []
        if self.mode != MACHINE:
            lines += [f"  li a7, {LEAVE}", "  ecall"]
        if self.moved:
            lines += [f"  li t0, {ALIAS}", "  sub sp, sp, t0", "  sub gp, gp, t0"]
        self.mode, self.moved = MACHINE, False
        return [
            *lines,
            "  csrci mstatus, 8",
            f"  li a7, {self.rng.randint(0, 99)}",
            f"  li t0, {self.value()}",
            f"  li t1, {self.value()}",
        ]

    def _pending_before_entry(self) -> Lines:
        """A software interrupt for M-mode, to be taken at the first instruction of the new mode."""
        return [f"  li t1, {CLINT}", "  li t0, 1", "  csrsi mie, 8", "  sw t0, 0(t1)", "  wfi"]

    # --- CSRs ----------------------------------------------------------------------------------

    def registers_of_mode(self) -> Lines:
        """Return a CSR piece of the present mode."""
        if self.mode == MACHINE:
            makers = [
                self._write_csr,
                self._read_csr,
                self._interrupt,
                self._page_entry,
                self._software_bit,
                self._as_lower_mode,
                self._float_off,
            ]
        elif self.mode == SUPERVISOR:
            makers = [
                self._write_csr,
                self._read_csr,
                self._fence_pages,
                self._software_bit,
                self._status_bits,
            ]
        else:
            makers = [self._read_csr]
        return self.rng.choice(makers)()

    def _write_csr(self) -> Lines:
        csrs = MACHINE_CSRS if self.mode == MACHINE else SUPERVISOR_CSRS
        name = self.rng.choice(list(csrs))
        op = self.rng.choice(("csrrw", "csrrs", "csrrc"))
        rs = self.reg()
        value = self.value() & csrs[name]
        return [f"  li {rs}, {value}", f"  {op} {self.reg()}, {name}, {rs}"]

    def _read_csr(self) -> Lines:
        names = {MACHINE: READABLE_M, SUPERVISOR: READABLE_S, USER: FORBIDDEN_U}[self.mode]
        return [f"  csrr {self.reg()}, {self.rng.choice(names.split())}"]

    def _status_bits(self) -> Lines:
        op = self.rng.choice(("csrrs", "csrrc"))
        rs = self.reg()
        bits = self.rng.choice((SUM, MXR, SUM | MXR, 0x100, 0x20))
        return [f"  li {rs}, {bits}", f"  {op} {self.reg()}, sstatus, {rs}"]

    def _float_off(self) -> Lines:
        rs = self.reg()
        return [
            f"  li {rs}, 0x6000",
            f"  csrc mstatus, {rs}",
            "  fadd.d f1, f2, f3",
            f"  frflags {self.reg(rs)}",
            f"  li {rs}, 0x6000",
            f"  csrs mstatus, {rs}",
        ]

    # --- interrupts, each taken at an exact instruction ------------------------------------------

    def _software_bit(self) -> Lines:
        """The supervisor software interrupt, set by a CSR and taken at once where it is enabled."""
        if self.mode == MACHINE:
            return [
                "  csrsi mie, 2",
                "  csrsi mip, 2",
                "  csrsi mstatus, 8",
                self._nop(),
                "  csrci mstatus, 8",
                "  csrci mip, 2",
            ]
        return [
            "  csrsi sie, 2",
            "  csrsi sstatus, 2",
            "  csrsi sip, 2",
            self._nop(),
            "  csrci sstatus, 2",
            "  csrci sip, 2",
        ]

    def _nop(self) -> str:
        return f"  addi {self.reg()}, {self.reg()}, {self.rng.randint(-9, 9)}"

    def _interrupt(self) -> Lines:
        """Software and timer interrupts of the CLINT: waited for with interrupts disabled."""
        device, value = self.rng.sample(self.FREE, 2)
        kind = self.rng.random()
        lines = ["  csrci mstatus, 8", "  csrw mie, zero", f"  li {device}, {CLINT}"]
        if kind < 0.6:
            lines += ["  csrsi mie, 8", f"  li {value}, 1", f"  sw {value}, 0({device})"]
        if kind >= 0.4:
            lines += [f"  li {value}, 128", f"  csrs mie, {value}"]
            lines += [f"  li {value}, {CLINT + 0x4000}", f"  sd zero, 0({value})"]
            lines += [f"  ld {value}, 0({value})"]
        # After fence and nops both are pending: the software interrupt is taken first.
        wait = [
            "  fence",
            "  wfi",
            *["  nop"] * 8,
            "  csrsi mstatus, 8",
            self._nop(),
            "  csrci mstatus, 8",
        ]
        return [*lines, *wait, "  csrw mie, zero"]

    # --- page tables -----------------------------------------------------------------------------

    def _fence_pages(self) -> Lines:
        if self.rng.random() < 0.5:
            return ["  sfence.vma"]
        return [f"  li t0, {TEST_PAGES}", "  sfence.vma t0, zero"]

    def _page_entry(self) -> Lines:
        """Change the rights of a test page; pages that are jumped to never become executable."""
        page = self.rng.choice([page for page in range(16) if page not in FETCHED_PAGES])
        flags = self.rng.choice((0xC7, 0xC3, 0xD7, 0xD3, 0xC9, 0xDB, 0))
        table, entry = self.rng.sample(self.FREE, 2)
        fence = [f"  li {entry}, {TEST_PAGES + 4096 * page}", f"  sfence.vma {entry}, zero"]
        return [
            f"  la {table}, oracle_leaves + {8 * page}",
            f"  ld {entry}, 0({table})",
            f"  andi {entry}, {entry}, -256",
            f"  ori {entry}, {entry}, {flags}",
            f"  sd {entry}, 0({table})",
            *(fence if self.rng.random() < 0.5 else ["  sfence.vma"]),
        ]

    def _test_place(self) -> tuple[int, bool]:
        """Return an address under Sv39 whose rights are random, and whether AMOs are decided there.

        What an AMO does where no device answers is up to the platform: not on page 12.
        """
        page = self.rng.randrange(16)
        if self.rng.random() < 0.15:
            return self.rng.choice((TEST_PAGES + 0x20_0000, 0x40_0000_0000, 0x1_0000_0000)), True
        return TEST_PAGES + 4096 * page + 8 * self.rng.randrange(512), page != 12

    def _access(self, address: str, avoid: str = "", *, amo: bool = False) -> str:
        """Return a load, store or AMO at the address in a register; never writes `avoid`."""
        ops = ["ld", "sd", "lw", "sw", "lbu", "sb", "fld", "fsd", *(["amoadd.d"] if amo else [])]
        op = self.rng.choice(ops)
        if op == "amoadd.d":
            return f"  {op} {self.reg(avoid)}, {self.reg()}, ({address})"
        register = f"f{self.rng.randint(0, 31)}" if op[0] == "f" else self.reg(avoid)
        return f"  {op} {register}, 0({address})"

    def _test_access(self) -> Lines:
        """Access a page of random rights, through Sv39."""
        address = self.reg()
        place, amo = self._test_place()
        return [f"  li {address}, {place}", self._access(address, amo=amo)]

    def _denied_place(self) -> int:
        return DENIED_PAGE + 8 * self.rng.randrange(512)

    def _denied(self) -> Lines:
        """Access a page that PMP forbids to S and U."""
        address = self.reg()
        return [f"  li {address}, {self._denied_place()}", self._access(address)]

    def _as_lower_mode(self) -> Lines:
        """One access from M-mode with the rights of S or U (MPRV)."""
        bits, address = self.rng.sample(self.FREE, 2)
        place, amo = self._test_place() if self.paging else (self._denied_place(), False)
        return [
            f"  li {address}, {place}",
            f"  li {bits}, 0x1800",
            f"  csrc mstatus, {bits}",
            f"  li {bits}, {MPRV | self.rng.choice((USER, SUPERVISOR)) << 11}",
            f"  csrs mstatus, {bits}",
            self._access(address, amo=amo),
            f"  li {bits}, {MPRV}",
            f"  csrc mstatus, {bits}",
        ]

    # --- traps -----------------------------------------------------------------------------------

    def trap(self) -> Lines:
        """Return a piece that traps, or may."""
        makers = [
            self._call,
            self._breakpoint,
            self._illegal,
            self._misaligned,
            self._bad_fetch,
            self._bad_access,
            self._denied,
        ]
        if self.paging and self.mode != MACHINE:
            makers += [self._test_access] * 6
        return self.rng.choice(makers)()

    def _call(self) -> Lines:
        return ["  ecall"]

    def _breakpoint(self) -> Lines:
        return [self.rng.choice(("  ebreak", "  .half 0x9002"))]

    def _illegal(self) -> Lines:
        if self.mode != MACHINE and self.rng.random() < 0.5:
            names = FORBIDDEN_U if self.mode == USER else FORBIDDEN_S
            return [f"  csrr {self.reg()}, {self.rng.choice(names.split())}"]
        if self.mode == SUPERVISOR and self.tw and self.rng.random() < 0.5:
            return ["  wfi"]
        choices = [
            f"  .word 0x{self.rng.choice(ILLEGAL):x}",
            "  .half 0",
            f"  csrw mhartid, {self.reg()}",
        ]
        if self.mode == USER:
            choices += ["  sret", "  mret", "  sfence.vma"]
        if self.mode == SUPERVISOR:
            choices += ["  mret"]
        return [self.rng.choice(choices)]

    def _misaligned(self) -> Lines:
        """A misaligned AMO, which no core may do."""
        address = self.reg()
        size, suffix = self.rng.choice(((4, "w"), (8, "d")))
        offset = self.offset(size) + self.rng.randint(1, size - 1)
        op = f"amo{self.rng.choice(('add', 'swap'))}.{suffix} {self.reg()}, {self.reg()}"
        return [f"  addi {address}, sp, {offset}", f"  {op}, ({address})"]

    def _bad_access(self) -> Lines:
        """Access an address where nothing is, or nothing is mapped."""
        address = self.reg()
        op = self.rng.choice(("ld", "lb", "sd", "sh"))
        return [
            f"  li {address}, {UNMAPPED + 8 * self.rng.randrange(512)}",
            f"  {op} {self.reg()}, 0({address})",
        ]

    def _bad_fetch(self) -> Lines:
        """Jump to where nothing may be executed; t6 tells the handler where to go on."""
        label, address = self.label(), self.reg()
        places = [UNMAPPED]
        if self.mode != MACHINE:
            places += [DENIED_PAGE]
            if self.paging:
                places += [*(TEST_PAGES + 4096 * page for page in FETCHED_PAGES), 0x40_0000_0000]
        return [
            f"  la t6, {label}",
            f"  li {address}, {self.rng.choice(places)}",
            f"  jr {address}",
            f"{label}:",
        ]
