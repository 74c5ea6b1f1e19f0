# SPDX-License-Identifier: BSD-3-Clause
"""The packet reflector in the top for AWS F2, behind a shell that the test plays, beside the CPU.

AWS's kit and AMD's cells are stubs of platforms/f2; their clock passes through. All else is what a
build for F2 has: registers over OCL, words over PCIS, token by token the CPU model's.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections import deque
from pathlib import Path

import goldengate
import pytest
from firesim.bitstream.forms import design_form
from firesim.boards.design import whole_design
from firesim.boards.known import PLATFORMS, load_board
from firesim.build.design import Design
from firesim_common.paths import ROOT
from firesim_common.tools import verilator_environment, verilator_root
from goldengate.fpga_form import FpgaForm
from goldengate.harness import Model

from regression.hardware.open_bitstream.tokens import (
    LISTEN,
    STATUS,
    USED,
    Comparison,
    cpu_outputs,
    traffic,
)

REFLECTOR = ROOT / "target-design/examples/packet-reflector/packet_reflector.sv"
TOP, DEPTH = "PacketReflector", "8"
CYCLES, BATCH = 600, 12
PATIENCE = 2_000
"""Cycles of the shell's clock, which is 8 us: what AWS's shell waits for an answer."""
TAKE = 4096
"""Address in the window from which on a write takes words that came up."""
ROOM = 256
PORTS = """\
input 32 ocl_cl_awaddr, input 1 ocl_cl_awvalid, output 1 cl_ocl_awready, input 32 ocl_cl_wdata,
input 1 ocl_cl_wvalid, output 1 cl_ocl_wready, output 1 cl_ocl_bvalid, input 1 ocl_cl_bready,
input 32 ocl_cl_araddr, input 1 ocl_cl_arvalid, output 1 cl_ocl_arready, output 32 cl_ocl_rdata,
output 1 cl_ocl_rvalid, input 1 ocl_cl_rready, input 64 sh_cl_dma_pcis_awaddr,
input 1 sh_cl_dma_pcis_awvalid, output 1 cl_sh_dma_pcis_awready, input 512 sh_cl_dma_pcis_wdata,
input 64 sh_cl_dma_pcis_wstrb, input 1 sh_cl_dma_pcis_wvalid, output 1 cl_sh_dma_pcis_wready,
output 2 cl_sh_dma_pcis_bresp, output 1 cl_sh_dma_pcis_bvalid, input 1 sh_cl_dma_pcis_bready,
input 1 sh_cl_dma_pcis_arvalid, output 1 cl_sh_dma_pcis_arready,
output 512 cl_sh_dma_pcis_rdata, output 1 cl_sh_dma_pcis_rvalid, input 1 sh_cl_dma_pcis_rready,
output 16 cl_sh_status_vled, output 32 cl_sh_id0"""
"""Ports of the top that the shell here moves: direction, bits, name."""


def shell_text() -> str:
    """Return a module with the board's top in it and these ports alone."""
    ports = [entry.split() for entry in PORTS.split(",")]
    declared = ", ".join(f"{way} wire [{int(bits) - 1}:0] {name}" for way, bits, name in ports)
    joined = ", ".join(f".{name}" for _, _, name in ports)
    return (
        f"module Shell(input wire clock, input wire reset_n, {declared});\n"
        "  cl_firesim cl (.clk_main_a0(clock), .rst_main_n(reset_n), .sh_cl_dma_pcis_awid(16'd0),\n"
        "    .sh_cl_dma_pcis_wlast(1'b1), .sh_cl_dma_pcis_arid(16'd0),\n"
        f"    .sh_cl_dma_pcis_arlen(8'd0), {joined});\nendmodule\n"
    )


