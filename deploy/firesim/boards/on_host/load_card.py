#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Loads a bitstream into a card behind AMD's XDMA over JTAG; its host sees no device get lost.

A device that goes away while its FPGA is programmed is a fatal error to the bridge above it, for
which many servers restart. So the bridge's reporting is switched off, the card removed, programmed
by the serial number of its cable, looked for again, and the reporting restored.

It is sent to a host as a file, imports nothing of FireSim and needs Python 3.8. `detach` and
`attach` need root: for others an administrator installs this file as INSTALLED, with the sudoers'
file beside it (platforms/host).
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import List, NoReturn  # noqa: UP035 (Python 3.8)

INSTALLED = "/usr/local/sbin/firesim-card"
PLACE = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
MAKER = "0x10ee"
SERR, FATAL = ("COMMAND", 0x0100), ("CAP_EXP+8.w", 0x0004)
"""Of a bridge: that it passes system errors on, and that it reports fatal ones."""
LIMIT_S = 20.0
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals by which somebody ends a run: the card comes back first."""
PROGRAM = """\
lassign $argv cable bitstream
open_hw_manager
connect_hw_server
set found {}
foreach target [get_hw_targets] {if {[string match "*/$cable" $target]} {lappend found $target}}
if {[llength $found] != 1} {
  puts "firesim fault: found [llength $found] cables with the serial number $cable among\\
    [get_hw_targets], expected one"
  exit 1
}
open_hw_target [lindex $found 0]
set device [lindex [get_hw_devices] 0]
set_property PROGRAM.FILE $bitstream $device
program_hw_devices $device
close_hw_target
"""


def fail(text: str) -> NoReturn:
    """End with a sentence."""
    print(f"firesim fault: {text}", flush=True)
    sys.exit(1)


def write(file: Path, text: str) -> None:
    """Write into a file of sysfs."""
    try:
        file.write_text(text)
    except OSError as error:
        fail(f"found that {file} cannot be written ({error.strerror}), expected the right to")


def setpci(bridge: str, what: str) -> str:
    """Read, or with a value write, a register of a bridge."""
    try:
        done = subprocess.run(
            ["setpci", "-s", bridge, what], capture_output=True, text=True, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        fail("found no program setpci, expected it: apt-get install pciutils")
    if done.returncode != 0:
        fail(f"found that setpci refuses {what} of {bridge} ({done.stderr.strip()}), expected it")
    return done.stdout.strip()


def bridge_of(root: Path, place: str) -> Path:
    """Return the folder of the bridge above a card of AMD's."""
    device = root / "bus/pci/devices" / place
    if not PLACE.fullmatch(place) or not device.is_dir():
        fail(f"found no PCI device {place}, expected the card there")
    maker = (device / "vendor").read_text().strip()
    if maker != MAKER:
        fail(f"found the vendor {maker} at {place}, expected {MAKER}, a card of AMD's")
    above = device.resolve().parent
    if not PLACE.fullmatch(above.name):
        fail(f"found no bridge above {place}, expected one: the root complex itself has it")
    return above


def restore(bridge: str, serr: bool, fatal: bool) -> None:
    """Let a bridge report what it reported before."""
    for (register, bit), was in ((SERR, serr), (FATAL, fatal)):
        if was:
            setpci(bridge, f"{register}={bit:04x}:{bit:04x}")


def detach(root: Path, place: str) -> None:
    """Switch the bridge's reporting off and remove the card; say what the bridge had.

    When that fails, what is gone is looked for again and the bridge reports as before.
    """
    bridge = bridge_of(root, place)
    had = {"serr": False, "fatal": False}
    try:
        for name, (register, bit) in (("serr", SERR), ("fatal", FATAL)):
            had[name] = bool(int(setpci(bridge.name, register), 16) & bit)
            setpci(bridge.name, f"{register}=0000:{bit:04x}")
        for function in sorted(bridge.glob(place[:-1] + "[0-7]")):
            if (function / "driver").exists():
                write(function / "driver/unbind", function.name)
            write(function / "remove", "1")
    except SystemExit:
        with suppress(SystemExit):
            write(root / "bus/pci/rescan", "1")
        restore(bridge.name, **had)
        raise
    print(json.dumps({"bridge": bridge.name, **had}), flush=True)


