# SPDX-License-Identifier: BSD-3-Clause
"""Pass `fame1`: tokens do not change, however the host stalls.

Small designs (a counter, a FIFO, memories, a bridge, an assert, a cover; what the text leaves open;
asynchronous resets and latches) are compiled twice: as a CPU model, and in FAME-1 form, whose
Verilog is itself compiled to a model clocked by the host. Channels are stalled at random,
differently for each seed; every token must equal the CPU model's.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import goldengate
from goldengate.channels import QUEUE_FILE, RTL
from goldengate.harness import Model
from goldengate.stalls import run_stalled
from goldengate.tests.designs import PORTS, lower, names, refusal, seed, top, verilog, write
from goldengate.tests.fame1_designs import ASYNCHRONOUS, DESIGN, OPEN, RATIO

SEEDS = 24
TARGET_CYCLES = 150
UNPLACED = (
    " ^ d[11]; logic [11:0] d; always @(posedge clock) d[0] <= ~d[0]; for (genvar i = 0; i < 11; "
    "i++) always @(posedge d[i]) d[i + 1] <= ~d[i + 1];"
)
"""What the pass `edges` does not take, so that it takes nothing."""


def _models(folder: Path, text: str, **more: Any) -> tuple[Path, Path, goldengate.Manifest]:
    """Build the CPU model and that of the FAME-1 form; return them and the form's manifest."""
    source = write(folder, text)
    cpu = goldengate.compile([source], "Top", folder / "cpu", **more)
    form = goldengate.compile([source], "Top", folder / "form", target="fame1", **more)
    manifest = goldengate.Manifest.read(form)
    said = manifest.fame1
    assert said is not None and not (form / "model.so").exists()
    fame1 = goldengate.compile(
        [form / name for name in said.files],
        said.top,
        folder / "fame1",
        clock=said.clock,
        reset=said.reset,
    )
    return cpu / "model.so", fame1 / "model.so", manifest


def _inputs(manifest: goldengate.Manifest, generator: random.Random) -> list[dict[str, int]]:
    ports = [port for port in manifest.ports if port.direction == "in"]
    return [
        {port.name: generator.getrandbits(port.width_bits) for port in ports}
        | {"reset": int(cycle < 3)}
        for cycle in range(TARGET_CYCLES)
    ]


def _compare(
    cpu: Path, fame1: Path, manifest: goldengate.Manifest, seeds: int
) -> tuple[int, set[int]]:
    """Compare all tokens and counters; return how many seeds, and the host cycles they took."""
    first, host_cycles = seed(), set()
    counters = [counter.port for counter in manifest.counters]
    for number in range(first, first + seeds):
        generator = random.Random(number)
        inputs = _inputs(manifest, generator)
        with Model(cpu) as model:
            expected = [model.step(values) for values in inputs]
            after = model.step(inputs[-1])
        found = run_stalled(fame1, manifest, inputs, generator)
        host_cycles.add(found.host_cycles)
        for cycle, outputs in enumerate(expected):
            wanted = {name: value for name, value in outputs.items() if name not in counters}
            assert found.outputs[cycle] == wanted, f"seed {number}, cycle {cycle}"
        assert found.counters == {name: after[name] for name in counters}, f"seed {number}"
    return seeds, host_cycles


def test_tokens_do_not_depend_on_stalls(tmp_path: Path) -> None:
    seeds, host_cycles = _compare(*_models(tmp_path, top(DESIGN)), SEEDS)
    assert len(host_cycles) > seeds // 2, "the seeds did not stall differently"


def test_the_target_takes_a_step_in_each_host_cycle_if_it_can(tmp_path: Path) -> None:
    _, fame1, manifest = _models(tmp_path, top(DESIGN))
    generator = random.Random(seed())
    found = run_stalled(fame1, manifest, _inputs(manifest, generator), generator, (1.0,))
    reset, first = 2, 2  # A token needs a host cycle to come in, and one to go out.
    assert found.host_cycles == reset + first + TARGET_CYCLES


def test_what_the_text_leaves_open_is_as_in_the_cpu_model(tmp_path: Path) -> None:
    cpu, fame1, manifest = _models(tmp_path, top(OPEN))
    text = (tmp_path / "form" / "target.v").read_text()
    assert not re.search(r"'[bh][0-9a-f_]*[xz]", text)
    for register in re.findall(r"^  reg \[7:0\] (\w+)( =|;)", text, re.MULTILINE):
        assert register[1] == " =", f"{register[0]} has no first value"
    assert "reg [7:0] rows [15:0];" in text
    _compare(cpu, fame1, manifest, 4)