class Shell:
    """F2's small shell as far as the top uses it: one access at a time, never over its patience."""

    def __init__(self, model: Model, generator: random.Random) -> None:
        self.model, self.generator = model, generator
        self.words: deque[int] = deque()
        self.sent = self.taken = 0
        for reset_n in (0, 1):
            model["reset_n"] = reset_n
            for _ in range(20):
                model.step()

    def _until(self, wanted: str, **given: int) -> dict[str, int]:
        for _ in range(PATIENCE):
            if (seen := self.model.step(given))[wanted]:
                return seen
        raise AssertionError(f"the shell gives up waiting for {wanted}")

    def write(self, address: int, value: int) -> None:
        """Write a register over OCL."""
        asked = {"ocl_cl_awvalid": 1, "ocl_cl_awaddr": address}
        self._until("cl_ocl_awready", ocl_cl_wvalid=1, ocl_cl_wdata=value, **asked)
        self._until("cl_ocl_bvalid", ocl_cl_awvalid=0, ocl_cl_wvalid=0, ocl_cl_bready=1)
        self.model["ocl_cl_bready"] = 0

    def read(self, address: int) -> int:
        """Read a register over OCL."""
        self._until("cl_ocl_arready", ocl_cl_arvalid=1, ocl_cl_araddr=address)
        seen = self._until("cl_ocl_rvalid", ocl_cl_arvalid=0, ocl_cl_rready=1)
        self.model["ocl_cl_rready"] = 0
        return seen["cl_ocl_rdata"]

    def read_wide(self, address: int) -> int:
        """Read a register of 64 bits."""
        return self.read(address) | self.read(address + 4) << 32

    def store(self, address: int, value: int) -> None:
        """Write 8 bytes into the window over PCIS."""
        name = "sh_cl_dma_pcis"
        lane = address // 8 % 8
        self._until("cl_sh_dma_pcis_awready", **{f"{name}_awvalid": 1, f"{name}_awaddr": address})
        beat = {f"{name}_wdata": value << 64 * lane, f"{name}_wstrb": 0xFF << 8 * lane}
        self._until("cl_sh_dma_pcis_wready", **{f"{name}_awvalid": 0, f"{name}_wvalid": 1}, **beat)
        given = {f"{name}_wvalid": 0, f"{name}_bready": 1}
        assert self._until("cl_sh_dma_pcis_bvalid", **given)["cl_sh_dma_pcis_bresp"] == 0
        self.model[f"{name}_bready"] = 0

    def view(self) -> list[int]:
        """Read the window over PCIS: its state, and the seven words."""
        name = "sh_cl_dma_pcis"
        self._until("cl_sh_dma_pcis_arready", **{f"{name}_arvalid": 1})
        given = {f"{name}_arvalid": 0, f"{name}_rready": 1}
        data = self._until("cl_sh_dma_pcis_rvalid", **given)["cl_sh_dma_pcis_rdata"]
        self.model[f"{name}_rready"] = 0
        return [data >> 64 * lane & (1 << 64) - 1 for lane in range(8)]

    def send(self, word: int) -> None:
        """Send a word down when there is room for it."""
        while not self.view()[0] >> 4 & 0xFFF:
            pass
        self.store(self.generator.randrange(0, TAKE, 8), word)
        self.sent += 1

    def word(self) -> int:
        """Return the next word that comes up."""
        for _ in range(PATIENCE):
            if self.words:
                return self.words.popleft()
            state, *words = self.view()
            assert (state >> 16 & 0xFFFFFF, state >> 40) == (self.sent, self.taken)
            shown = state & 15
            self.words.extend(words[:shown])
            if shown:
                self.store(TAKE, shown)
                self.taken += shown
        raise AssertionError("no word comes up")


@pytest.fixture(scope="module")
def form() -> FpgaForm:
    return design_form(Design(TOP, (REFLECTOR,), TOP, parameters={"DEPTH": DEPTH}))


def compiled(form: FpgaForm, folder: Path) -> Path:
    """Compile the board's whole top with the shell of this file around it."""
    flow = load_board("f2").aws_flow
    assert flow is not None
    shell = folder / "shell.sv"
    shell.write_text(shell_text())
    sources = [*whole_design(form, "f2", flow), shell]
    return goldengate.compile(
        [*sources, PLATFORMS / "f2/stubs/cells.sv"],
        "Shell",
        folder / "model",
        reset="reset_n",
        include_dirs=[PLATFORMS / "f2", PLATFORMS / "f2/stubs"],
        defines={"FIRESIM_HOST": form.top, "FIRESIM_DIVIDE": "10.0"},
    )


def test_the_reflectors_tokens_over_pcie_are_those_of_the_cpu(
    form: FpgaForm, tmp_path: Path
) -> None:
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    generator = random.Random(seed)
    ports = [port.name for port in form.manifest.ports if port.direction == "in"]
    inputs = traffic(ports, CYCLES, generator)
    cpu = goldengate.compile([REFLECTOR], TOP, tmp_path / "cpu", parameters={"DEPTH": DEPTH})
    expected = cpu_outputs(cpu / "model.so", inputs)
    with Model(compiled(form, tmp_path) / "model.so") as model:
        shell = Shell(model, generator)
        seen = model.step()
        assert (seen["cl_sh_id0"], seen["cl_sh_status_vled"]) == (0xF0021D0F, 3)
        comparison = Comparison(shell, form.manifest)
        comparison.check_identity()
        found = comparison.run(inputs, expected, BATCH)
        assert found.rows > CYCLES // BATCH and shell.sent == found.words_down > ROOM
        assert shell.read(STATUS) == USED
        shell.write(LISTEN, 0)


def linted(form: FpgaForm, top: Path) -> str:
    """Return what Verilator's reader finds wrong with the names in the top."""
    flow = load_board("f2").aws_flow
    assert flow is not None
    words = [str(verilator_root() / "bin/verilator"), "--lint-only", "-Wno-fatal"]
    words += [f"-I{PLATFORMS / 'f2'}", f"-I{PLATFORMS / 'f2/stubs'}", "--top-module", flow.top]
    words += [f"+define+FIRESIM_HOST={form.top}", "+define+FIRESIM_DIVIDE=10.0"]
    *sources, _ = whole_design(form, "f2", flow)
    done = subprocess.run(
        [*words, *sources, top, PLATFORMS / "f2/stubs/cells.sv"],
        env=verilator_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    found = [
        line for line in done.stderr.splitlines() if re.match("%(Error|Warning-IMPLICIT)", line)
    ]
    return "\n".join(found)


def test_a_misspelt_port_of_the_shell_is_found(form: FpgaForm, tmp_path: Path) -> None:
    text = (PLATFORMS / "f2/top.sv").read_text()
    top = tmp_path / "top.sv"
    top.write_text(text)
    assert linted(form, top) == ""
    for right, wrong in (("dma_pcis_arlen", "dma_pcis_arlength"), (".M_PAR(", ".M_PARITY(")):
        top.write_text(text.replace(right, wrong))
        assert wrong.strip(".(") in linted(form, top)
