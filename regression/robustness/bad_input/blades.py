# SPDX-License-Identifier: BSD-3-Clause
"""A user's broken blade files and parts, each with its message."""

from __future__ import annotations

import struct

from firesim.build.parts import peripheral_names
from firesim_common.errors import listed

from regression.robustness.bad_input.case import Case
from regression.robustness.bad_input.files import elf

RECIPE = """\
system:
  topology: two_nodes
  node: {blade: ./own.yaml}
workload:
  node: {program: hello}
"""
PERIPHERALS = sorted(peripheral_names())
HEAD = "description: d\nextends: rocket-1\n"
PART = """\
kind: peripheral
description: a part of a user
title: mine
place: {at: 0x6001_0000, interrupt: 4}
hardware: mine.Mine
"""

LANES = "options: {lanes: {default: 1, least: 1, most: 4, description: lanes}}\n"

COPROCESSOR = """\
kind: coprocessor
description: an accelerator of the user's on the cores
title: mine
hardware: Mine
"""


def double_float_elf() -> bytes:
    """Return a program that passes values in registers of a floating-point unit."""
    data = bytearray(elf())
    struct.pack_into("<I", data, 48, 0x5)  # RVC, double-float ABI
    return bytes(data)


def blade(name: str, message: str, text: str, part: str = PART, more: str = "") -> Case:
    """Return a case in which only the blade file, or the part beside it, is broken."""
    files = {"own.yaml": text.encode(), "mine/part.yaml": part.encode()}
    return Case(name, message, RECIPE + more, files)


