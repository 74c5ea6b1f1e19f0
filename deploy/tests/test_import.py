# SPDX-License-Identifier: BSD-3-Clause
"""`firesim import`: configurations of the earlier FireSim, their notes, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from firesim.importing.hardware import ENTRY
from firesim.importing.imported import Request, import_files
from firesim.importing.keys import TAKEN
from firesim.importing.runtime import KEYS
from firesim.importing.topologies import topology
from firesim.importing.workload_file import KEYS as WORKLOAD_KEYS
from firesim.pipeline.load import load_text
from firesim.pipeline.resolve import resolve
from firesim.topology.plan import Plan
from firesim_common.errors import InputError
from firesim_common.paths import ROOT

from regression.support.firesim_design import write
from regression.support.firesim_files import (
    TARGET,
    TOPOLOGIES,
    Runtime,
    write_deploy,
    write_entries,
)


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A folder as their `deploy/` is: all files of a run, in our own words."""
    write_deploy(tmp_path)
    return tmp_path


def imported(folder: Path, topology: str = "example_8config", entry: str = "hw_Quad") -> list[str]:
    """Return the text of the recipe, then its notes without the folder."""
    made = import_files(Request(Runtime(topology, entry).write(folder)))
    return [made.text, *(note.replace(f"{folder}/", "") for note in made.notes)]


def plan_of(text: str) -> Plan:
    """Return what a recipe means."""
    return resolve(load_text(text))


def test_a_runtime_configuration_keeps_every_value(theirs: Path) -> None:
    config = load_text(imported(theirs)[0]).config
    assert config.name == "work_two" and config.system.topology.named == "rack_8"
    assert config.system.link.latency_cycles == 6405 and config.system.link.bandwidth_gbps == 100
    assert config.system.switch.switching_latency_cycles == 12
    memory = config.system.node.memory
    assert config.system.node.blade == "rocket-4-l2" and memory is not None and memory.llc
    assert memory.timing.model == "fr_fcfs" and memory.timing.ranks == 4
    assert memory.timing.backend_latency_cycles == 7
    assert memory.llc.sets * memory.llc.ways * memory.llc.block_bytes == 4 << 20
    run = config.simulation
    assert (run.end_when, run.max_cycles, run.autocounter.interval_cycles) == ("first", 5000, 20000)
    assert run.asserts.kind == "none" and run.tracing.outputs == ["binary"]
    assert run.prints.model_dump() == {"kind": "cycle", "start": 10, "end": 21}
    assert run.tracing.trigger.model_dump() == {
        "kind": "instruction",
        "start": {"mask": 0xFFFFFFFF, "value": 0x8013},
        "end": {"mask": 0xFF, "value": 0x13},
    }
    assert config.workload.node.elf == str(theirs / "workloads/work/a.elf")


def test_each_key_without_a_counterpart_is_named_once(theirs: Path) -> None:
    notes = imported(theirs)[1:]
    named = [found[1] for note in notes if (found := re.search(r":\d+: ([\w.]+): no coun", note))]
    expected = [key for key, why in KEYS.items() if why != TAKEN]
    expected += [key for key, why in WORKLOAD_KEYS.items() if why != TAKEN]
    expected += [f"hw_Quad.{key}" for key in ("agfi",) if ENTRY[key] != TAKEN]
    assert sorted(named) == sorted(expected)
    assert any("plusarg_passthrough: +odd: no counterpart" in note for note in notes)


def test_every_topology_that_they_name_has_the_same_number_of_nodes(theirs: Path) -> None:
    for name in TOPOLOGIES:
        plan = plan_of(imported(theirs, name)[0])
        number = re.search(r"(?:example|deep)_?(\d+)config", name)
        stated = {"no_net_config": 3, "clos_2_8_2": 16, "clos_8_8_16": 128, "fat_tree_4ary": 16}
        stated |= {"example_cross_links": 2, "small_hierarchy_8sims": 8, "small_hierarchy_2sims": 2}
        assert len(plan.nodes) == (int(number[1]) if number else stated.get(name, 64)), name
        assert topology(name, 3).nodes == len(plan.nodes)


