# SPDX-License-Identifier: BSD-3-Clause
"""The serial line to the host's side: bytes both ways, wrong bytes, breaks, commands, answers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import goldengate
from goldengate.channels import RTL
from goldengate.harness import Model
from goldengate.tests.designs import seed

DIVISOR = 5
FILES = ("firesim_uart.v", "firesim_uart_link.v")


class Line:
    """The serial line, seen from its far end, with the host's side behind it played by the test."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.heard = bytearray()
        self.bits: list[int] = []
        self.wait = -1
        self.written: list[tuple[int, int]] = []
        self.words: list[int] = []
        model["rx"] = 1
        self.run(3)

    def run(self, cycles: int) -> None:
        """Let host cycles pass; registers and streams answer at once."""
        for _ in range(cycles):
            model = self.model
            model["axil_awready"] = model["axil_wready"] = model["axil_arready"] = 1
            model["axil_rvalid"] = model["axil_bvalid"] = 1
            outputs = model.step()
            if outputs["axil_awvalid"]:
                self.written.append((outputs["axil_awaddr"], outputs["axil_wdata"]))
            model["axil_rdata"] = 0x01020300 + outputs["axil_araddr"]
            if outputs["down_valid"] and model["down_ready"]:
                self.words.append(outputs["down_data"])
            if outputs["up_ready"]:
                model["up_valid"] = 0
            self._listen(outputs["tx"])

    def _listen(self, level: int) -> None:
        if self.wait < 0:
            if not level:
                self.wait, self.bits = DIVISOR + DIVISOR // 2, []
            return
        self.wait -= 1
        if self.wait == 0:
            self.bits.append(level)
            self.wait = DIVISOR
            if len(self.bits) == 9:
                assert level, "a byte without a stop bit"
                self.heard.append(sum(bit << place for place, bit in enumerate(self.bits[:8])))
                self.wait = -1

    def send(self, data: bytes, stop: int = 1) -> None:
        """Send bytes."""
        for byte in data:
            for bit in (0, *(byte >> place & 1 for place in range(8)), stop):
                self.model["rx"] = bit
                self.run(DIVISOR)
        self.model["rx"] = 1

    def answer(self) -> bytes:
        """Return what is heard within the time of a dozen bytes."""
        self.run(130 * DIVISOR)
        found = bytes(self.heard)
        self.heard.clear()
        return found


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the link."""
    out = tmp_path_factory.mktemp("uart") / "model"
    sources = [RTL / name for name in FILES]
    return goldengate.compile(
        sources,
        "firesim_uart_link",
        out,
        clock="host_clock",
        reset="rx",  # It has none: a break resets it.
        parameters={"DIVISOR": str(DIVISOR)},
    )


@pytest.fixture
def line(library: Path) -> Iterator[Line]:
    """Return a fresh line."""
    with Model(library / "model.so") as model:
        yield Line(model)


def test_registers_are_written_and_read(line: Line) -> None:
    line.send(b"W\x28" + (0x12345678).to_bytes(4, "little"))
    assert line.answer() == b"w"
    assert line.written == [(0x28, 0x12345678)]
    line.send(b"R\x44")
    assert line.answer() == b"r" + (0x01020344).to_bytes(4, "little")


def test_words_go_down_in_order_and_wait_until_they_are_taken(line: Line) -> None:
    generator = random.Random(seed())
    words = [generator.getrandbits(64) for _ in range(6)]
    for word in words:
        line.send(b"D" + word.to_bytes(8, "little"))
    assert line.answer() == b""  # All 54 bytes wait.
    line.model["down_ready"] = 1
    assert line.answer() == b"d" * len(words)
    assert line.words == words


def test_a_word_comes_up_while_another_waits_to_go_down(line: Line) -> None:
    line.send(b"D" + bytes(8))
    line.model["up_valid"], line.model["up_data"] = 1, 0x1122334455667788
    assert line.answer() == b"U" + (0x1122334455667788).to_bytes(8, "little")
    line.model["down_ready"] = 1
    assert line.answer() == b"d"


def test_the_board_says_how_it_is(line: Line) -> None:
    line.model["status"] = 0x0123
    line.send(b"S")
    assert line.answer() == b"s\x23\x01\x53\x42"


def test_what_is_no_command_is_said(line: Line) -> None:
    line.send(b"x")
    assert line.answer() == b"?"
    line.send(b"R\x00")
    assert line.answer()[:1] == b"r"


def test_a_byte_without_a_stop_bit_is_dropped_and_said(line: Line) -> None:
    line.send(b"R", stop=0)
    assert line.answer() == b"E"
    line.send(b"R\x00")
    assert line.answer()[:1] == b"r"


def test_a_break_resets_everything(line: Line) -> None:
    line.send(b"W\x28\x01")  # Half a command.
    line.model["rx"] = 0
    line.run(14 * DIVISOR)
    assert line.model["host_reset"] == 1
    line.model["rx"] = 1
    line.run(3 * DIVISOR)
    assert line.model["host_reset"] == 0
    line.answer()
    line.send(b"R\x00")
    assert line.answer()[:1] == b"r"
    assert line.written == []
