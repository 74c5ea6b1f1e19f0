# SPDX-License-Identifier: BSD-3-Clause
"""The launcher where it may not install anything: it says in words what to install, and stops."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from firesim_common.paths import ROOT

TOOLS = ("sh", "cat", "cksum", "dirname", "mkdir", "awk", "tr", "flock", "printf")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a source tree that was never started, with `bin` as all the programs there are."""
    (tmp_path / "scripts").mkdir()
    lists = [f"scripts/{name}-packages.txt" for name in ("system", "develop", "test")]
    for name in ("firesim", "setup.py", "pyproject.toml", *lists):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        path = shutil.which(tool)
        assert path is not None
        (tmp_path / "bin" / tool).symlink_to(path)
    return tmp_path


def program(tree: Path, name: str, text: str) -> None:
    """Put a program of the host's into the tree's `bin`, as this host does not have it."""
    path = tree / "bin" / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def wait_until(condition: Callable[[], bool]) -> None:
    """Return when the condition holds; it has 20 seconds."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def start(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [tree / "firesim", *(words or ("version",))],
        env={"PATH": str(tree / "bin"), "HOME": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )


def have_packages(tree: Path, but: tuple[str, ...] = ()) -> None:
    """Let dpkg know all packages that the launcher asks for, but some."""
    lists = [tree / f"scripts/{name}-packages.txt" for name in ("system", "develop")]
    packages = [name for path in lists for name in path.read_text().split()]
    lines = "\n".join(f"{name} installed" for name in packages if name not in but)
    program(tree, "dpkg-query", f"printf '%s\\n' '{lines}'")


def test_a_link_to_the_launcher_starts_its_own_tree(tree: Path) -> None:
    have_packages(tree, but=("ninja-build",))
    program(tree, "id", "echo 1000")
    (tree / "bin" / "readlink").symlink_to(str(shutil.which("readlink")))
    elsewhere = tree / "else where"
    elsewhere.mkdir()
    (elsewhere / "direct").symlink_to(tree / "firesim")
    (elsewhere / "relative").symlink_to("../firesim")
    (elsewhere / "chain").symlink_to("relative")
    for name in ("direct", "relative", "chain"):
        done = subprocess.run(
            [f"./{name}", "version"],
            cwd=elsewhere,
            env={"PATH": str(tree / "bin"), "HOME": str(tree), "CDPATH": str(tree)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "apt-get install -y --no-install-recommends ninja-build" in done.stderr, name
    assert sorted(path.name for path in elsewhere.iterdir()) == ["chain", "direct", "relative"]


def test_who_is_not_root_gets_the_line_to_type(tree: Path) -> None:
    have_packages(tree, but=("ninja-build", "clang-19"))
    program(tree, "id", "echo 1000")
    done = start(tree)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "firesim: these Debian packages are missing; install them and start again:",
        "    sudo apt-get install -y --no-install-recommends clang-19 ninja-build ",
    ]


def test_a_first_result_does_not_wait_for_what_only_development_needs(tree: Path) -> None:
    have_packages(tree, but=("ninja-build", "qemu-system-misc", "clang-format-14"))
    program(tree, "id", "echo 1000")
    asked = {command: start(tree, command).stderr for command in ("quickstart", "runcheck")}
    line = "    sudo apt-get install -y --no-install-recommends "
    assert asked["quickstart"].endswith(f"{line}ninja-build \n")
    assert asked["runcheck"].endswith(f"{line}ninja-build clang-format-14 qemu-system-misc \n")


@pytest.mark.parametrize(
    ("words", "asks"),
    [("workload build", False), ("workload launch", True), ("workload test", True)],
)
def test_what_starts_qemu_asks_for_it_after_a_quickstart(
    tree: Path, words: str, asks: bool
) -> None:
    have_packages(tree, but=("qemu-system-misc",))
    program(tree, "id", "echo 1000")
    program(tree, "python3", "")
    (tree / ".venv/bin").mkdir(parents=True)
    (tree / ".venv/bin/python").symlink_to(tree / "bin/python3")
    assert start(tree, "quickstart").returncode == 0
    assert ("qemu-system-misc" in start(tree, *words.split()).stderr) == asks


APT_THAT_WAITS = """
echo $$ > "$HOME/apt.pid"
until [ -e "$HOME/pip.log" ]; do sleep 0.05; done
echo "$*" > "$HOME/apt.log"
"""


def as_root_without_ninja(tree: Path, pip: str) -> None:
    """Let apt-get and Python's pip be programs of ours, for root on a host that lacks Ninja."""
    have_packages(tree, but=("ninja-build",))
    for tool in ("setsid", "sleep", "kill", "rm", "mktemp", "tail", "date"):
        path = shutil.which(tool)
        assert path is not None
        (tree / "bin" / tool).symlink_to(path)
    program(tree, "id", "echo 0")
    program(tree, "apt-get", APT_THAT_WAITS)
    program(tree, "python3", f'case "$*" in *"-m pip"*) {pip} ;; esac')
    (tree / ".venv/bin").mkdir(parents=True)
    (tree / ".venv/bin/python").symlink_to(tree / "bin/python3")


