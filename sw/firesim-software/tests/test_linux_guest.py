# SPDX-License-Identifier: BSD-3-Clause
"""Programs for Linux nodes build for the target; memload works, on this machine."""

from __future__ import annotations

import contextlib
import io
import random
import shutil
import socket
import subprocess
import threading
import tracemalloc
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from firesim.report.console import records
from firesim_software.linux import LinuxError, commands
from firesim_software.linux.commands import MOST_LINE_CHARACTERS, outputs
from firesim_software.linux.description import describe, read
from firesim_software.linux.guest import FOLDER, guest_program, guest_programs, place_on_node
from firesim_software.linux.program_files import program_files
from firesim_software.linux.rootfs import _script

SEED = 11
LOADED = ("opener", "rdmareads", "rdmaring", "rdmascribble", "rdmaverbs")
"""Programs that take libraries of the node."""


@pytest.mark.skipif(not shutil.which("riscv64-linux-gnu-gcc"), reason="no cross compiler")
@pytest.mark.parametrize("name", guest_programs())
def test_programs_are_static_but_those_that_need_libraries(name: str) -> None:
    path = guest_program(name)
    assert guest_program(name) == path, "the second build comes from the cache"
    with path.open("rb") as file:
        image = ELFFile(file)
        assert image["e_machine"] == "EM_RISCV"
        loaded = "PT_INTERP" in {segment["p_type"] for segment in image.iter_segments()}
        assert loaded == (name in LOADED)
        assert (image["e_type"] == "ET_EXEC") == (not loaded and not name.endswith(".so"))


@pytest.mark.skipif(not shutil.which("riscv64-linux-gnu-gcc"), reason="no cross compiler")
def test_profilers_get_our_programs_with_symbols_at_the_same_places() -> None:
    def loaded(path: Path) -> list[bytes]:
        with path.open("rb") as file:
            image = ELFFile(file)
            return [each.data() for each in image.iter_segments() if each["p_type"] == "PT_LOAD"]

    files = program_files(describe("linux-stacks"))
    named = files["usr/bin/stacks"]
    with named.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection) and table.get_symbol_by_name("branch")
    # The headers at the beginning of the first segment say where the tables are.
    plain, with_table = loaded(guest_program("stacks")), loaded(named)
    assert [data[64:] for data in plain] == [data[64:] for data in with_table]
    assert files["init"].read_bytes().startswith(b"\x7fELF")


@pytest.mark.skipif(not shutil.which("riscv64-linux-gnu-gcc"), reason="no cross compiler")
def test_libraries_are_where_libraries_are() -> None:
    assert [place_on_node(name) for name in ("opener", "opened.so")] == [
        "usr/bin/opener",
        "usr/lib/opened.so",
    ]
    with guest_program("opened.so").open("rb") as file:
        image = ELFFile(file)
        assert image["e_type"] == "ET_DYN"
        symbols = image.get_section_by_name(".dynsym")
        assert isinstance(symbols, SymbolTableSection) and symbols.get_symbol_by_name("run")


def test_an_unknown_program_is_refused() -> None:
    with pytest.raises(LinuxError, match='found no program "memlod".*expected any of: .*memload'):
        guest_program("memlod")


@pytest.mark.parametrize(
    ("key", "value"), [("packages", "[nuttcp]"), ("outputs", "[/tmp/a]"), ("command", "''")]
)
def test_what_needs_a_shell_is_refused_without_one(key: str, value: str, tmp_path: Path) -> None:
    path = tmp_path / "bare" / "workload.yaml"
    path.parent.mkdir()
    keys = {"name": "bare", "description": "x", "base": "programs", "command": "exchange"}
    path.write_text("".join(f"{k}: {v}\n" for k, v in {**keys, key: value}.items()))
    with pytest.raises(LinuxError, match=f"{key}: found .*shell"):
        read(path)


