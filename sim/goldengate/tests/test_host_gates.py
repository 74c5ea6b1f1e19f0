# SPDX-License-Identifier: BSD-3-Clause
"""Gates in the host's side of a form: of two TraceRV bridges, the host hears of a window alone.

A small design whose bridges commit and trap by chance is compiled as a CPU model and as a
metasimulation with gates, which is driven word by word and stalled at random. The rows must be
those cycles that a trigger written here lets pass, in random settings, with a window that is open
or closed from the start, and nothing else; the state read at the end must be the trigger's.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import goldengate
from goldengate.bridges import read_declaration
from goldengate.errors import GoldenGateError
from goldengate.harness import Model
from goldengate.stalls import unpacked
from goldengate.tests.designs import seed, write
from goldengate.tests.test_host_top import Host, rows_of

CYCLES, SEEDS = 400, 4
MOST_LUTS, MOST_FLIP_FLOPS = 480, 330
"""Of a gate, with its share of the registers."""

HARTS = """\
module Harts (input logic clock, input logic reset, input logic [3:0] x, output logic [7:0] y);
  logic [15:0] random;
  always_ff @(posedge clock) random <= reset ? 16'h1 :
    {random[14:0], random[15] ^ random[13] ^ random[12] ^ random[10]} ^ {12'd0, x};
  for (genvar i = 0; i < 2; i++) begin : hart
    wire [7:0] bits = random[4*i +: 8];
    FireSimTraceRVBridge #(.HART(i)) trace (
      .clock, .reset, .valid(bits[1]), .pc({56'h80000000_0000, 5'd0, bits[4:2]}),
      .instruction({8'h5a, 16'd0, bits}), .privilege(3'd3), .exception(~bits[1] & bits[0]),
      .interrupt(1'b0), .cause(64'd2), .tval({48'd0, random})
    );
  end
  assign y = random[7:0];
endmodule
"""


@dataclass
class Trigger:
    """What a gate is to do: the field of `start` and `stop`, each bits and mask, and its state."""

    field: int
    start: tuple[int, int]
    stop: tuple[int, int]
    open: bool

    def passes(self, commits: bool, values: tuple[int, int]) -> bool:
        """Note a token; return whether the host hears of it, if it wakes a driver."""
        before = self.open
        bits, mask = self.stop if before else self.start
        if commits and values[self.field] & mask == bits:
            self.open = not before
        return before or self.open

    def program(self, host: Host, number: int) -> None:
        """Write it into a gate."""
        words = (*self.start, *self.stop)
        for at in range(8):
            host.write(0x94, number << 8 | at)
            host.write(0x98, words[at // 2] >> 32 * (at % 2) & 0xFFFF_FFFF)
        host.write(0x94, number << 8 | 8)
        host.write(0x98, self.field << 8 | self.open << 1 | 1)


def _trigger(generator: random.Random) -> Trigger:
    def bits() -> tuple[int, int]:
        if field == 0:
            return 0x8000_0000_0000 << 8 | generator.randrange(8), (1 << 64) - 1
        mask = generator.choice((0x0000_00FC, 0xFF00_001F, 0x7, 0xFFFF_FFFF))
        return (0x5A00_0000 | generator.getrandbits(8)) & mask, mask

    field = generator.randrange(2)
    return Trigger(field, bits(), bits(), bool(generator.getrandbits(1)))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build the CPU model and the metasimulation with gates; return their folders."""
    folder = tmp_path_factory.mktemp("gates")
    source = write(folder, HARTS)
    cpu = goldengate.compile([source], "Harts", folder / "cpu")
    request = goldengate.Request(
        [str(source)], "Harts", str(folder / "metasim"), target="metasim", gates=True
    )
    return cpu, goldengate.compile_request(request)


def _awake(outputs: dict[str, int], ports: dict[str, str], trigger: Trigger | None) -> bool:
    """Return whether the host is to hear of a bridge's token."""
    valid = bool(outputs[ports["valid"]])
    values = outputs[ports["pc"]], outputs[ports["instruction"]]
    passes = trigger is None or trigger.passes(valid, values)
    return passes and (valid or bool(outputs[ports["exception"]]))


@pytest.mark.parametrize("stall_rate", [0, 100])
def test_the_host_hears_of_windows_alone(models: tuple[Path, Path], stall_rate: int) -> None:
    cpu, metasim = models
    manifest = goldengate.Manifest.read(metasim)
    assert manifest.fame1 is not None
    outs = [one for one in manifest.fame1.channels if one.direction == "out"]
    traced = [index for index, one in enumerate(outs) if one.bridge]
    ports = {bridge.path: bridge.ports for bridge in manifest.bridges}
    told = held = 0
    for number in range(seed(), seed() + SEEDS):
        generator = random.Random(number)
        inputs = [{"reset": int(at < 16), "x": generator.getrandbits(4)} for at in range(CYCLES)]
        with Model(cpu / "model.so") as model:
            expected = [model.step(values) for values in inputs]
        triggers = {index: _trigger(generator) for index in traced}
        if number % 2:
            triggers.pop(traced[0])  # That gate is not used, and its channel told as ever.
        gated = sum(1 << index for index in triggers)
        listen = (1 << len(outs)) - 1
        with Model(metasim / "model.so") as model:
            host = Host(model, generator)
            assert host.read(0x90) == 2
            host.write(0x28, listen)
            host.write(0x30, number)
            host.write(0x34, stall_rate)
            for index, trigger in triggers.items():
                trigger.program(host, traced.index(index))
            rows = {row.cycle: row for row in rows_of(host, manifest, inputs, listen, gated)}
            for cycle, outputs in enumerate(expected):
                row = rows.get(cycle)
                seen = set(row.tokens) if row else set()
                for index in traced:
                    gate = triggers.get(index)
                    wanted = _awake(outputs, ports[outs[index].bridge or ""], gate)
                    if gate is None and row is not None and row.stops:
                        wanted = True
                    where = f"seed {number}: cycle {cycle}: {outs[index].name}"
                    assert (index in seen) == wanted, where
                    told, held = told + wanted, held + (not wanted)
                    if index in seen and row is not None:
                        token = unpacked(outs[index], row.tokens[index])
                        assert token.items() <= outputs.items(), where
            for index in traced:
                host.write(0x94, traced.index(index) << 8 | 8)
                gate = triggers.get(index)
                state = 0 if gate is None else gate.open << 1 | 1
                assert host.read(0x98) == state, f"seed {number}: {outs[index].name}"
    assert told > 200 and held > 200, "windows are open and closed"


_SYNTHESIS = """\
from pyosys import libyosys as ys
design = ys.Design()
for command in ({reads}, "synth_ecp5 -top Harts_host", "tee -q -o {out} stat -json"):
    ys.run_pass(command, design)
"""


def _cells(folder: Path, source: Path, gates: bool) -> tuple[dict[str, int], list[str]]:
    """Return the cells of a form for an ECP5, and the names of its files."""
    form = folder / f"form-{gates}"
    goldengate.compile_request(
        goldengate.Request([str(source)], "Harts", str(form), target="fpga", gates=gates)
    )
    host = goldengate.Manifest.read(form).host
    assert host is not None
    reads = ", ".join(f'"read_verilog {form / name}"' for name in host.files)
    script = _SYNTHESIS.format(reads=reads, out=folder / "area.json")
    subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL)
    counts = json.loads((folder / "area.json").read_text())["design"]["num_cells_by_type"]
    return counts, host.files


def test_a_gate_takes_some_hundred_tables(tmp_path: Path) -> None:
    # Of each hart, so that no bit of a comparison is known.
    wide = "logic [63:0] wide; always_ff @(posedge clock) wide <= {wide[62:0], bits[i]};\n"
    text = HARTS.replace("    FireSimTrace", f"    {wide}    FireSimTrace")
    text = text.replace("{56'h80000000_0000, 5'd0, bits[4:2]}", "wide")
    source = write(tmp_path, text.replace("{8'h5a, 16'd0, bits}", "wide[31:0] ^ wide[63:32]"))
    (without, files), (gated, more) = (_cells(tmp_path, source, gates) for gates in (False, True))
    assert set(more) - set(files) == {"firesim_gate.v", "firesim_gate_registers.v"}
    tables, registers = ((gated[kind] - without[kind]) / 2 for kind in ("LUT4", "TRELLIS_FF"))
    print(f"a gate: {tables} LUT4, {registers} FF; {without} {gated}")
    assert 0 < tables <= MOST_LUTS and 0 < registers <= MOST_FLIP_FLOPS


def test_a_form_without_such_a_bridge_has_no_gate(tmp_path: Path) -> None:
    text = "module Top(input logic clock, reset, x, output logic y); assign y = x; endmodule\n"
    source = write(tmp_path, text)
    found = []
    for gates in (False, True):
        form = tmp_path / f"form-{gates}"
        goldengate.compile_request(
            goldengate.Request([str(source)], "Top", str(form), target="fpga", gates=gates)
        )
        found.append({path.name: path.read_bytes() for path in form.iterdir() if path.is_file()})
    assert found[0] == found[1]


DECLARATION = """\
module: FireSimWatchBridge
key: watch
description: x
ports:
  valid: {{direction: out, wake: {wake}, meaning: x}}
  at: {{direction: out, width_bits: {bits}, meaning: x}}
  back: {{direction: in, meaning: x}}
gate: {gate}
"""


@pytest.mark.parametrize(
    ("wake", "bits", "gate", "said"),
    [
        ("notice", 64, "{when: vald, match: [at]}", 'did you mean "valid"'),
        ("notice", 64, "{when: valid, match: [back]}", 'found "back", expected one of the outputs'),
        ("notice", 65, "{when: valid, match: [at]}", 'found "at" of 65 bits, expected a number'),
        ("notice", 64, "{when: at, match: [at]}", 'found "at" of 64 bits, expected a number'),
        ("answer", 64, "{when: valid, match: [at]}", 'expected an output with "wake: notice".'),
        ("notice", 64, "{when: valid, match: []}", "match"),
    ],
)
def test_bad_gates_are_refused(tmp_path: Path, wake: str, bits: int, gate: str, said: str) -> None:
    path = tmp_path / "bridge.yaml"
    path.write_text(DECLARATION.format(wake=wake, bits=bits, gate=gate))
    with pytest.raises(GoldenGateError) as caught:
        read_declaration(path)
    assert str(path) in str(caught.value) and said in str(caught.value)
