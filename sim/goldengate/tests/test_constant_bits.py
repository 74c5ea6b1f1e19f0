# SPDX-License-Identifier: BSD-3-Clause
"""Constant bits: no counter, capture, peek or saved state has a bit in the place of another one.

Bits that nothing reads are in no model, and then nothing shows them as 0.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from firesim.build.scan_map import scan_map

import goldengate
from goldengate import Capture, Event, GoldenGateError, Manifest, Request
from goldengate.harness import Model, _place
from goldengate.scan_layout import WORD_BITS
from goldengate.sharing import Sharing, compile_shared
from goldengate.tests.constant_bits import HELD, REGISTERS, TEXT, WIDTHS, Expected
from goldengate.tests.designs import refusal, seed, write
from goldengate.tests.scan_host import ScanHost
from goldengate.tests.test_capture import captured

CYCLES, DEPTH = 60, 32
SCAN = Sharing(scan_chain=True)
NUMBERS = {"moved": range(2, 10), "turned": range(7, -1, -1)}
"""What the user calls the bits of a vector, the lowest first; from 0 on where it is not here."""
PARTS = {"mixed": ("mixed", 0xFF), "half": ("half[3:0]", 15)}
"""Name and mask of what a model for waves shows of a register; all of it where it is not here."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("constant"), TEXT)


def _inputs(generator: random.Random) -> list[int]:
    return [generator.getrandbits(8) for _ in range(CYCLES)]


def _events() -> list[Event]:
    return [
        Event(f"{name}_{bit}", f"{name}[{number}]")
        for name in REGISTERS
        for bit, number in enumerate(NUMBERS.get(name, range(WIDTHS[name])))
    ]


@pytest.mark.parametrize("engine", ["verilator", "generated"])
def test_events_count_the_bits_that_the_user_names(
    engine: str, source: Path, tmp_path: Path
) -> None:
    made = goldengate.compile([source], "Top", tmp_path, engine=engine, events=_events())
    ports = {one.name: one.port for one in Manifest.read(made).counters}
    counts, expected = dict.fromkeys(ports, 0), Expected()
    with Model(made / "model.so") as model:
        for cycle, x in enumerate(_inputs(random.Random(seed()))):
            found = model.step({"x": x})
            assert {name: found[port] for name, port in ports.items()} == counts, cycle
            for name, value in expected.seen(x).items():
                for bit in range(WIDTHS[name]):
                    counts[f"{name}_{bit}"] += value >> bit & 1
            expected.step(x)
    assert len(set(counts.values())) > 10


def test_a_bit_that_a_vector_does_not_have_is_refused(tmp_path: Path) -> None:
    for number in (1, 10):
        said = refusal(tmp_path, TEXT, events=[Event("one", f"moved[{number}]")])
        assert said == "event 'one': signal 'moved' has bits 2 to 9."
    said = refusal(tmp_path, TEXT, events=[Event("one", "moved")])
    assert "signal 'moved' is 8 bits wide; name one bit, as in 'moved[2]'" in said


def test_a_model_for_waves_shows_what_it_has(source: Path, tmp_path: Path) -> None:
    made = goldengate.compile([source], "Top", tmp_path, engine="generated", waves=True)
    expected = Expected()
    with Model(made / "model.so") as model:
        assert "half" not in model.signals()
        with pytest.raises(GoldenGateError, match=r"no signal 'half' \(nearest: half\[3:0\]\)"):
            model.peek("half")
        for x in _inputs(random.Random(seed())):
            before = {name: model.peek(name) for name in HELD}
            model.step({"x": x})
            seen = expected.seen(x)
            assert before == {name: seen[name] for name in HELD}
            assert (model.peek("mixed"), model.peek("fixed")) == (seen["mixed"], 0x5A)
            expected.step(x)
            assert model.peek("half[3:0]") == expected.values["half"] & 15
            assert model.peek("crowd") == expected.values["crowd"]
            assert [model.peek("rows", row) for row in range(8)] == expected.rows
            assert [model.peek("few", row) for row in range(4)] == expected.few
        model.poke("half[3:0]", 9)
        model.poke("rows", 0xC183, 3)
        assert (model.peek("half[3:0]"), model.peek("rows", 3)) == (9, 0xC183)


def _form(source: Path, out: Path, **options: Any) -> Path:
    return compile_shared(Request([str(source)], "Top", str(out), **options), SCAN)


