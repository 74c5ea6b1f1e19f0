# SPDX-License-Identifier: BSD-3-Clause
"""A FireSim target as FIRRTL runs behind parts in place of FireSim's bridges.

What the design says by its console, disk, link, trace and counters is compared with what it is
built to say (firesim_design.py), on both engines and metasimulated with stalls.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from firesim.build.firesim_bridges import verilog
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.topology.firesim_target import Bridge, clock_periods, memory_ranges
from firesim.topology.firrtl_text import Port, ports_of_line, read_text
from firesim_common.errors import InputError

from regression.support.chipyard_soc import assembled
from regression.support.firesim_design import SLOWER, firrtl, target_annotations, write
from regression.support.one_board import simulated

RECIPE = """\
system:
  topology: rack_2
  link: {latency_cycles: 200}
  clock_hz: 1_000_000_000
  blades: {mine: {chipyard: target.fir}}
  node: {blade: mine, bridges: {tsi: {poll_cycles: 500}, block_device: {latency_cycles: 100}}}
workload:
  nodes:
    node0: {elf: list.elf, disk_image: disk.img}
    node1: {elf: list.elf, disk_image: disk.img}
simulation:
  max_cycles: 10_000
  threads: 1
  autocounter: {enabled: true, interval_cycles: 500}
  tracing: {enabled: true, outputs: [text]}
