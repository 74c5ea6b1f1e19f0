# SPDX-License-Identifier: BSD-3-Clause
"""Scan chains: every token stays, and a state that is taken out and put in is whole.

A design with registers and memories of every kind is compiled as a CPU model and as a form with a
scan chain. At cycles chosen at random the state is taken out of the form and compared with the CPU
model, bit by bit; it is put into another one, and both go on.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from firesim.build.scan_map import scan_map

import goldengate
from goldengate import GoldenGateError, Manifest, Request
from goldengate.harness import Model, _place
from goldengate.scan_layout import WORD_BITS, ScanLayout, words_of
from goldengate.sharing import Sharing, compile_shared
from goldengate.stalls import run_stalled
from goldengate.synthesis import synthesize
from goldengate.tests.designs import seed, top, write
from goldengate.tests.scan_host import Image, ScanHost

SCAN = Sharing(scan_chain=True)
CYCLES, SEEDS = 120, 3
DESIGN = """\
logic [7:0] few [0:11], late [0:255], asked [0:255], both [0:63]; logic [70:0] wide [0:31];
logic [7:0] at, found, one, two, low, shown, other; logic [70:0] row; logic [90:0] long; logic odd;
initial few[3] = 8'h77; initial late[200] = 8'h12; initial one = 8'h31;
wire [7:0] seen = asked[at];
always @(posedge clock) begin
  if (reset) begin two <= 8'h05; low <= 0; end
  else begin
    if (x[0]) two <= two * 3 + one + few[x[4:1]] + shown + row[70:63];
    low[3:0] <= low[7:4] ^ seen[3:0];
    if (one[2]) low[7:4] <= x[3:0];
  end
  one <= one + x + other;
  if (x[1]) few[one[3:0]] <= two;
  if (x[2]) late[two] <= one ^ low;
  if (x[3]) shown <= late[x];
  if (x[4]) asked[two][3:0] <= one[3:0];
  if (x[5]) asked[two][7:4] <= x[7:4];
  if (x[6]) at <= one ^ x;
  if (one[1]) wide[one[4:0]] <= {row[62:0], two ^ x};
  row <= wide[x[4:0]];
  if (one[4]) both[two[5:0]] <= low;
  other <= both[one[5:0]];
  found <= both[two[5:0]];
  long <= {long[82:0], two};