def test_a_capture_has_every_bit_in_its_place(source: Path, tmp_path: Path) -> None:
    names = {name: PARTS.get(name, (name, -1)) for name in REGISTERS}
    wanted = Capture(tuple(name for name, _ in names.values()), DEPTH)
    folder = _form(source, tmp_path / "form", target="metasim", capture=wanted)
    manifest, generator = Manifest.read(folder), random.Random(seed())
    expected, rows = Expected(), []
    with Model(folder / "model.so") as model:
        scanned = ScanHost(model, manifest, generator)
        scanned.host.write(0x30, 7)
        scanned.host.write(0x34, 90)
        for x in _inputs(generator):
            seen = expected.seen(x)
            rows.append({shown: seen[name] & mask for name, (shown, mask) in names.items()})
            scanned.step({"x": x, "reset": 0})
            expected.step(x)
        scanned.host.write(0x70, 0)
        for cycle in range(CYCLES - DEPTH, CYCLES):
            assert captured(scanned.host, manifest, cycle) == rows[cycle], cycle


def test_a_capture_of_bits_that_nothing_reads_is_refused(tmp_path: Path) -> None:
    for name in ("half", "half[5:2]"):
        said = refusal(tmp_path, TEXT, target="fpga", capture=Capture((name,), DEPTH))
        first = "half[3:0]" if name == "half" else "half[3:2]"
        assert said == (
            f"capture: nothing reads some bits of '{name}', so that no model has them; name "
            f"'{first}'."
        )
    said = refusal(tmp_path, TEXT, target="fpga", capture=Capture(("moved[2:0]",), DEPTH))
    assert said.startswith("capture: the design has no signal 'moved[2:0]'")


def test_a_scanned_state_has_every_bit_in_its_place(source: Path, tmp_path: Path) -> None:
    """By the map of a run: what the form holds is what the registers are, bit by bit."""
    cpu = goldengate.compile([source], "Top", tmp_path / "cpu", engine="generated")
    form, metasim = (_form(source, tmp_path / one, target=one) for one in ("fpga", "metasim"))
    state_map = json.loads(scan_map(cpu, form).read_text())
    assert "refused" not in state_map
    manifest, generator = Manifest.read(metasim), random.Random(seed())
    assert manifest.scan is not None
    expected, at = Expected(), generator.randrange(10, CYCLES - 10)
    inputs = _inputs(generator)
    with (
        Model(metasim / "model.so") as host,
        Model(metasim / "model.so") as other,
        Model(cpu / "model.so") as model,
    ):
        scanned, again = ScanHost(host, manifest, generator), ScanHost(other, manifest, generator)
        for x in inputs[:at]:
            scanned.step({"x": x, "reset": 0})
            expected.step(x)
        image = scanned.save()
        columns = [(rows, 0) for rows in image.rows]
        for mine, low, signal, place, width in state_map["registers"]:
            bits = image.registers >> WORD_BITS * signal + place & (1 << width) - 1
            _set(model, mine, 0, low, width, bits)
        for mine, low, width, value in state_map["fixed"]:
            _set(model, mine, 0, low, width, value)
        for mine, low, signal, place, width, rows in state_map["memories"]:
            there, _ = columns[signal - manifest.scan.register_words]
            for row in range(rows):
                _set(model, mine, row, low, width, there[row] >> place & (1 << width) - 1)
        model._engine.written(model._instance)
        held = {name: expected.values[name] for name in HELD}
        assert {name: model.peek(name) for name in HELD} == held
        assert model.peek("mixed[7:4]") == expected.values["mixed"] >> 4
        assert model.peek("half[3:0]") == expected.values["half"] & 15
        assert model.peek("crowd") == expected.values["crowd"] & 15, "what nothing reads is 0"
        assert [model.peek("rows", row) for row in range(8)] == expected.rows
        assert [model.peek("few", row) for row in range(4)] == expected.few
        again.load(image)
        for x in inputs[at:]:
            y = scanned.step({"x": x, "reset": 0})["y"]
            assert again.step({"x": x, "reset": 0})["y"] == model.step({"x": x})["y"] == y


def _set(model: Model, number: int, row: int, low: int, width: int, bits: int) -> None:
    word = model._engine.signal(model._instance, number)
    place = _place(word, row)
    value = int.from_bytes(place, "little") & ~((1 << width) - 1 << low) | bits << low
    place[:] = value.to_bytes(len(place), "little")
