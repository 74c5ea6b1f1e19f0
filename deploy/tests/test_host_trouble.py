# SPDX-License-Identifier: BSD-3-Clause
"""What this computer lacks ends a command in a sentence; a reader that goes away ends nothing."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from firesim.cli.common import FAILED, plain_errors
from firesim_common.errors import InputError
from firesim_common.printable import printable
from firesim_common.regular_file import read_regular
from firesim_common.tools import python_command
from typer.testing import CliRunner

MakeTraffic = Callable[..., Path]
SHORT = "0 00:12:6D:00:00:03 1500 repeat 10 1000\n"


def said(error: BaseException) -> tuple[int, str]:
    """Return the exit status and the words of a command that raises an error."""
    app = typer.Typer()

    @app.command()
    @plain_errors
    def command() -> None:
        raise error

    done = CliRunner().invoke(app)
    return done.exit_code, done.stderr


def test_a_full_disk_and_used_up_memory_are_sentences() -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/some/file")
    assert said(full) == (FAILED, "/some/file: No space left on device.\n")
    assert said(OSError(errno.EMFILE, "Too many open files")) == (FAILED, "Too many open files.\n")
    assert said(MemoryError()) == (
        FAILED,
        "The memory of this computer, or the limit on it, is used up.\n",
    )


def test_a_child_that_cannot_be_prepared_is_a_sentence() -> None:
    def runs_out_of_memory() -> None:
        raise MemoryError

    with pytest.raises(subprocess.SubprocessError) as failed:
        subprocess.run(["true"], preexec_fn=runs_out_of_memory, check=False)
    status, words = said(failed.value)
    assert status == FAILED and words.startswith("A process could not be prepared: the memory")
    assert len(words.splitlines()) == 1


def test_no_sentence_moves_the_cursor() -> None:
    status, words = said(InputError("found \x1b[2J\x07, expected \u202e."))
    assert (status, words) == (2, "found \\x1b[2J\\x07, expected \\u202e.\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n\ttext: höhe – 😀", "plain\n\ttext: höhe – 😀"),
        ("\x1b[2J\a\r\0", "\\x1b[2J\\x07\\x0d\\x00"),
        ("a\u202eb\u2066\ufeff", "a\\u202eb\\u2066\\ufeff"),
        ("\udcff\U000e0001", "\\udcff\\U000e0001"),
    ],
)
def test_what_a_terminal_obeys_is_shown(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_run_goes_on_when_its_reader_is_gone(traffic: MakeTraffic, tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    results = tmp_path / "out"
    words = ["runworkload", "-c", str(traffic(SHORT)), "--results", str(results)]
    done = subprocess.run(
        python_command("-m", "firesim.cli.main", *words),
        stdin=subprocess.DEVNULL,
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads((results / "result.json").read_text())["reason"] == "ended"
    assert (results / "report.html").is_file()


@pytest.mark.parametrize("kind", ["fifo", "folder", "link", "device", "large", "nothing", "proc"])
def test_only_regular_files_are_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    (tmp_path / "there").write_text("x" * 10)
    found = {
        "fifo": "a FIFO",
        "folder": "a directory",
        "link": "a symbolic link",
        "device": "a device",
        "large": "10 bytes, expected at most 9",
        "nothing": "No such file or directory",
        "proc": "more than the 0 bytes",
    }
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "link":
        path.symlink_to("there")
    path = {
        "large": tmp_path / "there",
        "device": Path("/dev/zero"),
        "proc": Path("/proc/self/environ"),
    }.get(kind, path)
    with pytest.raises(InputError, match=found[kind]):
        read_regular(path, 9, follow=False)
    assert read_regular(tmp_path / "there", 10, follow=True)[0] == b"x" * 10