BLADE_CASES = [
    Case(
        "no blade file",
        'bad.yaml:3: system.node.blade: found "own.yaml", expected a blade file that exists.',
        RECIPE,
    ),
    blade(
        "unknown part",
        f'own.yaml:3: parts[0]: found "finsher", expected one of the parts {listed(PERIPHERALS)}, '
        'did you mean "finisher"?',
        HEAD + "parts: [finsher]\n",
    ),
    blade(
        "part that is no folder",
        'own.yaml:3: parts[0]: found "./yours", expected a folder with a part.yaml.',
        HEAD + "parts: [./yours]\n",
    ),
    blade(
        "parts over each other",
        'own.yaml:3: parts[4]: found "mine" at 0x60001000 to 0x60001fff, which overlaps '
        '"block_device" at 0x60001000.',
        HEAD + "parts: [{part: ./mine, at: 0x6000_1000}]\n",
    ),
    blade(
        "two parts with one interrupt",
        'own.yaml:3: parts[4]: found interrupt 3 at "mine", which "nic" has.',
        HEAD + "parts: [{part: ./mine, interrupt: 3}]\n",
    ),
    blade(
        "a queue's interrupt at another part",
        'own.yaml:3: parts[4]: found interrupt 7 at "mine", which "nic" has.',
        HEAD.replace("rocket-1", "rocket-4-rss") + "parts: [{part: ./mine, interrupt: 7}]\n",
    ),
    blade(
        "three receive queues",
        "own.yaml:3: parts[3].options.queues: found 3, expected a power of two.",
        HEAD + "parts: [{part: nic, options: {queues: 3}}]\n",
    ),
    blade(
        "further interrupts without their option",
        'mine/part.yaml:6: more_interrupts.option: found "ways", expected one of the options '
        '"lanes".',
        HEAD + "parts: [./mine]\n",
        f"{PART}more_interrupts: {{option: ways, sources: [5]}}\n{LANES}",
    ),
    blade(
        "fewer further interrupts than their option asks for",
        "mine/part.yaml:6: more_interrupts.sources: found 1, expected 3: one less than lanes.",
        HEAD + "parts: [./mine]\n",
        f"{PART}more_interrupts: {{option: lanes, sources: [5]}}\n{LANES}",
    ),
    blade(
        "two of a part of which there is one",
        'own.yaml:3: parts[5]: found the part "l2" twice, as "l2" and as "second", expected one at '
        "most in a blade.",
        HEAD + "parts: [l2, {part: l2, name: second}]\n",
    ),
    blade(
        "option that no part has",
        'own.yaml:3: parts[3].options.tracker: found "tracker", expected one of the options '
        '"trackers", did you mean "trackers"?',
        HEAD + "parts: [{part: block_device, options: {tracker: 2}}]\n",
    ),
    blade(
        "history that is no power of two",
        "own.yaml:3: parts[4].options.history_kib: found 3, expected a power of two.",
        HEAD + "parts: [{part: snappy, options: {history_kib: 3}}]\n",
    ),
    blade(
        "hash table that is too large",
        "own.yaml:3: parts[4].options.hash_log: found 15, expected 9 to 14.",
        HEAD + "parts: [{part: snappy, options: {hash_log: 15}}]\n",
    ),
    blade(
        "transactions of the copy engine that are no power of two",
        "own.yaml:3: parts[4].options.transactions: found 12, expected a power of two.",
        HEAD + "parts: [{part: copy, options: {transactions: 12}}]\n",
    ),
    blade(
        "a number of speculations that is no power of two",
        "own.yaml:3: parts[4].options.speculations: found 12, expected a power of two.",
        HEAD + "parts: [{part: zstd, options: {speculations: 12}}]\n",
    ),
    blade(
        "more speculations than there may be",
        "own.yaml:3: parts[4].options.speculations: found 64, expected 4 to 32.",
        HEAD + "parts: [{part: zstd, options: {speculations: 64}}]\n",
    ),
    blade(
        "a compressor that is neither there nor not",
        "own.yaml:3: parts[4].options.compressor: found 2, expected 0 to 1.",
        HEAD + "parts: [{part: zstd, options: {compressor: 2}}]\n",
    ),
    blade(
        "lines of an arena that are no power of two",
        "own.yaml:3: parts[4].options.arena_lines: found 48, expected a power of two.",
        HEAD + "parts: [{part: protobuf, options: {arena_lines: 48}}]\n",
    ),
    blade(
        "more descriptors than there may be",
        "own.yaml:3: parts[4].options.table_entries: found 512, expected 16 to 256.",
        HEAD + "parts: [{part: protobuf, options: {table_entries: 512}}]\n",
    ),
    blade(
        "fewer lines of objects than there may be",
        "own.yaml:3: parts[4].options.object_lines: found 2, expected 4 to 64.",
        HEAD + "parts: [{part: protobuf, options: {object_lines: 2}}]\n",
    ),
    blade(
        "an option of the RDMA NIC out of range",
        "own.yaml:3: parts[4].options.reduce: found 2, expected 0 to 1.",
        HEAD + "parts: [{part: rdma, options: {reduce: 2}}]\n",
    ),
    blade(
        "more lanes of HyperLogLog than there may be",
        "own.yaml:3: parts[4].options.lanes: found 9, expected 1 to 8.",
        HEAD + "parts: [{part: hll, options: {lanes: 9}}]\n",
    ),
    blade(
        "a port of HyperLogLog that is none",
        "own.yaml:3: parts[4].options.port: found 65536, expected 1 to 65535.",
        HEAD + "parts: [{part: hll, options: {port: 65536}}]\n",
    ),
    blade(
        "a misspelt option of HyperLogLog",
        'own.yaml:3: parts[4].options.lane: found "lane", expected one of the options '
        '"lanes" or "port", did you mean "lanes"?',
        HEAD + "parts: [{part: hll, options: {lane: 2}}]\n",
    ),
    blade(
        "lines of the page-fault accelerator that are no power of two",
        "own.yaml:3: parts[4].options.lines: found 48, expected a power of two.",
        HEAD + "parts: [{part: pfa, options: {lines: 48}}]\n",
    ),
    blade(
        "more transactions of the page-fault accelerator than there may be",
        "own.yaml:3: parts[4].options.transactions: found 16, expected 4 to 8.",
        HEAD + "parts: [{part: pfa, options: {transactions: 16}}]\n",
    ),
    blade(
        "an option of the matrix multiplier, which has none",
        "own.yaml:3: parts[4].options.size: found an option, but this part has none: remove it.",
        HEAD + "parts: [{part: matmul, options: {size: 32}}]\n",
    ),
    blade(
        "blade that extends itself",
        "own.yaml:2: extends: found a circle: own extends own.",
        "description: d\nextends: ./own.yaml\n",
    ),
    blade(
        "unknown key of a part",
        'mine/part.yaml:5: found "hardwar", expected one of the keys "bridges", "bytes", '
        '"description", "device_tree", "functional", "hardware", "kind", "link", '
        '"more_interrupts", "options", "place", "single" or 2 more, did you mean "hardware"?',
        HEAD + "parts: [./mine]\n",
        PART.replace("hardware", "hardwar"),
    ),
    blade(
        "no NIC for a link",
        "bad.yaml:3: system.node.blade: found a blade without a part that has a link for "
        '"node0", expected one, such as "nic": the node has a link.',
        HEAD + "without: [nic]\n",
    ),
    blade(
        "a stage without a stream socket",
        'own.yaml:3: parts[3]: found "mine", which stands in a stream socket, expected a part with '
        'one, such as "nic".',
        HEAD + "parts: [./mine]\nwithout: [nic]\n",
        PART + "stream: true\n",
    ),
    blade(
        "a stage in a NIC that is not there",
        'own.yaml:3: parts[5].nic: found "nic2", expected one of the NICs "nic" or "nic1", did you '
        'mean "nic"?',
        HEAD
        + "parts: [{part: nic, name: nic1, at: 0x60008000, interrupt: 8}, "
        + "{part: ./mine, nic: nic2}]\n",
        PART + "stream: true\n",
    ),
    blade(
        "a NIC for a part that is no stage",
        'own.yaml:3: parts[4].nic: found "nic", expected none: "mine" stands in no stream socket.',
        HEAD + "parts: [{part: ./mine, nic: nic}]\n",
        PART,
    ),
    blade(
        "two NICs in one place",
        'own.yaml:3: parts[4]: found "nic1" at 0x60002000 to 0x60002fff, which overlaps "nic" at '
        "0x60002000.",
        HEAD + "parts: [{part: nic, name: nic1, interrupt: 8}]\n",
    ),
    blade(
        "no functional model",
        'bad.yaml:7: simulation.engine: found engine functional for "node0", whose part "mine" '
        "has no functional model.",
        HEAD + "parts: [./mine]\n",
        more="simulation:\n  engine: functional\n",
    ),
    blade(
        "cache whose ways are larger than a page",
        "own.yaml:3: soc.dcache_kib: found 32 KiB in 4 ways, expected at least 8 ways: with "
        "virtual memory a way is at most a page of 4 KiB.",
        HEAD + "soc: {dcache_kib: 32}\n",
    ),
    blade(
        "cache of no power of two",
        "own.yaml:3: soc.icache_kib: found 12, expected a power of two.",
        HEAD + "soc: {icache_kib: 12}\n",
    ),
    Case(
        "Linux without virtual memory",
        'bad.yaml:5: workload.node.linux: found Linux for "node0", whose cores have no virtual '
        "memory, expected a blade with soc: {core: medium} or big.",
        RECIPE.replace("program: hello", "linux: linux-hello"),
        {"own.yaml": (HEAD + "soc: {core: small}\n").encode()},
    ),
    Case(
        "Linux without a floating-point unit",
        'bad.yaml:5: workload.node.linux: found Linux for "node0", whose cores have no '
        "floating-point unit, expected a blade with soc: {fpu: true}.",
        RECIPE.replace("program: hello", "linux: linux-hello"),
        {"own.yaml": (HEAD + "soc: {fpu: false}\n").encode()},
    ),
    Case(
        "floating-point program without a floating-point unit",
        'bad.yaml:5: workload.node.elf: found the lp64d ABI in "a.elf", expected lp64: the cores '
        "of its blade have no floating-point unit (-march=rv64imac -mabi=lp64).",
        RECIPE.replace("program: hello", "elf: a.elf"),
        {"own.yaml": (HEAD + "soc: {fpu: false}\n").encode(), "a.elf": double_float_elf()},
    ),
    blade(
        "two coprocessors with one opcode",
        'own.yaml:3: parts[5]: found custom0 at "other", which "mine" has, expected each opcode '
        "once (key opcodes).",
        HEAD + "parts: [./mine, {part: ./mine, name: other}]\n",
        COPROCESSOR,
    ),
    blade(
        "coprocessor at an address",
        'own.yaml:3: parts[4].at: found 0x60010000, expected none: "mine" has none.',
        HEAD + "parts: [{part: ./mine, at: 0x6001_0000}]\n",
        COPROCESSOR,
    ),
    blade(
        "opcode that there is not",
        'own.yaml:3: parts[4].opcodes[0]: found "custom4", expected "custom0", "custom1", '
        '"custom2" or "custom3", did you mean "custom3"?',
        HEAD + "parts: [{part: ./mine, opcodes: [custom4]}]\n",
        COPROCESSOR,
    ),
]
