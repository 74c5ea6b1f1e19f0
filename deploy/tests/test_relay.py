# SPDX-License-Identifier: BSD-3-Clause
"""Streams to ports and terminals on a host: every byte, bounded, and an end when there is one."""

from __future__ import annotations

import os
import pty
import random
import socket
import threading
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest
from firesim.hosts.agent_relay import WINDOW
from firesim.hosts.channel import LocalLink
from firesim.hosts.client import HostClient, HostError

BYTES = 3 << 20
LIMIT_S = 60.0


@pytest.fixture
def client(tmp_path: Path) -> Iterator[HostClient]:
    host = HostClient("lab1", LocalLink(), str(tmp_path / "host"))
    host.about()
    yield host
    host.close()


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as found:
        found.settimeout(LIMIT_S)
        yield found


def stream_to(client: HostClient, server: socket.socket) -> tuple[socket.socket, socket.socket]:
    """Return both ends of a stream."""
    line = client.port("127.0.0.1", server.getsockname()[1])
    line.settimeout(LIMIT_S)
    peer = server.accept()[0]
    peer.settimeout(LIMIT_S)
    return line, peer


def whole(line: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size and (piece := line.recv(1 << 16)):
        data += piece
    return data


def sending(line: socket.socket, data: bytes) -> threading.Thread:
    thread = threading.Thread(target=line.sendall, args=(data,), daemon=True)
    thread.start()
    return thread


def test_every_byte_arrives_in_both_directions_at_once(
    client: HostClient, server: socket.socket
) -> None:
    line, peer = stream_to(client, server)
    there, back = random.Random(1).randbytes(BYTES), random.Random(2).randbytes(BYTES)
    threads = [sending(line, there), sending(peer, back)]
    taken: list[bytes] = []
    reader = threading.Thread(target=lambda: taken.append(whole(peer, BYTES)), daemon=True)
    reader.start()
    assert whole(line, BYTES) == back
    reader.join(LIMIT_S)
    assert taken == [there]
    for thread in threads:
        thread.join(LIMIT_S)
    peer.close()
    assert line.recv(1) == b"", "the end of the other side is ours"
    line.close()


def test_who_does_not_read_holds_the_sender_back_and_nobody_else(
    client: HostClient, server: socket.socket
) -> None:
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
    line, peer = stream_to(client, server)
    data = random.Random(3).randbytes(64 * WINDOW)
    sender = sending(line, data)
    assert client.about().cores >= 1
    sender.join(0.5)
    assert sender.is_alive(), "what is on its way is bounded"
    assert whole(peer, len(data)) == data
    sender.join(LIMIT_S)
    line.close()
    assert peer.recv(1) == b"", "the end of our side is the other's"


def test_a_port_that_nobody_listens_on_is_refused(
    client: HostClient, server: socket.socket
) -> None:
    port = server.getsockname()[1]
    server.close()
    with pytest.raises(HostError, match="lab1: Connection refused"):
        client.port("127.0.0.1", port)
    assert client.about().cores >= 1, "the host's own channel goes on"


def test_a_terminal_of_a_run_is_typed_into(client: HostClient) -> None:
    client.make("one", {}, {}, ["node0"])
    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    place = Path(client.folder) / "runs/one/node0/console"
    place.symlink_to(os.ttyname(theirs))
    os.write(ours, b"what nobody has read")
    line = client.terminal("one", "node0/console")
    line.settimeout(LIMIT_S)
    os.write(ours, b"login: ")
    assert line.recv(64) == b"login: "
    line.sendall(b"root\r")
    assert os.read(ours, 64) == b"root\r"
    os.close(theirs)
    os.close(ours)
    assert line.recv(64) == b"", "the terminal is gone"


def test_what_is_no_terminal_of_the_run_is_refused(client: HostClient) -> None:
    client.make("one", {}, {"node0/console": "text"}, [])
    with pytest.raises(HostError, match="found no terminal at node0/console"):
        client.terminal("one", "node0/console")
    with pytest.raises(HostError, match="expected one inside of the run"):
        client.terminal("one", "../../dev/tty")
