# SPDX-License-Identifier: BSD-3-Clause
"""Pages and help texts as they are followed: what is typed where, and that nothing is left out."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from firesim.work.folder import record_of
from firesim_common.paths import ROOT

from regression.docs.first_hour.experiment import QUICK_PAGES
from regression.docs.first_hour.help_examples import commands, examples_in
from regression.docs.first_hour.pieces import FOLDERS, pages
from regression.docs.first_hour.scenes import NOT_RUN, SCENES, not_run
from regression.support import shell_session
from regression.support.pages import PageError, blocks, run_page
from regression.support.shell_session import CommandError, ShellSession, typed

TERMINALS = """\
firesim runworkload -c rack.yaml   # in one terminal
firesim ssh node3 -- uname -a      # in another: a command
date > "a # b.txt"
firesim console node3 \\
  --run x                          # the console; Ctrl-] leaves
"""


def test_comments_say_where_a_command_is_typed() -> None:
    found = [(len(piece.text.splitlines()), set(piece.notes)) for piece in typed(TERMINALS)]
    assert found == [(1, {"in one terminal"}), (2, set()), (2, {"Ctrl-] leaves"})]


def test_folder_and_variables_last(tmp_path: Path) -> None:
    with ShellSession(tmp_path, 60) as session:
        session.run("export WORD='two words' && mkdir ~/mine && cd ~/mine")
        assert session.run("pwd; echo $WORD") == f"{tmp_path}/home/mine\ntwo words\n"
        assert session.present == tmp_path / "home/mine"
        assert session.run("echo $HOME") == f"{tmp_path}/home\n"
        with pytest.raises(CommandError, match="found exit status 3, expected 0:\nwhy"):
            session.run("echo why; exit 3")


def test_a_terminal_is_typed_into(tmp_path: Path) -> None:
    with ShellSession(tmp_path, 60) as session:
        assert "left with 7" in session.run("(PS1='$ ' bash -i; echo left with 7)  # a shell")


def test_nothing_of_a_command_outlives_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell ends by Ctrl-C; what it has started may not have heard of it."""
    monkeypatch.setattr(shell_session, "ENDINGS", ((signal.SIGINT, 0.3), (signal.SIGKILL, 30.0)))
    deaf = "(trap '' INT; exec sleep 300) & echo $! > deaf; sleep 300"
    with (
        ShellSession(tmp_path, 1.0) as session,
        pytest.raises(CommandError, match="found no end"),
    ):
        session.run(deaf)
    assert record_of(int((tmp_path / "deaf").read_text())) is None


def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    with (
        ShellSession(tmp_path, 0.5) as session,
        pytest.raises(CommandError, match=r"found no end of 'sleep 60' after 0.5 s"),
    ):
        session.run("sleep 60")


def test_a_page_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    with (
        ShellSession(tmp_path, 3600) as session,
        pytest.raises(CommandError, match=r"found no page by .*\nno such run"),
    ):
        session.run("(echo no such run; exit 1)  # Ctrl-C ends the page")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("```\n./firesim ls\n```\n", ":2: found commands in a block without a language"),
        ("```sh not-run=lazy\nfiresim ls\n```\n", ":2: found not-run=lazy, expected one of afi,"),
    ],
)
def test_no_block_is_left_out_in_silence(text: str, error: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(PageError, match=error):
        blocks(page)


def test_a_block_says_why_it_is_not_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```sh not-run=ec2\nfalse\n```\n```sh needs=no-such-program\nfalse\n```\n"
        "```python\nprint(6 * 7)\n```\n```text\n42\n```\n"
    )
    assert [ran.output for ran in run_page(page, tmp_path / "folder")] == ["42\n"]
    reasons = [block.not_run for block in blocks(page)]
    assert reasons[0] and "moto" in reasons[0]
    assert reasons[1] == "needs no-such-program, which is not installed"


def test_every_page_can_be_followed() -> None:
    known = {page.stem for page in pages()}
    found = [p for folder in FOLDERS for p in (ROOT / "docs" / folder).iterdir()]
    # Notebooks are executed, cell by cell, by deploy/tests/test_notebook.py.
    assert known == {p.stem for p in found if p.suffix != ".ipynb"}
    assert set(QUICK_PAGES) <= known
    for page in pages():
        assert any(block.language == "sh" for block in blocks(page)), page


def test_every_example_of_help_has_its_scene() -> None:
    found = commands()
    placed = [f"firesim {name}" for scene in SCENES for name in scene.commands]
    assert sorted(placed) == sorted(found)
    assert all(found.values()), [name for name, examples in found.items() if not examples]
    texts = [example.text for examples in found.values() for example in examples]
    for pattern, _ in NOT_RUN:
        assert any(pattern.search(text) for text in texts), pattern
    assert sum(not_run(text) is None for text in texts) > 55


def test_examples_are_read_from_help() -> None:
    text = "Does it.\n\nExamples: firesim a\n\nfiresim b --long\n  more\n\n"
    assert examples_in(text) == ["firesim a", "firesim b --long more"]
