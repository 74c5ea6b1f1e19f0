# SPDX-License-Identifier: BSD-3-Clause
"""The far end of a board's serial line, bit by bit: what a host says and hears over USB.

The protocol is that of sim/hostlib/rtl/firesim_uart_link.v.
"""

from __future__ import annotations

from collections import deque

from goldengate.harness import Model

from regression.support.experiment import ExperimentError

BIT_CYCLES = 25
"""Host cycles of a bit: 1 Mbit/s at 25 MHz."""
MOST_UNANSWERED_BYTES = 64
PATIENCE = 400_000
"""Host cycles without a byte after which the board counts as dead."""
_WORD_BYTES = 8


class SerialLine:
    """Pins of the board's model, driven one host cycle at a time in both directions."""

    def __init__(self, model: Model, to_board: str, from_board: str) -> None:
        self.model, self.to_board, self.from_board = model, to_board, from_board
        self.cycles = 0
        self.sending: deque[int] = deque()  # Bits, the one on the line first.
        self.sent_of_bit = 0
        self.heard = bytearray()
        self.bits: list[int] = []
        self.wait = -1  # Host cycles until the next sample; negative: no byte is under way.
        model[to_board] = 1

    def send(self, data: bytes) -> None:
        """Queue bytes."""
        for byte in data:
            self.sending.append(0)
            self.sending.extend(byte >> bit & 1 for bit in range(8))
            self.sending.append(1)

    def hold_low(self, bits: int) -> None:
        """Queue a break of some bits, and some quiet after it."""
        self.sending.extend([0] * bits + [1] * 4)

    def cycle(self) -> None:
        """Run one host cycle."""
        if self.sending:
            self.model[self.to_board] = self.sending[0]
            self.sent_of_bit += 1
            if self.sent_of_bit == BIT_CYCLES:
                self.sending.popleft()
                self.sent_of_bit = 0
        self.cycles += 1
        self._listen(self.model.step()[self.from_board])

    def _listen(self, level: int) -> None:
        if self.wait < 0:
            if not level:
                self.wait, self.bits = BIT_CYCLES + BIT_CYCLES // 2, []
            return
        self.wait -= 1
        if self.wait > 0:
            return
        self.bits.append(level)
        self.wait = BIT_CYCLES
        if len(self.bits) == 9:
            if not level:
                raise ExperimentError("the board sent a byte without a stop bit")
            self.heard.append(sum(bit << place for place, bit in enumerate(self.bits[:8])))
            self.wait = -1


class Board:
    """A blade's host side behind its serial line."""

    def __init__(self, line: SerialLine) -> None:
        self.line = line
        self.words: deque[int] = deque()
        self.answers: deque[bytes] = deque()
        self.unanswered: deque[int] = deque()  # Lengths of the commands.
        self.line.hold_low(20)
        while self.line.sending:
            self.line.cycle()
        self.line.heard.clear()

    def _take(self) -> None:
        """Take apart what was heard, as far as it is whole."""
        lengths = {ord("U"): 9, ord("w"): 1, ord("d"): 1, ord("r"): 5}
        heard = self.line.heard
        while heard and len(heard) >= lengths.get(heard[0], 1):
            length = lengths.get(heard[0])
            if length is None:
                raise ExperimentError(f"the board said {bytes(heard[:1])!r}, expected an answer")
            message = bytes(heard[:length])
            del heard[:length]
            if message[:1] == b"U":
                self.words.append(int.from_bytes(message[1:], "little"))
            else:
                self.unanswered.popleft()
                self.answers.append(message)

    def _until(self, done: object) -> None:
        assert callable(done)
        waited, heard = 0, len(self.line.heard)
        while not done():
            self.line.cycle()
            waited += 1
            if len(self.line.heard) != heard:
                self._take()
                waited, heard = 0, len(self.line.heard)
            if waited > PATIENCE:
                raise ExperimentError("the board says nothing more")

    def _command(self, data: bytes) -> None:
        self._until(lambda: sum(self.unanswered) + len(data) <= MOST_UNANSWERED_BYTES)
        self.unanswered.append(len(data))
        self.line.send(data)

    def _answer(self) -> bytes:
        self._until(lambda: not self.unanswered)
        last = self.answers.pop()
        self.answers.clear()
        return last

    def write(self, address: int, value: int) -> None:
        """Write a register."""
        self._command(b"W" + bytes([address]) + value.to_bytes(4, "little"))
        if self._answer() != b"w":
            raise ExperimentError(f"register {address:#x} was not written")

    def read(self, address: int) -> int:
        """Read a register."""
        self._command(b"R" + bytes([address]))
        return int.from_bytes(self._answer()[1:], "little")

    def read_wide(self, address: int) -> int:
        """Read a register of 64 bits."""
        return self.read(address) | self.read(address + 4) << 32

    def send(self, word: int) -> None:
        """Send a word down the stream."""
        self._command(b"D" + word.to_bytes(_WORD_BYTES, "little"))

    def word(self) -> int:
        """Return the next word that comes up."""
        self._until(lambda: bool(self.words))
        return self.words.popleft()
