# SPDX-License-Identifier: BSD-3-Clause
"""Lists the FPGAs of a host by what its kernel says of PCI and USB: it is sent there as a file.

It imports nothing of FireSim and needs Python 3.8. Its argument is the root of sysfs, its input
`boards.json`: the numbers by which each board is known. It leaves `result.json`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict, List  # noqa: UP035 (Python 3.8)

Found = List[Dict[str, str]]  # noqa: UP006


def text(file: Path) -> str:
    """Return the text of a file of sysfs, "" when there is none."""
    try:
        return file.read_text().strip()
    except OSError:
        return ""


def driver(device: Path) -> str:
    """Return the driver that holds a device, "" for none."""
    link = device / "driver"
    return link.resolve().name if link.exists() else ""


def pci(root: Path, boards: Dict[str, Any]) -> Found:  # noqa: UP006
    """Return the boards on PCI, by place."""
    found = []
    for device in sorted((root / "bus/pci/devices").glob("*")):
        number = "{}:{}".format(
            text(device / "vendor").replace("0x", ""), text(device / "device").replace("0x", "")
        )
        names = [name for name, ids in sorted(boards.items()) if number in ids["pci"]]
        if names:
            found.append(
                {
                    "boards": " ".join(names),
                    "place": device.name,
                    "id": number,
                    "serial": "",
                    "driver": driver(device),
                }
            )
    return found


def usb(root: Path, boards: Dict[str, Any]) -> Found:  # noqa: UP006
    """Return the boards on USB, by place; one is told apart by the name of its product."""
    found = []
    for device in sorted((root / "bus/usb/devices").glob("*")):
        number = f"{text(device / 'idVendor')}:{text(device / 'idProduct')}"
        product = text(device / "product")
        names = [
            name
            for name, ids in sorted(boards.items())
            if any(one == number and word in product for one, word in ids["usb"])
        ]
        if names:
            found.append(
                {
                    "boards": " ".join(names),
                    "place": device.name,
                    "id": number,
                    "serial": text(device / "serial"),
                    "driver": "",
                }
            )
    return found


if __name__ == "__main__":
    known = json.loads(Path("boards.json").read_text())
    root = Path(sys.argv[1])
    Path("result.json").write_text(json.dumps(pci(root, known) + usb(root, known)))
