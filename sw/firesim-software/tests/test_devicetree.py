# SPDX-License-Identifier: BSD-3-Clause
"""Device trees: what is set, what stays, what is refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from firesim_software import DeviceTreeError, device_tree, own_device_tree
from firesim_software.devicetree import nodes

SOURCE = """/dts-v1/;
/ {
  #address-cells = <1>;
  #size-cells = <1>;
  cpus { };
  chosen { stdout-path = "/soc/serial@60000000"; bootargs = "old"; };
  memory@80000000 { device_type = "memory"; reg = <0x80000000 0x10000000>; };
  soc { #address-cells = <1>; #size-cells = <1>; ranges;
    nic@60002000 { compatible = "firesim,nic"; reg = <0x60002000 0x1000>; };
    serial@60000000 { compatible = "sifive,uart0"; };
  };
};
"""


def make(tmp_path: Path, source: str = SOURCE, **changes: object) -> bytes:
    dts = tmp_path / "blade.dts"
    dts.write_text(source)
    settings = {"memory_bytes": 1 << 28, "bootargs": "", "mac": "00:12:6D:00:00:02"} | changes
    return device_tree(dts, **settings)  # type: ignore[arg-type]


def properties(blob: bytes, path: str) -> dict[str, bytes]:
    return next(node.properties for node in nodes(blob) if node.path == path)


def test_memory_arguments_and_address_are_set(tmp_path: Path) -> None:
    blob = make(tmp_path, memory_bytes=0x4000_0000, bootargs='count=3 name="x\\y"')
    assert properties(blob, "/memory@80000000")["reg"].hex() == "8000000040000000"
    assert properties(blob, "/chosen")["bootargs"] == b'count=3 name="x\\y"\0'
    assert properties(blob, "/chosen")["stdout-path"] == b"/soc/serial@60000000\0"
    mac = properties(blob, "/soc/nic@60002000")["local-mac-address"]
    assert mac == bytes.fromhex("00126d000002")
    assert "local-mac-address" not in properties(blob, "/soc/serial@60000000")


def test_chosen_comes_first(tmp_path: Path) -> None:
    assert [node.path for node in nodes(make(tmp_path))][:2] == ["/", "/chosen"]


def test_64_bit_cells(tmp_path: Path) -> None:
    wide = SOURCE.replace(
        "#address-cells = <1>;\n  #size-cells = <1>;", "#address-cells = <2>;\n  #size-cells = <2>;"
    )
    wide = wide.replace("<0x80000000 0x10000000>", "<0 0x80000000 0 0x10000000>")
    reg = properties(make(tmp_path, wide, memory_bytes=1 << 33), "/memory@80000000")["reg"]
    assert reg.hex() == "00000000800000000000000200000000"


def test_a_kernel_gets_only_what_it_uses(tmp_path: Path) -> None:
    core = 'device_type = "cpu"; riscv,isa = "rv64imafdc"; tlb-split; d-cache-size = <64>;'
    cpu = f"#address-cells = <1>; #size-cells = <0>; cpu@0 {{ reg = <0>; {core} }};"
    off = 'off: test { compatible = "sifive,test0"; }; timer { compatible = "riscv,clint0"; }; '
    off += 'o { compatible = "syscon-poweroff"; '
    full = SOURCE.replace("cpus { };", f"cpus {{ {cpu} }};")
    full = full.replace("  soc {", f"  {off} regmap = <&off>; }};\n  soc {{")
    bare, linux = make(tmp_path, full), make(tmp_path, full, rng_seed=bytes(32))
    left = {node.path for node in nodes(bare)} - {node.path for node in nodes(linux)}
    assert left == {"/test", "/timer", "/o"}
    assert "stdout-path" in properties(bare, "/chosen")
    assert "stdout-path" not in properties(linux, "/chosen")
    assert "tlb-split" in properties(bare, "/cpus/cpu@0")
    assert set(properties(linux, "/cpus/cpu@0")) == {
        "device_type",
        "riscv,isa",
        "reg",
        "d-cache-size",
    }


def test_dtc_reads_the_result_back(tmp_path: Path) -> None:
    command = ["dtc", "-I", "dtb", "-O", "dts", "-q"]
    text = subprocess.run(command, input=make(tmp_path), capture_output=True, check=True).stdout
    assert b"local-mac-address = [00 12 6d 00 00 02];" in text


@pytest.mark.parametrize(
    ("source", "changes", "message"),
    [
        ("/dts-v1/;\n/ { };", {}, 'found no node with device_type = "memory"'),
        ("/dts-v1/;\n/ {\n  bad bad\n};", {}, r"blade\.dts:3"),
        (SOURCE, {"mac": "00:12:6D:00:00"}, 'found MAC address "00:12:6D:00:00"'),
        (SOURCE, {"bootargs": "a\nb"}, "expected printable ASCII"),
        (
            SOURCE.replace("cells = <1>", "cells = <0x7fffffff>", 1),
            {},
            r"/: found #address-cells 2147483647, expected 0 to 4",
        ),
        (SOURCE + '/ { x = /incbin/("/dev/zero"); };', {}, "found /incbin/, expected"),
        (
            SOURCE + '/ { x = /incbin/ ("\\x2fproc/self/environ"); };',
            {},
            "found /incbin/, expected",
        ),
        (SOURCE + '/include/ "/dev/zero"', {}, 'found /include/ "/dev/zero", expected the plain'),
        (SOURCE + '/include/ "../x.dts"', {}, r'found /include/ "\.\./x\.dts", expected the plain'),
        (SOURCE + '/include/ "blade.dts"', {}, 'found /include/ "blade.dts", expected the plain'),
        (SOURCE + " " * (4 << 20), {}, "expected at most 4,194,304"),
        ("\0", {}, "dtc failed"),
    ],
)
def test_bad_input(tmp_path: Path, source: str, changes: dict[str, object], message: str) -> None:
    with pytest.raises(DeviceTreeError, match=message):
        make(tmp_path, source, **changes)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DeviceTreeError, match=r"none\.dts: cannot be read: No such file"):
        device_tree(tmp_path / "none.dts", memory_bytes=1, bootargs="", mac="00:12:6D:00:00:02")


def test_a_tree_includes_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "more.dtsi").write_text("/ { soc { more = <7>; }; };\n")
    blob = make(tmp_path, SOURCE + '/include/ "more.dtsi"\n')
    assert properties(blob, "/soc")["more"] == b"\0\0\0\7"
    (tmp_path / "more.dtsi").unlink()
    (tmp_path / "more.dtsi").symlink_to("/etc/passwd")
    with pytest.raises(DeviceTreeError, match=r"more\.dtsi: found a symbolic link"):
        make(tmp_path, SOURCE + '/include/ "more.dtsi"\n')


def test_memory_without_a_place_is_at_0(tmp_path: Path) -> None:
    tree = tmp_path / "own.dts"
    tree.write_text('/dts-v1/;\n/ { memory { device_type = "memory"; }; };\n')
    blob = own_device_tree(tree, memory_bytes=1 << 20, bootargs="", mac="00:12:6D:00:00:02")
    assert properties(blob, "/memory")["reg"].endswith((1 << 20).to_bytes(4, "big"))
