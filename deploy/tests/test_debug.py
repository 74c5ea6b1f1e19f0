# SPDX-License-Identifier: BSD-3-Clause
"""`firesim gdb`: a server of the protocol on two functional nodes, of which nothing changes."""

from __future__ import annotations

import shutil
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from elftools.elf.elffile import ELFFile
from firesim.build.registers import description, known
from firesim.debug.history import History
from firesim.debug.memory import PAGE_BYTES, physical, read_virtual
from firesim.debug.packets import INTERRUPT, Packets, framed
from firesim.debug.server import Server
from firesim.debug.session import gdb_program, opened
from firesim.debug.start import Debugged
from firesim.pipeline.load import load_text
from firesim.pipeline.run import run
from firesim.results.outcome import Outcome
from firesim_common.errors import InputError
from firesim_common.tools import python_command
from rich.console import Console

pytestmark = pytest.mark.usefixtures("results_root")
RECIPE = """\
name: debugged
system: {topology: two_nodes, link: {latency_cycles: 640}, node: {memory: {size_mib: 64}}}
workload:
  node: {program: quickstart}
  nodes:
    node0: {args: ["role=client", "peer=${node1.mac}", count=2, bytes=4096, size=2048]}
    node1: {args: ["role=server"]}
simulation: {engine: functional, captures: false, snapshots: {at_cycles: [30000]}}
"""
QUIET = Console(quiet=True)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return run(load_text(RECIPE, []), results=tmp_path_factory.mktemp("debugged") / "run")


class Client:
    """A client of the protocol, as small as it can be."""

    def __init__(self, link: socket.socket) -> None:
        self.packets = Packets(link)
        self.packets.needs_acks = False
        self.said = ""
        assert self.ask("QStartNoAckMode") == "OK"

    def ask(self, text: str) -> str:
        """Send a packet and return the answer; what is to be printed goes to `said`."""
        self.packets.send(text.encode())
        while (answer := self.packets.next()).startswith(b"O") and answer != b"OK":
            self.said += bytes.fromhex(answer[1:].decode()).decode()
        return answer.decode()

    def register(self, number: int) -> int:
        return int.from_bytes(bytes.fromhex(self.ask(f"p{number:x}")), "little")

    @property
    def pc(self) -> int:
        return self.register(32)


@contextmanager
def served(history: History, harts: int = 1) -> Iterator[Client]:
    ours, theirs = socket.socketpair()
    server = Server(Packets(theirs), history, harts)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        with ours:
            yield Client(ours)
    finally:
        thread.join()
        theirs.close()


@contextmanager
def debugging(
    outcome: Outcome, at: int | None = None, snapshot: str | None = None
) -> Iterator[tuple[Client, Debugged]]:
    with (
        opened(outcome.folder, snapshot, "node0", at, [], QUIET) as (history, debugged),
        served(history) as client,
    ):
        yield client, debugged


def symbol(file: Path, name: str) -> int:
    with file.open("rb") as stream:
        table: Any = ELFFile(stream).get_section_by_name(".symtab")
        (found,) = table.get_symbol_by_name(name)
        return int(found["st_value"])


def test_a_run_under_gdb_ends_as_it_did(outcome: Outcome) -> None:
    with debugging(outcome, 20_000) as (client, _):
        assert client.ask("?").startswith("T05thread:1;")
        assert client.ask("vCont;s:1;c") == "T05thread:1;"
        assert client.ask("vCont;c") == "T05thread:1;replaylog:end;"
        assert client.ask("bs") == "T05thread:1;"
        assert client.ask("vCont;c") == "T05thread:1;replaylog:end;"
    assert client.said.count(f"token hash {outcome.result['token_hash']}") == 2
    assert f"{outcome.result['end_cycle']:,}" in client.said


