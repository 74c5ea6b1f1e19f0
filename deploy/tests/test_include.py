# SPDX-License-Identifier: BSD-3-Clause
"""A recipe includes others: what it says itself lies on top, and errors point at the right file."""

from __future__ import annotations

from pathlib import Path

import pytest
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file
from firesim_common.errors import InputError

LAB = """\
name: lab
system:
  topology: rack_4
  link: {latency: 1us, bandwidth_gbps: 100}
  node: {blade: traffic, traffic: idle.traffic}
simulation: {threads: 1, max_cycles: 5000}
"""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A folder with lab/lab.yaml, and a file beside it that it names."""
    folder = tmp_path / "lab"
    folder.mkdir()
    (folder / "lab.yaml").write_text(LAB)
    (folder / "idle.traffic").write_text("")
    return tmp_path


def load(folder: Path, text: str, *overrides: str) -> Loaded:
    file = folder / "mine.yaml"
    file.write_text(text)
    return load_file(file, overrides)


def test_what_a_file_says_lies_on_what_it_includes(lab: Path) -> None:
    text = "include: lab/lab.yaml\nsystem: {link: {latency: 3us}}\nsimulation: {threads: 2}\n"
    loaded = load(lab, text, "simulation.max_cycles=7000")
    config = loaded.config
    assert (config.system.link.latency, config.system.link.bandwidth_gbps) == ("3us", 100)
    assert (config.simulation.threads, config.simulation.max_cycles) == (2, 7000)
    assert loaded.name == "mine", "a name is its file's own"
    key = ("system", "node", "traffic")
    assert loaded.file(key, "idle.traffic") == lab / "lab/idle.traffic"
    assert loaded.source.place(key) == f"{lab}/lab/lab.yaml:5"
    assert loaded.source.place(("system", "link", "latency")) == f"{lab}/mine.yaml:2"


def test_later_ones_lie_on_earlier_ones_and_recipes_have_names(lab: Path) -> None:
    (lab / "slow.yaml").write_text("simulation: {threads: 3}\nworkload: {node: {args: [a=1]}}\n")
    loaded = load(lab, "include: [quickstart, lab/lab.yaml, slow.yaml]\n")
    assert loaded.config.simulation.threads == 3
    assert loaded.config.system.topology.named == "rack_4"
    assert loaded.config.workload.node.program == "quickstart", "of the recipe's workload"
    assert loaded.config.workload.node.args == ["a=1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("include: lab/lob.yaml\n", 'mine.yaml:1: include: found "lab/lob.yaml", expected a file'),
        ("include: quikstart\n", 'did you mean "quickstart"'),
        ("include:\n  - lab/lab.yaml\n  - nothing\n", "mine.yaml:3: include"),
        ("include: 5\n", "mine.yaml:1: include: found something else, expected a file or recipe"),
        ("include: mine.yaml\n", 'found "mine.yaml" again, expected no circle of includes'),
    ],
)
def test_a_wrong_include_is_one_sentence(lab: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        load(lab, text)
    assert message in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_files_that_include_each_other_many_times_over_are_refused(lab: Path) -> None:
    for level in range(7):
        names = ", ".join([f"f{level + 1}.yaml"] * 8)
        (lab / f"f{level}.yaml").write_text(f"include: [{names}]\n")
    (lab / "f7.yaml").write_text("simulation: {threads: 3}\n")
    with pytest.raises(InputError, match="found more than 64 included files, expected fewer"):
        load(lab, "include: f0.yaml\n")  # two million


def test_an_error_in_an_included_file_has_its_line(lab: Path) -> None:
    (lab / "lab/lab.yaml").write_text(LAB.replace("threads", "treads"))
    with pytest.raises(InputError, match=r"lab/lab.yaml:6: simulation: found \"treads\""):
        load(lab, "include: lab/lab.yaml\n")


def test_an_override_cannot_include(lab: Path) -> None:
    with pytest.raises(InputError, match="-x include=quickstart: include: expected it in a file"):
        load(lab, LAB, "include=quickstart")