@pytest.mark.parametrize(
    ("entry", "blade"), [("", "rocket-1-l2"), ("Dual", "rocket-2"), ("Octa", "rocket-8")]
)
def test_designs_that_are_ours_have_blades(theirs: Path, entry: str, blade: str) -> None:
    plan = plan_of(imported(theirs, "no_net_config", f"hw_{entry}")[0])
    assert {node.blade for node in plan.nodes} == {blade}


WHOLE = [
    ("FireSimRocketConfig", "rocket-1-l2", 1_000_000_000, 2048),
    ("FireSimQuadRocketConfig", "rocket-4-l2", 1_000_000_000, 2048),
    ("FireSimRocket1GiBDRAMConfig", "rocket-1-l2", 1_000_000_000, 1024),
    ("FireSimRocketMMIOOnly4GiBDRAMConfig", "rocket-1-l2", 1_000_000_000, 2048),
    ("SupernodeFireSimRocketConfig", "rocket-1-l2", 1_000_000_000, 2048),
    ("WithFireSimHighPerfConfigTweaks_FireSimRocketConfig", "rocket-1-l2", 3_200_000_000, 2048),
    ("chipyard.RocketConfig", "rocket-1-l2", 3_200_000_000, 2048),
]


@pytest.mark.parametrize(("config", "blade", "clock_hz", "size_mib"), WHOLE)
def test_the_name_of_a_configuration_says_clock_and_memory(
    theirs: Path, config: str, blade: str, clock_hz: int, size_mib: int
) -> None:
    write_entries(theirs, {"mine": f"f2-firesim-FireSim-{config}-BaseF2Config"})
    plan = plan_of(imported(theirs, "no_net_config", "mine")[0])
    assert plan.clock_hz == clock_hz
    assert {(node.blade, node.memory_mib) for node in plan.servers} == {(blade, size_mib)}


def test_boards_of_their_own_have_the_clock_of_their_configurations(theirs: Path) -> None:
    entries = {"alveo_u250_firesim_rocket_singlecore_no_nic": {"bitstream_tar": "file"}}
    (theirs / "config_hwdb.yaml").write_text(json.dumps(entries))
    text, *notes = imported(theirs, "no_net_config", *entries)
    assert plan_of(text).clock_hz == 1_000_000_000
    assert any("guessed from the name of its entry" in note for note in notes)


LAYOUTS = [
    ("workloads/ping-config.yaml", "config_hwdb.yaml"),
    ("workloads/ci/board/config_runtime.yaml", "sample-backup-configs/sample_config_hwdb.yaml"),
    ("../../firesim-staging/ci/board/run.yaml", "../../firesim-staging/sample_config_hwdb.yaml"),
]
"""Files of a run below or beside the folder `sims/firesim/deploy`, and the hardware database."""


@pytest.mark.parametrize(("file", "hwdb"), LAYOUTS)
def test_a_file_elsewhere_finds_what_it_names(tmp_path: Path, file: str, hwdb: str) -> None:
    deploy = tmp_path / "sims/firesim/deploy"
    deploy.mkdir(parents=True)
    write_deploy(deploy)
    (deploy / "config_runtime.yaml").unlink(missing_ok=True)
    (deploy / hwdb).parent.mkdir(parents=True, exist_ok=True)
    (deploy / "config_hwdb.yaml").rename(deploy / hwdb)
    place = (deploy / file).resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    Runtime().write(tmp_path).rename(place)
    made = import_files(Request(place))
    assert load_text(made.text).config.workload.node.elf == str(deploy / "workloads/work/a.elf")
    assert f"{(deploy / hwdb).resolve()}:" in made.text


def test_build_recipes_and_custom_settings_say_the_memory(theirs: Path) -> None:
    recipe = {
        "DESIGN": "FireSim",
        "TARGET_CONFIG": "QuadRocketConfig",
        "PLATFORM_CONFIG": "DDR3FCFS",
    }
    recipes = {"mine": {**recipe, "metasim_customruntimeconfig": "slow.conf"}}
    (theirs / "config_build_recipes.yaml").write_text(json.dumps(recipes))
    (theirs / "slow.conf").write_text("+mm_dramTimings_tCAS=11  # less\n+mm_dramTimings_tAL=0\n")
    text, *notes = imported(theirs, entry="mine")
    memory = load_text(text).config.system.node.memory
    assert memory is not None and memory.timing.model == "fcfs"
    assert memory.timing.timings.tCAS == 11
    assert any(note.startswith("slow.conf:2: +mm_dramTimings_tAL: no") for note in notes)