end
always @(posedge clock) if (reset) odd <= 1; else odd <= odd ^ two[0];
assign y = one ^ two ^ low ^ shown ^ seen ^ found ^ long[90:83] ^ {8{odd}};
"""
"""Enables, resets, first values; memories with registers behind and before a read, with two of
them, with bytes, with rows of two words, and with fewer rows than their addresses have."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """Return the folders of the CPU model, the form and its metasimulation."""
    folder = tmp_path_factory.mktemp("scan")
    source = write(folder, top(DESIGN))
    cpu = goldengate.compile([source], "Top", folder / "cpu")
    forms = [
        compile_shared(Request([str(source)], "Top", str(folder / name), target=name), SCAN)
        for name in ("fame1", "metasim")
    ]
    return cpu, forms[0], forms[1]


def _inputs(generator: random.Random, cycles: int) -> list[dict[str, int]]:
    return [{"x": generator.getrandbits(8), "reset": int(cycle < 3)} for cycle in range(cycles)]


def test_every_token_stays(built: tuple[Path, Path, Path], tmp_path: Path) -> None:
    cpu, form, _ = built
    manifest = Manifest.read(form)
    said = manifest.fame1
    assert said is not None
    files = [form / name for name in said.files]
    host = goldengate.compile(files, said.top, tmp_path, clock=said.clock, reset=said.reset)
    first = seed()
    for number in range(first, first + SEEDS):
        generator = random.Random(number)
        inputs = _inputs(generator, CYCLES)
        with Model(cpu / "model.so") as model:
            expected = [model.step(values) for values in inputs]
        for eagerness in ((0.1, 0.5, 0.9, 1.0), (1.0,)):
            found = run_stalled(host / "model.so", manifest, inputs, generator, eagerness)
            assert found.outputs == expected, f"seed {number}"
    assert found.host_cycles <= CYCLES + 4, "the form takes a target cycle in each host cycle"


def _assert_equal(image: Image, state_map: dict[str, list[list[int]]], layout: ScanLayout,
                  model: Model) -> None:  # fmt: skip
    """Compare an image with the CPU model, by the map of a run."""

    def bits(number: int, row: int, low: int, width: int) -> int:
        word = model._engine.signal(model._instance, number)
        return int.from_bytes(_place(word, row), "little") >> low & (1 << width) - 1

    columns = [
        (rows, WORD_BITS * word)
        for memory, rows in zip(layout.memories, image.rows, strict=True)
        for word in range(words_of(memory.width_bits))
    ]
    for mine, low, word, place, width in state_map["registers"]:
        here = image.registers >> WORD_BITS * word + place & (1 << width) - 1
        assert here == bits(mine, 0, low, width), f"register {mine}"
    for mine, low, signal, other_low, width, rows in state_map["memories"]:
        there, first = columns[signal - layout.register_words]
        for row in range(rows):
            here = there[row] >> first + other_low & (1 << width) - 1
            assert here == bits(mine, row, low, width), f"memory {mine}, row {row}"


def test_a_state_goes_out_and_in(built: tuple[Path, Path, Path]) -> None:
    cpu, form, metasim = built
    manifest, state_map = Manifest.read(metasim), json.loads(scan_map(cpu, form).read_text())
    assert manifest.scan is not None
    first = seed()
    for number in range(first, first + SEEDS):
        generator = random.Random(number)
        inputs = _inputs(generator, CYCLES)
        at = sorted(generator.sample(range(4, CYCLES - 10), 3))
        with (
            Model(cpu / "model.so") as model,
            Model(metasim / "model.so") as host,
            Model(metasim / "model.so") as second,
        ):
            scanned = ScanHost(host, manifest, generator)
            other = ScanHost(second, manifest, generator)
            for cycle, values in enumerate(inputs):
                if cycle in at:
                    image = scanned.save()
                    _assert_equal(image, state_map, manifest.scan, model)
                    other.load(image)
                    assert other.save() == image, f"seed {number}: {cycle}"
                expected = model.step(values)
                assert scanned.step(values) == expected, f"seed {number}: {cycle}"
                if cycle >= at[0]:
                    assert other.step(values) == expected, f"seed {number}: {cycle}"


def test_a_register_before_a_block_memory_takes_the_row(tmp_path: Path) -> None:
    """Only one without a first value is part of the memory, so nothing here has one."""
    body = (
        "logic [7:0] rows [0:255], at, two;\n"
        "always @(posedge clock) begin\n"
        "  if (reset) two <= 1; else two <= two * 3 + x;\n"
        "  if (x[1]) rows[two] <= x; if (x[2]) at <= two ^ x;\n"
        "end\n"
        "assign y = rows[at] ^ two;"
    )
    sources = [str(write(tmp_path, top(body)))]
    forms = [
        Request(sources, "Top", str(tmp_path / name), target=name, unknown="free")
        for name in ("fpga", "metasim")
    ]
    out, metasim = (compile_shared(request, SCAN) for request in forms)
    manifest = Manifest.read(metasim)
    host = Manifest.read(out).host
    assert host is not None and not manifest.warnings
    files = [out / one for one in host.files]
    counts = synthesize(files, host.top, "ecp5", tmp_path / "ecp5").total
    assert counts["bram_kbit"] == 18
    first = seed()
    for number in range(first, first + SEEDS):
        generator = random.Random(number)
        inputs = _inputs(generator, CYCLES)
        at = generator.randrange(4, CYCLES - 10)
        with Model(metasim / "model.so") as one, Model(metasim / "model.so") as other:
            scanned, again = (ScanHost(each, manifest, generator) for each in (one, other))
            for cycle, values in enumerate(inputs):
                if cycle == at:
                    again.load(image := scanned.save())
                    assert again.save() == image, f"seed {number}: {cycle}"
                    scanned.save()
                expected = scanned.step(values)
                if cycle >= at:
                    assert again.step(values) == expected, f"seed {number}: {cycle}"


def test_the_map_has_every_register_and_memory(built: tuple[Path, Path, Path]) -> None:
    cpu, form, _ = built
    text = scan_map(cpu, form).read_text()
    assert "refused" not in text
    layout = Manifest.read(form).scan
    assert layout is not None
    assert {one.name for one in layout.memories} == {"few", "late", "asked", "both", "wide"}
    assert len(layout.latches) == 4, "shown, row, other and found lie in block memory"
    assert layout.bits == 7 * 8 + 71 + 91 + 1


def test_asynchronous_resets_stay_but_have_no_map(tmp_path: Path) -> None:
    text = DESIGN.replace(
        "(posedge clock) if (reset) odd", "(posedge clock, posedge reset) if (reset) odd"
    )
    source = write(tmp_path, top(text))
    form = compile_shared(
        Request([str(source)], "Top", str(tmp_path / "form"), target="fpga"), SCAN
    )
    cpu = goldengate.compile([source], "Top", tmp_path / "cpu")
    assert json.loads(scan_map(cpu, form).read_text())["refused"] == "odd is no register there"


def test_fingerprints_differ(built: tuple[Path, Path, Path], tmp_path: Path) -> None:
    source = write(tmp_path, top(DESIGN))
    plain = goldengate.compile([source], "Top", tmp_path / "plain", target="fpga")
    assert Manifest.read(plain).scan is None
    assert Manifest.read(plain).design_hash != Manifest.read(built[1]).design_hash


def test_block_memory_stays(tmp_path: Path) -> None:
    source = write(tmp_path, top(DESIGN))
    request = Request([str(source)], "Top", str(tmp_path / "plain"), target="fpga")
    counts = []
    for name, sharing in (("plain", Sharing()), ("scan", SCAN)):
        asked = Request([*request.sources], "Top", str(tmp_path / name), target="fpga")
        out = compile_shared(asked, sharing) if sharing else goldengate.compile_request(asked)
        host = Manifest.read(out).host
        assert host is not None
        files = [out / one for one in host.files]
        counts.append(synthesize(files, host.top, "ecp5", tmp_path / f"{name}-ecp5").total)
    # `late` in both; `asked`, whose address register is in the chain, is read early in one alone.
    assert [one["bram_kbit"] for one in counts] == [36, 18]


def test_errors_with_other_sharing(tmp_path: Path) -> None:
    request = Request(
        [str(write(tmp_path, top(DESIGN)))], "Top", str(tmp_path / "out"), target="fpga"
    )
    with pytest.raises(GoldenGateError) as found:
        compile_shared(request, Sharing(multi_cycle_memories=True, scan_chain=True))
    assert str(found.value).startswith("a scan chain cannot be combined with multi-cycle")
