# SPDX-License-Identifier: BSD-3-Clause
"""The cached steps, the inputs of each, and the files by which its results are told apart."""

from __future__ import annotations

from dataclasses import dataclass

from regression.robustness.stale.changes import Input, executable, leads_to, new, text

SOFTWARE = "tree/sw/firesim-software"
PROGRAM = f"{SOFTWARE}/programs/stale"
LINUX = f"{SOFTWARE}/linux"
OVERLAY = f"{SOFTWARE}/workloads/stale"
TARGET = "tree/target-design"


@dataclass(frozen=True)
class Step:
    """A step: its name in `ask`, its inputs, and the files by which results are told apart."""

    name: str
    inputs: tuple[Input, ...]
    told_by: str = "*"
    is_quick: bool = True


_HEADER = Input("header beside the source", "mine/defs.vh", text("1", "2"))
_READER = (
    Input("source", "mine/top.sv", text("^ `LATE", "+ `LATE")),
    _HEADER,
    Input("header of include_dirs", "mine/inc/sizes.svh", text("3", "4")),
    Input("header in a linked folder", "mine/elsewhere/late.vh", text("5", "6")),
    Input("new header that hides another", "mine/inc/late.vh", new("`define LATE 16'd7\n")),
    Input("where a linked folder leads", "mine/linked", leads_to("third")),
    Input("data file of $readmemh", "mine/declared.hex", text("11", "12")),
    Input("data file by an absolute path", "mine/absolute.hex", text("1f", "2f")),
    Input("macro of the recipe", "mine/given.txt", text("8", "9")),
)
_OURS = '#include "../../lib/runtime.h"\n#undef FAR\n#define FAR 7\n'
_PROGRAM = (
    Input("source", f"{PROGRAM}/main.c", text("MINE", "MINE + 1")),
    Input("header beside the source", f"{PROGRAM}/mine.h", text("1", "2")),
    Input("linked header", "mine/far.h", text("3", "4")),
    Input("new header that hides ours", f"{PROGRAM}/runtime.h", new(_OURS)),
    Input("data of .incbin", f"{PROGRAM}/data.bin", text("a", "b")),
    Input("default argument", f"{PROGRAM}/workload.yaml", text("default: 1", "default: 2")),
    Input(
        "linker script", f"{SOFTWARE}/lib/link.ld", text(".data : ALIGN(64)", ".data : ALIGN(4096)")
    ),
)
_SWITCH = (
    Input("source", "mine/switch.cc", text("NUMBER +", "NUMBER -")),
    Input("header beside the source", "mine/number.h", text("1", "2")),
    Input("header of ours", "tree/sim/core/stale.h", text("3", "4")),
    Input("new header that hides ours", "mine/core/stale.h", new("#define OURS 5\n")),
)
_FORMAT = text('"firesim: instructions "', '"firesim: Instructions "')
_INITRAMFS = (
    Input("overlaid file", f"{OVERLAY}/files/plain", text("1", "2")),
    Input("whether it may be executed", f"{OVERLAY}/files/plain", executable),
    Input("where an overlaid link leads", f"{OVERLAY}/files/link", leads_to("other")),
    Input("command", f"{OVERLAY}/workload.yaml", text("command: exchange", "command: exchange 1")),
    Input("program on the node", f"{LINUX}/programs/exchange/stale.h", text("=", "~")),
)
_KERNEL = (
    Input("driver", f"{LINUX}/drivers/firesim_blk.c", text('"fsblk0"', '"fsblk9"')),
    Input(
        "configuration", f"{LINUX}/kernel.config", text("CONFIG_RSEQ=y", "# CONFIG_RSEQ is not set")
    ),
)
_ROCKET = (
    Input(
        "Verilog beside the Scala",
        f"{TARGET}/rocket/src/main/verilog/plusarg_reader.v",
        text("DEFAULT;", "DEFAULT ;"),
    ),
    Input(
        "boot ROM", f"{TARGET}/rocket/src/main/asm/bootrom.S", text("li t0, F", "nop\n    li t0, F")
    ),
    Input(
        "Scala",
        f"{TARGET}/rocket/src/main/scala/Config.scala",
        text("Trackers = 16", "Trackers = 8"),
    ),
)
_FINISHER = f"{TARGET}/parts/finisher/FinisherPart.scala"
_PERIPHERALS = (Input("Scala of a part", _FINISHER, text('"termination_bridge"', '"mine_bridge"')),)
_TREE = (
    Input("piece of a part", f"{TARGET}/parts/uart/soc.dtsi", text("sifive,uart0", "my,uart")),
    Input("clock of the blade", f"{TARGET}/blades/rocket-1.yaml", text("3200000000", "1600000000")),
)
STEPS = (
    Step("fpga-form", _READER, "*.v"),
    Step("model", (_HEADER,), "build/*.v"),
    Step("model (Verilator)", (_HEADER,), "build/*.v"),
    Step("model (metasim)", (_HEADER,), "build/*.v", is_quick=False),
    Step("synthesis", (_HEADER,), "netlist.v", is_quick=False),
    Step("board-model", (Input("header", "mine/side.vh", text("1", "2")),), "build/*.v", False),
    Step("models", _SWITCH),
    Step("program", _PROGRAM, "*.elf"),
    Step("linux-agent", (Input("source", f"{LINUX}/agent/agent.c", text("cannot ", "can't ")),)),
    Step(
        "linux-program",
        (Input("shared header", f"{LINUX}/programs/program.h", text("(1)", "(2)")),),
    ),
    Step("linux-init", (Input("source", f"{LINUX}/init/init.c", _FORMAT),)),
    Step(
        "linux-firmware",
        (
            Input(
                "linker script",
                f"{LINUX}/firmware/link.ld",
                text("entry = 0x802", "entry = 0x804"),
            ),
        ),
    ),
    Step("linux-initramfs", _INITRAMFS),
    Step("linux-kernel", _KERNEL, is_quick=False),
    Step("blade-tree", _TREE),
    Step("rocket", _ROCKET, is_quick=False),
    Step("peripherals", _PERIPHERALS, is_quick=False),
)
