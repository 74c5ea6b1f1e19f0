# SPDX-License-Identifier: BSD-3-Clause
"""The build cache: every file that a step opened is in its key, and nothing else builds again."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from firesim.bitstream.forms import form_folder
from firesim.build.design import Design
from firesim_common import paths
from firesim_common.cache import MOST_TRIES, built, cached, content_key
from firesim_common.errors import InputError
from firesim_common.reads import NotWatched
from firesim_common.watch import watched


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("FIRESIM_CACHE", str(folder))
    return folder


class Preprocessed:
    """A step: `main.c` through the preprocessor, with `late` as the last folder of the search."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.built = folder, 0
        self.meanwhile: Callable[[], object] = lambda: None
        (folder / "src").mkdir(parents=True)
        (folder / "late").mkdir()
        self.write("src/main.c", '#include "defs.h"\n#include "more.h"\nDEPTH MORE\n')
        self.write("src/defs.h", "#define DEPTH 2048\n")
        self.write("late/more.h", "#define MORE 1\n")

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def text(self) -> str:
        """Return what the step makes, from the cache or new."""
        source, late = self.folder / "src/main.c", self.folder / "late"

        def build(folder: Path) -> None:
            self.built += 1
            words = ["gcc", "-E", "-P", f"-I{late}", str(source), "-o", str(folder / "out")]
            subprocess.run(words, check=True, env=watched())
            self.meanwhile()

        return (cached("test", [source], build, places=[source, late]) / "out").read_text().strip()


@pytest.fixture
def step(tmp_path: Path) -> Preprocessed:
    """A step that nothing has been built of."""
    return Preprocessed(tmp_path / "mine")


def test_a_file_that_was_opened_counts_and_its_old_result_comes_back(step: Preprocessed) -> None:
    assert (step.text(), step.text(), step.built) == ("2048 1", "2048 1", 1)
    step.write("src/defs.h", "#define DEPTH 1\n")
    assert (step.text(), step.text(), step.built) == ("1 1", "1 1", 2)
    step.write("late/more.h", "#define MORE 7\n")
    assert (step.text(), step.built) == ("1 7", 3)
    step.write("src/defs.h", "#define DEPTH 2048\n")
    step.write("late/more.h", "#define MORE 1\n")
    step.write("late/nobody.h", "reads this\n")
    assert (step.text(), step.built) == ("2048 1", 3)


def test_the_cache_may_be_in_a_folder_with_blanks(
    step: Preprocessed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "my cache: 1"))
    assert (step.text(), step.text(), step.built) == ("2048 1", "2048 1", 1)
    step.write("src/defs.h", "#define DEPTH 1\n")
    assert (step.text(), step.built) == ("1 1", 2)


def test_a_path_with_blanks_is_taken_through_a_link_of_this_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "_LINKS", tmp_path)
    monkeypatch.setenv("FIRESIM_CACHE", str(tmp_path / "größer 'one'"))
    link = paths.cache_root()
    assert link == paths.cache_root() and paths.is_plain(link)
    assert link.resolve() == (tmp_path / "größer 'one'").resolve()
    (tmp_path / f"firesim-{os.getuid()}").chmod(0o777)
    with pytest.raises(InputError, match="others may change"):
        paths.cache_root()


def test_a_new_file_that_hides_an_old_one_counts(step: Preprocessed) -> None:
    assert step.text() == "2048 1"
    step.write("src/more.h", "#define MORE 2\n")
    assert step.text() == "2048 2"
    (step.folder / "src/more.h").unlink()
    assert (step.text(), step.built) == ("2048 1", 2)
    (step.folder / "late/more.h").unlink()
    with pytest.raises(subprocess.CalledProcessError):
        step.text()


def test_a_copy_finds_the_result_unless_it_may_read_another_file(
    step: Preprocessed, tmp_path: Path
) -> None:
    step.text()
    shutil.copytree(step.folder, tmp_path / "copy")
    step.folder = tmp_path / "copy"
    assert (step.text(), step.built) == ("2048 1", 1)
    step.write("src/defs.h", '#include "../../above.h"\n')
    (tmp_path / "above.h").write_text("#define DEPTH 5\n")
    (tmp_path / "far").mkdir()
    shutil.copytree(step.folder, tmp_path / "far/copy")
    (tmp_path / "far/above.h").write_text("#define DEPTH 6\n")
    assert step.text() == "5 1"
    step.folder = tmp_path / "far/copy"
    assert step.text() == "6 1"
    (tmp_path / "far/above.h").write_text("#define DEPTH 7\n")
    assert step.text() == "7 1"


def test_a_copy_that_names_the_original_reads_that(step: Preprocessed, tmp_path: Path) -> None:
    defs = step.folder / "src/defs.h"
    step.write("src/main.c", f'#include "{defs}"\nDEPTH 0\n')
    assert step.text() == "2048 0"
    shutil.copytree(step.folder, tmp_path / "copy")
    step.folder = tmp_path / "copy"
    defs.write_text("#define DEPTH 3\n")
    assert step.text() == "3 0"


