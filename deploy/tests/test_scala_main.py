# SPDX-License-Identifier: BSD-3-Clause
"""A generator gets its words as they are, whatever the folders of clone and user are called."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from firesim.build import scala_main
from firesim.build.scala_main import run_scala
from firesim_common.paths import ROOT, cache_root

SAY = """
public class Say {
    public static void main(String[] words) throws java.io.IOException {
        java.nio.file.Files.writeString(java.nio.file.Path.of(words[0]), String.join("|", words));
    }
}
"""


def test_a_project_is_compiled_once_and_run_with_any_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = cache_root() / "maven"
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "maven").symlink_to(kept)
    project = tmp_path / "my clone's copy"
    (project / "project").mkdir(parents=True)
    properties = ROOT / "target-design" / "peripherals" / "project" / "build.properties"
    shutil.copy(properties, project / "project")
    (project / "build.sbt").write_text("autoScalaLibrary := false\ncrossPaths := false\n")
    source = project / "Say.java"
    source.write_text(SAY)
    said = tmp_path / 'it\'s "$HOME", ñ'
    run_scala(project, "Say", [said, "plain"], [source])
    assert said.read_text() == "|".join([str(said), "plain"])

    def refuse(*_: object) -> list[Path]:
        raise AssertionError("sbt was started")

    monkeypatch.setattr(scala_main, "class_path", refuse)
    run_scala(project, "Say", [said, "again"], [source])
    assert said.read_text() == "|".join([str(said), "again"])
