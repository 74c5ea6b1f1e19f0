# SPDX-License-Identifier: BSD-3-Clause
"""Who may keep Prometheus out of a run's figures, or write into the terminal: nobody."""

from __future__ import annotations

import socket
import threading
import urllib.request
from collections.abc import Iterator

import pytest
from firesim.watch.local_server import ADDRESS, MOST_CLIENTS
from firesim.watch.metrics_server import MetricsServer


@pytest.fixture
def server() -> Iterator[MetricsServer]:
    """Return a server without figures."""
    made = MetricsServer(0)
    yield made
    made.close()


def _connected(server: MetricsServer) -> socket.socket:
    return socket.create_connection((ADDRESS, server.port))


def _status(server: MetricsServer, **headers: str) -> int:
    request = urllib.request.Request(server.url, headers=headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return int(answer.status)


def test_idle_clients_keep_nobody_out(server: MetricsServer) -> None:
    before = threading.active_count()
    idle = [_connected(server) for _ in range(10 * MOST_CLIENTS)]
    for client in idle[::2]:
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x")
    assert _status(server) == 200
    idle[1].settimeout(20)
    assert idle[1].recv(1) == b""  # One of the oldest, which made room.
    assert threading.active_count() - before <= 2 * MOST_CLIENTS
    for client in idle:
        client.close()


@pytest.mark.parametrize("version", ["x", "1", "1.0", "1.x.0", "", "9" * 400])
def test_a_version_that_is_none_is_no_stack_trace(
    server: MetricsServer, capfd: pytest.CaptureFixture[str], version: str
) -> None:
    accept = f"application/openmetrics-text; version={version}, text/plain;q=0.1"
    assert _status(server, Accept=accept) == 200
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("name", ["Accept", "Accept-Encoding"])
def test_bytes_that_are_no_text_are_no_stack_trace(
    server: MetricsServer, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    assert _status(server, **{name: "text/plain\xed"}) == 200
    assert capfd.readouterr().err == ""
