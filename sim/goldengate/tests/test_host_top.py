# SPDX-License-Identifier: BSD-3-Clause
"""The host's side of a FAME-1 form in RTL: registers, values that hold from a cycle on, rows.

A small design is compiled as a CPU model and as a metasimulation. The latter is driven word by
word, as a host does, with random stalls of the streams and, when asked for, of the channels; the
rows must be those cycles of the CPU model that wake a driver, with the same tokens.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import goldengate
from goldengate.channels import Channel
from goldengate.harness import Model
from goldengate.host_words import Row, RowReader, ValueWords, run_command
from goldengate.stalls import packed, unpacked
from goldengate.state import Port
from goldengate.tests.designs import refusal, seed, top, write
from goldengate.tests.fame1_designs import DESIGN

CYCLES, SEEDS = 300, 6
MOST_WAITS = 100_000
USED = 8
"""Of the status: the target has run since its bitstream was loaded (kStatusUsed in registers.h)."""


class Host:
    """Drives the pins of the host's side."""

    def __init__(self, model: Model, generator: random.Random) -> None:
        self.model, self.generator = model, generator
        self.eagerness = generator.choice((0.2, 0.7, 1.0))
        self.received: list[int] = []
        model.reset(2, "host_reset")

    def _cycle(self) -> dict[str, int]:
        """Run a host cycle; keep the word that comes up, if one does."""
        self.model["up_ready"] = int(self.generator.random() < self.eagerness)
        result = self.model.step()
        if result["up_valid"] and self.model["up_ready"]:
            self.received.append(result["up_data"])
        return result

    def _until(self, name: str) -> dict[str, int]:
        for _ in range(MOST_WAITS):
            if (result := self._cycle())[name]:
                return result
        raise AssertionError(f"{name} never comes")

    def write(self, address: int, value: int) -> None:
        """Write a register."""
        self.model["axil_awaddr"], self.model["axil_wdata"] = address, value
        self.model["axil_awvalid"] = self.model["axil_wvalid"] = 1
        self._until("axil_awready")
        self.model["axil_awvalid"] = self.model["axil_wvalid"] = 0
        self.model["axil_bready"] = 1
        assert self._until("axil_bvalid")["axil_bresp"] == 0

    def read(self, address: int) -> int:
        """Read a register."""
        self.model["axil_araddr"], self.model["axil_arvalid"] = address, 1
        self._until("axil_arready")
        self.model["axil_arvalid"], self.model["axil_rready"] = 0, 1
        return self._until("axil_rvalid")["axil_rdata"]

    def read_wide(self, address: int) -> int:
        """Read a register of 64 bits."""
        return self.read(address) | self.read(address + 4) << 32

    def send(self, word: int) -> None:
        """Send a word down, after as many host cycles as chance has it."""
        while self.generator.random() > self.eagerness:
            self._cycle()
        self.model["down_valid"], self.model["down_data"] = 1, word
        self._until("down_ready")
        self.model["down_valid"] = 0

    def word(self) -> int:
        """Return the next word that comes up."""
        for _ in range(MOST_WAITS):
            if self.received:
                return self.received.pop(0)
            self._cycle()
        raise AssertionError("no word comes up")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build the CPU model and the metasimulation; return their folders."""
    folder = tmp_path_factory.mktemp("host")
    source = write(folder, top(DESIGN))
    cpu = goldengate.compile([source], "Top", folder / "cpu")
    return cpu, goldengate.compile([source], "Top", folder / "metasim", target="metasim")


def _inputs(generator: random.Random, ports: list[Port]) -> Iterator[dict[str, int]]:
    """Yield inputs that stay for a while."""
    values: dict[str, int] = {}
    for cycle in range(CYCLES):
        if cycle == 0 or generator.random() < 0.3:
            values = {port.name: generator.getrandbits(port.width_bits) for port in ports}
        yield {**values, "reset": int(cycle < 16)}


def _wakes(manifest: goldengate.Manifest, channel: Channel, outputs: dict[str, int]) -> bool:
    """Return whether a token wakes a driver."""
    ports = {manifest.prints_port, manifest.assert_port}
    ports |= {bridge.ports[name] for bridge in manifest.bridges for name in bridge.wakes}
    return any(outputs[field.port] for field in channel.fields if field.port in ports)


def rows_of(
    host: Host,
    manifest: goldengate.Manifest,
    inputs: list[dict[str, int]],
    listen: int,
    gated: int = 0,
) -> Iterator[Row]:
    """Run a cycle for each input, commands up to a random limit; yield the rows as they come."""
    assert manifest.fame1 is not None
    ins = [one for one in manifest.fame1.channels if one.direction == "in"]
    outs = [one for one in manifest.fame1.channels if one.direction == "out"]
    values, rows = ValueWords(ins), RowReader(outs, listen, gated)
    cycle = 0
    while cycle < len(inputs):
        limit = min(len(inputs), cycle + host.generator.randint(1, 12))
        for at in range(cycle, limit):
            for index, channel in enumerate(ins):
                for word in values.words(index, at, packed(channel, inputs[at])):
                    host.send(word)
        host.send(run_command(limit))
        while cycle < limit:
            row = rows.take(host.word, limit)
            assert row.stops == (row.cycle + 1 == limit)
            cycle = row.cycle + 1
            yield row


@pytest.mark.parametrize("stall_rate", [0, 100])
def test_rows_are_the_cycles_that_wake_a_driver(models: tuple[Path, Path], stall_rate: int) -> None:
    cpu, metasim = models
    manifest = goldengate.Manifest.read(metasim)
    assert manifest.fame1 is not None and manifest.host is not None
    outs = [one for one in manifest.fame1.channels if one.direction == "out"]
    ports = [port for port in manifest.ports if port.direction == "in"]
    first = seed()
    for number in range(first, first + SEEDS):
        generator = random.Random(number)
        inputs = list(_inputs(generator, ports))
        with Model(cpu / "model.so") as model:
            expected = [model.step(values) for values in inputs]
            after = model.step(inputs[-1])
        listen = generator.getrandbits(len(outs)) | 1
        with Model(metasim / "model.so") as model:
            assert model.design_hash == manifest.host.design_hash
            host = Host(model, generator)
            assert host.read_wide(0x00) == 0x3_4653494D
            assert f"{host.read_wide(0x08):016x}" == manifest.design_hash
            host.write(0x28, listen)
            host.write(0x30, number)
            host.write(0x34, stall_rate)
            seen = set()
            for row in rows_of(host, manifest, inputs, listen):
                cycle = row.cycle
                for index, token in row.tokens.items():
                    assert unpacked(outs[index], token).items() <= expected[cycle].items()
                awake = {
                    index
                    for index, channel in enumerate(outs)
                    if listen >> index & 1 and _wakes(manifest, channel, expected[cycle])
                }
                everything = {index for index in range(len(outs)) if listen >> index & 1}
                told = everything if row.stops else awake
                assert set(row.tokens) == told, f"seed {number}: {cycle}"
                seen.add(cycle)
            for cycle, outputs in enumerate(expected):
                for index, channel in enumerate(outs):
                    if listen >> index & 1 and _wakes(manifest, channel, outputs):
                        assert cycle in seen, f"seed {number}: no row for cycle {cycle}"
            assert host.read(0x18) in (USED, USED | 1)  # The last host cycle of the row, or later.
            assert (host.read(0x18), host.read_wide(0x10)) == (USED, CYCLES)
            host.write(0x4C, 0)
            assert host.read_wide(0x40) == after["firesim_counter_0"]
            rose = after["firesim_counter_0"] - expected[-1]["firesim_counter_0"]
            assert host.read(0x48) == rose


@pytest.mark.parametrize("stall_rate", [0, 100])
def test_the_target_stops_after_a_cycle_that_may_be_answered(
    models: tuple[Path, Path], stall_rate: int
) -> None:
    metasim = models[1]
    manifest = goldengate.Manifest.read(metasim)
    ports = [port for port in manifest.ports if port.direction == "in"]
    quiet = dict.fromkeys((port.name for port in ports), 0)
    with Model(metasim / "model.so") as model:
        host = Host(model, random.Random(seed()))
        host.write(0x28, 0b1)
        host.write(0x38, 0b1)
        host.write(0x1C, 500)
        host.write(0x34, stall_rate)
        # The bridge has something to send in the cycle after it was given something.
        assert manifest.fame1 is not None
        uart = next(one for one in manifest.fame1.channels if one.name == "uart_in")
        channels = manifest.fame1.channels
        values = ValueWords([one for one in channels if one.direction == "in"])
        rows = RowReader([one for one in channels if one.direction == "out"], 0b1)
        value = packed(uart, {**quiet, "uart__in_valid": 1, "uart__in_bits": 0x5A})
        for at, token in ((7, value), (8, 0)):
            for word in values.words(0, at, token):
                host.send(word)
        host.send(run_command(100))
        row = rows.take(host.word, 100)
        assert (row.cycle, row.stops, set(row.tokens)) == (8, True, {0})
        channel = next(one for one in channels if one.name == "uart_out")
        assert unpacked(channel, row.tokens[0])["uart__out_bits"] == 0x5A
        for _ in range(1000):
            host.read(0x18)
        assert host.read(0x18) == USED, "it is no fault that the host takes its time"
        assert host.read_wide(0x10) == 9


def test_a_quiet_target_runs_a_cycle_in_each_host_cycle(models: tuple[Path, Path]) -> None:
    manifest = goldengate.Manifest.read(models[1])
    assert manifest.fame1 is not None
    rows = RowReader([one for one in manifest.fame1.channels if one.direction == "out"], 0b1)
    cycles = 70_000  # More than the head of a row can say.
    with Model(models[1] / "model.so") as model:
        host = Host(model, random.Random(seed()))
        host.eagerness = 1.0
        host.write(0x28, 0b1)
        before = host.read_wide(0x20)
        host.send(run_command(cycles))
        row = rows.take(host.word, cycles)
        assert (row.cycle, row.stops, set(row.tokens)) == (cycles - 1, True, {0})
        assert cycles < host.read_wide(0x20) - before < cycles + 30


WIDE = """\
always_ff @(posedge clock) wide_out <= {wide_in[1599:0], wide_in} ^ wide_out;
"""
WIDE_PORTS = (
    "input logic clock, input logic reset, input logic [2399:0] wide_in, "
    "output logic [3999:0] wide_out"
)


def test_tokens_of_many_pieces(tmp_path: Path) -> None:
    source, generator = write(tmp_path, top(WIDE, WIDE_PORTS)), random.Random(seed())
    metasim = goldengate.compile([source], "Top", tmp_path / "metasim", target="metasim")
    manifest = goldengate.Manifest.read(metasim)
    inputs, expected = [{"reset": 0, "wide_in": 0}], [{"wide_out": 0}]
    for _ in range(60):
        last = inputs[-1]["wide_in"]
        both = ((last & (1 << 1600) - 1) << 2400) | last
        expected.append({"wide_out": expected[-1]["wide_out"] ^ both})
        change = sum(1 << generator.randrange(2400) for _ in range(generator.randint(0, 3)))
        inputs.append({"reset": 0, "wide_in": last ^ change})
    assert manifest.fame1 is not None
    ins = [one for one in manifest.fame1.channels if one.direction == "in"]
    outs = [one for one in manifest.fame1.channels if one.direction == "out"]
    values, rows = ValueWords(ins), RowReader(outs, 1)
    with Model(metasim / "model.so") as model:
        host = Host(model, generator)
        host.write(0x28, 1)
        for cycle, wanted in enumerate(expected):
            for index, channel in enumerate(ins):
                for word in values.words(index, cycle, packed(channel, inputs[cycle])):
                    host.send(word)
            host.send(run_command(cycle + 1))
            row = rows.take(host.word, cycle + 1)
            assert row.cycle == cycle and unpacked(outs[0], row.tokens[0]) == wanted


def test_a_target_that_stands_still_is_noticed(models: tuple[Path, Path]) -> None:
    with Model(models[1] / "model.so") as model:
        host = Host(model, random.Random(seed()))
        host.write(0x1C, 5)
        host.write(0x34, 255)  # Nearly always.
        assert host.read(0x18) == 0
        host.send(run_command(100))
        statuses = [host.read(0x18) for _ in range(200)]
        assert statuses[0] & ~USED == 1 and statuses[-1] == USED | 3
        # No reset makes the target as new.
        model["host_reset"] = 1
        for _ in range(20):
            host._cycle()
        model["host_reset"] = 0
        assert (host.read(0x18), host.read_wide(0x10)) == (USED, 0)


_SYNTHESIS = """\
from pyosys import libyosys as ys
design = ys.Design()
for command in ({reads}, "synth_ecp5 -top Top_host", "check -assert",
                "tee -q -o {out} stat -json"):
    ys.run_pass(command, design)
"""


def test_it_synthesizes_for_ecp5(tmp_path: Path) -> None:
    source, form = write(tmp_path, top(DESIGN)), tmp_path / "form"
    goldengate.compile([source], "Top", form, target="fpga")
    host = goldengate.Manifest.read(form).host
    assert host is not None and host.design_hash is None and not (form / "model.so").exists()
    reads = ", ".join(f'"read_verilog {form / name}"' for name in host.files)
    script = _SYNTHESIS.format(reads=reads, out=tmp_path / "area.json")
    subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL)
    cells = json.loads((tmp_path / "area.json").read_text())["design"]["num_cells_by_type"]
    assert not [kind for kind in cells if "LATCH" in kind]
    assert cells["LUT4"] <= 1900 and cells["TRELLIS_FF"] <= 1000, cells


def test_a_target_without_an_output_is_refused(tmp_path: Path) -> None:
    ports = "input logic clock, input logic reset, input logic [7:0] x"
    found = refusal(tmp_path, f"module Top({ports}); endmodule\n", target="metasim")
    assert found == (
        "Top: found no output and no bridge, expected one at least: the host would not see the "
        "target."
    )
