# SPDX-License-Identifier: BSD-3-Clause
"""Switches of the user's own: what a recipe says of them, how they are built, and the how-to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from firesim.build import model_library as library
from firesim.build.model_library import CompileError, model_library
from firesim.config.loaded import Loaded
from firesim.pipeline.load import load_file
from firesim.pipeline.resolve import resolve
from firesim.topology.describe import description
from firesim.topology.plan import PlannedSwitch

from regression.support.pages import HOW_TO, PageError, missing_line, run_page

OWN = """\
system:
  topology: tree_2_2
  switch: {kind: mine, library: lib/mine.cc, settings: {a: [1, x]}}
  switches:
    root: {kind: cut_through}
    tor0: {kind: yours}
    tor1: {settings: {b: 2}, buffer_bytes: 9216}
workload:
  node: {program: hello}
"""
TOKEN_HASH = "28a6746f756bf8f6"
"""Of the how-to's cluster: functional nodes, four of them."""


def loaded(folder: Path, *overrides: str) -> Loaded:
    """Load a recipe with switches of the user's from a folder of its own."""
    path = folder / "own.yaml"
    path.write_text(OWN)
    return load_file(path, overrides)


def switches(folder: Path, *overrides: str) -> dict[str, PlannedSwitch]:
    """Return the planned switches by name."""
    return {switch.name: switch for switch in resolve(loaded(folder, *overrides)).switches}


def test_a_single_switch_replaces_kind_library_and_settings(tmp_path: Path) -> None:
    found = switches(tmp_path)
    file = tmp_path / "lib/mine.cc"
    made = {name: (s.kind, s.library, s.settings) for name, s in found.items()}
    assert made == {
        "root": ("cut_through", None, None),
        "tor0": ("yours", file, None),
        "tor1": ("mine", file, {"b": 2}),
    }


def test_the_library_is_relative_to_what_names_it(tmp_path: Path) -> None:
    override = "system.switches.tor1.library=other.so"
    found = switches(tmp_path, override)
    assert found["tor1"].library == Path.cwd() / "other.so"
    saved = loaded(tmp_path).resolved()
    assert saved["system"]["switch"]["library"] == str(tmp_path / "lib/mine.cc")
    again = tmp_path / "elsewhere" / "config.yaml"
    again.parent.mkdir()
    again.write_text(yaml.safe_dump(saved))
    replanned = {s.name: s for s in resolve(load_file(again)).switches}
    assert replanned["tor1"].library == tmp_path / "lib/mine.cc"


def test_the_description_passes_settings_on(tmp_path: Path) -> None:
    config = loaded(tmp_path)
    plan = resolve(config)
    made = {one.library: Path("/cache/mine.so") for one in plan.switches if one.library}
    entries = description(replace(plan, nodes=()), {}, tmp_path, 1, libraries=made)["switches"]
    own = {entry["name"]: (entry.get("library"), entry.get("settings")) for entry in entries}
    assert own == {
        "root": (None, None),
        "tor0": ("/cache/mine.so", None),
        "tor1": ("/cache/mine.so", {"b": 2}),
    }
    assert "library" not in next(entry for entry in entries if entry["name"] == "root")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A C++ file with a header beside it, and a cache of the test's own."""
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "number.h").write_text("#define NUMBER 1\n")
    path = tmp_path / "mine.cc"
    path.write_text('#include "number.h"\nint number() { return NUMBER; }\n')
    return path


def test_a_library_is_compiled_once_for_each_content(source: Path) -> None:
    first = model_library(source)
    built = first.stat().st_mtime_ns
    (source.parent / "note.h").write_text("// nobody includes it\n")
    assert model_library(source) == first
    assert first.stat().st_mtime_ns == built
    (source.parent / "number.h").write_text("#define NUMBER 2\n")
    assert model_library(source) != first
    (source.parent / "number.h").write_text("#define NUMBER 1\n")
    assert model_library(source) == first


def test_other_options_make_another_library(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = model_library(source)
    monkeypatch.setattr(library, "OPTIONS", (*library.OPTIONS, "-g"))
    assert model_library(source) != first


def test_a_wider_terminal_needs_no_other_library(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    first = model_library(source)
    monkeypatch.setenv("COLUMNS", "200")
    assert model_library(source) == first


def test_what_the_compiler_says_has_file_and_line(source: Path) -> None:
    (source.parent / "number.h").write_text("#define NUMBER 1 +\n")
    with pytest.raises(CompileError, match=r"^mine\.cc:2:\d+: expected primary-expression"):
        model_library(source)


def test_output_is_compared_line_by_line() -> None:
    output = "one\ntwo 2 lines\nthree\n"
    assert missing_line("one\nthree", output) is None
    assert missing_line("two … lines", output) is None
    assert missing_line("three\none", output) == "one"
    assert missing_line("two", output) == "two"


def test_a_page_that_does_not_do_what_it_says_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    folders = (tmp_path / str(number) for number in range(4))  # A page wants a fresh one.
    page.write_text(
        "```yaml\n# a/b.yaml\nx: 1\n```\n```sh\ncat a/b.yaml\n```\n```text\nx: 1\n```\n"
    )
    assert run_page(page, next(folders))[0].output == "# a/b.yaml\nx: 1\n"
    page.write_text(page.read_text().replace("text\nx: 1", "text\nx: 2"))
    with pytest.raises(PageError, match="found no line 'x: 2' in the output"):
        run_page(page, next(folders))
    page.write_text("```sh\nfalse\n```\n")
    with pytest.raises(PageError, match="found exit status 1, expected 0"):
        run_page(page, next(folders))
    page.write_text("```\ntrue\n```\n")
    with pytest.raises(PageError, match="found no commands"):
        run_page(page, next(folders))


def test_the_how_to_runs_to_its_last_step(tmp_path: Path) -> None:
    page = HOW_TO / "write-a-switch.md"
    ran = run_page(page, tmp_path)
    spread = [one.output for one in ran if f"token hash {TOKEN_HASH}" in one.output]
    assert len(spread) == 3  # run, saved and restored, built by hand
    saved = next(output for output in spread if "went on from cycle" in output)
    assert saved.count(f"token hash {TOKEN_HASH}") == 2
