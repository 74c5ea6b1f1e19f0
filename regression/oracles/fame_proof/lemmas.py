# SPDX-License-Identifier: BSD-3-Clause
"""Lemmas about a FAME-1 form, each decided by Yosys in a process of its own.

- `queue`: a token that goes into the queue of a channel comes out once, unchanged and in its turn.
- `steps`: however channels stall, the tokens that an input channel was given less those the target
  took are those in its queue, likewise for outputs; the target steps when all can, and only then.
- `target`: with each step, the form computes what the CPU model's netlist computes (equivalence by
  induction over all registers).
- `hold`: without a step, no register and no row of a memory changes.
- `slots`: a form that shares, whose target cycles take several host cycles, has the outputs of the
  plain form in `plain/` at each step, and the same registers and rows after it.

`python -m regression.oracles.fame_proof.lemmas LEMMA FOLDER TOP` writes `FOLDER/LEMMA.json`, whose
`verdict` is `proved` or `refuted`. FOLDER holds `form/` and `cpu/` as Golden Gate leaves them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from goldengate.channels import QUEUE_FILE, Channel
from goldengate.manifest import Manifest
from goldengate.sharing import Shared
from pyosys import libyosys as ys

SLOTS = "slots"
LEMMAS = ("queue", "steps", "target", "hold")
INDUCTION_STEPS = 8
_FLAT = ("proc", "flatten", "opt_clean", "memory_map", "opt_expr", "opt_clean")
_REGISTERS = ("async2sync", "dffunmap", "opt_expr", "opt_clean")

_QUEUE_HARNESS = """\
// Follows one token, chosen freely, through the queue.
module harness(input clock, input in_valid, input [3:0] in_data, input out_ready, input choose);
  wire in_ready, out_valid, next_ready, next_valid;
  wire [3:0] out_data;
  (* keep *) wire [3:0] second;
  firesim_token_queue #(.WIDTH(4)) queue(.host_clock(clock), .host_reset(1'b0),
    .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data),
    .out_valid(out_valid), .out_ready(out_ready), .out_data(out_data),
    .next_in_ready(next_ready), .next_out_valid(next_valid));
  wire push = in_valid & in_ready, pop = out_valid & out_ready;
  reg [1:0] held = 0;  // tokens given less tokens taken
  reg tracking = 0, behind = 0, said_ready = 1, said_valid = 0;
  reg [3:0] data = 0;
  always @(posedge clock) begin
    held <= held + push - pop;
    said_ready <= next_ready;
    said_valid <= next_valid;
    if (push & choose & ~tracking) begin
      tracking <= 1;
      data <= in_data;
      behind <= held != {1'b0, pop};
    end else if (tracking & pop) begin
      if (behind) behind <= 0; else tracking <= 0;
    end
  end
  always @* begin
    assert (held != 3);
    assert (out_valid == (held != 0));
    assert (in_ready == (held != 2));
    assert (said_ready == in_ready);
    assert (said_valid == out_valid);
    if (tracking) begin
      assert (held > {1'b0, behind});
      if (behind) assert (second == data); else assert (out_data == data);
    end
  end
endmodule
"""


def _steps_harness(top: str, channels: list[Channel], counters: list[tuple[str, int]]) -> str:
    """Return a module that counts the tokens of every channel against the steps."""
    ports, connections, body = ["input host_clock"], [], []
    safe, able = [], []
    for index, one in enumerate(channels):
        is_in = one.direction == "in"
        given = "step" if not is_in else f"(valid_{index} & ready_{index})"
        taken = "step" if is_in else f"(valid_{index} & ready_{index})"
        driven, shown = ("valid", "ready") if is_in else ("ready", "valid")
        ports.append(f"input {driven}_{index}")
        body += [
            f"  wire {shown}_{index};",
            f"  (* keep *) wire first_{index}, second_{index};",
            f"  reg [1:0] held_{index} = 0;",
            f"  always @(posedge host_clock) held_{index} <= held_{index} + {given} - {taken};",
        ]
        width = f"[{one.width_bits - 1}:0]"
        ports.append(f"input {width} bits_{index}") if is_in else body.append(
            f"  wire {width} bits_{index};"
        )
        connections += [
            f".\\{one.name}_{part} ({part}_{index})" for part in ("valid", "ready", "bits")
        ]
        visible = (
            f"ready_{index} == (held_{index} != 2)"
            if is_in
            else (f"valid_{index} == (held_{index} != 0)")
        )
        able.append(f"(held_{index} != {0 if is_in else 2})")
        safe += [
            f"held_{index} == {{second_{index}, first_{index} & ~second_{index}}}",
            f"first_{index} | ~second_{index}",
            visible,
        ]
    for name, width_bits in counters:
        body.append(f"  wire [{width_bits - 1}:0] \\{name} ;")
        connections.append(f".\\{name} (\\{name} )")
    asserts = "\n".join(f"    assert ({each});" for each in safe)
    return (
        f"module harness({', '.join(ports)});\n  wire step;\n" + "\n".join(body) +
        f"\n  \\{top} form(.host_clock(host_clock), .host_reset(1'b0), .firesim_step(step),\n"
        f"    {', '.join(connections)});\n"
        f"  always @* begin\n{asserts}\n    assert (step == ({' & '.join(able)}));\n  end\n"
        "endmodule\n"
    )  # fmt: skip


def _induction(run: Any, log: Path, most_steps: int = INDUCTION_STEPS) -> bool:
    """Prove the assertions of the flat module `harness` by induction."""
    run("chformal -lower")
    command = f"sat -tempinduct -maxsteps {most_steps} -prove-asserts harness"
    run(f"tee -o {log} {command}")
    text = log.read_text()
    if "Induction step proven: SUCCESS!" in text:
        return True
    if re.search("SAT temporal induction proof finished - model found for base case|"
                 "Reached maximum number of time steps -> proof failed", text):  # fmt: skip
        return False
    raise RuntimeError(f"the prover said neither yes nor no: {log}")


def queue(run: Any, design: Any, folder: Path, top: str) -> bool:
    """Decide the lemma about the queue."""
    del design, top
    (folder / "queue_harness.v").write_text(_QUEUE_HARNESS)
    run(f"read_verilog {folder / 'form' / QUEUE_FILE}")
    run(f"read_verilog -formal {folder / 'queue_harness.v'}")
    for command in ("hierarchy -top harness", *_FLAT, "connect -set second \\queue.second"):
        run(command)
    for command in _REGISTERS:
        run(command)
    return _induction(run, folder / "queue.log")


def steps(run: Any, design: Any, folder: Path, top: str) -> bool:
    """Decide the lemma about the step signal."""
    del design
    manifest = Manifest.read(folder / "form")
    assert manifest.fame1 is not None
    channels = manifest.fame1.channels
    widths = {port.name: port.width_bits for port in manifest.ports}
    counters = [(counter.port, widths[counter.port]) for counter in manifest.counters]
    text = _steps_harness(manifest.fame1.top, channels, counters)
    (folder / "steps_harness.v").write_text(text)
    for name in manifest.fame1.files:
        run(f"read_verilog {folder / 'form' / name}")
    run(f"read_verilog -formal {folder / 'steps_harness.v'}")
    for command in ("hierarchy -top harness", *_FLAT):
        run(command)
    for index in range(len(channels)):
        run(f"connect -set first_{index} \\form.queue_{index}.has_first")
        run(f"connect -set second_{index} \\form.queue_{index}.has_second")
    for command in _REGISTERS:
        run(command)
    return _induction(run, folder / "steps.log")


def _stepping(design: Any, name: str) -> None:
    """Set the step signal of the form's target to 1."""
    module = design.module(ys.IdString(name))
    wire = module.wire(ys.IdString("\\firesim_fire"))
    wire.port_input = False
    module.connect(ys.SigSpec(wire), ys.SigSpec(ys.Const(1, 1)))
    module.fixup_ports()


def target(run: Any, design: Any, folder: Path, top: str) -> bool:
    """Decide whether the form's target is the CPU model's netlist when it steps."""
    for name, file in (("gold", "cpu"), ("gate", "form")):
        run(f"read_verilog {folder / file / 'target.v'}")
        run(f"rename {top} {name}")
    run("rename -hide */w:_*_")  # Yosys numbered them, in each netlist for itself.
    _stepping(design, "\\gate")
    for command in (*_FLAT, *_REGISTERS, "opt_dff -sat gate", "opt_clean"):
        run(command)
    run("equiv_make gold gate equivalent")
    run("hierarchy -top equivalent")
    run("opt_clean")
    run(f"equiv_simple -seq {INDUCTION_STEPS} equivalent")
    run(f"equiv_induct -seq {INDUCTION_STEPS} equivalent")
    log = folder / "target.log"
    run(f"tee -q -o {log} equiv_status equivalent")
    return "Equivalence successfully proven!" in log.read_text()


def hold(run: Any, design: Any, folder: Path, top: str) -> bool:
    """Decide whether every register keeps its value without a step."""
    run(f"read_verilog {folder / 'form' / 'target.v'}")
    for command in (f"hierarchy -top {top}", *_FLAT, "dffunmap", "setattr -unset init */w:*"):
        run(command)
    module = design.module(ys.IdString("\\" + top))
    same = ys.SigSpec()
    for number, cell in enumerate(list(module.cells_.values())):
        if not cell.hasPort(ys.IdString("\\Q")):
            continue
        before, after = (cell.getPort(ys.IdString(f"\\{port}")) for port in "QD")
        same.append(module.Eq(ys.IdString(f"$same${number}"), before, after))
    if same.size() == 0:
        return True
    kept = module.addWire(ys.IdString("\\everything_kept"), 1)
    module.addReduceAnd(ys.IdString("$kept"), same, ys.SigSpec(kept))
    log = folder / "hold.log"
    run(f"tee -o {log} sat -seq 1 -set firesim_fire 0 -prove everything_kept 1 {top}")
    text = log.read_text()
    if "SAT proof finished - no model found: SUCCESS!" in text:
        return True
    if "SAT proof finished - model found: FAIL!" in text:
        return False
    raise RuntimeError(f"the prover said neither yes nor no: {log}")


_SLOTS_HARNESS = """\
// Both targets take the steps of {top}_fame1; inputs stay as they are from the first slot on.
module harness(input clock, input able, {fresh});
  reg [{last}:0] slot = 0;
  reg step = 0;
  wire begins = able & ~|slot;
  (* keep *) wire settled = ~step & ~|(slot >> 1);
{declarations}
  always @(posedge clock) begin
    slot <= (slot << 1) | begins;
    step <= slot[{last}];
    if (~|slot) begin {loads} end
  end
  {top}_plain plain(.\\{clock} (clock), .firesim_fire(step){plain});
  {top} gate(.\\{clock} (clock), .firesim_fire(step), .firesim_slot(slot){gate});
  always @* begin
    assert (~step | ~|slot);
    assert (~|(slot & (slot - 1'b1)));
{asserts}
  end
endmodule
"""


def _slots_harness(manifest: Manifest, slots: int) -> str:
    """Return a module that runs a form that shares beside the plain one."""
    parts: dict[str, list[str]] = {}

    def say(key: str, text: str) -> None:
        parts.setdefault(key, []).append(text)

    for index, port in enumerate(manifest.ports):
        width = f"[{port.width_bits - 1}:0]"
        if port.direction == "in":
            say("fresh", f"input {width} fresh_{index}")
            say("declarations", f"  reg {width} value_{index} = 0;")
            say("loads", f"value_{index} <= fresh_{index};")
        else:
            say("declarations", f"  wire {width} plain_{index}, gate_{index};")
            say("asserts", f"    if (step) assert (plain_{index} == gate_{index});")
        for side in ("plain", "gate"):
            wire = f"{'value' if port.direction == 'in' else side}_{index}"
            say(side, f", .\\{port.name} ({wire})")
    separators = {"fresh": ", ", "loads": " ", "declarations": "\n", "asserts": "\n"}
    texts = {key: separators.get(key, "").join(value) for key, value in parts.items()}
    return _SLOTS_HARNESS.format(top=manifest.top, clock=manifest.clock, last=slots - 2, **texts)


def _assert_same_state(module: Any) -> int:
    """Assert that registers and rows of both are equal when settled; return of how many."""
    settled = ys.SigSpec(module.wire(ys.IdString("\\settled")))
    found = 0
    for cell in list(module.cells_.values()):
        if not cell.hasPort(ys.IdString("\\Q")):
            continue
        for bit in cell.getPort(ys.IdString("\\Q")).to_sigbit_vector():
            name = bit.wire.name.str()
            other = module.wire(ys.IdString(name.replace("plain.", "gate.", 1)))
            if not name.lstrip("\\$").startswith("plain.") or other is None:
                continue
            number, found = found, found + 1
            pair = (ys.SigSpec(bit, 1), ys.SigSpec(other, bit.offset, 1))
            same = module.Eq(ys.IdString(f"$same${number}"), *pair)
            check = module.addCell(ys.IdString(f"$check${number}"), ys.IdString("$assert"))
            check.setPort(ys.IdString("\\A"), same)
            check.setPort(ys.IdString("\\EN"), settled)
    return found


def slots(run: Any, design: Any, folder: Path, top: str) -> bool:
    """Decide whether a form that shares is the plain one."""
    manifest = Manifest.read(folder / "form")
    count = Shared.read(folder / "form").host_cycles
    (folder / "slots_harness.v").write_text(_slots_harness(manifest, count))
    run(f"read_verilog {folder / 'plain' / 'target.v'}")
    run(f"rename {top} {top}_plain")
    run(f"read_verilog {folder / 'form' / 'target.v'}")
    run(f"read_verilog -formal {folder / 'slots_harness.v'}")
    for command in ("hierarchy -top harness", *_FLAT, *_REGISTERS):
        run(command)
    if not _assert_same_state(design.module(ys.IdString("\\harness"))):
        raise RuntimeError("no register has the same name in both forms")
    return _induction(run, folder / "slots.log", count + 3)


def main(lemma: str, folder: Path, top: str) -> None:
    """Decide one lemma and write the verdict."""
    design = ys.Design()

    def run(command: str) -> None:
        ys.run_pass(command, design)

    known = {"queue": queue, "steps": steps, "target": target, "hold": hold, SLOTS: slots}
    decide = known[lemma]
    verdict = "proved" if decide(run, design, folder, top) else "refuted"
    (folder / f"{lemma}.json").write_text(json.dumps({"lemma": lemma, "verdict": verdict}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
