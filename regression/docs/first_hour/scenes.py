# SPDX-License-Identifier: BSD-3-Clause
"""What stands around the examples of `--help`, so that each can be typed: files, runs, a farm.

A scene sets up a folder, and the examples of its commands are typed there, in the order in which
the commands are named. The examples themselves come from the help texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

RACK = """\
system:
  topology: rack_4
  gateway: {}
workload:
  node: {linux: linux-ssh}
simulation:
  engine: functional
"""
SHORT_RACK = """\
system: {topology: rack_2, link: {latency: 2us}}
workload: {node: {linux: linux-base}}
simulation: {engine: functional}
"""
BLADE = "description: One core without a network\nextends: rocket-1-small\nwithout: [nic]\n"
COUNTER = """\
module Counter #(parameter int LIMIT = 10) (input logic clock, input logic reset);
  logic [31:0] count;
  always_ff @(posedge clock) count <= reset ? 0 : count + 1;
  FireSimTerminationBridge over (.clock, .reset, .valid(count == LIMIT), .value(32'h5555));
endmodule
"""
PEOPLE = """\
syntax = "proto2";
message Person {
  optional string name = 1;
  repeated Person friends = 2;
}
"""
SOC = """\
module Soc (input logic clock, input logic memory_clock, input logic reset, output logic [7:0] out);
  logic [7:0] count;
  always_ff @(posedge clock) count <= reset ? 0 : count + 1;
  always_ff @(posedge memory_clock) out <= count;
endmodule
"""
ROM = """\
module Rom #(parameter int WORDS = 16)
    (input logic clock, input logic reset, output logic [31:0] word);
  logic [31:0] memory[WORDS];
  logic [$clog2(WORDS)-1:0] at;
  initial $readmemh("program.hex", memory);
  always_ff @(posedge clock) at <= reset ? 0 : at + 1;
  assign word = memory[at];
endmodule
"""
CORE = """\
module Core (input logic clock, input logic reset, input logic [4:0] a, b, to,
    input logic [31:0] value, output logic [31:0] sum);
  logic [31:0] file[32];
  always_ff @(posedge clock) begin
    file[to] <= value;
    sum <= reset ? 0 : file[a] + file[b];
  end
endmodule
"""
STEPS = """\
module Steps (input logic clock, input logic reset);
  logic [15:0] count;
  always_ff @(posedge clock) begin
    count <= reset ? 0 : count + 1;
    if (!reset) assert (count != 94) else $error("94 came");
  end
  FireSimTerminationBridge over (.clock, .reset, .valid(count == 3000), .value(32'h5555));
endmodule
"""
ASSERTED = """\
system:
  topology: {nodes: [soc], switches: [], links: []}
  blades: {steps: {sources: [steps.sv], top: Steps}}
  node: {blade: steps}
"""
INCAST = """\
system: {topology: tree_9_1, link: {latency: 200ns}, switch: {buffer_bytes: 131072}}
workload:
  node:
    program: saturate
    args: [role=sender, "peer=${node8.mac}", start=30000, end=42000, size=2048]
  nodes:
    node8: {args: [role=receiver, end=150000]}
simulation: {engine: functional}
"""
PROGRAM = """\
#include "runtime.h"
int main(int hart, const struct arguments *arguments) {
  return hart + (int)number_argument(arguments, "exit");
}
"""
FUNCTIONAL = "firesim runworkload -c quickstart -x simulation.engine=functional"
TRACED = "firesim runworkload -c quickstart -x simulation.tracing.enabled=true"
TIMED = f"{FUNCTIONAL} -x simulation.timeline.enabled=true"


LONG = """\
name: long
system: {topology: rack_1, node: {memory: {size_mib: 16}}}
workload: {node: {program: counters, args: [rounds=40000]}}
"""


@dataclass(frozen=True)
class Scene:
    """A folder in which examples are typed."""

    name: str
    commands: tuple[str, ...]
    """Those whose examples are typed here, without `firesim`."""
    quick: bool = False
    """Whether it is played with --quick."""
    files: dict[str, str] = field(default_factory=dict)
    before: str = ""
    """What is typed first."""
    before_each: dict[str, str] = field(default_factory=dict)
    """What is typed before each example of a command."""


SCENES = (
    Scene(
        "nothing has been run",
        (
            *("version", "schema", "runcheck", "ls", "experiment", "build simulator"),
            *(
                "build software",
                "build program",
                "build protobuf",
                "workload list",
                "workload build",
            ),
            *("runs list", "snapshot list", "launchrunfarm", "runfarm", "terminaterunfarm"),
        ),
        quick=True,
        files={"gcd.c": PROGRAM, "people.proto": PEOPLE},
    ),
    Scene(
        "the user's own designs",
        ("build verilog",),
        files={
            "counter.sv": COUNTER,
            "soc.sv": SOC,
            "rom.sv": ROM,
            "core.sv": CORE,
            "program.hex": "1\n2\n",
            "program.py": "def train(model):\n    model.advance(2000)\n",
        },
    ),
    Scene("blades", ("build blade", "build estimate", "build all"), files={"mine.yaml": BLADE}),
    Scene("quickstart", ("quickstart", "test")),
    Scene(
        "after a quickstart",
        ("report", "peek", "poke", "waves"),
        before="firesim quickstart --bare-metal",
    ),
    Scene(
        "results of two runs",
        ("timeline", "runs compare", "runs export", "runs remove"),
        quick=True,
        before=f"{TIMED} --results results/a\n{TIMED} --results results/b",
    ),
    Scene(
        "call stacks of two runs",
        ("runs stacks",),
        before=f"{TRACED} --results results/a\n"
        f"{TRACED} --results results/b "
        "-x 'system.node.memory.timing={model: fixed, latency_cycles: 10}'",
    ),
    Scene(
        "a run to be debugged",
        ("gdb",),
        before=FUNCTIONAL,
    ),
    Scene(
        "runs in which something happened",
        ("why",),
        files={"steps.sv": STEPS, "steps.yaml": ASSERTED, "incast.yaml": INCAST},
        before="firesim runworkload -c incast.yaml --results results/a\n"
        f"{FUNCTIONAL} --results results/b\n"
        "firesim runworkload -c steps.yaml --results results/c || true",
    ),
    Scene(
        "a page of a run, and of a sweep",
        ("view",),
        quick=True,
        before=f"{FUNCTIONAL}\n"
        "firesim sweep -c rack_8 -x simulation.engine=functional -x system.link.latency=1us,2us",
    ),
    Scene(
        "a rack runs",
        ("snapshot save", "ssh", "cp", "console", "snapshot show", "snapshot delete"),
        quick=True,
        files={"rack.yaml": RACK, "trace.txt": "a trace\n"},
        before="firesim runworkload -c rack.yaml -x name=rack_linux_8  # in one terminal",
        before_each={"snapshot save": "rm -rf results/*/snapshots/booted"},
    ),
    Scene(
        "something is to be ended",
        ("kill",),
        before_each={
            "kill": "firesim runworkload -c rack_linux_8 -x name=quickstart "
            "-x workload=linux-base  # in one terminal"
        },
    ),
    Scene(
        "runs of all kinds",
        ("runworkload",),
        files={"rack.yaml": SHORT_RACK},
        before="firesim runworkload -c rack.yaml -x name=rack_linux_8  # in one terminal\n"
        "firesim snapshot save booted  # at its prompt\n"
        "firesim kill",
        before_each={
            "runworkload": "for run in results/*-rack_linux_8; do "
            "[ -d $run/snapshots ] || rm -r $run; done"
        },
    ),
    Scene("a farm", ("infrasetup", "boot"), quick=False),
    Scene("a sweep", ("sweep",)),
    Scene("a sample", ("sample",), files={"long.yaml": LONG}),
    Scene("files of FireSim 1.x", ("import",)),
    Scene("a run left alone", ("attach",), before_each={"attach": "firesim boot -c quickstart"}),
    Scene(
        "bitstreams",
        (
            "buildbitstream",
            "builddriver",
            "simulateboard",
            "enumeratefpgas",
            "tar2afi",
            "shareagfi",
        ),
    ),
    Scene("Linux", ("workload test", "workload launch", "workload clean")),
)
NOT_RUN = (
    (re.compile(r"^firesim test\b"), "experiment"),
    (re.compile(r"^firesim experiment ping"), "experiment"),
    (re.compile(r"\bec2\.yaml"), "ec2"),
    (re.compile(r"s3://"), "s3"),
    (re.compile(r"^firesim import"), "incumbent"),
    (re.compile(r"^firesim (tar2afi|shareagfi)"), "afi"),
    (re.compile(r"--open$"), "viewer"),
    (re.compile(r"^firesim simulateboard"), "endless"),
    (re.compile(r"^firesim build all"), "installed"),
    (re.compile(r"^firesim buildbitstream(?!.*--check)"), "routing"),
    (re.compile(r"^firesim workload launch linux-base"), "terminal"),
)
"""Examples that are not run: a key of `pages.NOT_RUN` for those that look so."""


_ENDLESS = re.compile(r"runworkload.*(rack\.yaml|--from|--resume)|workload launch.*functional")


def note_of(text: str) -> str:
    """Return how an example is typed, as a comment says it on a page."""
    if text.startswith("firesim console"):
        return "  # Ctrl-] leaves"
    if text.startswith("firesim view"):
        return "  # Ctrl-C ends the page"
    if text.startswith("firesim ssh") and " -- " not in text:
        return "  # a shell"
    if _ENDLESS.search(text):
        return "  # Ctrl-C ends it"
    if text.startswith("firesim runs remove") and "--yes" not in text:
        return "  # asks first"
    return ""


def not_run(text: str) -> str | None:
    """Return the key of why an example is not run, None when it is."""
    return next((key for pattern, key in NOT_RUN if pattern.search(text)), None)
