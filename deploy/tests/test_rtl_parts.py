# SPDX-License-Identifier: BSD-3-Clause
"""The parts of the RTL build that need no generator: FIRRTL, device tree, merging."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from firesim.build.rtl import check_bridges, merge
from firesim.build.rtl_blade import load_blade
from firesim.build.rtl_device_tree import device_tree_source
from firesim.build.rtl_firrtl import FirrtlError, modernise, with_module_prefix
from firesim_common.tools import ToolError


def test_assertion_becomes_an_assert_with_its_message_and_scala_line() -> None:
    old = (
        "    when _T_1 : @[A.scala 3:4]\n"
        '      printf(clock, UInt<1>(1), "Assertion failed: too \\"big\\"\\n    at A.scala:3 x\\n")'
        " @[A.scala 3:4]\n"
        "      stop(clock, UInt<1>(1), 1) @[A.scala 3:4]\n"
        "      skip @[A.scala 3:4]\n"
    )
    assert modernise(old) == (
        "    when _T_1 : @[A.scala 3:4]\n"
        '      assert(clock, UInt<1>("h0"), UInt<1>("h1"), "too \\"big\\" at A.scala:3 x") : A_3'
        " @[A.scala 3:4]\n"
        "      skip @[A.scala 3:4]\n"
    )


def test_other_prints_go_and_resets_become_synchronous() -> None:
    assert modernise('  printf(clock, _T, "C%d\\n", a) @[B.scala 1:2]\n  skip\n') == "  skip\n"
    assert modernise("    node _T = asAsyncReset(reset)\n") == "    node _T = reset\n"


@pytest.mark.parametrize(
    ("firrtl", "message"),
    [
        ("skip\n  stop(clock, UInt<1>(1), 1)\n", "line 2: a stop that is no assertion"),
        ("    input reset : AsyncReset\n", "line 1: an asynchronous reset"),
        ("    node r = asAsyncReset(or(a, b))\n", "line 1: an asynchronous reset"),
    ],
)
def test_what_would_lose_its_meaning_is_refused(firrtl: str, message: str) -> None:
    with pytest.raises(FirrtlError) as caught:
        modernise(firrtl)
    assert str(caught.value).startswith(message)


def test_prefix_annotation_is_added() -> None:
    added = with_module_prefix('[{"class": "x"}]', "Top", "My_")
    assert '"class": "x"' in added
    assert '"target": "~Top|Top", "prefix": "My_"' in added


def _property(tree: Path, node: str, name: str, kind: str = "s") -> str:
    command = ["fdtget", "-t", kind, str(tree), node, name]
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout.strip()


def _phandle(tree: Path, node: str) -> str:
    return _property(tree, node, "phandle", "i")


@pytest.mark.parametrize(
    "name", ["rocket-1", "rocket-2", "rocket-4", "rocket-4-l2", "rocket-4-rss"]
)
def test_device_tree_compiles_without_a_warning(tmp_path: Path, name: str) -> None:
    source, tree = tmp_path / "b.dts", tmp_path / "b.dtb"
    blade = load_blade(name)
    source.write_text(device_tree_source(blade))
    command = ["dtc", "-I", "dts", "-O", "dtb", "-o", str(tree), str(source)]
    done = subprocess.run(command, text=True, capture_output=True, check=True)
    assert done.stderr == ""

    assert _property(tree, "/cpus", "timebase-frequency", "i") == "32000000"
    assert _property(tree, "/soc/serial@60000000", "interrupts", "i") == "1"
    nic = "3 6 7 8" if name == "rocket-4-rss" else "3"
    assert _property(tree, "/soc/ethernet@60002000", "interrupts", "i") == nic
    assert _property(tree, "/soc/ethernet@60002000", "compatible") == "firesim,nic"
    harts = [f"/cpus/cpu@{hart}/interrupt-controller" for hart in range(blade.cores.count)]
    handles = [_phandle(tree, hart) for hart in harts]
    plic = _property(tree, "/soc/interrupt-controller@c000000", "interrupts-extended", "i")
    assert plic == " ".join(f"{handle} 11 {handle} 9" for handle in handles)
    timer = _property(tree, "/soc/timer@2000000", "interrupts-extended", "i")
    assert timer == " ".join(f"{handle} 3 {handle} 7" for handle in handles)
    finisher = _phandle(tree, "/soc/test@60003000")
    assert _property(tree, "/poweroff", "regmap", "i") == finisher


def test_device_tree_names_the_l2_of_blades_that_have_one(tmp_path: Path) -> None:
    source, tree = tmp_path / "b.dts", tmp_path / "b.dtb"
    source.write_text(device_tree_source(load_blade("rocket-4-l2")))
    subprocess.run(["dtc", "-O", "dtb", "-o", str(tree), str(source)], check=True)
    assert _property(tree, "/l2-cache", "cache-size", "i") == str(256 << 10)
    assert _property(tree, "/l2-cache", "cache-sets", "i") == "512"
    handle = _phandle(tree, "/l2-cache")
    for hart in range(4):
        assert _property(tree, f"/cpus/cpu@{hart}", "next-level-cache", "i") == handle
    assert "l2" not in device_tree_source(load_blade("rocket-1"))


def test_device_tree_follows_the_cores(tmp_path: Path) -> None:
    path, tree = tmp_path / "b.yaml", tmp_path / "b.dtb"
    cpu = "/cpus/cpu@0"

    def made(soc: str) -> None:
        path.write_text(f"description: d\nextends: rocket-1\nsoc: {{{soc}}}\n")
        source = tmp_path / "b.dts"
        source.write_text(device_tree_source(load_blade(str(path))))
        subprocess.run(["dtc", "-O", "dtb", "-o", str(tree), str(source)], check=True)

    made("fpu: false, dcache_kib: 32, dcache_ways: 8, icache_kib: 8, icache_ways: 2")
    assert _property(tree, cpu, "riscv,isa") == "rv64imac"
    assert "d" not in _property(tree, cpu, "riscv,isa-extensions").split()
    assert _property(tree, cpu, "d-cache-size", "i") == "32768"
    assert _property(tree, cpu, "i-cache-size", "i") == "8192"
    assert _property(tree, cpu, "d-cache-sets", "i") == "64"
    assert _property(tree, cpu, "mmu-type") == "riscv,sv39"

    made("core: small, cores: 2")
    assert _property(tree, cpu, "d-cache-size", "i") == "4096"
    assert _property(tree, cpu, "d-tlb-size", "i") == "4"
    assert "mmu-type" not in (tmp_path / "b.dts").read_text()
    harts = [_phandle(tree, f"/cpus/cpu@{hart}/interrupt-controller") for hart in range(2)]
    plic = _property(tree, "/soc/interrupt-controller@c000000", "interrupts-extended", "i")
    assert plic == " ".join(f"{hart} 11" for hart in harts)  # a context a hart: no S-mode


def test_merging_refuses_a_module_that_two_files_declare(tmp_path: Path) -> None:
    for folder, file in (("a", "x.sv"), ("b", "y.v")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / file).write_text("module Queue(input clock);\nendmodule\n")
    (tmp_path / "out").mkdir()
    with pytest.raises(ToolError, match=r"y\.v: module Queue is also in x\.sv"):
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "out")


def test_a_blade_has_the_bridges_that_its_parts_list() -> None:
    blade = replace(load_blade("rocket-1"), bridges=frozenset({"uart", "memory"}))
    check_bridges(blade, "FireSimUARTBridge u (); FireSimMemoryBridge m ();")
    with pytest.raises(ToolError, match="has the bridges FireSimDiskBridge, memory, uart; its "):
        check_bridges(blade, "FireSimUARTBridge FireSimMemoryBridge FireSimDiskBridge")
