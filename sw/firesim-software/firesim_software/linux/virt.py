# SPDX-License-Identifier: BSD-3-Clause
"""QEMU's machine `virt` as a node: its device tree in our form, and running Linux on it.

It shares memory, CLINT and PLIC with our blades, and has no NIC and no disk of ours: the same
kernel image boots, with the firmware's other variant and the SBI console.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from firesim_software.devicetree import device_tree
from firesim_software.linux.errors import LinuxError
from firesim_software.qemu import CPU, QEMU

_HEAD = """/dts-v1/;
/ {
  #address-cells = <2>;
  #size-cells = <2>;
  compatible = "riscv-virtio";
  model = "FireSim qemu";
  memory@80000000 { device_type = "memory"; reg = <0 0x80000000 0 0x4000000>; };
  cpus { #address-cells = <1>; #size-cells = <0>; timebase-frequency = <10000000>;
"""
_CPU = """
    cpu{0}: cpu@{0} {{ device_type = "cpu"; reg = <{0}>; status = "okay"; compatible = "riscv";
      riscv,isa = "rv64imafdc"; mmu-type = "riscv,sv39";
      cpu{0}_intc: interrupt-controller {{ compatible = "riscv,cpu-intc"; interrupt-controller;
        #interrupt-cells = <1>; }}; }};
"""
_SOC = """  }};
  soc {{ #address-cells = <2>; #size-cells = <2>; compatible = "simple-bus"; ranges;
    clint@2000000 {{ compatible = "sifive,clint0", "riscv,clint0";
      reg = <0 0x2000000 0 0x10000>; interrupts-extended = {clint}; }};
    interrupt-controller@c000000 {{ compatible = "sifive,plic-1.0.0", "riscv,plic0";
      reg = <0 0xc000000 0 0x4000000>; interrupt-controller; #interrupt-cells = <1>;
      #address-cells = <0>; riscv,ndev = <8>; interrupts-extended = {plic}; }};
  }};
}};
"""


def source(cores: int) -> str:
    """Return the device tree source of a `virt` machine with the given number of harts."""
    harts = range(cores)
    clint = ", ".join(f"<&cpu{i}_intc 3>, <&cpu{i}_intc 7>" for i in harts)
    plic = ", ".join(f"<&cpu{i}_intc 11>, <&cpu{i}_intc 9>" for i in harts)
    return _HEAD + "".join(_CPU.format(i) for i in harts) + _SOC.format(clint=clint, plic=plic)


def command(
    folder: Path,
    *,
    firmware: Path,
    kernel: Path,
    initrd: Path | None,
    initrd_address: int,
    bootargs: str,
    memory_mib: int,
    cores: int = 1,
) -> list[str]:
    """Return QEMU's command line; its device tree is written to `folder`."""
    dts = folder / "virt.dts"
    dts.write_text(source(cores))
    span = None
    words = [QEMU, "-machine", "virt", "-cpu", CPU, "-smp", str(cores), "-m", str(memory_mib)]
    words += ["-display", "none", "-no-reboot", "-bios", str(firmware)]
    words += ["-device", f"loader,file={kernel},addr=0x80200000,force-raw=on"]
    if initrd is not None:
        span = (initrd_address, initrd_address + initrd.stat().st_size)
        words += ["-device", f"loader,file={initrd},addr={initrd_address:#x},force-raw=on"]
    blob = device_tree(
        dts,
        memory_bytes=memory_mib << 20,
        bootargs=bootargs,
        mac="00:00:00:00:00:00",
        initrd=span,
        rng_seed=bytes(range(32)),
    )
    (folder / "virt.dtb").write_bytes(blob)
    return [*words, "-dtb", str(folder / "virt.dtb")]


def run(words: list[str], *, timeout_s: float) -> tuple[str, int]:
    """Run QEMU until the machine ends; return the console's text and the finisher's code.

    Raises:
        LinuxError: QEMU is missing or did not end in time; the message has the last lines.
    """
    try:
        done = subprocess.run(
            [*words, "-monitor", "none", "-serial", "stdio"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=timeout_s,
        )
    except FileNotFoundError as error:
        what = f"{QEMU} is not installed: apt-get install qemu-system-misc"
        raise LinuxError(what) from error
    except subprocess.TimeoutExpired as error:
        last = (error.stdout or b"")[-2000:].decode(errors="replace")
        what = f"Linux did not end in QEMU within {timeout_s:g} s:\n{last}"
        raise LinuxError(what) from error
    text = done.stdout.decode(errors="replace").replace("\r\n", "\n")
    if done.stderr and not text:
        raise LinuxError(f"QEMU said: {done.stderr.decode(errors='replace').strip()}")
    return text, done.returncode


def attach(words: list[str]) -> int:
    """Run QEMU with its console on this terminal; return its exit status.

    Raises:
        LinuxError: QEMU is missing.
    """
    sys.stdout.flush()
    try:
        return subprocess.run([*words, "-serial", "mon:stdio"], check=False).returncode
    except FileNotFoundError as error:
        what = f"{QEMU} is not installed: apt-get install qemu-system-misc"
        raise LinuxError(what) from error
