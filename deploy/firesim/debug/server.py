# SPDX-License-Identifier: BSD-3-Clause
"""Answers gdb: one packet, one answer. It looks, goes on and goes back, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesim.build.registers import as_hex, description, known
from firesim.debug.history import History, Stop, Wanted, Watch
from firesim.debug.machine import SimulatorGone
from firesim.debug.memory import PAGE_BYTES, physical, read_virtual
from firesim.debug.packets import INTERRUPT, LONGEST_PACKET, ClientGone, Packets, number, numbers

MOST_PLACES = 512
_OK, _REFUSED, _UNKNOWN = b"OK", b"E01", b""
_CHANGES = b"E.firesim gdb only looks: to change a run, use firesim poke"
_FEATURES = (
    f"PacketSize={LONGEST_PACKET:x};QStartNoAckMode+;qXfer:features:read+;vContSupported+;"
    "ReverseStep+;ReverseContinue+"
)
_MONITOR = "monitor cycle: the target cycle in which the simulation stands\n"


class Server:
    """One connection of a gdb, to a simulation that stands still."""

    def __init__(self, packets: Packets, history: History, harts: int) -> None:
        """Serve a node with this number of harts."""
        self.packets = packets
        self.history = history
        self.harts = harts
        self.breakpoints: dict[int, None] = {}
        self.watches: dict[int, Watch] = {}
        """By virtual address."""
        self.hart = self.step_hart = 0
        self.registers = known(history.now.registers(0))
        self.by_number = {one.number: one for one in self.registers}
        self.is_over = False
        self._answers = self._known()

    def serve(self) -> None:
        """Answer until the client leaves.

        Raises:
            SimulatorGone: there is nothing more to look at.
        """
        try:
            while not self.is_over:
                packet = self.packets.next()
                if packet != INTERRUPT:
                    self.packets.send(self._answer(packet))
                    if packet == b"QStartNoAckMode":
                        self.packets.needs_acks = False
        except ClientGone:
            return

    def _answer(self, packet: bytes) -> bytes:
        """Return the answer to a packet; an empty one says that it is not known."""
        if packet.startswith((b"X", b"M", b"G", b"P")):
            return _CHANGES
        for start, answer in self._answers.items():
            if not packet.startswith(start):
                continue
            try:
                return answer(packet[len(start) :])
            except (ValueError, KeyError, IndexError):
                return _REFUSED
        return _UNKNOWN

    def _known(self) -> dict[bytes, Callable[[bytes], bytes]]:
        return {
            b"qSupported": lambda _: _FEATURES.encode(),
            b"QStartNoAckMode": lambda _: _OK,
            b"qXfer:features:read:target.xml:": self._describe,
            b"qAttached": lambda _: b"1",
            b"qfThreadInfo": lambda _: b"m" + b",".join(b"%x" % (i + 1) for i in range(self.harts)),
            b"qsThreadInfo": lambda _: b"l",
            b"qThreadExtraInfo,": self._thread,
            b"qC": lambda _: b"QC%x" % (self.hart + 1),
            b"qRcmd,": self._monitor,
            b"H": self._choose,
            b"T": self._alive,
            b"?": lambda _: self._stopped(self.history.now.stop),
            b"g": lambda _: self._hex(one.number for one in self.registers if one.number <= 32),
            b"p": lambda text: self._hex([number(text)]),
            b"m": self._memory,
            b"Z": lambda text: self._place(text, True),
            b"z": lambda text: self._place(text, False),
            b"vCont?": lambda _: b"vCont;c;C;s;S",
            b"vCont;": self._continue,
            b"c": lambda _: self._forward(None),
            b"s": lambda _: self._forward(self.step_hart),
            b"bs": lambda _: self._back(self.step_hart),
            b"bc": lambda _: self._back(None),
            b"D": self._leave,
            b"k": self._leave,
            b"vKill": self._leave,
        }

    def _describe(self, text: bytes) -> bytes:
        start, count = numbers(text, [b","])
        whole = description(self.registers).encode()
        piece = whole[start : start + min(count, LONGEST_PACKET - 4)]
        return (b"m" if start + len(piece) < len(whole) else b"l") + piece

    # --- harts ---

    def _hart(self, text: bytes) -> int:
        """Return the hart of a thread's number; of 0, -1 and none the present one."""
        if text in (b"", b"0", b"-1"):
            return self.hart
        hart = number(text) - 1
        if not 0 <= hart < self.harts:
            raise ValueError(text)
        return hart

    def _choose(self, text: bytes) -> bytes:
        hart = self._hart(text[1:])
        if text[:1] == b"g":
            self.hart = hart
        self.step_hart = hart
        return _OK

    def _alive(self, text: bytes) -> bytes:
        self._hart(text)
        return _OK

    def _thread(self, text: bytes) -> bytes:
        values = self.history.now.registers(self._hart(text))
        privilege = {0: "user", 1: "supervisor"}.get(values.get("priv", 3), "machine")
        return f"{privilege} mode".encode().hex().encode()

    # --- what a hart has ---

    def _hex(self, wanted: Any) -> bytes:
        values = self.history.now.registers(self.hart)
        return "".join(as_hex(self.by_number[one], values) for one in wanted).encode()

    def _memory(self, text: bytes) -> bytes:
        address, count = numbers(text, [b","])
        machine = self.history.now
        count = min(count, LONGEST_PACKET // 2 - 4)
        data = read_virtual(address, count, machine.registers(self.hart), machine.read)
        return _REFUSED if data is None else data.hex().encode()

    def _monitor(self, text: bytes) -> bytes:
        stop = self.history.now.stop
        command = bytes.fromhex(text.decode("ascii")).strip()
        said = f"cycle {stop.cycle:,}\n" if command == b"cycle" else _MONITOR
        return said.encode().hex().encode()

    # --- going on and back ---

    def _place(self, text: bytes, is_set: bool) -> bytes:
        kind, address, size = numbers(text, [b",", b","])
        if kind in (0, 1):
            if not is_set:
                self.breakpoints.pop(address, None)
            elif len(self.breakpoints) < MOST_PLACES:
                self.breakpoints[address] = None
            else:
                return _REFUSED
            return _OK
        if kind != 2:
            return _UNKNOWN
        if not is_set:
            self.watches.pop(address, None)
            return _OK
        machine = self.history.now
        place = physical(address, machine.registers(self.hart), machine.read)
        is_whole = 0 < size <= 64 and address % PAGE_BYTES + size <= PAGE_BYTES
        if place is None or not is_whole or machine.read(place, size) is None:
            return _REFUSED
        if len(self.watches) >= MOST_PLACES:
            return _REFUSED
        self.watches[address] = Watch(place, size)
        return _OK

    def _wanted(self, step: int | None) -> Wanted:
        return Wanted(step, tuple(self.breakpoints), tuple(self.watches.values()))

    def _continue(self, text: bytes) -> bytes:
        for action in text.split(b";"):
            word, _, thread = action.partition(b":")
            if word[:1] in (b"s", b"S"):
                return self._forward(self._hart(thread))
        if text[:1] not in (b"c", b"C"):
            return _REFUSED
        return self._forward(None)

    def _forward(self, step: int | None) -> bytes:
        stop = self.history.forward(self._wanted(step), self.packets, self.packets.is_interrupted)
        return self._stopped(stop)

    def _back(self, step: int | None) -> bytes:
        wanted = Wanted(step) if step is not None else self._wanted(None)
        stop = self.history.back(wanted)
        return b"T05thread:1;replaylog:begin;" if stop is None else self._stopped(stop)

    def _stopped(self, stop: Stop) -> bytes:
        """Return why the simulation has stopped; at the run's end gdb's user is told of it."""
        self.hart = self.step_hart = stop.hart
        reply = f"T{2 if stop.why == 'interrupt' else 5:02x}thread:{stop.hart + 1:x};"
        if stop.why == "watch":
            hit = [v for v, watch in self.watches.items() if watch.address == stop.address]
            reply += f"watch:{hit[0]:x};" if hit else ""
        if stop.why == "end":
            self._say_end(stop)
            reply += "replaylog:end;"
        return reply.encode()

    def _say_end(self, stop: Stop) -> None:
        result = stop.result or {}
        said = f"the run is over: {result.get('reason')} at cycle {result.get('end_cycle', 0):,}"
        if result.get("token_hash"):
            said += f", token hash {result['token_hash']}"
        self.packets.send(b"O" + f"{said}\n".encode().hex().encode())

    def _leave(self, _: bytes) -> bytes:
        self.is_over = True
        return _OK


__all__ = ["Server", "SimulatorGone"]