def test_a_workload_has_what_it_extends(tmp_path: Path) -> None:
    usual, queues = describe("linux-memcached"), describe("linux-memcached-queues")
    changed = {"name", "description", "extends", "kernel", "overlay"}
    assert queues.model_dump(exclude=changed) == usual.model_dump(exclude=changed)
    assert (queues.kernel, usual.kernel) == ("tunable", "usual")
    for target, source in usual.overlay.items():
        assert (queues.folder / queues.overlay[target]).samefile(usual.folder / source)
    path = tmp_path / "mine/workload.yaml"
    path.parent.mkdir()
    path.write_text("name: mine\ndescription: x\nextends: linux-memcache\n")
    with pytest.raises(LinuxError, match=r'yaml:3: extends: found "linux-memcache", '):
        read(path)


@pytest.mark.parametrize(
    ("target", "source", "expected"),
    [
        ("/../../x", "own", "a path on the node that starts with / and has no .."),
        ("/x", "../outside", "a file or folder beside workload.yaml"),
        ("/x", "/etc/passwd", "a file or folder beside workload.yaml"),
        ("/x", "link", "a file or folder beside workload.yaml"),
    ],
)
def test_an_overlay_reads_and_writes_nothing_elsewhere(
    target: str, source: str, expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine" / "workload.yaml"
    path.parent.mkdir()
    (tmp_path / "outside").write_text("secret")
    (path.parent / "own").write_text("x")
    (path.parent / "link").symlink_to("../outside")
    path.write_text(f"name: mine\ndescription: x\noverlay: {{{target}: {source}}}\n")
    with pytest.raises(LinuxError, match=f"expected {expected}"):
        read(path)


@pytest.fixture(scope="module")
def memload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("memload") / "memload"
    source = FOLDER / "memload" / "memload.c"
    flags = ["-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(["gcc", *flags, "-o", str(out), str(source), "-lm"], check=True)
    return out


def serve(server: socket.socket, corrupt: bool, missing: bytes) -> None:
    """Answer one connection as memcached does; `corrupt` changes a byte of the values.

    The key `missing` is never there.
    """
    connection, _ = server.accept()
    values: dict[bytes, bytes] = {}
    gone = contextlib.suppress(ConnectionError)  # a load that has found a fault does not wait
    with gone, connection, connection.makefile("rwb") as stream:
        while line := stream.readline():
            command, key, *rest = line.split()
            if command == b"set":
                values[key] = stream.read(int(rest[2]) + 2)[:-2]
                stream.write(b"STORED\r\n")
            else:
                for one in [key, *rest]:
                    if one not in values or one == missing:
                        continue
                    value = values[one][:-1] + (b"!" if corrupt else values[one][-1:])
                    stream.write(b"VALUE %s 0 %d\r\n%s\r\n" % (one, len(value), value))
                stream.write(b"END\r\n")
            stream.flush()


def load(
    memload: Path, *arguments: str, corrupt: bool = False, missing: bytes = b""
) -> tuple[int, str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, args=(server, corrupt, missing), daemon=True).start()
        port = f"port={server.getsockname()[1]}"
        command = [str(memload), port, "connections=1", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


def test_every_request_is_answered_and_checked(memload: Path) -> None:
    value_bytes = random.Random(SEED).randint(1, 1000)
    arguments = ["rate=2000,4000", "milliseconds=100", "keys=20", f"value_bytes={value_bytes}"]
    status, text = load(memload, *arguments)
    assert status == 0, f"seed {SEED}: {text}"
    found = [record for record in records(text) if record.kind == "memload"]
    assert [record.number("misses") for record in found] == [0, 0]
    # Random times: about the rate asked for, and all of them answered.
    for record, rate in zip(found, (2000, 4000), strict=True):
        asked = record.number("requests") or 0
        assert 0.8 * rate / 10 < asked < 1.2 * rate / 10
        assert record.number("asked_per_s") == 10 * asked
        answered_s = (record.number("answered_per_s") or 0) * (record.number("seconds") or 0)
        assert answered_s == pytest.approx(asked, abs=1)


def test_a_get_of_several_keys_is_checked_key_by_key(memload: Path) -> None:
    arguments = ["milliseconds=20", "keys=7", "get_keys=5"]
    status, text = load(memload, *arguments)
    assert status == 0 and "misses=0 overflows=0" in text
    status, text = load(memload, *arguments, missing=b"key00000003")
    assert status == 1
    assert all((r.number("misses") or 0) > 0 for r in records(text) if r.kind == "memload")


def test_a_wrong_value_is_found(memload: Path) -> None:
    status, text = load(memload, "milliseconds=50", "keys=5", corrupt=True)
    assert status == 1
    assert "found a wrong byte at 99 of its value" in text


@pytest.mark.parametrize("rates", ["", "5,", "5,,6", "x", "0"])
def test_wrong_rates_are_refused(memload: Path, rates: str) -> None:
    status, text = load(memload, f"rate={rates}")
    assert status == 1 and "rate: expected up to 32 numbers from 1" in text


def test_files_on_the_console_are_whole_and_named() -> None:
    good = "firesim-output: /tmp/a\r\naGVs\r\nbG8=\r\nfiresim-output-end\r\n"
    assert sent(f"boot\r\n{good}more\r\n") == {"/tmp/a": b"hello"}
    for text in ("aGVs\nb", "aGVsbG8"):
        assert sent(good + f"firesim-output: b\n{text}\nfiresim-output-end\n") == {
            "/tmp/a": b"hello"
        }
    for name in ("", " ", "a\0b", "a\tb", "a\x1b[2J"):
        assert sent(good.replace("/tmp/a", name)) == {}
    for name in ("/tmp/a b", "/tmp/ü", "/tmp/it's"):
        assert sent(good.replace("/tmp/a", name)) == {name: b"hello"}
    assert sent("firesim-output: a\n" * 100_000) == {}
    long = "QUJD" * MOST_LINE_CHARACTERS  # in one line
    assert sent(good.replace("aGVs\r\nbG8=", long)) == {"/tmp/a": b"ABC" * MOST_LINE_CHARACTERS}


@pytest.mark.parametrize("shell", ["sh", "busybox sh"])
def test_a_job_sends_files_of_any_name_folders_and_what_matches(tmp_path: Path, shell: str) -> None:
    if shutil.which(shell.split()[0]) is None:
        pytest.skip(f"no {shell} on this computer")
    names = ["a b.txt", "it's.txt", "ü.txt", "-n", "[x].log", "$HOME.log", "d/e f/.hidden", "d/g"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "d/round").symlink_to(tmp_path / "d")
    wanted = ["*.txt", "-n", "[x].log", "$HOME.log", "d", "nothing", "none*"]
    script = _script("exit 7", [str(tmp_path / name) for name in wanted])
    done = subprocess.run(
        [*shell.split(), "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (7, "")
    assert sent(done.stdout) == {str(tmp_path / name): name.encode() for name in names}


def test_outputs_are_paths_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "odd" / "workload.yaml"
    path.parent.mkdir()
    text = "name: odd\ndescription: x\ncommand: 'true'\noutputs: [{}]\n"
    path.write_text(text.format('"/tmp/it\'s here", /tmp/*.txt'))
    assert read(path).outputs == ["/tmp/it's here", "/tmp/*.txt"]
    for bad in ("tmp/a", '"/tmp/a\\nb"'):
        path.write_text(text.format(bad))
        with pytest.raises(LinuxError, match="starts with / and has no control characters"):
            read(path)


def test_a_console_need_not_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST_OUTPUT_CHARACTERS", 1 << 20)
    good = "firesim-output: /tmp/a\naGVsbG8=\nfiresim-output-end\n"
    console = io.StringIO("x" * (16 << 20) + "\nfiresim-output: b\n" + "AAAA\n" * (1 << 21) + good)
    tracemalloc.start()
    found = dict(outputs(console))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == {"/tmp/a": b"hello"} and most < 40 << 20


def sent(console: str) -> dict[str, bytes]:
    """Return the files that a console's text holds."""
    return dict(outputs(io.StringIO(console)))
