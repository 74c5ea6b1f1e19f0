# SPDX-License-Identifier: BSD-3-Clause
"""Linux on a design that others made: OpenSBI, our kernel and an initramfs on a Rocket in FIRRTL.

The design is that of `--firrtl`, with Rocket Chip's own harness, a UART and supervisor mode, such
as the Rocket of GSIM's benchmarks. Nothing of it is changed: its boot ROM starts the program with
its own device tree. A few instructions give OpenSBI that tree with the kernel's command line, the
place of the initramfs and a faster UART in it. The harness leads the UART nowhere, so the console
is what the UART itself prints for a simulator (`synthesis: false`). Linux has to reach its first
program, which says what it found.

The boot is saved before that program runs. The run that goes on from there has to print the same,
count the same instructions and write the same trace of the cycles in which the program starts. The
first cycles, OpenSBI's, run on both RTL engines side by side, every output of each cycle compared,
and on two nodes beside two of Rocket that ping each other, by one thread and by two. `--quick` does
these alone.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

from firesim_software.linux.image import workload

from regression.support import traced_run
from regression.support.as_user import UserRun, run_as_user
from regression.support.boot_rom import tree_source
from regression.support.experiment import Experiment, NotHereError, Verdict, experiment_named
from regression.support.rtl_pair import both_engines

OPENSBI = Path("/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_jump.elf")
"""Of Debian's package opensbi; it is independent of its position, and starts 0x8020_0000."""
BAUD = 4_000_000
"""Of OpenSBI: at 100 MHz a character takes 250 cycles."""
BOOTARGS = "earlycon=sbi console=hvc0 panic=-1 fw_devlink=off rootfstype=ramfs"
"""The console goes through OpenSBI: the harness holds the UART's input at 0, which is a break
without end, and the kernel's own driver would do nothing but take its interrupts."""
FIRMWARE, TREE, KERNEL, INITRAMFS = 0x8004_0000, 0x8018_0000, 0x8020_0000, 0x8400_0000
PROGRAM = f"""\
  .section .entry, "ax"
  .globl _start
_start:
  csrr a0, mhartid
  li a1, {TREE:#x}
  li t0, {FIRMWARE:#x}
  jr t0
  .section .firmware, "ax"
  .incbin "firmware.bin"
  .section .tree, "a"
  .incbin "tree.dtb"
  .section .kernel, "ax"
  .incbin "{{kernel}}"
  .section .initramfs, "a"
  .incbin "{{initramfs}}"
"""
DESIGN = """\
  clock_hz: 100_000_000
  blades:
    mine:
      chipyard: "{design}"
      synthesis: false
      events: [{{name: {counter}, signal: {core}.wb_valid}}]
      traces:
        - within: {core}
          valid: wb_valid
          pc: wb_reg_pc
          instruction: wb_reg_inst
          exception: wb_xcpt
          interrupt: "wb_reg_xcpt && wb_reg_cause[63]"
          cause: wb_reg_cause
"""
"""Of the core itself: nobody needs the trace of its registers, so firtool has removed that."""
RECIPE = """\
system:
  topology: {{nodes: [soc], switches: [], links: []}}
{design}
  node: {{blade: mine}}
workload: {{nodes: {{soc: {{elf: linux.elf}}}}}}
simulation: {{max_cycles: {cycles}, threads: 1, autocounter: {{enabled: true}}}}
"""
CLUSTER = """\
system:
  topology: {{tree: {{tor0: [left, right, client, server]}}}}
  link: {{latency: 2us}}
{design}
  nodes: {{left: {{blade: mine}}, right: {{blade: mine}}}}
workload:
  nodes:
    left: {{elf: linux.elf}}
    right: {{elf: linux.elf}}
    client: {{program: ping, args: ["role=client", "peer=${{server.mac}}", "count=1000"]}}
    server: {{program: ping, args: ["role=server"]}}
simulation: {{engine: functional, engines: {{left: rtl, right: rtl}}, max_cycles: {cycles}}}
"""
CORE = "ldut.tile_prci_domain.element_reset_domain.rockettile.core"
"""Where Rocket Chip's own harness has its core."""
CYCLES, SAVED_AT, FIRMWARE_CYCLES = 66_000_000, 40_000_000, 3_000_000
"""Of the boot, where it is saved, and of OpenSBI alone."""
TRACED = "{kind: cycle, start: 42_400_000, end: 42_600_000}"
"""The kernel starts the first program there."""
WANTED = re.compile(r"hello from this node, Linux \S+ on 1 core\(s\)")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--firrtl", type=Path, help="a design with Rocket Chip's own harness")
    parser.add_argument("--opensbi", type=Path, default=OPENSBI, help="OpenSBI's fw_jump.elf")
    parser.add_argument("--core", default=CORE, help="path of the Rocket core below the top module")