def test_registers_memory_and_steps(outcome: Outcome) -> None:
    with debugging(outcome) as (client, debugged):
        assert client.pc == 0x10000  # the boot ROM
        main = symbol(debugged.symbols[0], "main")
        assert client.ask(f"Z0,{main:x},4") == "OK"
        assert client.ask("vCont;c:-1") == "T05thread:1;"
        assert client.pc == main
        assert client.register(4161) == 3  # machine mode
        whole = bytes.fromhex(client.ask("g"))
        assert struct.unpack("<33Q", whole)[32] == main
        code = bytes.fromhex(client.ask(f"m{main:x},8"))
        with debugged.symbols[0].open("rb") as stream:
            text: Any = ELFFile(stream).get_section_by_name(".text")
            offset = main - text["sh_addr"]
            assert code == text.data()[offset : offset + 8]
        client.ask("s")
        assert client.pc in (main + 2, main + 4)
        assert client.ask("bs") == "T05thread:1;"
        assert client.pc == main
        assert client.ask("bc") == "T05thread:1;replaylog:begin;"
        assert client.pc == 0x10000


def test_what_changes_memory_is_found_both_ways(outcome: Outcome) -> None:
    with debugging(outcome, 20_000) as (client, _):
        place = client.register(2) & ~7
        assert client.ask(f"Z2,{place:x},8") == "OK"
        before = client.ask(f"m{place:x},8")
        assert client.ask("c") == f"T05thread:1;watch:{place:x};"
        assert client.ask(f"m{place:x},8") != before
        assert client.ask("bc").startswith("T05thread:1;")
        assert client.ask(f"m{place:x},8") == before


def test_a_snapshot_is_debugged_as_the_run_is(outcome: Outcome) -> None:
    at = []
    for snapshot in (None, str(outcome.folder / "snapshots/cycle-30000")):
        with debugging(outcome, 30_100, snapshot) as (client, _):
            at.append((client.ask("g"), client.ask(f"m{client.register(2):x},80")))
    assert at[0] == at[1]


def test_nothing_can_be_written_and_nonsense_is_refused(outcome: Outcome) -> None:
    with debugging(outcome) as (client, _):
        for text in ("P20=0000000000000000", "M80000000,1:00", "X80000000,1:a", "G00"):
            assert client.ask(text).startswith("E.")
        for text in ("p99999", "m80000000", "m,", "mfffffffffffffffff,1", "Z0,zz,4", "Hg7", "T9"):
            assert client.ask(text) == "E01"
        for text in ("Z3,80000000,4", "vMustReplyEmpty", "qNothing", "", "!"):
            assert client.ask(text) == ""
        assert client.ask("m0,4") == "E01"
        assert client.ask("Z2,60000000,4") == "E01"  # a device
        assert client.ask("m83fffffc,8") == "00000000"  # as far as memory goes


@pytest.mark.parametrize(
    ("node", "at", "snapshot", "words"),
    [
        ("nod0", None, None, 'gdb: found "nod0", expected one of the nodes "node0" or "node1"'),
        ("node0", 9_000_000, None, "gdb: found the end of the run at cycle "),
        ("tor0", None, None, 'gdb: found "tor0", expected one of the nodes'),
        ("node0", None, "cycle-3", 'snapshot: found "cycle-3", expected'),
    ],
)
def test_what_is_not_there(
    outcome: Outcome, node: str, at: int | None, snapshot: str | None, words: str
) -> None:
    with (
        pytest.raises(InputError) as caught,
        opened(outcome.folder, snapshot, node, at, [], QUIET),
    ):
        pytest.fail("it was opened")
    assert words in str(caught.value)


def test_a_cycle_before_its_snapshot(outcome: Outcome) -> None:
    saved = str(outcome.folder / "snapshots/cycle-30000")
    with (
        pytest.raises(InputError, match="found cycle 29,999, expected one from 30,000 on"),
        opened(None, saved, "node0", 29_999, [], QUIET),
    ):
        pytest.fail("it was opened")


def test_ctrl_c_stops_a_run(outcome: Outcome) -> None:
    arguments = '["role=client", "peer=${node1.mac}", count=1000, bytes=4000000000, size=2048]'
    long = [f"workload.nodes.node0.args={arguments}"]
    with (
        opened(outcome.folder, None, "node0", None, long, QUIET) as (history, _),
        served(history) as client,
    ):
        assert client.ask("Z0,0,4") == "OK"  # so that it looks at each step
        client.packets.send(b"c")
        time.sleep(0.5)
        client.packets.link.sendall(INTERRUPT)
        assert client.packets.next() == b"T02thread:1;"
        assert client.ask("bs") == "T05thread:1;"
        assert len(history.kept) > 1  # on the way here