def test_python_packages_come_while_apt_works(tree: Path) -> None:
    as_root_without_ninja(tree, 'echo "$*" >> "$HOME/pip.log"')
    done = start(tree, "quickstart")  # apt-get ends only when pip has begun.
    assert done.returncode == 0, done.stderr
    assert "ninja-build" in (tree / "apt.log").read_text()
    assert len((tree / "pip.log").read_text().splitlines()) == 1


def test_python_packages_that_failed_meanwhile_are_tried_again(tree: Path) -> None:
    as_root_without_ninja(tree, 'echo "$*" >> "$HOME/pip.log"; [ -e "$HOME/apt.log" ]')
    done = start(tree, "quickstart")
    assert done.returncode == 0, done.stderr
    assert len((tree / "pip.log").read_text().splitlines()) == 2


APT_THAT_TELLS = """
case "$*" in
*APT::Status-Fd=3*) ;;
*) exit 1 ;;
esac
echo "words for nobody"
for kind in dlstatus:1 pmstatus:ninja-build; do
    for percent in 0.0 24.9 25.1 99.9; do echo "$kind:$percent:words" >&3; done
done
"""


def test_apt_tells_how_far_it_is_and_nothing_else(tree: Path) -> None:
    as_root_without_ninja(tree, "")
    program(tree, "apt-get", APT_THAT_TELLS)
    done = start(tree, "quickstart")
    assert done.returncode == 0, done.stderr
    told = [line for line in done.stderr.splitlines() if "Debian packages " in line]
    assert told == [
        f"firesim: Debian packages {doing}: {percent} %"
        for doing in ("downloaded", "installed")
        for percent in (0, 25, 75)
    ]
    assert "words for nobody" not in done.stderr


def test_an_apt_that_fails_is_asked_again_and_then_heard(tree: Path) -> None:
    as_root_without_ninja(tree, "")
    program(tree, "apt-get", 'echo "$1" >> "$HOME/apt.log"; echo "E: no $1 here"; exit 100')
    done = start(tree, "quickstart")
    assert done.returncode == 2
    assert (tree / "apt.log").read_text().split() == ["install", "update", "install"]
    assert "E: no update here\nE: no install here\n" in done.stderr
    assert "apt-get could not install: ninja-build" in done.stderr


