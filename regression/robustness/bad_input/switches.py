# SPDX-License-Identifier: BSD-3-Clause
"""A user's broken switches: keys, files, C++ and libraries, each with its message."""

from __future__ import annotations

import re
import struct

from firesim_common.paths import ROOT

from regression.robustness.bad_input.case import Case
from regression.support.pages import HOW_TO, page_file

HEAD = "system:\n  topology: two_nodes\n"
WORK = "workload:\n  node: {program: hello}\n"
PAGE = HOW_TO / "write-a-switch.md"
SPREADING = page_file(PAGE, "spreading.cc").encode()
WIRE = page_file(PAGE, "wire.cc").encode()
AT_LIBRARY = "bad.yaml:5: system.switch.library: "
ABI = re.findall(r"kModelAbiVersion = (\d+);", (ROOT / "sim/core/registry.h").read_text())[0]
BARE = b"""\
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
extern "C" uint32_t firesim_model_abi() { return VERSION; }
extern "C" void firesim_register(void *) { ACTION; }
"""
"""A library that needs none of our headers, so that it compiles at once."""


def switch(*lines: str, more: str = "") -> str:
    """Return a configuration with these keys under `system.switch`, the first one in line 4."""
    return HEAD + "  switch:\n" + "".join(f"    {line}\n" for line in lines) + WORK + more


def shared(machine: int = 62, kind: int = 3, bits: int = 2) -> bytes:
    """Return the beginning of an ELF file, which is no more than that."""
    return struct.pack("<16sHH", b"\x7fELF" + bytes([bits, 1, 1]), kind, machine)


def named(name: str, message: str, file: str, content: bytes, kind: str = "mine") -> Case:
    """Return a case in which the library itself is broken."""
    text = switch(f"kind: {kind}", f"library: {file}")
    return Case(name, AT_LIBRARY + message, text, {file: content})


def bare(name: str, message: str, version: str, action: str) -> Case:
    """Return a case with a library that compiles and is refused when it is loaded."""
    content = BARE.replace(b"VERSION", version.encode()).replace(b"ACTION", action.encode())
    return named(name, message, "mine.cc", content)


KEY_CASES = [
    Case(
        "unknown switch",
        (
            'bad.yaml:4: system.switch.kind: found "cut_trough", expected without the key '
            '"library" one of the kinds "cut_through", "priority" or '
            '"store_and_forward", did you mean "cut_through"?'
        ),
        switch("kind: cut_trough"),
    ),
    Case(
        "unknown kind of one switch",
        (
            'bad.yaml:5: system.switches.tor0.kind: found "spreading", expected without the key '
            '"library" one of the kinds "cut_through", "priority" or "store_and_forward".'
        ),
        HEAD + "  switches:\n    tor0:\n      kind: spreading\n" + WORK,
    ),
    Case(
        "kind that is no name",
        ("bad.yaml:4: system.switch.kind: found 7, expected text."),
        switch("kind: 7"),
    ),
    Case(
        "library without a kind",
        (
            "bad.yaml:4: system.switch.library: found a library without a kind, expected the key "
            '"kind" with one of its kinds.'
        ),
        switch("library: spreading.cc"),
    ),
    Case(
        "library for a stock kind",
        (
            'bad.yaml:5: system.switch.library: found a library for the kind "cut_through", which '
            "comes with FireSim, expected a kind with a name of its own, or no library."
        ),
        switch("kind: cut_through", "library: spreading.cc"),
    ),
    Case(
        "settings for a stock kind",
        (
            'bad.yaml:4: system.switch.settings.seed: found "seed", expected no settings: '
            "this kind has none."
        ),
        switch("settings: {seed: 1}"),
    ),
    Case(
        "settings that are no mapping",
        "bad.yaml:6: system.switch.settings: found 3, expected a mapping.",
        switch("kind: mine", "library: mine.cc", "settings: 3"),
    ),
]

FILE_CASES = [
    Case(
        "no switch library",
        AT_LIBRARY + 'found "mine.so", expected a file that exists.',
        switch("kind: mine", "library: mine.so"),
    ),
    Case(
        "no switch source",
        AT_LIBRARY + 'found "mine.cc", expected a file that exists.',
        switch("kind: mine", "library: lib/mine.cc"),
    ),
    Case(
        "folder as a library",
        AT_LIBRARY + 'found "..", expected C++ (.cc) or a shared object (.so).',
        switch("kind: mine", "library: .."),
    ),
    named(
        "library of another suffix",
        'found "mine.cpp", expected C++ (.cc) or a shared object (.so).',
        "mine.cpp",
        WIRE,
    ),
    named(
        "text as a library",
        'found no ELF header in "mine.so", expected a shared object.',
        "mine.so",
        WIRE,
    ),
    named(
        "empty library",
        'found no ELF header in "mine.so", expected a shared object.',
        "mine.so",
        b"",
    ),
    named(
        "library for RISC-V",
        'found code for another machine in "mine.so", expected it for this one.',
        "mine.so",
        shared(machine=243),
    ),
    named(
        "32-bit library",
        'found code for another machine in "mine.so", expected it for this one.',
        "mine.so",
        shared(machine=3, bits=1),
    ),
    named(
        "object file as a library",
        'found ELF of another kind in "mine.so", expected a shared object.',
        "mine.so",
        shared(kind=1),
    ),
    named(
        "cut-off library",
        ('refused by "mine.so": cannot load the library of a model: mine.so: file too short.'),
        "mine.so",
        shared(),
    ),
]

