# SPDX-License-Identifier: BSD-3-Clause
"""Captured signals of a form: as in the CPU model in each cycle, whatever else the form has.

The ring alone is in test_capture_ring.py, whole runs in deploy/tests/test_capture.py.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import goldengate
from goldengate import Capture, GoldenGateError, Manifest, Request
from goldengate.harness import Model
from goldengate.host_words import RowReader, ValueWords, run_command
from goldengate.sharing import Sharing, compile_shared
from goldengate.stalls import packed
from goldengate.tests.designs import lower, refusal, seed, top, verilog, write
from goldengate.tests.test_host_top import Host

CYCLES, DEPTH = 70, 32
DESIGN = """\
logic [7:0] file [0:31], two; logic [69:0] long;
wire [7:0] one = file[x[4:0]], other = file[two[4:0]], dead = two * 3;
always_ff @(posedge clock) begin
  if (reset) two <= 8'h05; else two <= two * 3 + one + other;
  file[two[7:3]] <= x ^ two;
  file[x[5:1]] <= two;
  long <= {long[61:0], one};
end
assign y = one ^ long[69:62] ^ other;
"""
SIGNALS = ("two", "one", "long", "y")
FORMS = {
    "plain": Sharing(),
    "scan": Sharing(scan_chain=True),
    "multi": Sharing(multi_cycle_memories=True),
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the design, with its model that shows wires in the folder `cpu`."""
    source = write(tmp_path_factory.mktemp("capture"), top(DESIGN))
    goldengate.compile([source], "Top", source.parent / "cpu", waves=True)
    return source


def expected(model: Path, inputs: list[int]) -> list[dict[str, int]]:
    """Return the signals in each cycle."""
    found = []
    with Model(model / "model.so") as cpu:
        for cycle, value in enumerate(inputs):
            now = {name: cpu.peek(name) for name in ("two", "long")}
            outputs = cpu.step({"x": value, "reset": int(cycle < 16)})
            found.append({**now, "one": cpu.peek("one"), "y": outputs["y"]})
    return found


def captured(host: Host, manifest: Manifest, cycle: int) -> dict[str, int]:
    """Return the signals in a row of the ring."""
    layout = manifest.capture
    assert layout is not None
    row = 0
    for word in range((layout.width_bits + 63) // 64):
        host.write(0x70, 3 << 24 | word << 16 | cycle % layout.depth_cycles)
        row |= host.read_wide(0x78) << 64 * word
    return {one.name: row >> one.low_bit & (1 << one.width_bits) - 1 for one in layout.signals}


@pytest.mark.parametrize("name", FORMS)
def test_signals_are_those_of_the_cpu_model(name: str, source: Path) -> None:
    generator = random.Random(seed())
    inputs = [generator.getrandbits(8) for _ in range(CYCLES)]
    request = Request(
        [str(source)], "Top", str(source.parent / name), target="metasim",
        capture=Capture(SIGNALS, DEPTH),
    )  # fmt: skip
    if FORMS[name]:
        compile_shared(request, FORMS[name])
    else:
        goldengate.compile_request(request)
    folder = source.parent / name
    manifest = Manifest.read(folder)
    assert manifest.fame1 is not None
    ins = [one for one in manifest.fame1.channels if one.direction == "in"]
    outs = [one for one in manifest.fame1.channels if one.direction == "out"]
    wanted = expected(source.parent / "cpu", inputs)
    with Model(folder / "model.so") as model:
        host = Host(model, generator)
        assert host.read(0x74) == 94 << 8 | 5
        everything = (1 << len(outs)) - 1
        host.write(0x28, everything)
        host.write(0x30, 7)
        host.write(0x34, 90)
        values, rows = ValueWords(ins), RowReader(outs, everything)
        for cycle, value in enumerate(inputs):
            token = {"x": value, "reset": int(cycle < 16)}
            for index, channel in enumerate(ins):
                for word in values.words(index, cycle, packed(channel, token)):
                    host.send(word)
            host.send(run_command(cycle + 1))
            rows.take(host.word, cycle + 1)
        host.write(0x70, 0)
        assert host.read_wide(0x78) == CYCLES
        for cycle in range(CYCLES - DEPTH, CYCLES):
            assert captured(host, manifest, cycle) == wanted[cycle], cycle


def test_a_form_without_a_capture_has_nothing_of_it(tmp_path: Path) -> None:
    hashes = set()
    for depth_cycles in (0, 16, 32):
        folder = tmp_path / str(depth_cycles)
        folder.mkdir()
        capture = Capture(("two",), depth_cycles) if depth_cycles else None
        manifest = lower(folder, top(DESIGN), target="fpga", capture=capture)
        hashes.add(manifest["design_hash"])
        assert ("capture" in manifest) == bool(depth_cycles)
        for name in ("host.v", "fame1.v", "target.v"):
            assert ("capture" in verilog(folder, name)) == bool(depth_cycles)
        assert (folder / "out/firesim_capture.v").exists() == bool(depth_cycles)
    assert len(hashes) == 3


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("lon", "capture: the design has no signal 'lon' (nearest: long)"),
        ("dead", "capture: the design has no signal 'dead'"),
        ("clock", "capture: the design has no signal 'clock'"),
        ("file", "capture: the design has no signal 'file'"),
    ],
)
def test_what_is_no_signal_is_refused(name: str, sentence: str, tmp_path: Path) -> None:
    wanted = Capture(("two", name), 16)
    assert sentence in refusal(tmp_path, top(DESIGN), target="fpga", capture=wanted)


@pytest.mark.parametrize(
    ("capture", "target", "sentence"),
    [
        (Capture(("two",), 16), "cpu", 'expected target "fpga" or "metasim"'),
        (Capture((), 16), "fpga", "found no signal, expected at least one"),
        (Capture(("two", "two"), 16), "fpga", "found 'two' twice"),
        (Capture(("two",), 24), "fpga", "found 24, expected a power of two from 16 to 65536"),
    ],
)
def test_what_nothing_captures_is_refused(
    capture: Capture, target: str, sentence: str, source: Path, tmp_path: Path
) -> None:
    request = Request([str(source)], "Top", str(tmp_path), target=target, capture=capture)
    with pytest.raises(GoldenGateError, match=sentence):
        goldengate.compile_request(request)


def test_threads_share_no_ring(source: Path, tmp_path: Path) -> None:
    capture = Capture(("two",), 16)
    request = Request([str(source)], "Top", str(tmp_path), target="fpga", capture=capture)
    with pytest.raises(GoldenGateError, match="FAME-5 threads cannot be combined with a capture"):
        compile_shared(request, Sharing(fame5_threads=2))
