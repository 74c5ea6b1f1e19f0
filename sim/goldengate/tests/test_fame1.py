# SPDX-License-Identifier: BSD-3-Clause
"""Pass `fame1`: tokens do not change, however the host stalls.

A small design (counter, FIFO, memory, bridge, assert, cover) is compiled twice: as a CPU model, and
in FAME-1 form, whose Verilog is itself compiled to a model clocked by the host. Channels are
stalled at random, differently for each seed; every stream of tokens must equal the CPU model's.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import goldengate
from goldengate.harness import Model
from goldengate.tests.designs import lower, refusal, seed, top, verilog, write

SEEDS = 24
TARGET_CYCLES = 150

DESIGN = """\
logic [7:0] count; logic [7:0] fifo [0:3]; logic [2:0] head, tail; logic [7:0] memory [0:15];
logic ready, valid; logic [7:0] bits, read;
initial memory[3] = 8'h5a;
wire push = valid & (tail - head != 3'd4);
FireSimUARTBridge uart(.clock, .reset, .out_valid(head != tail), .out_bits(fifo[head[1:0]]),
  .in_ready(tail - head != 3'd4), .out_ready(ready), .in_valid(valid), .in_bits(bits));
always @(posedge clock) begin
  if (reset) begin count <= 0; head <= 0; tail <= 0; end
  else begin
    count <= count + x;
    if (push) tail <= tail + 1;
    if (ready && head != tail) head <= head + 1;
    full: cover (tail - head == 3'd4);
    bounded: assert (count != 8'd77);
  end
  if (push) fifo[tail[1:0]] <= bits;
  if (x[7]) memory[x[3:0]] <= count ^ bits;
  read <= memory[x[6:3]];
end
logic latched; logic [7:0] gated; wire gate = latched & clock;
always_latch if (!clock) latched = x[5];
always @(posedge gate) gated <= gated + x;
assign y = count ^ read ^ gated;
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Build the CPU model and the model of the FAME-1 form; return their libraries."""
    folder = tmp_path_factory.mktemp("fame1")
    source = write(folder, top(DESIGN))
    cpu = goldengate.compile([source], "Top", folder / "cpu")
    form = goldengate.compile([source], "Top", folder / "form", target="fame1")
    said = goldengate.Manifest.read(form).fame1
    assert said is not None and not (form / "model.so").exists()
    fame1 = goldengate.compile(
        [form / name for name in said.files],
        said.top,
        folder / "fame1",
        clock=said.clock,
        reset=said.reset,
    )
    return cpu / "model.so", fame1 / "model.so"


def _inputs(generator: random.Random) -> Iterator[dict[str, int]]:
    for cycle in range(TARGET_CYCLES):
        yield {
            "reset": int(cycle < 3),
            "x": generator.getrandbits(8),
            "uart__out_ready": generator.getrandbits(1),
            "uart__in_valid": generator.getrandbits(1),
            "uart__in_bits": generator.getrandbits(8),
        }


def _stalled(
    library: Path, tokens: list[dict[str, int]], generator: random.Random
) -> tuple[dict[str, list[int]], int]:
    """Feed the tokens with random stalls; return the output tokens and the host cycles taken."""
    with Model(library) as model:
        names = [name.removesuffix("_valid") for name in model.ports if name.endswith("_valid")]
        names = [name for name in names if f"{name}_data" in model.ports]
        outs = [name for name in names if not model.ports[f"{name}_valid"][1]]
        given = dict.fromkeys(tokens[0], 0)
        eagerness = {name: generator.choice((0.1, 0.5, 0.9, 1.0)) for name in names}
        received: dict[str, list[int]] = {name: [] for name in outs}
        model.reset(2, "host_reset")
        while min(len(stream) for stream in received.values()) < len(tokens):
            assert model.cycle < 200 * len(tokens), "the stalled target makes no progress"
            for name, index in given.items():
                offered = index < len(tokens) and generator.random() < eagerness[name]
                model[f"{name}_valid"] = int(offered)
                model[f"{name}_data"] = tokens[index][name] if offered else generator.getrandbits(1)
            for name in outs:
                model[f"{name}_ready"] = int(generator.random() < eagerness[name])
            result = model.step()
            for name in given:
                given[name] += model[f"{name}_valid"] & result[f"{name}_ready"]
            for name in outs:
                if result[f"{name}_valid"] and model[f"{name}_ready"]:
                    received[name].append(result[f"{name}_data"])
        return {name: stream[: len(tokens)] for name, stream in received.items()}, model.cycle


def test_tokens_do_not_depend_on_stalls(models: tuple[Path, Path]) -> None:
    cpu, fame1 = models
    first = seed()
    host_cycles = set()
    for number in range(first, first + SEEDS):
        generator = random.Random(number)
        tokens = list(_inputs(generator))
        with Model(cpu) as model:
            expected = [model.step(inputs) for inputs in tokens]
        streams, cycles = _stalled(fame1, tokens, generator)
        host_cycles.add(cycles)
        for name, stream in streams.items():
            assert stream == [outputs[name] for outputs in expected], f"seed {number}: {name}"
        assert set(streams) == set(expected[0])
    assert len(host_cycles) > SEEDS // 2, "the seeds did not stall differently"


def test_every_register_waits_for_the_step(tmp_path: Path) -> None:
    lower(tmp_path, top(DESIGN), target="fame1")
    text = verilog(tmp_path)
    for block in text.split("always @(posedge clock)")[1:]:
        assert "firesim_fire" in block.split("<=")[0] or "firesim_gate_" in block.split("<=")[0]


def test_errors_latch(tmp_path: Path) -> None:
    body = "logic [7:0] q; always_latch if (x[0]) q = x; assign y = q;"
    assert refusal(tmp_path, top(body), target="fame1") == (
        "top.sv:2: FAME-1 does not support dlatch (a latch or an asynchronous reset) yet."
    )


def test_errors_falling_edge(tmp_path: Path) -> None:
    body = "logic [7:0] q; always @(negedge clock) q <= x; assign y = q;"
    assert refusal(tmp_path, top(body), target="fame1") == (
        "top.sv:2: FAME-1 needs every register on the rising edge of 'clock'; this one is clocked "
        "by something else."
    )