COMPILER_CASES = [
    named(
        "switch that does not compile",
        (
            "found \"mine.cc\" that does not compile: mine.cc:3:10: 'nothing' was not "
            "declared in this scope (and 1 more)."
        ),
        "mine.cc",
        b"int f() {\n  int x = 1;\n  return nothing + x;\n}\nint g() { return none; }\n",
    ),
    named(
        "header that is not there",
        (
            'found "mine.cc" that does not compile: mine.cc:2:10: switch/no.h: No such '
            "file or directory."
        ),
        "mine.cc",
        b'#include <vector>\n#include "switch/no.h"\n',
    ),
]

LIBRARY_CASES = [
    named(
        "library without kinds",
        (
            'refused by "mine.cc": mine.cc: found no FIRESIM_MODELS(registry), expected it to add '
            "the kinds."
        ),
        "mine.cc",
        b"int nothing() { return 0; }\n",
    ),
    bare(
        "library for other headers",
        (
            'refused by "mine.cc": mine.cc: found a library built for version 999 of FireSim\'s '
            f"headers, expected version {ABI}: build it again."
        ),
        "999",
        "",
    ),
    bare(
        "library that fails to register",
        'refused by "mine.cc": mine.cc: FIRESIM_MODELS failed: no luck.',
        ABI,
        'throw std::runtime_error("no luck")',
    ),
    bare(
        "library that crashes",
        'found SIGABRT when "mine.cc" was to make the switch "tor0", expected a switch.',
        ABI,
        "std::abort()",
    ),
    named(
        "library with a symbol missing",
        (
            'refused by "mine.cc": cannot load the library of a model: mine.cc: undefined symbol: '
            "missing."
        ),
        "mine.cc",
        b'extern "C" int missing();\nint f() { return missing(); }\n',
    ),
    Case(
        "kind that is not in the library",
        (
            'bad.yaml:4: system.switch.kind: found "spredaing", expected one of the kinds of '
            '"mine.cc" "spreading", did you mean "spreading"?'
        ),
        switch("kind: spredaing", "library: mine.cc", "settings: {equal_ports: [0]}"),
        {"mine.cc": SPREADING},
    ),
    Case(
        "unknown setting of a switch",
        (
            'bad.yaml:6: system.switch.settings: refused by "mine.cc": switch tor0: settings: '
            'unknown key "equal_port" (did you mean "equal_ports"?).'
        ),
        switch("kind: spreading", "library: mine.cc", "settings: {equal_port: [0]}"),
        {"mine.cc": SPREADING},
    ),
    Case(
        "bad setting of a switch",
        (
            'bad.yaml:6: system.switch.settings: refused by "mine.cc": switch tor0: settings: '
            '"equal_ports" is [0,2], expected numbers of ports below 2.'
        ),
        switch("kind: spreading", "library: mine.cc", "settings: {equal_ports: [0, 2]}"),
        {"mine.cc": SPREADING},
    ),
    Case(
        "missing setting of a switch",
        (
            'bad.yaml:5: system.switch.library: refused by "mine.cc": switch tor0: settings: '
            '"equal_ports" is missing, expected an array.'
        ),
        switch("kind: spreading", "library: mine.cc"),
        {"mine.cc": SPREADING},
    ),
    Case(
        "switch with other ports than links",
        (
            'bad.yaml:3: system.switch.library: found 2 ports at "tor0" of "mine.cc", expected one '
            "a link: 3."
        ),
        "system:\n  topology: rack_3\n  switch: {kind: wire, library: mine.cc}\n" + WORK,
        {"mine.cc": WIRE},
    ),
    Case(
        "one kind in two libraries",
        (
            'bad.yaml:5: system.switches.tor1.library: refused by "b.cc": b.cc: FIRESIM_MODELS '
            'failed: kind "wire" is registered twice, first by a.cc.'
        ),
        "system:\n  topology: tree_2_1\n  switches:\n"
        "    tor0: {kind: wire, library: a.cc}\n    tor1: {kind: wire, library: b.cc}\n" + WORK,
        {"a.cc": WIRE, "b.cc": WIRE + b"int other;\n"},
    ),
    Case(
        "snapshots of a switch without state",
        (
            "bad.yaml:9: simulation.snapshots: found snapshots of a system with the switch "
            '"tor0", expected none: "wire" of "mine.cc" has no save and load (models of this kind '
            "cannot be saved)."
        ),
        switch(
            "kind: wire",
            "library: mine.cc",
            more="simulation:\n  snapshots: {at_cycles: [100]}\n",
        ),
        {"mine.cc": WIRE},
    ),
]

SWITCH_CASES = [*KEY_CASES, *FILE_CASES, *COMPILER_CASES, *LIBRARY_CASES]