@pytest.mark.skipif(not shutil.which("gdb-multiarch"), reason="gdb-multiarch is not installed")
def test_gdb_itself(outcome: Outcome) -> None:
    commands = ["tbreak main", "continue", "print $pc == main", "stepi", "reverse-stepi"]
    commands += ["print $pc == main", "info threads", "set var $a0 = 1"]
    words = ["gdb", "node0", "--run", str(outcome.folder), "--", "-batch", "-nx"]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run(
        python_command("-m", "firesim.cli.main", *words),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert "$1 = 1\n" in done.stdout and "$2 = 1\n" in done.stdout, done.stderr
    assert "Thread 1 (machine mode)" in done.stdout
    assert "firesim gdb only looks" in done.stderr


def test_without_a_gdb() -> None:
    with pytest.raises(InputError, match="found no no-such-gdb in PATH, expected a gdb for RISC-V"):
        gdb_program("no-such-gdb")


def test_packets_are_framed_and_checked() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        packets = Packets(theirs)
        assert framed(b"a}b#c$d*") == b"$a}]b}\x03c}\x04d}\x0a#" + b"%02x" % (
            sum(b"a}]b}\x03c}\x04d}\x0a") & 255
        )
        ours.sendall(b"noise" + framed(b"one")[:-1] + b"x" + framed(b"t}wo") + b"\x03")
        assert packets.next() == b"t}wo"
        assert packets.next() == INTERRUPT
        assert ours.recv(16) == b"-+"


def _tables(entries: dict[int, int]) -> tuple[bytearray, dict[str, int]]:
    memory = bytearray(16 * PAGE_BYTES)
    for place, entry in entries.items():
        memory[place : place + 8] = entry.to_bytes(8, "little")
    return memory, {"satp": 8 << 60 | 1, "priv": 1}


def test_page_tables_are_walked() -> None:
    pointer, leaf = 1, 0b1111
    memory, registers = _tables(
        {
            PAGE_BYTES + 8 * 2: 2 << 10 | pointer,
            PAGE_BYTES + 8 * 511: (1 << 18) << 10 | leaf,  # 1 GiB
            2 * PAGE_BYTES + 8 * 1: 3 << 10 | pointer,
            2 * PAGE_BYTES + 8 * 3: (5 << 9) << 10 | leaf,  # 2 MiB
            3 * PAGE_BYTES + 8 * 4: 7 << 10 | leaf,
        }
    )

    def read(address: int, count: int) -> bytes | None:
        piece = bytes(memory[address : address + count])
        return piece if len(piece) == count else None

    page = 2 << 30 | 1 << 21 | 4 << 12
    assert physical(page | 0x123, registers, read) == 7 << 12 | 0x123
    assert physical(2 << 30 | 3 << 21 | 0x12345, registers, read) == 5 << 21 | 0x12345
    assert physical((1 << 64) - (1 << 30) + 5, registers, read) == (1 << 30) + 5
    assert physical(page + PAGE_BYTES, registers, read) is None
    assert physical(1 << 40, registers, read) is None
    assert physical(page, {**registers, "priv": 3}, read) == page
    memory[7 << 12 : 8 << 12] = b"\x11" * PAGE_BYTES
    assert read_virtual(page + PAGE_BYTES - 4, 8, registers, read) == b"\x11" * 4
    assert read_virtual(page + PAGE_BYTES, 8, registers, read) is None


def test_gdb_is_told_of_registers_that_are_there() -> None:
    names = [*(f"x{i}" for i in range(32)), "pc", "satp", "priv"]
    tree = ElementTree.fromstring(description(known(names)))
    found = {one.attrib["name"]: int(one.attrib["regnum"]) for one in tree.iter("reg")}
    assert found["sp"] == 2 and found["pc"] == 32
    assert found["satp"] == 65 + 0x180 and found["priv"] == 4161
    assert found["ft0"] == 33 and found["fcsr"] == 68  # though they are not known
    assert "mepc" not in found and len(found) == 33 + 35 + 2