def _tree(design: Path, initramfs: Path) -> str:
    """Return the design's own tree with what the kernel has to know."""
    chosen = (
        f'\tchosen {{ bootargs = "{BOOTARGS}"; stdout-path = "/soc/serial@10000000";\n'
        f"\t\tlinux,initrd-start = <{INITRAMFS:#x}>;\n"
        f"\t\tlinux,initrd-end = <{INITRAMFS + initramfs.stat().st_size:#x}>; }};\n\n\tcpus {{"
    )
    uart = 'compatible = "sifive,uart0";'
    own = tree_source(design).replace("\tcpus {", chosen, 1)
    return own.replace(uart, f"{uart}\n\t\t\tcurrent-speed = <{BAUD}>;")


def _built(folder: Path, design: Path, opensbi: Path) -> None:
    """Put all that is in memory at first into linux.elf."""
    image = workload("linux-hello")
    assert image.initrd is not None
    (folder / "tree.dts").write_text(_tree(design, image.initrd))
    (folder / "linux.S").write_text(PROGRAM.format(kernel=image.kernel, initramfs=image.initrd))
    places = {"entry": 0x8000_0000, "firmware": FIRMWARE, "tree": TREE, "kernel": KERNEL}
    places |= {"initramfs": INITRAMFS}
    flags = "-march=rv64imac_zicsr -mabi=lp64 -nostdlib -Wl,-n,-e,_start,--no-relax,--build-id=none"
    flags += "".join(f" -Wl,--section-start=.{name}={at:#x}" for name, at in places.items())
    objcopy = ["riscv64-unknown-elf-objcopy", "-O", "binary", str(opensbi), "firmware.bin"]
    for command in (
        objcopy,
        "dtc -q -I dts -O dtb -o tree.dtb tree.dts".split(),
        ["riscv64-unknown-elf-gcc", *flags.split(), "-o", "linux.elf", "linux.S"],
    ):
        subprocess.run(command, check=True, cwd=folder)


def console(prints: Path) -> str:
    """Return what a UART printed: each line without its cycle, and without echoes of the break."""
    text = re.sub(r"^\d+: ", "", prints.read_text(errors="replace"), flags=re.MULTILINE)
    return text.replace("^@", "")


def _recipe(experiment: Experiment, name: str, text: str, cycles: int) -> Path:
    core = experiment.arguments.core
    file: Path = experiment.arguments.firrtl.resolve()
    design = DESIGN.format(design=file, core=core, counter=traced_run.INSTRUCTIONS)
    recipe = experiment.folder / f"{name}.yaml"
    recipe.write_text(text.format(design=design.rstrip(), cycles=cycles))
    return recipe


def _lines(run: UserRun, node: str = "soc", from_cycle: int = 0) -> list[str]:
    """Return what a node printed from a cycle on."""
    lines = (run.folder / node / "prints.log").read_text(errors="replace").splitlines()
    return [line for line in lines if int(line.partition(":")[0]) >= from_cycle]


