# SPDX-License-Identifier: BSD-3-Clause
"""Loads an image into a slot of an EC2 F2 instance with AWS's tools: it is sent there as a file.

It imports nothing of FireSim and needs Python 3.8. Its arguments: the function's folder in sysfs,
the image's global number, vendor and device that the function then has, and how many seconds it may
take. The slot is cleared first, so that nothing of a run before is left in the FPGA and its DIMM.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

RIGHTS = "install platforms/host/60-firesim.rules on the host"
SLOT = re.compile(r"^AFIDEVICE\s+(\d+)\s+\S+\s+\S+\s+(\S+)\s*$", re.MULTILINE)
IMAGE = re.compile(r"^AFI\s+\d+\s+(No AFI|\S+)\s+(\S+)\s+-?\d+\s+(\S+)\s", re.MULTILINE)


def fail(text: str) -> NoReturn:
    """End with a sentence."""
    print(f"firesim fault: {text}", flush=True)
    sys.exit(1)


def aws(*words: str) -> str:
    """Run one of AWS's tools as root; return what it prints."""
    if shutil.which(words[0]) is None:
        fail(
            f"found no program {words[0]}, expected AWS's FPGA tools: platforms/f2/prepare_host.sh"
        )
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    done = subprocess.run(
        [*as_root, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        said = ([line for line in done.stdout.splitlines() if line.strip()] or ["nothing"])[-1]
        fail(f'found that {words[0]} failed ("{said}"), expected it to do "{" ".join(words[1:])}"')
    return done.stdout


def slot_of(place: str) -> str:
    """Return the slot whose function is at a place on PCI."""
    slots = {where: slot for slot, where in SLOT.findall(aws("fpga-describe-local-image-slots"))}
    if place not in slots:
        fail(f"found no slot of the function {place}, expected one of: {', '.join(sorted(slots))}")
    return str(slots[place])


def load(function: Path, agfi: str, wanted_id: str, limit_s: float) -> None:
    """Clear and load a slot, and see that all is as a run needs it."""
    slot = slot_of(function.name)
    aws("fpga-clear-local-image", "-S", slot)
    aws("fpga-load-local-image", "-S", slot, "-I", agfi)
    limit = time.monotonic() + limit_s
    while True:
        found = IMAGE.search(aws("fpga-describe-local-image", "-S", slot))
        name, status, error = found.groups() if found else ("no image", "unknown", "unknown")
        if (name, status) == (agfi, "loaded"):
            break
        if status != "busy" or time.monotonic() > limit:
            fail(f"found {name} in slot {slot}, {status} ({error}), expected {agfi} loaded")
        time.sleep(min(1.0, limit_s / 10))
    numbers = [
        (function / name).read_text().strip().replace("0x", "") for name in ("vendor", "device")
    ]
    if ":".join(numbers) != wanted_id:
        fail(f"found {':'.join(numbers)} at {function.name} with {agfi}, expected {wanted_id}")
    for name in ("resource0", "resource4"):
        if not os.access(str(function / name), os.R_OK | os.W_OK):
            fail(f"found no right to write {function / name}, expected it: {RIGHTS}")


if __name__ == "__main__":
    load(Path(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4]))
