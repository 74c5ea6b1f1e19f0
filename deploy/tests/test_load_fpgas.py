# SPDX-License-Identifier: BSD-3-Clause
"""FPGAs are loaded on their hosts before a run: AWS's images into slots, bitstreams over JTAG.

The hosts' kernel is a tree of files, their tools are scripts that note each call and what the tree
was like at that time.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from firesim.bitstream.at_host import JobFailed
from firesim.bitstream.database import set_entries
from firesim.bitstream.forms import build_design, design_form
from firesim.config.bitstream import LoadedBuilds
from firesim.config.farm import FarmFile
from firesim.config.hwdb import HwdbEntry
from firesim.config.load import load_file
from firesim.farm.make import make_farm
from firesim.run.checks import check_plan
from firesim.run.load_fpgas import images_of, job_of, load_fpgas
from firesim.run.remote.places import up
from firesim.topology.plan import PlannedImage
from firesim.topology.resolve import resolve
from firesim_common.errors import InputError

from regression.support.one_board import FPGA, TELLER, write_recipe

BUILDS = """\
builds:
  mine: {verilog: {sources: [teller.sv], top: Teller}, board: BOARD}
"""
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
    if status == "busy":
        state["image"] = [image, "loaded"]
"""
SETPCI = """\
bridge, what = sys.argv[2:4]
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
state["programmed"] = Path(bitstream).read_text()
"""


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

    def run(self, image: PlannedImage) -> tuple[int, str]:
        """Do the job that loads an FPGA as its host does; return exit status and what it says."""
        job = job_of(image, str(self.sys))
        where = self.folder / "job"
        where.mkdir(exist_ok=True)
        for name, file in job.files.items():
            (where / name).write_bytes(file.read_bytes())
        environment = {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}"}
        environment.pop("SUDO_UID", None)
        done = subprocess.run(
            list(job.words), cwd=where, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def card(bench: Bench, cable: str = "21770297400L", vivado: str = "vivado") -> PlannedImage:
    bitstream = bench.folder / "some.bit"
    bitstream.write_text("bits")
    return PlannedImage("/dev/xdma0", bitstream=bitstream, cable=cable, vivado=vivado)


def function(bench: Bench) -> PlannedImage:
    (bench.card / "vendor").write_text("0x1d0f\n")
    return PlannedImage(str(bench.sys / "bus/pci/devices" / PLACE), AGFI, "1d0f:f002")


def test_a_card_is_loaded_while_its_bridge_is_silent(bench: Bench) -> None:
    assert bench.run(card(bench)) == (0, "")
    found = bench.now()
    assert found["programmed"] == "bits"
    assert (found["COMMAND"], found["CAP_EXP+8.w"]) == (0x0547, 0x293F)  # As it was.
    assert (bench.card / "driver/unbind").read_text() == PLACE
    assert [(bench.sys / "bus/pci/rescan").read_text(), (bench.card / "remove").read_text()] == [
        "1",
        "1",
    ]
    order = [line.split()[0] + (line.split()[-1] if "=" in line else "") for line in bench.calls()]
    assert order == [
        "setpci",
        "setpciCOMMAND=0000:0100",
        "setpci",
        "setpciCAP_EXP+8.w=0000:0004",
        "vivado",
        "setpciCOMMAND=0100:0100",
        "setpciCAP_EXP+8.w=0004:0004",
    ]


def test_what_a_bridge_did_not_report_it_does_not_report_afterwards(bench: Bench) -> None:
    bench.set(COMMAND=0x0447)
    assert bench.run(card(bench)) == (0, "")
    assert bench.now()["COMMAND"] == 0x0447


WRONG = {
    "cable": "found 0 cables with the serial number 99 among x, expected one",
    "vivado": "found no program nowhere/vivado (No such file or directory), expected Vivado",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_card_that_cannot_be_loaded_comes_back(name: str, bench: Bench) -> None:
    image = card(bench, "99") if name == "cable" else card(bench, vivado="nowhere/vivado")
    status, said = bench.run(image)
    assert status == 1 and said.startswith(f"firesim fault: {WRONG[name]}")
    assert (bench.now()["COMMAND"], bench.now()["CAP_EXP+8.w"]) == (0x0547, 0x293F)
    assert (bench.sys / "bus/pci/rescan").read_text() == "1"


def test_a_device_that_is_no_card_of_amds_is_left_alone(bench: Bench) -> None:
    (bench.card / "vendor").write_text("0x8086")
    status, said = bench.run(card(bench))
    text = f"found the vendor 0x8086 at {PLACE}, expected 0x10ee, a card of AMD's"
    assert (status, said) == (1, f"firesim fault: {text}\n")
    assert (bench.card / "remove").read_text() == "" and not (bench.folder / "calls").exists()


def test_a_slot_is_cleared_loaded_and_looked_at(bench: Bench) -> None:
    assert bench.run(function(bench)) == (0, "")
    assert bench.calls() == [
        "fpga-describe-local-image-slots",
        "fpga-clear-local-image -S 3",
        f"fpga-load-local-image -S 3 -I {AGFI}",
        "fpga-describe-local-image -S 3",
        "fpga-describe-local-image -S 3",
    ]


def test_a_slot_that_has_another_image_is_a_fault(bench: Bench) -> None:
    bench.set(shown=["agfi-0fedcba9876543210", "loaded"])
    status, said = bench.run(function(bench))
    text = f"found agfi-0fedcba9876543210 in slot 3, loaded (ok), expected {AGFI} loaded"
    assert (status, said) == (1, f"firesim fault: {text}\n")


def test_a_tool_that_refuses_is_a_sentence(bench: Bench) -> None:
    bench.set(refuses="fpga-load-local-image")
    status, said = bench.run(function(bench))
    assert status == 1 and said == (
        'firesim fault: found that fpga-load-local-image failed ("Error: (5) out-of-slots"), '
        f'expected it to do "-S 3 -I {AGFI}"\n'
    )
    (bench.tools / "fpga-describe-local-image-slots").unlink()
    assert (
        "expected AWS's FPGA tools: platforms/f2/prepare_host.sh" in bench.run(function(bench))[1]
    )


def test_a_function_that_is_no_slot_names_those_that_are(bench: Bench) -> None:
    image = function(bench)
    other = PlannedImage(image.device.replace("65", "66"), AGFI, image.id)
    text = f"found no slot of the function 0000:66:00.0, expected one of: {PLACE}"
    assert bench.run(other) == (1, f"firesim fault: {text}\n")


def test_hosts_of_a_farm_load_their_fpgas(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", f"{bench.tools}:{os.environ['PATH']}")
    (tmp_path / "lab.yaml").write_text(f"kind: local\nprocesses: 1\nfolder: {tmp_path}/host\n")
    hosts = up(make_farm(FarmFile(tmp_path / "lab.yaml")))
    try:
        load_fpgas(hosts, {"local0": [function(bench)]})
        assert bench.calls()[2] == f"fpga-load-local-image -S 3 -I {AGFI}"
        bench.set(refuses="fpga-clear-local-image")
        with pytest.raises(JobFailed, match=r"^local0: found that fpga-clear-local-image failed"):
            load_fpgas(hosts, {"local0": [function(bench)]})
        assert hosts[0].client.runs() == {}  # Nothing stays there.
    finally:
        hosts[0].client.close()


@pytest.mark.parametrize(
    ("board", "device", "cable", "loads"),
    [
        ("f2", f"/sys/bus/pci/devices/{PLACE}", "", True),
        ("f2", "/run/f2.socket", "", False),
        ("u250", "/dev/xdma0", "21770297400L", True),
        ("u250", "/dev/xdma0", "", False),
    ],
)
def test_a_run_knows_what_is_loaded(
    board: str, device: str, cable: str, loads: bool, tmp_path: Path
) -> None:
    write_recipe(tmp_path, TELLER, BUILDS.replace("BOARD", board))
    form = design_form(build_design(LoadedBuilds(tmp_path / "builds.yaml"), "mine"))
    where = {"agfi": AGFI} if board == "f2" else {"bitstream": "some.bit"}
    (tmp_path / "some.bit").write_text("bits")
    entry = HwdbEntry(
        **where,  # type: ignore[arg-type]
        fingerprint=form.manifest.design_hash,
        board=board,
        frequency_mhz=60,
        built="now",
    )
    set_entries(tmp_path / "hwdb.yaml", {"mine": entry})
    cables = f"cables: [{cable}]\n" if cable else ""
    (tmp_path / "farm.yaml").write_text(
        f"kind: local\nprocesses: 1\nfpgas: 1\nplatform: {board}\ndevices: [{device}]\n{cables}"
    )
    loaded = load_file(tmp_path / "tell.yaml", [FPGA])
    plan = resolve(loaded)
    check_plan(loaded, plan)
    found = images_of(plan, {"soc": "local0"})
    expected = (
        PlannedImage(device, AGFI, "1d0f:f002")
        if board == "f2"
        else PlannedImage(device, bitstream=tmp_path / "some.bit", cable=cable, vivado="vivado")
    )
    assert found == ({"local0": [expected]} if loads else {})


def test_each_fpga_has_one_cable(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text("kind: local\nfpgas: 2\nplatform: u250\ncables: [a]\n")
    with pytest.raises(InputError, match="found 1 cables for 2 FPGAs, expected one each"):
        FarmFile(tmp_path / "lab.yaml")
