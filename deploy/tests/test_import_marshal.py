# SPDX-License-Identifier: BSD-3-Clause
"""`firesim import` of a workload of FireMarshal: its built images become nodes of a recipe."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from firesim.importing.imported import Imported, Request, import_files
from firesim.importing.keys import TAKEN
from firesim.importing.marshal_file import KEYS
from firesim.pipeline.load import load_text
from firesim_common.errors import InputError

from regression.support.chipyard_soc import SOC

WORKLOAD = {
    "name": "bench",
    "base": "br-base.json",
    "overlay": "overlay",
    "rootfs-size": "2GiB",
    "outputs": ["/root/all.csv"],
    "post_run_hook": "parse.py",
    "jobs": [
        {"name": "one", "run": "one.sh", "outputs": ["/root/one.csv"]},
        {"name": "two", "command": "poweroff"},
    ],
}


@pytest.fixture
def marshal(tmp_path: Path) -> Path:
    """A clone of FireMarshal with a workload, and the images of its two jobs and of another."""
    (tmp_path / "example").mkdir()
    for name, disk in (("bench-one", True), ("bench-two", True), ("bare", False)):
        folder = tmp_path / "images/firechip" / name
        folder.mkdir(parents=True)
        (folder / f"{name}-bin").write_bytes(b"")
        if disk:
            (folder / f"{name}.img").write_bytes(b"")
    return tmp_path


def imported(marshal: Path, workload: dict[str, Any], chipyard: Path | None = None) -> Imported:
    file = marshal / "example/bench.json"
    file.write_text(json.dumps(workload, indent=1))
    return import_files(Request(file, chipyard=chipyard))


def test_each_job_has_its_program_disk_and_outputs(marshal: Path) -> None:
    made = imported(marshal, WORKLOAD)
    config = load_text(made.text).config
    assert (config.name, config.system.topology.named) == ("bench", "rack_2")
    images = marshal / "images/firechip"
    nodes = config.workload.nodes
    for node, job, outputs in (
        ("node0", "one", ["/root/all.csv", "/root/one.csv"]),
        ("node1", "two", ["/root/all.csv"]),
    ):
        assert nodes[node].elf == str(images / f"bench-{job}/bench-{job}-bin")
        assert nodes[node].disk_image == str(images / f"bench-{job}/bench-{job}.img")
        assert nodes[node].disk_outputs == outputs
    assert [note.partition(": ")[2] for note in made.notes] == [
        f"post_run_hook: no counterpart: {KEYS['post_run_hook']}."
    ]


def test_it_runs_on_hardware_that_is_given(marshal: Path) -> None:
    made = imported(marshal, {"name": "bare", "base": "bare-base.json"}, SOC)
    config = load_text(made.text).config
    assert config.system.blades["theirs"].chipyard == str(SOC)
    node = config.workload.nodes["node0"]
    assert node.elf is not None and Path(node.elf).name == "bare-bin"
    assert node.disk_image is None


def test_workloads_elsewhere_in_a_chipyard_have_images_in_its_firemarshal(marshal: Path) -> None:
    (marshal / "software/firemarshal").mkdir(parents=True)
    (marshal / "images").rename(marshal / "software/firemarshal/images")
    nodes = load_text(imported(marshal, WORKLOAD).text).config.workload.nodes
    images = marshal / "software/firemarshal/images/firechip/bench-one"
    assert nodes["node0"].elf == str(images / "bench-one-bin")


def test_files_of_its_own_begin_in_its_workdir(marshal: Path) -> None:
    folder = marshal / "example/mine"
    folder.mkdir()
    (folder / "prog.riscv").write_bytes(b"")
    made = imported(marshal, {"name": "mine", "bin": "prog.riscv", "img": "d.img", "mem": "1GiB"})
    node = load_text(made.text).config.workload.node
    assert (node.elf, node.disk_image) == (str(folder / "prog.riscv"), str(folder / "d.img"))
    assert [note for note in made.notes if "d.img is not there yet" in note]
    assert [note for note in made.notes if f"mem: no counterpart: {KEYS['mem']}." in note]


def test_keys_that_nobody_knows_are_named(marshal: Path) -> None:
    made = imported(marshal, {**WORKLOAD, "rootfs_size": 1})
    assert any("rootfs_size: no counterpart: not a known key" in note for note in made.notes)
    assert {key for key, why in KEYS.items() if why == TAKEN} == {
        *("name", "bin", "img", "jobs", "outputs"),
    }


REFUSED = [
    ({**WORKLOAD, "name": "other"}, 'jobs[0]: found no folder "images/firechip/other-one" above'),
    ({**WORKLOAD, "jobs": "one"}, 'jobs: found "one", expected a list of jobs.'),
    ({**WORKLOAD, "jobs": ["one"]}, 'jobs[0]: found "one", expected a mapping with a name.'),
    ({**WORKLOAD, "outputs": ["x"]}, 'expected a list of paths that begin with "/".'),
    ({**WORKLOAD, "jobs": None, "bin": 3}, "bin: found 3, expected a path."),
]


@pytest.mark.parametrize(("workload", "sentence"), REFUSED)
def test_errors_what_is_no_workload(marshal: Path, workload: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as error:
        imported(marshal, workload)
    assert sentence in str(error.value) and len(str(error.value).splitlines()) == 1


def test_errors_hardware_that_is_not_there(marshal: Path) -> None:
    with pytest.raises(InputError, match="--chipyard: found .*, expected a folder or a .fir that"):
        imported(marshal, WORKLOAD, marshal / "none")
