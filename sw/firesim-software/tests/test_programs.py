# SPDX-License-Identifier: BSD-3-Clause
"""Every program builds, fits below the device tree, and keeps what a profiler needs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from firesim_software import ProgramError, builder, program, programs, workload
from firesim_software.builder import LIBRARY, link
from firesim_software.qemu import run
from firesim_software.workload import WorkloadError, read_workload

DRAM_BASE = 0x8000_0000
DEVICE_TREE = 0x801F_0000
STOCK = {
    "hello",
    "ping",
    "bandwidth",
    "saturate",
    "quickstart",
    "trigger",
    "block",
    "chase",
    "counters",
    "cores",
    "latency",
    "rdma",
    "rdmapingpong",
    "rdmaincast",
    "rdmaspeed",
    "rdmatarget",
    "copy",
    "protobuf",
    "allreduce",
    "hll",
    "hyperscale",
    "matmul",
    "paging",
    "service",
    "snappy",
    "zstd",
}
TRACE_START, TRACE_END = 0x00008013, 0x00010013


def in_qemu(name: str, bootargs: str = "") -> tuple[str, int]:
    done = run(program(name, ["FIRESIM_QEMU_VIRT"]), bootargs=bootargs)
    return done.console, done.exit_code


def test_the_stock_programs_exist() -> None:
    assert set(programs()) >= STOCK


@pytest.mark.parametrize("name", programs())
def test_program_fits_and_has_debug_information(name: str) -> None:
    elf = program(name)
    assert program(name) == elf, "the second build comes from the cache"
    with elf.open("rb") as file:
        image = ELFFile(file)
        assert image.header["e_entry"] == DRAM_BASE
        loaded = [s for s in image.iter_segments() if s["p_type"] == "PT_LOAD"]
        assert min(s["p_paddr"] for s in loaded) == DRAM_BASE
        assert max(s["p_paddr"] + s["p_memsz"] for s in loaded) <= DEVICE_TREE
        dwarf = image.get_dwarf_info()
        units = {cu.get_top_DIE().attributes["DW_AT_name"].value for cu in dwarf.iter_CUs()}
        assert any(unit.endswith(b"main.c") for unit in units)
        assert dwarf.has_CFI() or dwarf.has_EH_CFI()


def test_trigger_words_are_in_the_program_in_order() -> None:
    with program("trigger").open("rb") as file:
        section = ELFFile(file).get_section_by_name(".text")
        assert section is not None
        text = section.data()
    start = text.find(TRACE_START.to_bytes(4, "little"))
    end = text.find(TRACE_END.to_bytes(4, "little"))
    assert 0 < start < end


def test_hello_in_qemu() -> None:
    console, code = in_qemu("hello")
    assert console.startswith("hello from hart 0, cycle ")
    assert code == 0


def test_arguments_override_defaults_and_set_the_exit_code() -> None:
    assert in_qemu("trigger", "rounds=0x10")[1] == 0
    assert in_qemu("hello", "exit=0x2a")[1] == 42


def test_training_waits_for_its_timer_in_every_round() -> None:
    console, code = in_qemu("training", "rounds=3")
    assert re.fullmatch(r"(training sum=[0-9a-f]+\n){3}", console) and code == 0


def test_latency_prints_every_size_and_refuses_what_is_none() -> None:
    console, code = in_qemu("latency", "least_kib=1 most_kib=8 loads=64")
    sizes = re.findall(r"^latency kib=(\d+) loads=64 cycles=\d+ ", console, re.MULTILINE)
    assert sizes == ["1", "2", "4", "8"] and code == 0
    console, code = in_qemu("latency", "most_kib=12")
    assert "expected powers of two" in console and code == 2


def test_a_wrong_argument_is_refused_with_what_was_found() -> None:
    console, code = in_qemu("hello", "exit=4x2")
    assert console.endswith('error: argument exit: found "4x2", expected a number\n')
    assert code == 2


@pytest.mark.parametrize("word", ["exits=1", "exi=1", "exit", "other=1"])
def test_an_unknown_argument_is_refused_with_what_there_is(word: str) -> None:
    console, code = in_qemu("hello", f"exit=0  {word}")
    assert console == f"error: found argument {word}, expected any of: exit=0\n"
    assert code == 2


TRAPS = r"""
#include "runtime.h"
const char firesim_default_arguments[] = "";
#ifdef HANDLED
bool handle_trap(uint64_t cause, uint64_t *epc, uint64_t tval) {
  if (cause != 2 || tval != 0) return false;
  *epc += 4;
  return true;
}
#endif
int main(int hart, const struct arguments *arguments) {
  (void)arguments;
  __asm__ volatile(".globl here\nhere: .word 0");
  double d = hart + 0.5;
  __asm__ volatile("fadd.d %0, %0, %0" : "+f"(d));
  print("%5d|%05x|%ld|%s|%c|%%|%lu\n", -42, 0xabc, -7L, "text", 'c', (uint64_t)(d * 10));
  return 7;
}
"""


def with_library(tmp_path: Path, text: str, *defines: str) -> tuple[str, int]:
    main = tmp_path / "main.c"
    main.write_text(text)
    sources = [LIBRARY / "start.S", *LIBRARY.glob("*.c"), main]
    elf = link(sources, LIBRARY / "link.ld", tmp_path / "test.elf", ["FIRESIM_QEMU_VIRT", *defines])
    done = run(elf)
    return done.console, done.exit_code


def test_an_unexpected_trap_names_its_cause_and_fails(tmp_path: Path) -> None:
    console, code = with_library(tmp_path, TRAPS)
    assert re.fullmatch(r"trap: illegal instruction \(cause=0x2 epc=0x800\w+ tval=0x0\)\n", console)
    assert code == 255


def test_a_handled_trap_goes_on_and_print_formats(tmp_path: Path) -> None:
    console, code = with_library(tmp_path, TRAPS, "HANDLED")
    assert console == "  -42|00abc|-7|text|c|%|10\n"
    assert code == 7


def test_unknown_program_names_the_nearest() -> None:
    with pytest.raises(WorkloadError, match='found no program "pingg".*the nearest is "ping"'):
        workload("pingg")


def test_compile_errors_have_file_and_line(tmp_path: Path) -> None:
    source = tmp_path / "bad.S"
    source.write_text("_start:\n  nop\n  frobnicate a0\n")
    with pytest.raises(ProgramError, match=r"bad\.S:3: Error: unrecognized opcode"):
        link([source], LIBRARY / "link.ld", tmp_path / "bad.elf")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "workload.yaml:1: found an empty list, expected a mapping"),
        ("name: other\ndescription: x\nsources: [a.c]", 'name: found "other", expected "demo"'),
        ("name: demo\ndescription: x\nsources: [a.c]", 'found "a.c", expected a file beside it'),
        *(
            (f"name: demo\ndescription: x\nsources: [{path}]", f'"{path}", expected a file beside')
            for path in ("../outside.c", "/etc/passwd", "link.c", "circle.c")
        ),
        ("name: demo\ndescription: x\nsources: []", "workload.yaml:3: sources: .*at least 1 item"),
        (
            "name: demo\ndescription: x\nsource: x",
            r'workload.yaml:3: found "source", expected .* did you mean "sources"\?',
        ),
    ],
)
def test_bad_workload_files(tmp_path: Path, text: str, message: str) -> None:
    folder = tmp_path / "demo"
    folder.mkdir()
    (tmp_path / "outside.c").write_text("int x;\n")
    (folder / "link.c").symlink_to("../outside.c")
    (folder / "circle.c").symlink_to("circle.c")
    (folder / "workload.yaml").write_text(text)
    with pytest.raises(WorkloadError, match=message):
        read_workload(folder / "workload.yaml")


def test_a_program_is_the_same_from_every_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def built(clone: Path) -> bytes:
        monkeypatch.setattr(builder, "LIBRARY", clone / "lib")
        source = clone / "programs/hello/main.c"
        return builder.own_program(
            [source], tmp_path / f"made-{clone.name}" / "hello.elf"
        ).read_bytes()

    for name in ("one", "another"):
        for folder in ("lib", "programs/hello"):
            shutil.copytree(builder.LIBRARY.parent / folder, tmp_path / name / folder)
    assert built(tmp_path / "one") == built(tmp_path / "another")
