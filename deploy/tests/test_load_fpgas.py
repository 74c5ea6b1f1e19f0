# SPDX-License-Identifier: BSD-3-Clause
"""FPGAs are loaded on their hosts before a run: AWS's images into slots, bitstreams over JTAG.

The hosts' kernel is a tree of files, their tools are scripts that note each call and what the tree
was like at that time.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from firesim.bitstream.at_host import JobFailed
from firesim.bitstream.database import set_entries
from firesim.bitstream.forms import build_design, design_form
from firesim.boards.on_host import load_afi, load_card
from firesim.config.bitstream import LoadedBuilds
from firesim.config.hwdb import HwdbEntry
from firesim.farm.file import FarmFile
from firesim.farm.make import make_farm
from firesim.farm.up import up
from firesim.pipeline.check import check
from firesim.pipeline.load import load_file
from firesim.remote.load_fpgas import images_of, load_fpgas
from firesim.topology.plan import PlannedImage
from firesim_common.errors import InputError

from regression.support.fpga_host import AGFI, PLACE, Bench, card, function
from regression.support.one_board import FPGA, TELLER, write_recipe

BUILDS = """\
builds:
  mine: {verilog: {sources: [teller.sv], top: Teller}, board: BOARD}
"""


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


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
    device, *words = image.words
    other = replace(image, words=(device.replace("65", "66"), *words))
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
    plan = check(loaded).plan
    found = images_of(plan, {"soc": "local0"})
    expected = (
        PlannedImage(Path(load_afi.__file__), (device, AGFI, "1d0f:f002", "120"))
        if board == "f2"
        else PlannedImage(
            Path(load_card.__file__),
            ("load", device, cable, "firesim.bit", "vivado"),
            {"firesim.bit": tmp_path / "some.bit"},
        )
    )
    assert found == ({"local0": [expected]} if loads else {})


def test_each_fpga_has_one_cable(tmp_path: Path) -> None:
    (tmp_path / "lab.yaml").write_text("kind: local\nfpgas: 2\nplatform: u250\ncables: [a]\n")
    with pytest.raises(InputError, match="found 1 cables for 2 FPGAs, expected one each"):
        FarmFile(tmp_path / "lab.yaml")
