# SPDX-License-Identifier: BSD-3-Clause
"""What may go wrong while a host loads an FPGA: a sentence, and a bridge that reports as before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from firesim.boards.on_host import load_card

from regression.support.fpga_host import AGFI, BRIDGE, PLACE, Bench, card, function

REPORTS = (0x0547, 0x293F)
OTHER = "0000:66:00.0"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def fault(bench: Bench, image: object = None, **options: object) -> str:
    """Load a card, or `image`, in vain; return the one sentence."""
    status, said = bench.run(image or card(bench), **options)  # type: ignore[arg-type]
    lines = [line for line in said.splitlines() if line.startswith("firesim fault: ")]
    assert status == 1 and lines, said
    return lines[-1].removeprefix("firesim fault: ")


def reports(bench: Bench) -> tuple[object, object]:
    """Return what the bridge reports now."""
    return bench.now()["COMMAND"], bench.now()["CAP_EXP+8.w"]


def test_who_is_not_root_asks_for_two_commands_alone(bench: Bench) -> None:
    assert bench.run(card(bench), is_root=False) == (0, "")
    assert bench.now()["programmed"] == "bits" and reports(bench) == REPORTS
    asked = [line for line in bench.calls() if line.startswith("sudo")]
    installed = load_card.INSTALLED
    assert asked == [
        f"sudo -n {installed} detach {PLACE}",
        f"sudo -n {installed} attach {PLACE} {BRIDGE} 1 1",
    ]


def test_who_has_no_rights_is_told_where_they_come_from(bench: Bench) -> None:
    bench.tool("sudo", "sys.exit(1)")
    text = f"found no right to run {load_card.INSTALLED}, expected it: see platforms/host"
    assert fault(bench, is_root=False) == text
    assert (bench.card / "remove").read_text() == ""


def test_through_sudo_there_is_no_tree_but_the_kernels(bench: Bench) -> None:
    """Else a user of the group could have any file written."""
    place = "ffff:fe:1f.7"
    (bench.sys / "bus/pci/devices" / place).symlink_to(bench.card)
    words = [sys.executable, load_card.__file__, "detach", place, str(bench.sys)]
    found = []
    for user in ("1000", None):
        environment = {**os.environ, "PATH": f"{bench.tools}:{os.environ['PATH']}"}
        environment.pop("SUDO_UID", None)
        environment |= {} if user is None else {"SUDO_UID": user}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        found.append((done.returncode, done.stdout))
    sentence = f"firesim fault: found no PCI device {place}, expected the card there\n"
    assert found[0] == (1, sentence) and found[1][0] == 0


def test_all_functions_of_a_card_are_removed(bench: Bench) -> None:
    second = bench.card.parent / f"{PLACE[:-1]}1"
    second.mkdir()
    (second / "remove").write_text("")
    assert bench.run(card(bench)) == (0, "")
    assert [(one / "remove").read_text() for one in (bench.card, second)] == ["1", "1"]


def test_a_fatal_error_that_was_not_reported_is_not_afterwards(bench: Bench) -> None:
    bench.set(**{"CAP_EXP+8.w": 0x293B})
    assert bench.run(card(bench)) == (0, "")
    assert reports(bench) == (0x0547, 0x293B)


@pytest.mark.parametrize(
    ("refused", "text"),
    [
        ("CAP_EXP+8.w", f"setpci refuses CAP_EXP+8.w of {BRIDGE} (setpci: write failed)"),
        ("remove", "/remove cannot be written (Is a directory), expected the right to"),
    ],
)
def test_a_card_that_cannot_be_removed_leaves_a_bridge_that_reports(
    refused: str, text: str, bench: Bench
) -> None:
    if refused == "remove":
        (bench.card / "remove").unlink()
        (bench.card / "remove").mkdir()
    bench.set(refuses=refused)
    assert text in fault(bench)
    assert reports(bench) == REPORTS
    assert (bench.sys / "bus/pci/rescan").read_text() == "1"
    assert "programmed" not in bench.now()


def test_a_host_without_setpci_is_told_what_to_install(bench: Bench) -> None:
    bench.tool("setpci", "")
    (bench.tools / "setpci").unlink()
    for name in ("python3", "vivado"):  # No other setpci of this computer.
        (bench.tools / name).unlink(missing_ok=True)
    (bench.tools / "python3").symlink_to(sys.executable)
    words = [str(bench.tools / "python3"), load_card.__file__, "detach", PLACE, str(bench.sys)]
    done = subprocess.run(
        words, env={"PATH": str(bench.tools)}, capture_output=True, text=True, check=False
    )
    text = "found no program setpci, expected it: apt-get install pciutils"
    assert (done.returncode, done.stdout) == (1, f"firesim fault: {text}\n")
    assert (bench.card / "remove").read_text() == ""


def test_a_card_below_the_root_complex_is_left_alone(bench: Bench) -> None:
    top = bench.sys / "devices/pci0000:64" / OTHER
    bench.card.rename(top)
    for link, name in (("class/xdma/xdma0_user/device", ""), ("bus/pci/devices", OTHER)):
        place = bench.sys / link / name
        place.unlink(missing_ok=True)
        place.symlink_to(top)
    assert fault(bench) == (
        f"found no bridge above {OTHER}, expected one: the root complex itself has it"
    )
    assert (top / "remove").read_text() == ""


def test_a_card_without_its_driver_is_named(bench: Bench) -> None:
    (bench.sys / "class/xdma/xdma0_user/device").unlink()
    assert fault(bench) == (
        "found no /dev/xdma0 of AMD's driver, expected the card there: is xdma.ko loaded?"
    )


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("ERROR: [Labtoolstcl 44-469] no target", "ERROR: [Labtoolstcl 44-469] no target"),
        ("WARNING: a word", "found that Vivado failed"),
    ],
)
def test_what_vivado_says_is_told(said: str, text: str, bench: Bench) -> None:
    bench.set(wrong=said)
    assert fault(bench) == text
    assert reports(bench) == REPORTS


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_ended_while_vivado_works_has_its_card_back(
    number: signal.Signals, bench: Bench
) -> None:
    bench.tool("vivado", "import signal, time\nsignal.pause()")
    loads = bench.start(card(bench))
    calls = bench.folder / "calls"
    while not calls.exists() or "vivado" not in calls.read_text():
        time.sleep(0.01)
    assert bench.now()["COMMAND"] == 0x0447
    loads.send_signal(number)
    assert loads.wait(20) == 128 + number
    assert reports(bench) == REPORTS
    assert (bench.sys / "bus/pci/rescan").read_text() == "1"


def test_a_card_that_does_not_come_back_is_said_and_its_bridge_reports(bench: Bench) -> None:
    bench.set(links=[[str(bench.sys / "bus/pci/devices" / PLACE), ""]])
    assert fault(bench) == (
        f"found no card at {PLACE} after a new look at PCI, expected it: the first time after "
        "power-on, restart the host without switching it off"
    )
    assert reports(bench) == REPORTS


def test_a_card_that_comes_back_elsewhere_or_without_its_driver_is_said(bench: Bench) -> None:
    link = bench.sys / "class/xdma/xdma0_user/device"
    bench.set(links=[[str(link), str(bench.card.parent / OTHER)]])
    text = f"found /dev/xdma0 at {OTHER} now, expected it at {PLACE}, as before"
    assert fault(bench) == text
    link.unlink()
    link.symlink_to(bench.card)
    bench.set(links=[[str(link), ""]])
    assert fault(bench).startswith("found no /dev/xdma0 of AMD's driver")


@pytest.mark.parametrize("places", [(PLACE, "../x"), ("../x", BRIDGE)])
def test_what_is_no_place_is_not_attached(places: tuple[str, str], bench: Bench) -> None:
    words = [sys.executable, load_card.__file__, "attach", *places, "1", "1", str(bench.sys)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    text = f"found {places[0]} below {places[1]}, expected places on PCI"
    assert (done.returncode, done.stdout) == (1, f"firesim fault: {text}\n")
    assert (bench.sys / "bus/pci/rescan").read_text() == ""


def test_aws_tools_run_as_root(bench: Bench) -> None:
    assert bench.run(function(bench), is_root=False) == (0, "")
    asked = [line for line in bench.calls() if line.startswith("sudo")]
    assert asked[:3] == [
        "sudo -n fpga-describe-local-image-slots",
        "sudo -n fpga-clear-local-image -S 3",
        f"sudo -n fpga-load-local-image -S 3 -I {AGFI}",
    ]


@pytest.mark.parametrize(
    ("status", "error"), [("load-failed", "ok"), ("busy", "ok"), ("cleared", "ok")]
)
def test_an_image_that_is_not_loaded_in_time_is_a_fault(
    status: str, error: str, bench: Bench
) -> None:
    bench.set(shown=[AGFI, status], stays=True)
    text = f"found {AGFI} in slot 3, {status} ({error}), expected {AGFI} loaded"
    assert fault(bench, function(bench), last=["0.3"]) == text


def test_a_slot_that_says_nothing_is_a_fault(bench: Bench) -> None:
    bench.tool("fpga-describe-local-image", "print('Type  FpgaImageSlot')")
    text = f"found no image in slot 3, unknown (unknown), expected {AGFI} loaded"
    assert fault(bench, function(bench)) == text


def test_a_slot_that_still_shows_the_cleared_function_is_a_fault(bench: Bench) -> None:
    """Its ids are those of no image: the kernel has not looked again."""
    image = function(bench)
    (bench.card / "device").write_text("0x9048\n")
    bench.set(function=str(bench.folder))
    text = f"found 1d0f:9048 at {PLACE} with {AGFI}, expected 1d0f:f002"
    assert fault(bench, image) == text


@pytest.mark.parametrize("name", ["resource0", "resource4"])
def test_a_function_that_cannot_be_written_is_a_fault(name: str, bench: Bench) -> None:
    image = function(bench)
    (bench.card / name).unlink()
    assert fault(bench, image) == (
        f"found no right to write {bench.sys}/bus/pci/devices/{PLACE}/{name}, expected it: "
        "install platforms/host/60-firesim.rules on the host"
    )
