# SPDX-License-Identifier: BSD-3-Clause
"""Drive any model.so from Python, cycle by cycle, through the engine interface.

    with Model("out/model.so") as model:
        model.reset()                       # 16 cycles, as every simulation begins
        model["uart__out_ready"] = 1
        outputs = model.step()              # one target cycle; the outputs of that cycle
        print(outputs["uart__out_valid"], model.cycle)

For tests and experiments: a step costs some microseconds. Whole simulations run in firesim-sim.
"""

from __future__ import annotations

import ctypes
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from goldengate.errors import GoldenGateError, nearest

_HEADER = Path(__file__).resolve().parents[1] / "engine" / "firesim_engine.h"


def abi_version() -> int:
    """Return the version of the engine interface that this FireSim reads."""
    found = re.search(r"FIRESIM_ENGINE_ABI_VERSION = (\d+)", _HEADER.read_text())
    assert found is not None
    return int(found[1])


KINDS = ("register", "memory", "wire", "constant")
"""What signals are, by number (firesim_engine.h)."""
WIRE, CONSTANT = KINDS.index("wire"), KINDS.index("constant")
RESET_CYCLES = 16


class _Port(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("width_bits", ctypes.c_uint32),
        ("is_input", ctypes.c_uint32),
        ("storage", ctypes.c_void_p),
    )


class _Signal(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("low_bit", ctypes.c_uint32),
        ("width_bits", ctypes.c_uint32),
        ("rows", ctypes.c_uint32),
        ("kind", ctypes.c_uint32),
        ("storage", ctypes.c_void_p),
    )


