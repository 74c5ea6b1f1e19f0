# SPDX-License-Identifier: BSD-3-Clause
"""Linux boots: in QEMU, and on the functional blade with the firmware's emulation at work.

The kernel is built when its inputs are new, which takes minutes: these tests want a filled cache.
"""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from firesim.build.blade_tree import blade_device_tree
from firesim.build.simulator import simulator
from firesim_software import linux
from firesim_software.devicetree import device_tree
from firesim_software.linux import agent, rootfs
from firesim_software.linux.errors import run
from firesim_software.linux.firmware import firmware
from firesim_software.linux.kernel import CONFIG, kernel, unmet
from firesim_software.linux.kernel_source import ARCHIVE

pytestmark = pytest.mark.skipif(
    not ARCHIVE.is_file() or not shutil.which("riscv64-linux-gnu-gcc"),
    reason="no source of the kernel, or no cross compiler",
)
MOST_BEFORE_INIT = 4_600_000
MOST_AT_PROMPT = 6_200_000
RESTORE_PROGRAM = 0x801E_0000
FILE_SIZES = (0, 1, 4095, 4096, 4097, 20_000, 65_536)
CHECK_FILES = """cd /data
echo 3 > /proc/sys/vm/drop_caches
md5sum -c -s sums && echo all whole
echo new | dd of=of-20000 bs=1 seek=5000 conv=notrunc 2> /dev/null
md5sum of-20000
truncate -s 4096 of-65536
cat of-65536 | wc -c
rm of-* && echo removed
"""
MISALIGNED = Path(__file__).parent / "misaligned.c"


def counts(console: str) -> list[int]:
    return [int(found) for found in re.findall(r"^firesim: instructions .*: (\d+)$", console, re.M)]


def test_the_vdso_asks_nothing_of_the_kernel() -> None:
    """A process that asked for the time while another hart set it read a key of the kernel."""
    with kernel().vmlinux.open("rb") as file:
        elf = ELFFile(file)
        names = elf.get_section_by_name(".symtab")
        assert isinstance(names, SymbolTableSection)
        found = {one.name: int(one["st_value"]) for one in names.iter_symbols()}
        first, end = found["vdso_start"], found["vdso_end"]
        segment = next(
            one for one in elf.iter_segments("PT_LOAD")
            if 0 <= first - one["p_vaddr"] < one["p_filesz"]
        )  # fmt: skip
        vdso = segment.data()[first - segment["p_vaddr"] : end - segment["p_vaddr"]]
    table = ELFFile(io.BytesIO(vdso)).get_section_by_name(".dynsym")
    assert isinstance(table, SymbolTableSection)
    symbols = list(table.iter_symbols())
    assert "__vdso_clock_gettime" in {symbol.name for symbol in symbols}
    undefined = [one.name for one in symbols if one["st_shndx"] == "SHN_UNDEF" and one.name]
    assert not undefined


def test_the_kernel_has_every_option_it_was_asked_for() -> None:
    assert not unmet(CONFIG.read_text(), kernel().config.read_text())
    assert unmet("CONFIG_FUTEX=y\n# CONFIG_NET is not set", "CONFIG_NET=y") == [
        "CONFIG_FUTEX=y",
        "# CONFIG_NET is not set",
    ]


def test_the_drivers_of_our_devices_are_in_the_kernel() -> None:
    symbols = {line.split()[2] for line in kernel().system_map.read_text().splitlines()}
    assert {"nic_probe", "blk_probe", "nic_driver_init", "blk_driver_init"} <= symbols
    assert "sifive_serial_probe" in symbols


def test_the_shell_finds_programs_that_have_no_file() -> None:
    command = 'firesim.run="wc -c < /proc/version > /tmp/n && ls /tmp && which wc; echo $?"'
    console, code = linux.boot("linux-hello", bootargs=command)
    assert linux.commands.user_part(console) == "n\n1\n"
    assert code == 0


@pytest.mark.parametrize("qemu", [False, True])
def test_the_firmware_stays_below_the_restore_program(qemu: bool) -> None:
    with firmware(qemu=qemu).open("rb") as file:
        image = ELFFile(file)
        assert image["e_entry"] == 0x8000_0000
        ends = [s["p_paddr"] + s["p_memsz"] for s in image.iter_segments("PT_LOAD")]
        assert max(ends) <= RESTORE_PROGRAM


def test_hello_says_what_its_reference_says() -> None:
    assert linux.test("linux-hello") == ""


def test_four_cores_start_and_a_failure_is_the_exit_code() -> None:
    console, code = linux.boot("linux-hello", cores=4, bootargs='firesim.run="nproc; exit 7"')
    assert linux.commands.user_part(console) == "4\n"
    assert code == 7


