# SPDX-License-Identifier: BSD-3-Clause
"""A host that is reached by ssh: Fabric reads the user's ssh settings and keeps the connection.

Host keys are checked against the user's known hosts, and an unknown one is refused. Keys come from
the agent or from files; no password is asked for or kept.
"""

from __future__ import annotations

import base64
import io
import logging
import shlex
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from firesim.hosts.channel import TAIL_BYTES, Channel, HostLost
from firesim.hosts.timed import QUIET_S, silence

if TYPE_CHECKING:
    import paramiko
    from fabric import Connection

CONNECT_S = 4
"""Each step to a connection may take so long, each of them less than `OPEN_S` together."""
OPEN_S = 8
ALIVE_S = 2
"""Seconds between two packets that keep an idle connection alive on its way."""
SITE_KNOWN_HOSTS = Path("/etc/ssh/ssh_known_hosts")


@contextmanager
def within(limit_s: float, give_up: Callable[[], None]) -> Iterator[None]:
    """Give a connection up when a step on it takes longer: paramiko waits for ever in some.

    Raises:
        TimeoutError: it did.
        OSError: for what paramiko has errors of its own for.
    """
    import paramiko

    expired = threading.Event()

    def expire() -> None:
        expired.set()
        give_up()

    timer = threading.Timer(limit_s, expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (EOFError, OSError, paramiko.SSHException) as error:
        if expired.is_set():
            raise TimeoutError(silence(limit_s)) from error
        raise
    finally:
        timer.cancel()
    if expired.is_set():
        raise TimeoutError(silence(limit_s))


class _Receiver(io.RawIOBase):
    def __init__(self, channel: paramiko.Channel) -> None:
        self.channel = channel

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        with _moving(self.channel):
            data = self.channel.recv(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class _Sender(io.RawIOBase):
    def __init__(self, channel: paramiko.Channel) -> None:
        self.channel = channel

    def writable(self) -> bool:
        return True

    def write(self, data: bytes | memoryview) -> int:  # type: ignore[override]
        # What was left over is tried once more when Python ends, and then no thread can be started.
        if self.channel.closed:
            raise BrokenPipeError("the connection closed")
        with _moving(self.channel):
            sent = self.channel.send(bytes(data[: 1 << 15]))
        if sent == 0:
            raise BrokenPipeError("the connection closed")
        return sent


@contextmanager
def _moving(channel: paramiko.Channel) -> Iterator[None]:
    """Limit one step on an open channel; all that goes wrong is an OSError or EOFError."""
    import paramiko

    try:
        with within(QUIET_S, channel.get_transport().close):
            yield
    except paramiko.SSHException as error:
        raise ConnectionError(_reason(error)) from error


class SshChannel:
    """A program on a host, over one channel of an ssh connection."""

    def __init__(self, channel: paramiko.Channel) -> None:
        """Take a channel on which the program has been started."""
        self.channel = channel
        self.input: IO[bytes] = io.BufferedWriter(_Sender(channel), 1 << 16)
        self.output: IO[bytes] = io.BufferedReader(_Receiver(channel), 1 << 16)

    def last_words(self) -> str:
        """Return the end of what it wrote to its standard error."""
        words = b""
        while self.channel.recv_stderr_ready():
            words = (words + self.channel.recv_stderr(65536))[-TAIL_BYTES:]
        return words.decode(errors="replace").strip()

    def close(self) -> None:
        """End its input and close; the connection stays."""
        with _moving(self.channel):
            self.channel.close()

    def abandon(self) -> None:
        """Drop the whole connection, on which nothing moves any more."""
        self.channel.get_transport().close()


class SshLink:
    """One ssh connection, opened when it is first needed and again when it was lost."""

    def __init__(
        self,
        address: str,
        user: str | None = None,
        port: int | None = None,
        key: Path | None = None,
        known_hosts: Path | None = None,
        host_key: str | None = None,
    ) -> None:
        """Take what the user's ssh settings do not say already; nothing is connected yet.

        With `host_key`, such as `ssh-ed25519 AAAA…`, only that is believed; else with `known_hosts`
        that file alone says what is.
        """
        self.address, self.user, self.port = address, user, port
        self.key, self.known_hosts, self.host_key = key, known_hosts, host_key
        self.connection: Connection | None = None

    def open(self, words: Sequence[str]) -> Channel:
        """Start a program there.

        Raises:
            HostLost: the host cannot be reached, its key is not known, or it refuses ours.
        """
        import paramiko

        try:
            transport = self._transport()
            with within(QUIET_S, transport.close):
                channel = transport.open_session(timeout=CONNECT_S)
                channel.exec_command(shlex.join(words))
            return SshChannel(channel)
        except (OSError, EOFError, paramiko.SSHException) as error:
            self.close()
            raise HostLost(f"{self.address}: {_reason(error)}") from error

    def close(self) -> None:
        """Close the connection."""
        if self.connection is not None:
            for one in _way(self.connection):
                one.client.close()
            self.connection = None

    def _transport(self) -> paramiko.Transport:
        if self.connection is None or not self.connection.is_connected:
            self.close()
            self.connection = self._connected()
        transport: paramiko.Transport = self.connection.client.get_transport()
        return transport

    def _connected(self) -> Connection:
        from fabric import Connection

        # What paramiko would print of a lost connection is in the error that we raise.
        logging.getLogger("paramiko").addHandler(logging.NullHandler())
        keys = {"key_filename": str(self.key), "look_for_keys": False} if self.key else {}
        connection = Connection(self.address, self.user, self.port, connect_kwargs=keys)
        for one in _way(connection):
            self._check_host_keys(one)
            one.connect_timeout = CONNECT_S
            limits = {"banner_timeout": CONNECT_S, "auth_timeout": CONNECT_S}
            # Without a key these are Fabric's settings, no plain dictionary.
            one.connect_kwargs = {**one.connect_kwargs, **limits}

        def give_up() -> None:
            for one in _way(connection):
                one.client.close()

        with within(OPEN_S, give_up):
            connection.open()
        transport = connection.client.get_transport()
        assert transport is not None
        transport.set_keepalive(ALIVE_S)
        return connection

    def _check_host_keys(self, connection: Connection) -> None:
        import paramiko

        client = connection.client
        # Fabric's own choice would believe any key.
        client.set_missing_host_key_policy(paramiko.RejectPolicy())
        if self.host_key is not None and connection.host == self.address:
            kind, text = self.host_key.split()
            key = paramiko.PKey.from_type_string(kind, base64.b64decode(text))
            client.get_host_keys().add(self.address, kind, key)
            return
        if self.known_hosts is not None:
            client.load_system_host_keys(str(self.known_hosts))
            return
        client.load_system_host_keys()
        if SITE_KNOWN_HOSTS.is_file():
            client.load_system_host_keys(str(SITE_KNOWN_HOSTS))


def _way(connection: Connection) -> Iterator[Connection]:
    """Return a connection and the hosts that it jumps over."""
    from fabric import Connection

    one: object = connection
    while isinstance(one, Connection):
        yield one
        one = one.gateway


def _reason(error: BaseException) -> str:
    """Say in words why there is no connection."""
    import paramiko
    from paramiko.ssh_exception import NoValidConnectionsError

    if isinstance(error, paramiko.BadHostKeyException):
        return "found another host key than in known_hosts, expected the same host"
    if isinstance(error, paramiko.PasswordRequiredException):
        return "found a key with a passphrase, expected it in the ssh agent"
    if "timeout" in str(error).lower() and isinstance(error, paramiko.SSHException):
        return f"found no answer in {CONNECT_S} s, expected an ssh server that answers"
    if isinstance(error, paramiko.AuthenticationException):
        return "found none of our ssh keys accepted, expected one in its authorized_keys"
    if isinstance(error, NoValidConnectionsError):
        return "found no ssh server there, expected one that answers"
    if isinstance(error, TimeoutError):
        return (
            str(error)
            if str(error).startswith("found")
            else (f"found no answer in {CONNECT_S} s, expected an ssh server")
        )
    if isinstance(error, socket.gaierror):
        return "found no such host name, expected one that can be looked up"
    if "not found in known_hosts" in str(error):
        return "found a host key that is not in known_hosts, expected you to have logged in once"
    return f"ssh: {error}" if str(error) else "the ssh connection was closed"