_WriteState = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class _Engine(ctypes.Structure):
    _fields_ = (
        ("abi_version", ctypes.c_uint32),
        ("port_count", ctypes.c_uint32),
        ("design_hash", ctypes.c_char_p),
        ("engine_name", ctypes.c_char_p),
        ("create", ctypes.CFUNCTYPE(ctypes.c_void_p)),
        ("destroy", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("port", ctypes.CFUNCTYPE(_Port, ctypes.c_void_p, ctypes.c_uint32)),
        ("settle", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("tick", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("save", ctypes.CFUNCTYPE(None, ctypes.c_void_p, _WriteState, ctypes.c_void_p)),
        (
            "load",
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t),
        ),
        ("signal_count", ctypes.c_uint32),
        ("signal", ctypes.CFUNCTYPE(_Signal, ctypes.c_void_p, ctypes.c_uint32)),
        ("written", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    )


def storage_bytes(width_bits: int) -> int:
    """Return the size of a port's storage (docs/reference/interfaces/engine.md)."""
    for size in (1, 2, 4, 8):
        if width_bits <= 8 * size:
            return size
    return (width_bits + 31) // 32 * 4


def _place(word: _Signal, row: int) -> Any:
    """Return the bytes of one row of a word."""
    size = storage_bytes(word.width_bits)
    return (ctypes.c_uint8 * size).from_address(word.storage + row * size)


def _bits(word: _Signal) -> str:
    return f"bits {word.low_bit + word.width_bits - 1}:{word.low_bit}"


@dataclass(frozen=True)
class SignalShape:
    """What a signal is: one of KINDS, its width, and its rows, 1 unless a memory."""

    name: str
    kind: str
    width_bits: int
    rows: int


class Model:
    """One instance of a compiled model. `ports` maps names to (width in bits, is input)."""

    def __init__(self, library: Path | str) -> None:
        """Load a model and create an instance; several instances may live side by side."""
        path = Path(library).resolve()
        if not path.is_file():
            raise GoldenGateError(f"{path}: no such file; expected a model.so.")
        get_engine = ctypes.CDLL(str(path)).firesim_engine
        get_engine.restype = ctypes.POINTER(_Engine)
        self._engine = get_engine().contents
        if self._engine.abi_version != (expected := abi_version()):
            raise GoldenGateError(
                f"{path}: engine interface version {self._engine.abi_version}; this FireSim reads "
                f"version {expected}. Build the model again."
            )
        self.engine_name: str = self._engine.engine_name.decode()
        self.design_hash: str = self._engine.design_hash.decode()
        self.cycle = 0
        self._instance = self._engine.create()
        if not self._instance:
            raise MemoryError(f"{path}: no memory for another instance")
        self._storage: dict[str, Any] = {}
        self.ports: dict[str, tuple[int, bool]] = {}
        for index in range(self._engine.port_count):
            port = self._engine.port(self._instance, index)
            name = port.name.decode()
            buffer = ctypes.c_uint8 * storage_bytes(port.width_bits)
            self._storage[name] = buffer.from_address(port.storage)
            self.ports[name] = (port.width_bits, bool(port.is_input))
        self._signals: dict[str, list[_Signal]] = {}

    def close(self) -> None:
        """Destroy the instance; the object must not be used afterwards."""
        if self._instance:
            self._engine.destroy(self._instance)
            self._instance = None

    def __enter__(self) -> Model:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _check(self, name: str) -> None:
        if name not in self.ports:
            raise GoldenGateError(f"the model has no port '{name}'{nearest(name, self.ports)}.")

    def __getitem__(self, name: str) -> int:
        """Read a port: an output as of the last `step`, or an input as last set."""
        self._check(name)
        return int.from_bytes(bytes(self._storage[name]), "little")

    def __setitem__(self, name: str, value: int) -> None:
        """Set an input for the coming cycles."""
        self._check(name)
        width_bits, is_input = self.ports[name]
        if not is_input:
            raise GoldenGateError(f"port '{name}' is an output of the target; it cannot be set.")
        if not 0 <= value < 1 << width_bits:
            raise GoldenGateError(f"port '{name}' is {width_bits} bits wide; {value} does not fit.")
        storage = self._storage[name]
        storage[:] = value.to_bytes(len(storage), "little")

    def step(self, inputs: Mapping[str, int] | None = None) -> dict[str, int]:
        """Run one target cycle with these inputs (others keep their value); return the outputs."""
        for name, value in (inputs or {}).items():
            self[name] = value
        self._engine.settle(self._instance)
        outputs = {name: self[name] for name, (_, is_input) in self.ports.items() if not is_input}
        self._engine.tick(self._instance)
        self.cycle += 1
        return outputs

    def advance(self, cycles: int = 1) -> None:
        """Run target cycles with the inputs as they are, and read no outputs, which is faster."""
        for _ in range(cycles):
            self._engine.settle(self._instance)
            self._engine.tick(self._instance)
        self.cycle += cycles

    def signals(self) -> list[str]:
        """Return the names that `peek` knows, sorted; empty when the engine cannot show any."""
        return sorted(self._words())

    def shape(self, name: str) -> SignalShape:
        """Return what a signal is."""
        words = self._signal(name, 0)
        width_bits = max(word.low_bit + word.width_bits for word in words)
        return SignalShape(name, KINDS[words[0].kind], width_bits, words[0].rows)

    def _words(self) -> dict[str, list[_Signal]]:
        """Return the words of every signal, state and its constants before wires of its name."""
        if not self._signals:
            for index in range(self._engine.signal_count):
                word = self._engine.signal(self._instance, index)
                words = self._signals.setdefault(word.name.decode(), [])
                if not words or word.kind in (words[0].kind, CONSTANT):
                    words.append(word)
        return self._signals

    def _signal(self, name: str, row: int) -> list[_Signal]:
        words = self._words().get(name)
        if words is None:
            raise GoldenGateError(
                f"the model has no signal '{name}'{nearest(name, self._words())}."
            )
        if not 0 <= row < words[0].rows:
            raise GoldenGateError(f"'{name}' has {words[0].rows} rows; found row {row}.")
        return words

    def peek(self, name: str, row: int = 0) -> int:
        """Return a register, a row of a memory, or, in a model built for waves, a wire.

        State is as the last `step` left it, a wire is that of the cycle just run.
        """
        words = self._signal(name, row)
        return sum(int.from_bytes(_place(w, row), "little") << w.low_bit for w in words)

    def poke(self, name: str, value: int, row: int = 0) -> None:
        """Set a register or a row of a memory for the next `step`."""
        words = self._signal(name, row)
        if words[0].kind == WIRE:
            raise GoldenGateError(f"'{name}' is a wire, which cannot be set.")
        width = self.shape(name).width_bits
        if not 0 <= value < 1 << width:
            raise GoldenGateError(f"'{name}' is {width} bits wide; {value} does not fit.")
        parts = [value >> word.low_bit & ((1 << word.width_bits) - 1) for word in words]
        for word, part in zip(words, parts, strict=True):
            fixed = int.from_bytes(_place(word, row), "little")
            if word.kind == CONSTANT and part != fixed:
                raise GoldenGateError(
                    f"{_bits(word)} of '{name}' never change in this design: they are {fixed:#x}; "
                    f"found {part:#x}."
                )
        for word, part in zip(words, parts, strict=True):
            if word.kind != CONSTANT:
                place = _place(word, row)
                place[:] = part.to_bytes(len(place), "little")
        self._engine.written(self._instance)

    def save(self) -> bytes:
        """Return the whole state between two cycles."""
        pieces: list[bytes] = []

        def write(_to: int | None, data: int, size: int) -> None:
            pieces.append(ctypes.string_at(data, size))

        self._engine.save(self._instance, _WriteState(write), None)
        return b"".join(pieces)

    def load(self, state: bytes) -> bool:
        """Take over what `save` returned; False when it is not a state of this model."""
        return bool(self._engine.load(self._instance, state, len(state)) == 0)

    def reset(self, cycles: int = RESET_CYCLES, name: str = "reset") -> None:
        """Run `cycles` cycles with the reset input at 1, then set it to 0."""
        self[name] = 1
        self.advance(cycles)
        self[name] = 0


def load_manifest(library: Path | str) -> dict[str, Any]:
    """Return the content of the model.json beside a model.so."""
    manifest: dict[str, Any] = json.loads((Path(library).parent / "model.json").read_text())
    return manifest