APT_THAT_IS_LOCKED_OUT = """
echo "$1" >> "$HOME/apt.log"
tries() { grep -c "$1" "$HOME/apt.log"; }
case "$1 $(tries "$1")" in
"install 1") echo "E: Could not get lock $HOME/lock-frontend. It is held by process 71 (apt)" ;;
"install 2") echo "E: Could not get lock $HOME/lock-frontend. It is held by process 71 (apt)" ;;
"install 3") echo "E: Unable to locate package" ;;
"update 1") echo "E: Could not get lock $HOME/lists/lock. It is held by process 72 (apt-get)" ;;
"update 2") echo "E: Could not get lock $HOME/lists/lock - open (11: Resource unavailable)" ;;
*) exit 0 ;;
esac
exit 100
"""


def test_another_package_manager_is_waited_for_and_named(tree: Path) -> None:
    as_root_without_ninja(tree, "")
    program(tree, "apt-get", APT_THAT_IS_LOCKED_OUT)
    (tree / "bin/grep").symlink_to(shutil.which("grep") or "")
    done = start(tree, "quickstart")
    assert done.returncode == 0, done.stderr
    waited = [line for line in done.stderr.splitlines() if "waiting for" in line]
    assert waited == [
        f"firesim: waiting for {who}; ten minutes at most"
        for who in (
            f"process 71 (apt), which holds {tree}/lock-frontend",
            f"process 72 (apt-get), which holds {tree}/lists/lock",
            f"another package manager, which holds {tree}/lists/lock",
        )
    ]
    calls = (tree / "apt.log").read_text().split()
    assert calls == ["install"] * 3 + ["update"] * 3 + ["install"]


