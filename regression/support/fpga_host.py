# SPDX-License-Identifier: BSD-3-Clause
"""A host with an FPGA whose kernel is a tree of files, and whose tools are scripts.

They note each call, and what the tree was like at that time.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from firesim.boards.known import load_board
from firesim.boards.on_host.load_card import INSTALLED
from firesim.boards.ways.base import Loading
from firesim.remote.load_fpgas import job_of
from firesim.topology.plan import PlannedImage

CARD = "load_card.py"
PLACE, BRIDGE, AGFI = "0000:65:00.0", "0000:64:02.0", "agfi-0123456789abcdef0"
TOOL = """\
#!/usr/bin/env python3
import json, os, sys
from pathlib import Path
here = Path({here!r})
name = Path(sys.argv[0]).name
state = json.loads((here / "state.json").read_text())
with (here / "calls").open("a") as calls:
    calls.write(" ".join([name, *sys.argv[1:]]) + "\\n")
{body}
(here / "state.json").write_text(json.dumps(state))
"""
AWS = """\
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
if state.get("refuses") == name:
    print("Error: (5) out-of-slots"); sys.exit(5)
if name == "fpga-describe-local-image-slots":
    print("Type  FpgaImageSlot  VendorId    DeviceId    DBDF")
    print("AFIDEVICE    3       0x1d0f      0x9048      0000:65:00.0")
if name == "fpga-clear-local-image":
    state["image"] = ["No AFI", "cleared"]
if name == "fpga-load-local-image":
    (Path(state["function"]) / "device").write_text("0xf002\\n")
    state["image"] = state.get("shown") or [words["-I"], "busy"]
if name == "fpga-describe-local-image":
    image, status = state["image"]
    print("Type  FpgaImageSlot  FpgaImageId             StatusName    StatusCode   ErrorName")
    print(f"AFI    {words['-S']}     {image}  {status}      0        ok         0   0x10212415")
    if status == "busy" and not state.get("stays"):
        state["image"] = [image, "loaded"]
"""
SETPCI = """\
bridge, what = sys.argv[2:4]
if state.get("refuses") == what:
    print("setpci: write failed", file=sys.stderr); sys.exit(1)
register, _, value = what.partition("=")
if not value:
    print(f"{state[register]:04x}")
else:
    new, mask = (int(one, 16) for one in value.split(":"))
    state[register] = state[register] & ~mask | new
"""
VIVADO = """\
if any(state[one] & bit for one, bit in (("COMMAND", 0x100), ("CAP_EXP+8.w", 4))):
    print("ERROR: the host restarts"); sys.exit(1)
if not (Path(state["card"]) / "remove").read_text():
    print("ERROR: the host restarts"); sys.exit(1)
cable, bitstream = sys.argv[-2:]
if cable != "21770297400L":
    print(f"firesim fault: found 0 cables with the serial number {cable} among x, expected one")
    sys.exit(1)
if wrong := state.get("wrong"):
    print("INFO: connecting"); print(wrong); sys.exit(1)
for link, goal in state.get("links", []):
    Path(link).unlink()
    if goal:
        Path(goal).mkdir(parents=True)
        Path(link).symlink_to(goal)
state["programmed"] = Path(bitstream).read_text()
"""
SUDO = f"""\
words = sys.argv[2:]
if words[0] == {INSTALLED!r}:
    words = [sys.executable, {CARD!r}, *words[1:], str(here / "sys")]
os.execvp(words[0], words)
"""
"""Through the real one the tree is the kernel's."""
NO_ROOT = "import os\n\nos.geteuid = lambda: 1000\n"
SHORT_S = 0.3
"""In place of the time that a card has to come back."""