def test_jobs_go_to_nodes_in_their_order(theirs: Path) -> None:
    more = {"outputs": ["/x"], "command": "ls"}
    jobs = [{"name": f"j{n}", "bootbinary": f"{n}.elf", **more} for n in range(8)]
    work = {"benchmark_name": "work", "workloads": jobs}
    (theirs / "workloads/work.json").write_text(json.dumps(work, indent=1))
    text, *notes = imported(theirs)
    nodes = load_text(text).config.workload.nodes
    assert [Path(nodes[f"node{n}"].elf or "").name for n in range(8)] == [
        f"{n}.elf" for n in range(8)
    ]
    assert Path(nodes["node3"].disk_image or "").name == "j3.ext2"
    assert not any("outputs" in note for note in notes)
    assert (
        sum("workloads.command: no counterpart: nothing there reads" in one for one in notes) == 1
    )


STEP = "+fesvr-step-size=128"


def test_the_poll_interval_is_taken_for_hardware_with_tsi(theirs: Path) -> None:
    notes = imported(theirs, "example_1config")[1:]
    assert any(f"{STEP}: no counterpart: the blade here has no TSI." in note for note in notes)
    write(theirs)
    file = theirs / "config_runtime.yaml"
    request = Request(file, chipyard=theirs / "target.fir")
    told = load_text(import_files(request).text).config.system.node.bridges
    assert told == {"tsi": {"poll_cycles": 128}}
    # What every run is given holds where metasimulations say nothing.
    words = file.read_text().replace(STEP, "").replace("+odd", "+odd +fesvr-step-size=4000")
    file.write_text(words)
    assert "poll_cycles: 4000" in import_files(request).text
    for word, sentence in (("often", 'found "+fesvr-step-size=often"'), ("3", "found 3, ")):
        file.write_text(words.replace("size=4000", f"size={word}"))
        with pytest.raises(InputError, match="plusarg_passthrough: ") as error:
            import_files(request)
        assert sentence in str(error.value)


def test_options_that_the_hardware_asks_for_are_taken(theirs: Path) -> None:
    write(theirs)
    file = Runtime("example_1config", "hw_Quad").write(theirs)
    file.write_text(file.read_text().replace("+odd", "+odd +most_words=64"))
    word = "+most_words=64: no counterpart."
    assert any(note.endswith(word) for note in import_files(Request(file)).notes)
    found = import_files(Request(file, chipyard=theirs / "target.fir"))
    assert load_text(found.text).config.system.blades["theirs"].plusargs == {"most_words": 64}
    assert not any("most_words" in note for note in found.notes)


REFUSED = [
    ("my_own", "hw_Quad", 'config_runtime.yaml:10: target_config.topology: found "my_own", exp'),
    ("fireaxe_ring", "hw_Quad", "(FireAxe) is not simulated."),
    (
        "example_8config",
        "hw_Qud",
        "config_runtime.yaml:16: target_config.default_hw_config: found",
    ),
    ("example_8config", "foreign", 'found the design "GemminiRocketConfig", which none of the bl'),
]


@pytest.mark.parametrize(("name", "entry", "sentence"), REFUSED)
def test_what_is_not_ours_is_refused(theirs: Path, name: str, entry: str, sentence: str) -> None:
    file = theirs / "config_hwdb.yaml"
    entries = json.loads(file.read_text())
    entries["foreign"] = {"deploy_quintuplet_override": TARGET.format("GemminiRocket")}
    file.write_text(json.dumps(entries, indent=1))
    with pytest.raises(InputError) as error:
        imported(theirs, name, entry)
    assert sentence in str(error.value) and len(str(error.value).splitlines()) == 1