def test_a_package_manager_that_stays_is_waited_for_ten_minutes(tree: Path) -> None:
    as_root_without_ninja(tree, "")
    lock = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 71 (apt)"
    program(tree, "apt-get", f'echo "$1" >> "$HOME/apt.log"; echo "{lock}"; exit 100')
    # A clock by which each look comes five minutes after the one before.
    (tree / "bin/date").unlink()
    program(tree, "date", 'echo x >> "$HOME/clock"; echo $(($(grep -c x "$HOME/clock") * 300))')
    (tree / "bin/grep").symlink_to(shutil.which("grep") or "")
    done = start(tree, "quickstart")
    assert done.returncode == 2
    calls = (tree / "apt.log").read_text().split()
    assert calls == ["install", "install", "update", "install"]
    assert lock in done.stderr and "apt-get could not install: ninja-build" in done.stderr


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("apt-get") is None, reason="only root may install packages"
)
@pytest.mark.parametrize("lock", ["state/lists/lock", "dpkg/lock-frontend"])
def test_the_real_apt_says_what_is_read(lock: str, tree: Path) -> None:
    for name in ("state/lists/partial", "dpkg", "cache/archives/partial", "etc/apt.conf.d"):
        (tree / name).mkdir(parents=True, exist_ok=True)
    (tree / "dpkg/status").touch()
    (tree / "apt.conf").write_text(
        f'Dir "{tree}"; Dir::State "{tree}/state"; Dir::Cache "{tree}/cache"; '
        f'Dir::Etc "{tree}/etc"; Dir::State::status "{tree}/dpkg/status"; '
        'APT::Sandbox::User "";\n'
    )
    text = (tree / "firesim").read_text()
    functions = text[text.index("lock_holder() {") : text.index("# Runs apt_install")]
    (tree / lock).touch()
    words = "update" if "lists" in lock else "install nothing-of-this-name"
    script = f'{functions}\nLC_ALL=C apt-get -o Debug::NoLocking=false {words} > "$1" 2>&1'
    with (tree / lock).open("w") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        done = subprocess.run(
            ["sh", "-c", f'{script}; lock_holder "$1"', "sh", tree / "log"],
            env={"APT_CONFIG": str(tree / "apt.conf"), "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
        )
    assert f"which holds {tree / lock}" in done.stdout, (tree / "log").read_text()
    assert f"process {os.getpid()} (" in done.stdout


def test_a_signal_ends_apt_and_pip(tree: Path) -> None:
    as_root_without_ninja(tree, 'echo $$ > "$HOME/pip.pid"; sleep 60')
    process = subprocess.Popen(
        [tree / "firesim", "quickstart"],
        env={"PATH": str(tree / "bin"), "HOME": str(tree)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    # Both: a shell that is just being forked for apt-get would miss the signal.
    files = [tree / "apt.pid", tree / "pip.pid"]
    wait_until(lambda: all(file.is_file() and file.read_text() != "" for file in files))
    os.killpg(process.pid, signal.SIGINT)  # As Ctrl-C does: pip is in a session of its own.
    assert process.wait(timeout=20) == 130
    pid = int((tree / "pip.pid").read_text())
    wait_until(lambda: not Path(f"/proc/{pid}/cmdline").exists())


@pytest.mark.parametrize("command", ["version", "test"])
def test_only_tests_ask_for_what_only_tests_need(tree: Path, command: str) -> None:
    have_packages(tree)
    program(tree, "id", "echo 1000")
    program(tree, "python3", "")
    (tree / ".venv/bin").mkdir(parents=True)
    (tree / ".venv/bin/python").symlink_to(tree / "bin/python3")
    done = start(tree, command)
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if "skipped" in line]
    assert said == [
        "firesim: tests that need these Debian packages are skipped: "
        "chromium-headless-shell iproute2 munge openssh-server slurm-wlm tcl "
    ] * (command == "test")


def test_quickstart_does_not_wait_for_what_only_tests_need(tree: Path) -> None:
    have_packages(tree)
    program(tree, "id", "echo 1000")
    program(tree, "python3", 'case "$*" in *"-m pip"*) echo "$*" >> "$HOME/pip.log" ;; esac')
    (tree / ".venv/bin").mkdir(parents=True)
    (tree / ".venv/bin/python").symlink_to(tree / "bin/python3")
    installed: list[int] = []
    for command in ("quickstart", "version", "experiment", "quickstart", "test"):
        assert start(tree, command).returncode == 0
        installed.append(len((tree / "pip.log").read_text().splitlines()))
    assert installed == [1, 1, 2, 2, 2]
    without, with_tests = (tree / "pip.log").read_text().splitlines()
    assert (without.endswith(f"-e {tree}"), with_tests.endswith("[test]")) == (True, True)


def test_another_system_is_told_what_is_missing(tree: Path) -> None:
    for tool in ("g++", "cmake", "make", "perl", "java", "mvn", "dtc"):
        program(tree, tool, "exit 0")
    done = start(tree)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "firesim: this is not Debian, and these programs are missing: ninja clang++-19 "
        "riscv64-unknown-elf-gcc riscv64-linux-gnu-gcc qemu-system-riscv64;"
    )


def test_an_old_python_is_refused(tree: Path) -> None:
    have_packages(tree)
    program(tree, "python3", "exit 1")
    done = start(tree)
    assert done.returncode == 2
    assert "found no Python 3.11 or newer" in done.stderr


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a folder in which modules that FireSim imports are other people's."""
    for name in ("json", "typer", "yaml"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')\n")
    for name in ("firesim", "goldengate", "regression"):  # As beside a clone.
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    return tmp_path


def test_modules_in_the_users_folder_are_not_imported(hostile: Path) -> None:
    words: list[str | Path] = [
        ROOT / "firesim",
        "build",
        "verilog",
        "top",
        "top.sv",
        "-o",
        "out/model",
    ]
    (hostile / "top.sv").write_text(
        "module top(input clock, reset, output reg q); always @(posedge clock) q <= ~reset;\n"
        "endmodule\n"
    )
    done = subprocess.run(words, cwd=hostile, capture_output=True, text=True, check=False)
    # A slow computer is told there which step runs.
    assert done.returncode == 0 and "the wrong module" not in done.stderr, done.stderr
    assert (hostile / "out/model/model.so").is_file()
    assert (hostile / "out/model/model.json").is_file()