class Bench:
    """A host's tree of files and its tools."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sys, self.state = folder / "sys", folder / "state.json"
        self.card = self.sys / "devices/pci0000:64" / BRIDGE / PLACE
        self.card.mkdir(parents=True)
        for name, text in (("vendor", "0x10ee"), ("device", "0x903f"), ("remove", "")):
            (self.card / name).write_text(text)
        for name in ("resource0", "resource4"):
            (self.card / name).touch()
        devices = self.sys / "bus/pci/devices"
        devices.mkdir(parents=True)
        (devices / PLACE).symlink_to(self.card)
        (self.sys / "bus/pci/rescan").write_text("")
        driver = self.sys / "bus/pci/drivers/xdma"
        driver.mkdir(parents=True)
        (driver / "unbind").write_text("")
        (self.card / "driver").symlink_to(driver)
        link = self.sys / "class/xdma/xdma0_user"
        link.mkdir(parents=True)
        (link / "device").symlink_to(self.card)
        self.tools = folder / "bin"
        self.tools.mkdir()
        self.set(COMMAND=0x0547, **{"CAP_EXP+8.w": 0x293F, "card": str(self.card)})
        self.set(function=str(self.card), image=["No AFI", "cleared"])
        for name in ("slots", ""):
            end = f"-{name}" if name else ""
            self.tool(f"fpga-describe-local-image{end}", AWS)
        for name in ("clear", "load"):
            self.tool(f"fpga-{name}-local-image", AWS)
        self.tool("setpci", SETPCI)
        self.tool("vivado", VIVADO)
        self.tool("sudo", SUDO)

    def set(self, **values: object) -> None:
        known = json.loads(self.state.read_text()) if self.state.exists() else {}
        self.state.write_text(json.dumps({**known, **values}))

    def now(self) -> dict[str, object]:
        found: dict[str, object] = json.loads(self.state.read_text())
        return found

    def tool(self, name: str, body: str) -> None:
        (self.tools / name).write_text(TOOL.format(here=str(self.folder), body=body))
        (self.tools / name).chmod(0o755)

    def calls(self) -> list[str]:
        return (self.folder / "calls").read_text().splitlines()

    def run(
        self, image: PlannedImage, is_root: bool = True, last: Sequence[str] = ()
    ) -> tuple[int, str]:
        """Do the job that loads an FPGA as its host does; return exit status and what it says.

        `last` are words in place of the job's last ones.
        """
        started = self.start(image, is_root, last)
        said, _ = started.communicate()
        return started.returncode, said

    def start(
        self, image: PlannedImage, is_root: bool = True, last: Sequence[str] = ()
    ) -> subprocess.Popen[str]:
        """Start that job."""
        job, sysfs = job_of(image), []
        where = self.folder / "job"
        where.mkdir(exist_ok=True)
        for name, file in job.files.items():
            (where / name).write_bytes(file.read_bytes())
        if (script := where / CARD).exists():
            sysfs = [str(self.sys)]
            text = script.read_text()
            assert text.count("LIMIT_S = 20.0\n") == 1
            script.write_text(text.replace("LIMIT_S = 20.0\n", f"LIMIT_S = {SHORT_S}\n"))
        environment = {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}"}
        environment.pop("SUDO_UID", None)
        if not is_root:
            (self.folder / "no-root").mkdir()
            (self.folder / "no-root/sitecustomize.py").write_text(NO_ROOT)
            environment["PYTHONPATH"] = str(self.folder / "no-root")
        words = [*job.words, *sysfs]
        words[len(words) - len(last) :] = last
        return subprocess.Popen(
            words,
            cwd=where,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


def image_of(board: str, loading: Loading) -> PlannedImage:
    """Return what loads an FPGA on a board."""
    found = load_board(board)
    assert found.way is not None
    image = found.way.image(found, loading)
    assert image is not None
    return image


def card(bench: Bench, cable: str = "21770297400L", vivado: str = "vivado") -> PlannedImage:
    bitstream = bench.folder / "some.bit"
    bitstream.write_text("bits")
    loading = Loading("/dev/xdma0", bitstream=bitstream, cable=cable, vivado=vivado)
    return image_of("u250", loading)


def function(bench: Bench) -> PlannedImage:
    (bench.card / "vendor").write_text("0x1d0f\n")
    return image_of("f2", Loading(str(bench.sys / "bus/pci/devices" / PLACE), AGFI))