def test_the_prompt_comes_within_the_stated_instructions() -> None:
    arguments = 'quiet firesim.instructions=1 firesim.run="exec sh -il < /dev/null"'
    console, code = linux.boot("linux-base", bootargs=arguments, exact=True)
    assert code == 0
    assert "\n/ # " in console
    before_init, with_shell = counts(console)
    assert before_init <= MOST_BEFORE_INIT
    assert with_shell <= MOST_AT_PROMPT
    again, _ = linux.boot("linux-base", bootargs=arguments, exact=True)
    # QEMU's own waiting for its threads is not in target time: some instructions more or less.
    assert counts(again) == pytest.approx([before_init, with_shell], abs=10_000)


def functional(folder: Path, initrd: Path, run_argument: str, cores: int = 1) -> tuple[str, int]:
    """Boot on the functional blade; return the console's text and the exit code."""
    image, memory_bytes = linux.workload("linux-hello"), 64 << 20
    at = image.initrd_address
    blob = device_tree(
        blade_device_tree(f"rocket-{cores}"),
        memory_bytes=memory_bytes,
        bootargs=f"{image.bootargs} {run_argument}",
        mac="00:12:6D:00:00:02",
        initrd=(at, at + initrd.stat().st_size),
        rng_seed=bytes(range(32)),
    )
    (folder / "node.dtb").write_bytes(blob)
    load = [
        {"file": str(image.firmware), "format": "elf"},
        {"file": str(image.kernel), "format": "raw", "address": 0x8020_0000},
        {"file": str(initrd), "format": "raw", "address": at},
        {"file": "node.dtb", "format": "raw", "address": 0x801F_0000},
    ]
    (folder / "none.traffic").touch()
    mac = "00:12:6D:00:00:02"
    node: dict[str, object] = {
        "name": "node0",
        "kind": "functional",
        "cores": cores,
        "quantum_cycles": 1024,
    }
    memory = {"base": 0x8000_0000, "size_bytes": memory_bytes, "load": load}
    bridges = {"uart": {"log": "uart.log"}, "nic": {"port": 0, "mac": mac}, "memory": memory}
    peer: dict[str, object] = {
        "name": "peer",
        "kind": "traffic",
        "mac": "00:12:6D:00:00:03",
        "file": "none.traffic",
    }
    ends = {"a": {"model": "node0", "port": 0}, "b": {"model": "peer", "port": 0}}
    description: dict[str, object] = {
        "version": 1,
        "results": "results",
        "threads": 1,
        "max_cycles": 400_000_000,
    }
    description |= {"nodes": [node | {"bridges": bridges}, peer | {"end_cycle": 1}]}
    wire: dict[str, object] = {"name": "wire", "latency_cycles": 6400}
    description |= {"links": [wire | ends], "switches": []}
    description |= {"clock_hz": 3_200_000_000, "end_when": "all"}
    (folder / "run.json").write_text(json.dumps(description))
    subprocess.run([str(simulator()), str(folder / "run.json")], capture_output=True, check=False)
    result = json.loads((folder / "results/result.json").read_text())
    return (folder / "results/uart.log").read_text(), result["nodes"][0]["exit_code"]


def test_files_of_an_initramfs_arrive_whole_and_can_be_changed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    source = random.Random(1)
    contents = {f"of-{size}": source.randbytes(size) for size in FILE_SIZES}
    for name, content in contents.items():
        (data / name).write_bytes(content)
    changed = bytearray(contents["of-20000"])
    changed[5000:5004] = b"new\n"
    sums = {name: hashlib.md5(content).hexdigest() for name, content in contents.items()}
    (data / "sums").write_text("".join(f"{found}  {name}\n" for name, found in sums.items()))
    (data / "check").write_text(CHECK_FILES)
    found = linux.describe("linux-hello")
    added = found.model_copy(update={"overlay": {"/data": str(data)}})
    run_argument = 'quiet firesim.run="sh /data/check"'
    console, code = functional(tmp_path, rootfs.initramfs(added), run_argument)
    wanted = f"all whole\n{hashlib.md5(changed).hexdigest()}  of-20000\n4096\nremoved\n"
    assert linux.commands.user_part(console) == wanted
    assert "BUG" not in console and "Bad page" not in console
    assert code == 0


def test_the_firmware_does_misaligned_accesses(tmp_path: Path) -> None:
    program = tmp_path / "misaligned"
    sources = [agent.FOLDER / "start.S", agent.FOLDER / "memory.c", MISALIGNED]
    flags = [*agent.FLAGS, f"-I{agent.FOLDER}"]
    run([agent.COMPILER, *flags, "-o", str(program), *map(str, sources)])
    found = linux.describe("linux-hello")
    added = found.model_copy(update={"overlay": {"/usr/bin/misaligned": str(program)}})
    console, code = functional(tmp_path, rootfs.initramfs(added), "firesim.run=misaligned")
    assert linux.commands.user_part(console) == "misaligned: 0 wrong\n"
    assert code == 0