def test_files_of_another_kind_are_refused(theirs: Path) -> None:
    hwdb = theirs / "config_hwdb.yaml"
    with pytest.raises(InputError, match=r"config_hwdb.yaml:1: found a hardware .* --hwdb\."):
        import_files(Request(hwdb))
    imported(theirs)
    file = theirs / "config_runtime.yaml"
    with pytest.raises(InputError, match=r"config_runtime.yaml:1: found a runtime conf"):
        import_files(Request(file, hwdb=file))
    for name, text, sentence in (
        (
            "farm.yaml",
            "run_farm_type: AWSEC2",
            "farm.yaml:1: found a run farm, for which there is --",
        ),
        ("f2.yaml", "bit_builder_type: F2", "f2.yaml:1: found what builds bitstreams (docs/how-to"),
        (
            "old.ini",
            "[runfarm]",
            "old.ini: found a configuration of FireSim before 1.14, which is n",
        ),
        (
            "work.json",
            '{"benchmark_name": "a"\n"b": 1}',
            "work.json:2: not valid JSON: expected ','",
        ),
    ):
        (theirs / name).write_text(text)
        with pytest.raises(InputError) as error:
            import_files(Request(theirs / name))
        assert sentence in str(error.value)
    with pytest.raises(InputError, match=r"--hwdb: found .*, expected a file that exists\."):
        import_files(Request(file, hwdb=theirs / "none.yaml"))


FOREIGN = "f2-firesim-FireSim-MyOwnConfig-BaseF2Config"


@pytest.fixture
def generated(theirs: Path) -> Path:
    """The same with a design of the user's own, and its FIRRTL where FireSim keeps it."""
    deploy = theirs / "deploy"
    deploy.mkdir()
    for file in ("workloads", "config_hwdb.yaml"):
        (theirs / file).rename(deploy / file)
    folder = theirs / "sim/generated-src/f2" / FOREIGN
    folder.mkdir(parents=True)
    write(folder)
    (folder / "target.fir").rename(folder / "long.name.fir")
    (folder / "target.anno.json").rename(folder / "long.name.anno.json")
    (folder / "long.name.sfc.fir").write_text("circuit FireSim :\n")
    hwdb = {"mine": {"agfi": "agfi-0", "deploy_quintuplet_override": FOREIGN}}
    (deploy / "config_hwdb.yaml").write_text(json.dumps(hwdb))
    return deploy


def test_a_design_of_their_own_is_taken_where_it_was_generated(generated: Path) -> None:
    plan = plan_of(imported(generated, "example_2config", "mine")[0])
    blade = plan.own_blades["theirs"]
    assert blade.firrtl is not None
    assert blade.firrtl.file.name == "long.name.fir"
    assert [(node.blade, node.memory_mib) for node in plan.servers] == [("theirs", 16)] * 2
    assert {node.elf.name for node in plan.servers if node.elf} == {"a.elf"}


def test_hardware_with_a_slower_clock_may_have_its_nic_there(theirs: Path) -> None:
    write(theirs, slower=True)
    file = Runtime("example_1config", "hw_Quad").write(theirs)
    (note,) = [
        note
        for note in import_files(Request(file, chipyard=theirs / "target.fir")).notes
        if "link_latency" in note
    ]
    assert note.endswith("2/3 of its edges, multiply the latency by 3/2 and the bandwidth by 2/3.")


def test_hardware_may_be_given(theirs: Path) -> None:
    write(theirs)
    imported(theirs, "example_1config")
    request = Request(theirs / "config_runtime.yaml", chipyard=theirs / "target.fir")
    assert plan_of(import_files(request).text).servers[0].blade == "theirs"
    missing = Request(request.file, chipyard=theirs / "other.fir")
    with pytest.raises(InputError, match="--chipyard: found .*, expected a folder or a .fir"):
        import_files(missing)


def test_the_page_for_their_users_has_each_key() -> None:
    page = (ROOT / "docs/reference/firesim-commands.md").read_text()
    unread = {"deliver_dir", "common_args", "common_files", "files", "command", "comments"}
    unread |= {"no_post_run_hook"}
    wanted = [*KEYS, *(set(WORKLOAD_KEYS) - unread)]
    assert [key for key in wanted if f"`{key}`" not in page] == []
