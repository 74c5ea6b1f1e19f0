# SPDX-License-Identifier: BSD-3-Clause
"""Anyone's hardware from a recipe: plain SystemVerilog beside Rocket and functional blades.

A folder outside this checkout holds a recipe, the packet reflector, and a small computer around
PicoRV32 with its program. `firesim runworkload` puts both into one cluster with a Rocket node and a
functional one, which ping them, and a traffic generator. Every packet that a switch sends to the
user's blades must come back as it should, byte by byte. One hash for 1 and 2 threads and both RTL
engines, and for a run that goes on from a snapshot.
"""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from firesim_common.paths import ROOT

from regression.support.captured_frames import read_capture
from regression.support.experiment import Experiment, ExperimentError, Verdict, experiment_named
from regression.support.open_designs import OPEN_DESIGNS

EXAMPLES = ROOT / "target-design/examples"
PING, PONG, MESSAGE_TYPE = 1, 2, b"\x88\xb5"
PORTS = {"rocket": 0, "fast": 1, "echo": 2, "pico": 3, "noise": 4}
"""Ports of the switch, in the order of the recipe's nodes."""
NOISE_TO_ECHO, NOISE_TO_PICO = 12, 6
"""Packets of the traffic generator, which are no messages, to each of the user's blades."""

RECIPE = """\
# Two blades of our own beside two of FireSim's.
name: own_blades
system:
  topology: {{tree: {{tor0: [rocket, fast, echo, pico, noise]}}}}
  link: {{latency_cycles: 640}}
  node: {{memory: {{size_mib: 16}}}}
  blades:
    reflector:
      sources: [rtl/packet_reflector.sv]
      top: PacketReflector
    pico:
      sources: [rtl/picorv32.v, rtl/pico_soc.sv]
      top: PicoSoc
      parameters: {{MEMORY_WORDS: 4096}}
      data_files: [pico_soc.hex]
      events:
        - {{name: fetches, signal: core.mem_instr, description: cycles that ask for an instruction}}
      training: {{traffic: training.traffic, max_cycles: 40000}}
  nodes:
    echo: {{blade: reflector}}
    pico: {{blade: pico}}
    noise: {{blade: traffic, traffic: noise.traffic}}
workload:
  node: {{program: ping}}
  nodes:
    rocket: {{args: ["peer=${{echo.mac}}", "count={count}"]}}
    fast: {{args: ["peer=${{pico.mac}}", "count={count}", "size=256"]}}
simulation:
  engines: {{fast: functional}}
  max_cycles: 3000000
  captures: true
  autocounter: {{enabled: true}}
"""


