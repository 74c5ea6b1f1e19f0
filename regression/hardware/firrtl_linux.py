# SPDX-License-Identifier: BSD-3-Clause
"""Linux on a design that others made: OpenSBI, our kernel and an initramfs on a Rocket in FIRRTL.

The design is that of `--firrtl`, with Rocket Chip's own harness, a UART and supervisor mode, such
as the Rocket of GSIM's benchmarks. Nothing of it is changed: its boot ROM starts the program with
its own device tree. A few instructions give OpenSBI that tree with the kernel's command line, the
place of the initramfs and a faster UART in it. The harness leads the UART nowhere, so the console
is what the UART itself prints for a simulator (`synthesis: false`). Linux has to reach its first
program, which says what it found.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

from firesim_software.linux.image import workload

from regression.support.as_user import run_as_user
from regression.support.boot_rom import tree_source
from regression.support.experiment import Experiment, NotHereError, Verdict, experiment_named

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
RECIPE = """\
system:
  topology: {{nodes: [soc], switches: [], links: []}}
  clock_hz: 100_000_000
  blades: {{mine: {{chipyard: "{design}", synthesis: false}}}}
  node: {{blade: mine}}
workload: {{nodes: {{soc: {{elf: linux.elf}}}}}}
simulation: {{max_cycles: {cycles}, threads: 1}}
"""
CYCLES = 90_000_000
WANTED = re.compile(r"hello from this node, Linux \S+ on 1 core\(s\)")


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--firrtl", type=Path, help="a design with Rocket Chip's own harness")
    parser.add_argument("--opensbi", type=Path, default=OPENSBI, help="OpenSBI's fw_jump.elf")


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


@experiment_named("firrtl-linux", _arguments)
def main(experiment: Experiment) -> Verdict:
    """Boot, and look for the first program's line."""
    design: Path | None = experiment.arguments.firrtl
    if design is None:
        raise NotHereError("it needs a design that is not ours: --firrtl FILE")
    if not experiment.arguments.opensbi.is_file():
        raise NotHereError("it needs OpenSBI: apt-get install opensbi, or --opensbi FILE")
    folder = experiment.folder
    _built(folder, design.resolve(), experiment.arguments.opensbi.resolve())
    recipe = folder / "recipe.yaml"
    recipe.write_text(RECIPE.format(design=design.resolve(), cycles=CYCLES))
    run = run_as_user(recipe, folder / "boot", may_fail=True)
    text = console(run.folder / "soc/prints.log")
    found = WANTED.search(text)
    experiment.keep(console=text, cpu_s=run.cpu_s)
    figure = f'Linux said "{found[0]}"' if found else f"the console ended with {text[-200:]!r}"
    return Verdict(found is not None, figure, "the first program's line")