def test_asynchronous_resets_and_latches(tmp_path: Path) -> None:
    _compare(*_models(tmp_path, top(ASYNCHRONOUS)), 4)


def test_a_clock_with_a_ratio(tmp_path: Path) -> None:
    text = top(RATIO, f"input logic slow, {PORTS}")
    _compare(*_models(tmp_path, text, clock_ratios={"slow": "2/3"}), 4)


def test_channels(tmp_path: Path) -> None:
    manifest = lower(tmp_path, top(DESIGN), target="fame1")
    assert "firesim_fire" not in names(manifest["ports"])
    channels = manifest["fame1"]["channels"]
    assert [
        (one["name"], one["direction"], one["width_bits"], one["bridge"]) for one in channels
    ] == [
        ("uart_out", "out", 10, "uart"),
        ("uart_in", "in", 10, "uart"),
        ("firesim_asserts_out", "out", 1, None),
        ("firesim_prints_out", "out", 17, None),
        ("firesim_target_in", "in", 9, None),
        ("firesim_target_out", "out", 8, None),
    ]
    assert channels[1]["fields"] == [
        {"port": "uart__in_bits", "low_bit": 0, "width_bits": 8},
        {"port": "uart__out_ready", "low_bit": 8, "width_bits": 1},
        {"port": "uart__in_valid", "low_bit": 9, "width_bits": 1},
    ]
    carried = [field["port"] for one in channels for field in one["fields"]]
    counters = [counter["port"] for counter in manifest["counters"]]
    assert sorted(carried + counters) == sorted(names(manifest["ports"]))


def test_every_register_waits_for_the_step(tmp_path: Path) -> None:
    lower(tmp_path, top(DESIGN), target="fame1")
    text = verilog(tmp_path)
    for block in text.split("always @(posedge clock)")[1:]:
        assert "firesim_fire" in block.split("<=")[0] or "firesim_gate_" in block.split("<=")[0]


_AREA = """\
from pyosys import libyosys as ys
design = ys.Design()
for command in ("read_verilog {queue}", "chparam -set WIDTH 64 firesim_token_queue",
                "synth_ecp5 -top firesim_token_queue", "tee -q -o {out} stat -json"):
    ys.run_pass(command, design)
"""


def test_a_queue_is_small_on_ecp5(tmp_path: Path) -> None:
    out = tmp_path / "area.json"
    script = _AREA.format(queue=RTL / QUEUE_FILE, out=out)
    subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL)
    cells = json.loads(out.read_text())["design"]["num_cells_by_type"]
    assert cells["TRELLIS_FF"] == 130
    assert cells["LUT4"] <= 80 and cells.get("PFUMX", 0) <= 8, cells


def test_errors_clocked_latch(tmp_path: Path) -> None:
    body = "logic [7:0] q; always_latch if (clock) q = x; assign y = q" + UNPLACED
    assert refusal(tmp_path, top(body), target="fame1") == (
        "top.sv:2: FAME-1 needs latches that the clock 'clock' does not open, except those of "
        "clock gates."
    )


def test_errors_clock_as_data(tmp_path: Path) -> None:
    body = "assign y = x & {8{clock}};"
    assert refusal(tmp_path, top(body), target="fame1") == (
        "top.sv:2: FAME-1 needs a clock that nothing reads; this takes the level of 'clock' as a "
        "value."
    )


def test_errors_clock_as_output(tmp_path: Path) -> None:
    body = "wire named = clock; assign y = {7'b0, named};"
    assert refusal(tmp_path, top(body), target="fame1") == (
        "Top: FAME-1 needs a clock that nothing reads; the output 'y' is the clock 'clock'."
    )


def test_the_clock_may_have_another_name(tmp_path: Path) -> None:
    body = "logic [7:0] q; wire named = clock; always @(posedge named) q <= x; assign y = q;"
    manifest = lower(tmp_path, top(body), target="fame1")
    assert sorted(names(manifest["ports"])) == ["reset", "x", "y"]


def test_errors_falling_edge(tmp_path: Path) -> None:
    body = "logic [7:0] q; always @(negedge clock) q <= x; assign y = q" + UNPLACED
    assert refusal(tmp_path, top(body), target="fame1") == (
        "top.sv:2: FAME-1 needs every register on the rising edge of 'clock'; this one is clocked "
        "by something else."
    )