def attach(root: Path, place: str, bridge: str, serr: str, fatal: str) -> None:
    """Look for the card again, and let the bridge report what it reported before."""
    if not all(PLACE.fullmatch(one) for one in (place, bridge)):
        fail(f"found {place} below {bridge}, expected places on PCI")
    try:
        write(root / "bus/pci/rescan", "1")
        limit = time.monotonic() + LIMIT_S
        device = root / "bus/pci/devices" / place
        while not device.is_dir():
            if time.monotonic() > limit:
                fail(
                    f"found no card at {place} after a new look at PCI, expected it: the first "
                    "time after power-on, restart the host without switching it off"
                )
            time.sleep(0.1)
    finally:
        restore(bridge, serr == "1", fatal == "1")


def as_root(root: Path, *words: str) -> str:
    """Run `detach` or `attach`; return what it prints."""
    if os.geteuid() == 0:
        command = [sys.executable, os.path.abspath(__file__), *words, str(root)]  # noqa: PTH100
    else:
        command = ["sudo", "-n", INSTALLED, *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        lines: List[str] = done.stdout.splitlines()  # noqa: UP006
        known = [line for line in lines if line.startswith("firesim fault: ")]
        said = known[0] if known else "firesim fault: "
        fail(said[15:] or f"found no right to run {command[2]}, expected it: see platforms/host")
    return done.stdout


def place_of(root: Path, device: str) -> str:
    """Return where the card is that AMD's driver gave a name."""
    link = root / "class/xdma" / f"{Path(device).name}_user" / "device"
    if not link.exists():
        fail(f"found no {device} of AMD's driver, expected the card there: is xdma.ko loaded?")
    return link.resolve().name


def load(root: Path, device: str, cable: str, bitstream: str, vivado: str) -> None:
    """Do all of it for a card, by its device's name."""
    place = place_of(root, device)
    # Who ends the run may end this, but not between the two halves.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    had = json.loads(as_root(root, "detach", place).splitlines()[-1])
    Path("program.tcl").write_text(PROGRAM)
    why = ""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
        words = [vivado, "-mode", "batch", "-notrace", "-nojournal", "-source", "program.tcl"]
        done = subprocess.run(
            [*words, "-tclargs", cable, bitstream], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            ends = [
                line for line in done.stdout.splitlines() if re.match("firesim fault|ERROR", line)
            ]
            why = ends[0].replace("firesim fault: ", "") if ends else "found that Vivado failed"
    except OSError as error:
        why = f"found no program {vivado} ({error.strerror}), expected Vivado or its Lab Edition"
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
        flags = [str(int(had[name])) for name in ("serr", "fatal")]
        as_root(root, "attach", place, had["bridge"], *flags)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
    if why:
        fail(why)
    limit = time.monotonic() + LIMIT_S
    link = root / "class/xdma" / f"{Path(device).name}_user" / "device"
    while not link.exists() and time.monotonic() < limit:
        time.sleep(0.1)
    if place_of(root, device) != place:
        fail(f"found {device} at {place_of(root, device)} now, expected it at {place}, as before")


if __name__ == "__main__":
    verb, *words = sys.argv[1:]
    for number in ENDS:
        signal.signal(number, lambda found, _: sys.exit(128 + found))
    # Through sudo the tree is the kernel's own.
    count = {"detach": 1, "attach": 4, "load": 4}[verb]
    own = os.environ.get("SUDO_UID") is not None or len(words) == count
    root = Path("/sys" if own else words[count])
    {"detach": detach, "attach": attach, "load": load}[verb](root, *words[:count])  # type: ignore[operator]