def _boot(experiment: Experiment) -> bool:
    """Boot to the end, and once more from the snapshot; return whether all is as it must be."""
    folder = experiment.folder
    recipe = _recipe(experiment, "boot", RECIPE, CYCLES)
    tracing = f"simulation.tracing={{enabled: true, outputs: [text], trigger: {TRACED}}}"
    saved = f"simulation.snapshots.at_cycles=[{SAVED_AT}]"
    run = run_as_user(recipe, folder / "boot", tracing, saved, may_fail=True)
    snapshot = run.folder / f"snapshots/cycle-{SAVED_AT}"
    restored = run_as_user(recipe, folder / "restored", tracing, start=snapshot, may_fail=True)
    text = console(run.folder / "soc/prints.log")
    found = WANTED.search(text)
    traces = [(one.folder / "soc/trace/hart0.log").read_bytes() for one in (run, restored)]
    counts = [traced_run.counted(one, traced_run.INSTRUCTIONS) for one in (run, restored)]
    is_same = _lines(run, from_cycle=SAVED_AT) == _lines(restored)
    is_same &= traces[0] == traces[1] != b"" and counts[0] == counts[1]
    said = f'"{found[0]}"' if found else f"nothing of it; the console ended with {text[-200:]!r}"
    experiment.say(
        f"Linux said {said} in {run.cpu_s:,.0f} s of processor time, all builds included"
    )
    how = "printed, counted and traced the same" if is_same else "DIFFERED"
    traced = len(traces[0].splitlines())
    experiment.say(f"from cycle {SAVED_AT:,} on it {how}: {counts[0]:,} commits, {traced:,} traced")
    experiment.keep(console=text, cpu_s=run.cpu_s, peak_bytes=run.peak_bytes, commits=counts[0])
    return found is not None and is_same


def _firmware(experiment: Experiment) -> bool:
    """Run OpenSBI in clusters and on both engines, side by side; return whether all is equal."""
    folder = experiment.folder
    recipe = _recipe(experiment, "firmware", RECIPE, FIRMWARE_CYCLES)
    first = run_as_user(recipe, folder / "generated", may_fail=True)
    lines = _lines(first)
    cluster = _recipe(experiment, "cluster", CLUSTER, FIRMWARE_CYCLES)
    hashes, is_same = set(), any("OpenSBI" in line for line in lines)
    for threads in (1, 2):
        setting = f"simulation.threads={threads}"
        run = run_as_user(cluster, folder / f"cluster-{threads}", setting, may_fail=True)
        is_same &= _lines(run, "left") == lines == _lines(run, "right")
        is_same &= "ping seq=3" in run.console("client")
        hashes.add(str(run.result["token_hash"]))
    experiment.say(f"two beside Rocket: token hash {hashes}")
    setting = "simulation.rtl_engine=verilator"
    second = run_as_user(recipe, folder / "verilator", setting, may_fail=True)
    pair = both_engines(first.folder, second.folder, folder / "pair")
    ends = {str(one["token_hash"]) for one in (first.result, second.result, pair.result)}
    is_same &= lines == _lines(second) and len(ends) == len(hashes) == 1
    experiment.say(f"both engines, {FIRMWARE_CYCLES:,} cycles: {len(lines)} lines, hash {ends}")
    experiment.keep(firmware_hash=sorted(ends), cluster_hash=sorted(hashes))
    return is_same


@experiment_named("firrtl-linux", _arguments)
def main(experiment: Experiment) -> Verdict:
    """Boot, and look for the first program's line."""
    design: Path | None = experiment.arguments.firrtl
    if design is None:
        raise NotHereError("it needs a design that is not ours: --firrtl FILE")
    if not experiment.arguments.opensbi.is_file():
        raise NotHereError("it needs OpenSBI: apt-get install opensbi, or --opensbi FILE")
    _built(experiment.folder, design.resolve(), experiment.arguments.opensbi.resolve())
    is_same = _firmware(experiment)
    has_booted = experiment.quick or _boot(experiment)
    what = "OpenSBI ran" if experiment.quick else "Linux ran its first program"
    figure = what if has_booted and is_same else "a run was not as expected"
    return Verdict(has_booted and is_same, figure, "equal runs, and the first program's line")