"""
END_CYCLE = 3595
"""Seven looks at tohost, the last in cycle 3,500, and the words of that one."""
SLOWER_END_CYCLE, SLOWER_FRAMES = 4581, 3
"""Six looks, the last in cycle 4,500: memory takes as long as beside the fastest clock."""
DEBUGGED_END_CYCLE = 3589
"""The same looks; each word of 64 bits takes some eight accesses of the debug module."""
PRINTED = "Hiall good\nok\n"
FRAMES = 4
"""One in 1,024 cycles from cycle 59 on, each some 410 cycles under way."""
TRACED = [
    f"core   0: 3 0xffffffff{address:08x} (0x00000013) cycle {cycle}"
    for cycle, addresses in (
        (59, (0x80001000,)),
        (1083, (0x80001000, 0x80001004)),
        (2107, (0x80001000, 0x80001004)),
        (3131, (0x80001000, 0x80001004)),
    )
    for address in addresses
]
"""The commits that the design claims, one or two a cycle, with their addresses sign-extended."""
BEATS = 64
"""Words of a sector."""
TRIGGERED = 3 * 500 + END_CYCLE - 3132
"""Cycles with triggers on: 500 after each of three commits, and all after the fourth."""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """A recipe beside the target, a program and a disk full of one letter."""
    write(tmp_path)
    assembled(tmp_path, 0)
    (tmp_path / "disk.img").write_bytes(b"a" * 65536)
    file = tmp_path / "mine.yaml"
    file.write_text(RECIPE)
    return file


def said(
    recipe: Path, name: str, *settings: str, traced: Sequence[str] = tuple(TRACED)
) -> list[Any]:
    """Run; return the token hash, and of each node what it did and said."""
    folder = recipe.parent
    outcome = simulated(folder, folder / name, *settings, recipe=recipe.name)
    found: list[Any] = [outcome.result["token_hash"]]
    for node in outcome.result["nodes"]:
        results = outcome.folder / node["name"]
        assert (results / "trace/hart0.log").read_text().splitlines() == list(traced)
        with (results / "counters.csv").open() as rows:
            last = list(csv.DictReader(rows))[-1]
        found.append(
            (
                node["ended_at_cycle"],
                node["exit_code"],
                (results / "uart.log").read_text(),
                int(last["arrived"]),
                int(last["beat"]),
            )
        )
    return found


WAYS = {
    "generated": ("simulation.random_batch_seed=1",),
    "verilator": ("simulation.rtl_engine=verilator",),
    "metasim": (
        "simulation.engine=metasim",
        "simulation.metasim={stall_seed: 5, stall_rate: 64}",
    ),
}


def test_it_does_what_it_is_built_to_do_on_every_engine(recipe: Path) -> None:
    found = {name: said(recipe, name, *settings) for name, settings in WAYS.items()}
    nodes = [(END_CYCLE, 0, PRINTED, FRAMES, BEATS)] * 2
    assert found["generated"][1:] == nodes
    assert found == dict.fromkeys(WAYS, found["generated"])


def test_every_bridge_may_be_on_a_slower_clock(recipe: Path) -> None:
    write(recipe.parent, slower=True)
    edges, cycles = SLOWER
    recipe.write_text(RECIPE.replace("poll_cycles: 500", f"poll_cycles: {500 * cycles // edges}"))
    # The same commits at the edges of the slower clock: edge k is in cycle ceil(k * 3 / 2).
    slower = [
        re.sub(r"\d+$", lambda at: str(-(-int(at[0]) * cycles // edges)), line) for line in TRACED
    ]
    traced = [line for line in slower if int(line.split()[-1]) <= SLOWER_END_CYCLE]
    found = {name: said(recipe, name, *more, traced=traced) for name, more in WAYS.items()}
    assert found == dict.fromkeys(WAYS, found["generated"])
    nodes = [(SLOWER_END_CYCLE, 0, PRINTED, SLOWER_FRAMES, BEATS)] * 2
    assert found["generated"][1:] == nodes


def test_an_option_has_the_value_of_the_recipe(recipe: Path) -> None:
    recipe.write_text(RECIPE.replace("target.fir}", "target.fir, plusargs: {most_words: 5}}"))
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert "mine: options of a simulator: most_words=5" in blade.decided
    assert blade.firrtl is not None
    assert "assign out = 32'd5;" in verilog(blade.firrtl, blade.plusargs)
    assert "assign out = 32'd4096;" in verilog(blade.firrtl, {})


def test_a_host_at_the_debug_module_starts_it_where_there_is_no_other(recipe: Path) -> None:
    write(recipe.parent, debug=True)
    said = resolve(load_file(recipe)).own_blades["mine"].decided
    assert any("in place of" in line and " DMIBridge," in line for line in said)
    outcome = simulated(recipe.parent, recipe.parent / "debugged", recipe=recipe.name)
    for node in outcome.result["nodes"]:
        assert (node["ended_at_cycle"], node["exit_code"]) == (DEBUGGED_END_CYCLE, 0)
        assert (outcome.folder / node["name"] / "uart.log").read_text() == PRINTED


def test_what_runcheck_says_of_it(recipe: Path) -> None:
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert blade.top == "FireSimTarget"
    assert (blade.memory_base, blade.memory_mib) == (1 << 31, 16)
    assert [event[:2] for event in blade.events] == [
        ("arrived", "target.arrived"),
        ("beat", "target.beat"),
        ("trigger_start", ""),
        ("trigger_end", ""),
    ]
    assert blade.events[2].expression == "(target.tick && !target.reset)"
    assert blade.events[3].expression == "(target.tock)"
    said = [line.removeprefix("mine: ") for line in blade.decided]
    assert said[1] == "Verilog modules that it needs: ChipTop"
    assert said[3:7] == [
        "DMIBridge is open at its end: the host is at the other link",
        "counters of annotations: arrived, beat",
        "triggers of annotations are the events trigger_start and trigger_end",
        "1 sinks of triggers keep their defaults: triggers are for counters",
    ]


def test_several_clocks_are_said_and_counters_have_their_own(recipe: Path) -> None:
    write(recipe.parent, slower=True)
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert "mine: clocks: the fastest, and 2/3 of its edges" in blade.decided
    assert [event.clock for event in blade.events[:2]] == ["target.clock"] * 2


def test_counters_that_show_a_value_are_named(recipe: Path) -> None:
    found = target_annotations()
    for one in found:
        if one.get("label") == "beat":
            one["opType"] = {"class": "midas.targetutils.PerfCounterOps$Identity$"}
    (recipe.parent / "target.anno.json").write_text(json.dumps(found))
    blade = resolve(load_file(recipe)).own_blades["mine"]
    assert [event[0] for event in blade.events] == ["arrived", "trigger_start", "trigger_end"]
    text = "mine: counters that show a value, which have no counterpart: beat"
    assert text in blade.decided


def test_triggers_open_and_close_the_window_of_counters(recipe: Path) -> None:
    edges = "start: {event: trigger_start}, end: {event: trigger_end}"
    window = f"simulation.autocounter.trigger={{kind: event, {edges}}}"
    outcome = simulated(recipe.parent, recipe.parent / "triggered", window, recipe=recipe.name)
    with (outcome.folder / "node0/counters.csv").open() as rows:
        last = list(csv.DictReader(rows))[-1]
    assert (int(last["cycle"]), int(last["active_cycles"])) == (END_CYCLE, TRIGGERED)


def test_errors_a_trigger_of_no_wire(recipe: Path) -> None:
    found = target_annotations()
    for one in found:
        if str(one["class"]).endswith("TriggerSourceAnnotation"):
            one["target"] = "~FireSim|FireSim>tack"
    (recipe.parent / "target.anno.json").write_text(json.dumps(found))
    wanted = 'found a trigger of "~FireSim|FireSim>tack", expected a wire of a module of the text'
    with pytest.raises(InputError, match=re.escape(f"{wanted}: FireSim has no tack.")):
        resolve(load_file(recipe))


def test_errors_two_memories(recipe: Path) -> None:
    second = firrtl().replace("    inst tsi", "    inst second of FASEDBridge_1\n    inst tsi")
    start, end = second.index("  extmodule FASEDBridge"), second.index("  extmodule TSIBridge")
    box = second[start:end].replace("extmodule FASEDBridge", "extmodule FASEDBridge_1")
    (recipe.parent / "target.fir").write_text(second[:end] + box + second[end:])
    with pytest.raises(InputError, match="found 2 instances of FASEDBridge") as error:
        resolve(load_file(recipe))
    assert "mine.yaml:5: system.blades.mine.chipyard: " in str(error.value)


def test_errors_annotations_that_are_none(recipe: Path) -> None:
    (recipe.parent / "target.anno.json").write_text("{}")
    with pytest.raises(InputError, match="that are no JSON list: expected a list of objects"):
        resolve(load_file(recipe))


def test_ports_get_the_names_of_verilog() -> None:
    line = "    output io : { flip a : { b : UInt<3>[2], flip `0` : Clock}, c : SInt<4>}[1] @[x]"
    assert ports_of_line(line) == [
        Port("io_0_a_b_0", False, 3),
        Port("io_0_a_b_1", False, 3),
        Port("io_0_a_0", True, 1),
        Port("io_0_c", True, 4),
    ]


def test_annotations_in_the_text_are_read() -> None:
    text = (
        'FIRRTL version 4.0.0\ncircuit A :%[[\n  {\n  "class":"x"\n  }\n]]\n  public module A :\n'
    )
    found = read_text(iter(text.splitlines(keepends=True)), frozenset())
    assert (found.version, found.circuit, found.modules) == ((4, 0, 0), "A", {"A"})
    assert found.annotations == [{"class": "x"}]


def test_instances_are_found_by_all_their_paths() -> None:
    text = (
        "circuit A :\n  module C :\n    output x : UInt<1>\n  module B :\n    inst c of C\n"
        "  module A :\n    inst b of B\n    inst d of B\n    inst e of C\n"
    )
    found = read_text(iter(text.splitlines(keepends=True)), frozenset())
    assert sorted(found.paths("A", "C")) == ["b.c", "d.c", "e"]
    assert list(found.paths("A", "A")) == [""]


def test_keys_of_annotations() -> None:
    clocks = [{"multiplier": 1, "divisor": 1}, {"multiplier": 2, "divisor": 3}]
    assert clock_periods({"clocks": clocks}) == [2, 3]
    assert memory_ranges({"axi4Edge": {"address": [{"base": 16, "mask": 15}]}}) == [(16, 16)]
    assert Bridge("t", "TracerVBridge_2Wide_x", (), {}).is_taken
    assert Bridge("d", "DMIBridge", (), {}).is_taken
    assert not Bridge("c", "CTCBridge", (), {}).is_taken