def write_folder(folder: Path, count: int) -> Path:
    """Write everything a user would have into `folder`; return the recipe.

    Raises:
        ToolError, ExperimentError: PicoRV32 cannot be fetched, or its program not be built.
    """
    (folder / "rtl").mkdir(parents=True)
    shutil.copy(EXAMPLES / "packet-reflector/packet_reflector.sv", folder / "rtl")
    shutil.copy(EXAMPLES / "pico-soc/pico_soc.sv", folder / "rtl")
    core = OPEN_DESIGNS["PicoRV32"].package.folder() / "verilog/picorv32.v"
    shutil.copy(core, folder / "rtl")
    program = folder / "program"
    shutil.copytree(EXAMPLES / "pico-soc", program)
    made = subprocess.run(["make", "-C", program], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise ExperimentError(f"{program}: make failed:\n{made.stderr}")
    shutil.copy(program / "pico_soc.hex", folder)
    macs = {name: f"00:12:6D:00:00:{2 + port:02X}" for name, port in PORTS.items()}
    noise = [(500 + 1_500 * i, macs["echo"], 60 + 61 * i) for i in range(NOISE_TO_ECHO)]
    noise += [(700 + 2_500 * i, macs["pico"], 60 + 37 * i) for i in range(NOISE_TO_PICO)]
    lines = (f"{cycle} {mac} {size_bytes}" for cycle, mac, size_bytes in sorted(noise))
    (folder / "noise.traffic").write_text("\n".join(lines) + "\n")
    (folder / "training.traffic").write_text(f"2000 {macs['pico']} 128 repeat 8 3000\n")
    recipe = folder / "recipe.yaml"
    recipe.write_text(RECIPE.format(count=count))
    return recipe


def run_recipe(recipe: Path, results: Path, *options: str) -> dict[str, Any]:
    """Run a recipe as a user does, from the recipe's folder; return its result.json.

    Raises:
        ExperimentError: it did not end with every node passing.
    """
    command: list[str | Path] = [
        ROOT / "firesim",
        "runworkload",
        "-c",
        recipe.name,
        "--results",
        results,
        *options,
    ]
    done = subprocess.run(command, cwd=recipe.parent, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise ExperimentError(f"{results}: exit status {done.returncode}:\n{tail}")
    result: dict[str, Any] = json.loads((results / "result.json").read_text())
    return result


def expected_answer(sent: bytes, own: bytes) -> bytes:
    """Return what a blade with the address `own` makes of a frame: it is turned round."""
    kind_at = 14
    kind = int.from_bytes(sent[kind_at : kind_at + 8], "little")
    rest = sent[12:]
    if sent[12:14] == MESSAGE_TYPE and kind == PING:
        rest = sent[12:14] + PONG.to_bytes(8, "little") + sent[kind_at + 8 :]
    return sent[6:12] + own + rest


def check_bytes(results: Path, node: str) -> int:
    """Return how many frames a node sent back, all of them as they should be.

    Raises:
        ExperimentError: one is not.
    """
    port = PORTS[node]
    own = bytes([0, 0x12, 0x6D, 0, 0, 2 + port])
    # A node's port as the switch sees it: what it sends there, and what it receives from there.
    sent: list[bytes] = []
    answers: list[bytes] = []
    for frame in read_capture(results / "tor0/capture.pcapng"):
        if frame.port == port:
            (answers if frame.inbound else sent).append(frame.data)
    if not answers:
        raise ExperimentError(f"{results}: {node} sent nothing.")
    for index, (question, answer) in enumerate(zip(sent, answers, strict=False)):
        if answer != expected_answer(question, own):
            raise ExperimentError(
                f"{results}: answer {index} of {node} is {answer.hex()}, "
                f"expected {expected_answer(question, own).hex()}."
            )
    return len(answers)


def _last_count(file: Path, counter: str) -> int:
    """Return the last value of a counter."""
    with file.open(newline="") as stream:
        return int(list(csv.DictReader(stream))[-1][counter])


@experiment_named("own-blade")
def run(experiment: Experiment) -> Verdict:
    """Hold when the user's blades do the same every way."""
    count = 3 if experiment.quick else 40
    ways = [(engine, threads) for engine in ("generated", "verilator") for threads in (1, 2)]
    rows: list[list[object]] = []
    seen: set[tuple[str, int]] = set()
    with tempfile.TemporaryDirectory(prefix="firesim-own-blade-") as outside:
        recipe = write_folder(Path(outside) / "mine", count)

        def one(name: str, *options: str) -> dict[str, Any]:
            result = run_recipe(recipe, experiment.folder / name, *options)
            seen.add((result["token_hash"], result["end_cycle"]))
            rows.append([name, result["token_hash"], f"{result['end_cycle']:,}"])
            return result

        for engine, threads in ways:
            options = [f"simulation.rtl_engine={engine}", f"simulation.threads={threads}"]
            name = f"{engine}-{threads}"
            last = one(name, *(word for option in options for word in ("-x", option)))
        cycle = int(last["end_cycle"]) // 2
        saved = f"simulation.snapshots.at_cycles=[{cycle}]"
        one("saved", "-x", saved, "-x", "simulation.rtl_engine=generated")
        snapshot = experiment.folder / "saved/snapshots" / f"cycle-{cycle}"
        one("restored", "--from", str(snapshot), "-x", "simulation.rtl_engine=generated")
    experiment.table(
        "The user's blades, many ways", ["run", "token hash (measured)", "end cycle"], rows
    )
    frames = sum(check_bytes(experiment.folder / "generated-1", node) for node in ("echo", "pico"))
    pico = experiment.folder / "generated-1/pico"
    said, counted = (pico / "uart.log").read_text(), _last_count(pico / "counters.csv", "fetches")
    experiment.keep(runs=len(rows), hashes=len(seen), frames=frames, said=said, fetches=counted)
    expected = 2 * count + NOISE_TO_ECHO + NOISE_TO_PICO
    holds = (
        len(seen) == 1
        and frames == expected
        and f"packets sent back: {count + NOISE_TO_PICO}" in said
        and counted > 0
    )
    figure = f"{len(rows)} runs gave {len(seen)} token hash, {frames} frames came back right,"
    return Verdict(holds, figure, "1 hash")
