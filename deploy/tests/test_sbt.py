# SPDX-License-Identifier: BSD-3-Clause
"""What sbt is given arrives, whatever the folders of this clone and of its user are called."""

from __future__ import annotations

import shutil
from pathlib import Path

from firesim.build.sbt import run_sbt, sbt_word
from firesim_common.paths import ROOT

SAY = """
public class Say {
    public static void main(String[] words) throws java.io.IOException {
        java.nio.file.Files.writeString(java.nio.file.Path.of(words[0]), String.join("|", words));
    }
}
"""


def test_a_path_with_blanks_and_quotes_is_one_word(tmp_path: Path) -> None:
    project = tmp_path / "my clone's copy"
    (project / "project").mkdir(parents=True)
    properties = ROOT / "target-design" / "peripherals" / "project" / "build.properties"
    shutil.copy(properties, project / "project")
    (project / "build.sbt").write_text("autoScalaLibrary := false\ncrossPaths := false\n")
    (project / "Say.java").write_text(SAY)
    said = tmp_path / 'it\'s "$HOME", ñ'
    run_sbt(project, f"runMain Say {sbt_word(said)} plain")
    assert said.read_text() == f"{said}|plain"