@pytest.mark.parametrize("name", ["src/main.c", "src/defs.h"])
def test_a_change_during_a_build_builds_again(step: Preprocessed, name: str) -> None:
    texts = {"src/main.c": '#include "defs.h"\nDEPTH 9\n', "src/defs.h": "#define DEPTH 9\n"}

    def once() -> None:
        step.meanwhile = lambda: None
        step.write(name, texts[name])

    step.meanwhile = once
    assert "9" in step.text()
    assert step.built == 2
    step.meanwhile = lambda: step.write(name, f"{texts[name]}// {step.built}\n")
    step.write("src/defs.h", "#define DEPTH 10\n")
    with pytest.raises(InputError, match=rf"{name}: changed {MOST_TRIES} times while it was read"):
        step.text()
    step.meanwhile = lambda: None
    built = step.built
    step.text()
    assert step.built == built + 1  # nothing of what was torn was kept


def test_half_a_record_or_a_result_that_is_gone_builds_again(
    step: Preprocessed, cache: Path
) -> None:
    step.text()
    (record,) = (cache / "test").glob(".*.reads")
    whole = record.read_text()
    for half in ("", whole[: len(whole) // 2], '[{"result": 1}]', "{}", "[1]"):
        record.write_text(half)
        assert step.text() == "2048 1"
    assert (step.built, record.read_text()) == (6, whole)
    shutil.rmtree(cache / "test" / next(p.name for p in (cache / "test").glob("[!.]*")))
    assert (step.text(), step.built) == ("2048 1", 7)


def test_many_at_once_build_once(step: Preprocessed) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: step.text(), range(8))) == {"2048 1"}
    assert step.built == 1


def test_variables_by_which_compilers_search_count(
    step: Preprocessed, monkeypatch: pytest.MonkeyPatch
) -> None:
    (step.folder / "late/more.h").rename(step.folder / "more.h")
    monkeypatch.setenv("CPATH", str(step.folder))
    assert step.text() == "2048 1"
    (step.folder / "early").mkdir()
    step.write("early/more.h", "#define MORE 4\n")
    monkeypatch.setenv("CPATH", f"{step.folder}/early:{step.folder}")
    assert step.text() == "2048 4"


def test_a_step_that_nobody_watched_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "a").touch()

    def build(folder: Path) -> None:
        subprocess.run(["true"], check=True, env=watched())
        subprocess.run(["cat", str(tmp_path / "a")], check=True)

    with pytest.raises(NotWatched, match=rf"cannot see what a build reads in {tmp_path}: found no"):
        cached("test", [], build, places=[tmp_path / "a"])
    assert not list((tmp_path / "cache/test").glob("[!.]*"))


@pytest.mark.parametrize("above", ["plain", "with a blank", "größer"])
def test_a_header_beside_a_design_counts_wherever_that_is(tmp_path: Path, above: str) -> None:
    """The issue's own: a header beside a source, which no recipe names."""
    folder = tmp_path / above
    folder.mkdir()
    (folder / "top.sv").write_text(
        '`include "defs.vh"\nmodule Top(input clock, input reset, output reg [7:0] out);\n'
        "  always @(posedge clock) out <= reset ? 0 : out + `STEP;\nendmodule\n"
    )
    design = Design("top", (folder / "top.sv",), "Top")
    found = []
    for step in (1, 2, 1):
        (folder / "defs.vh").write_text(f"`define STEP {step}\n")
        built.clear()
        found.append((form_folder(design) / "target.v").read_text())
        found.append(str(built["fpga-form"]))
    assert found[0] == found[4] != found[2]
    assert found[1::2] == ["1", "1", "0"]


def test_a_folder_counts_wherever_it_is(tmp_path: Path) -> None:
    for above in ("target", "__pycache__"):
        folder = tmp_path / above / "mine"
        (folder / "target").mkdir(parents=True)
        (folder / "a.h").write_text("1")
        first = content_key([folder])
        (folder / "a.h").write_text("2")
        second = content_key([folder])
        (folder / "target/b.h").write_text("3")
        assert len({first, second, content_key([folder])}) == 3


def test_all_that_is_below_a_folder_counts(tmp_path: Path) -> None:
    folder, other = tmp_path / "mine", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (folder / "run.sh").write_text("true")
    (other / "a.h").write_text("1")
    keys = [content_key([folder])]

    def changed(change: Callable[[], object]) -> None:
        change()
        keys.append(content_key([folder]))

    changed(lambda: (folder / "run.sh").chmod(0o755))
    changed(lambda: (folder / "empty").mkdir())
    changed(lambda: (folder / "link").symlink_to(other))
    changed(lambda: (other / "a.h").write_text("2"))
    changed(lambda: (other / "around").symlink_to(folder))
    changed(lambda: (other / "a.h").write_text("3"))
    changed(lambda: (folder / "nowhere").symlink_to("no-such-file"))
    assert len(set(keys)) == len(keys)
    assert content_key([folder]) == keys[-1]


def test_links_to_links_end_soon(tmp_path: Path) -> None:
    """Thirty folders, each with two links to the next: a walk along all paths would never end."""
    for number in range(30):
        (tmp_path / str(number)).mkdir()
        for name in "ab":
            os.symlink(tmp_path / str(number + 1), tmp_path / str(number) / name)
    (tmp_path / "30").mkdir()
    (tmp_path / "30/a.h").write_text("1")
    first = content_key([tmp_path / "0"])
    (tmp_path / "30/a.h").write_text("2")
    assert content_key([tmp_path / "0"]) != first
