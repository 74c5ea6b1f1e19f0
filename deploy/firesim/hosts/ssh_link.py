# SPDX-License-Identifier: BSD-3-Clause
"""A host that is reached by ssh: Fabric reads the user's ssh settings and keeps the connection.

Host keys are checked against the user's known hosts, and an unknown one is refused. Keys come from
the agent or from files; no password is asked for or kept.
"""

from __future__ import annotations

import shlex
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from firesim.hosts.channel import TAIL_BYTES, Channel, HostLost

if TYPE_CHECKING:
    import paramiko
    from fabric import Connection

CONNECT_S = 10
ALIVE_S = 2
"""Seconds between two questions whether the other side is there."""


class SshChannel:
    """A program on a host, over one channel of an ssh connection."""

    def __init__(self, channel: paramiko.Channel) -> None:
        """Take a channel on which the program has been started."""
        self.channel = channel
        self.input = cast(IO[bytes], channel.makefile_stdin("wb", 1 << 16))
        self.output = cast(IO[bytes], channel.makefile("rb", 1 << 16))

    def last_words(self) -> str:
        """Return the end of what it wrote to its standard error."""
        words = b""
        while self.channel.recv_stderr_ready():
            words = (words + self.channel.recv_stderr(65536))[-TAIL_BYTES:]
        return words.decode(errors="replace").strip()

    def close(self) -> None:
        """End its input and close."""
        self.channel.close()


class SshLink:
    """One ssh connection, opened when it is first needed and again when it was lost."""

    def __init__(
        self,
        address: str,
        user: str | None = None,
        port: int | None = None,
        key: Path | None = None,
    ) -> None:
        """Take what the user's ssh settings do not say already; nothing is connected yet."""
        self.address, self.user, self.port, self.key = address, user, port, key
        self.connection: Connection | None = None

    def open(self, words: Sequence[str]) -> Channel:
        """Start a program there.

        Raises:
            HostLost: the host cannot be reached, its key is not known, or it refuses ours.
        """
        import paramiko

        try:
            transport = self._transport()
            channel = transport.open_session(timeout=CONNECT_S)
            channel.exec_command(shlex.join(words))
            return SshChannel(channel)
        except (OSError, EOFError, paramiko.SSHException) as error:
            self.close()
            raise HostLost(f"{self.address}: {_reason(error)}") from error

    def close(self) -> None:
        """Close the connection."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def _transport(self) -> paramiko.Transport:
        if self.connection is None or not self.connection.is_connected:
            self.connection = self._connected()
        transport: paramiko.Transport = self.connection.client.get_transport()
        return transport

    def _connected(self) -> Connection:
        import paramiko
        from fabric import Connection

        keys = {"key_filename": str(self.key), "look_for_keys": False} if self.key else {}
        connection = Connection(
            self.address,
            user=self.user,
            port=self.port,
            connect_timeout=CONNECT_S,
            connect_kwargs={**keys, "banner_timeout": CONNECT_S, "auth_timeout": CONNECT_S},
        )
        connection.client.load_system_host_keys()
        # Fabric's own choice would believe any key.
        connection.client.set_missing_host_key_policy(paramiko.RejectPolicy())
        connection.open()
        transport = connection.client.get_transport()
        assert transport is not None
        transport.set_keepalive(ALIVE_S)
        return connection


def _reason(error: BaseException) -> str:
    """Say in words why there is no connection."""
    import paramiko
    from paramiko.ssh_exception import NoValidConnectionsError

    if isinstance(error, paramiko.BadHostKeyException):
        return "found another host key than in known_hosts, expected the same host"
    if isinstance(error, paramiko.PasswordRequiredException):
        return "found a key with a passphrase, expected it in the ssh agent"
    if isinstance(error, paramiko.AuthenticationException):
        return "found none of our ssh keys accepted, expected one in its authorized_keys"
    if isinstance(error, NoValidConnectionsError):
        return "found no ssh server there, expected one that answers"
    if isinstance(error, TimeoutError | socket.timeout):
        return f"found no answer in {CONNECT_S} s, expected an ssh server"
    if isinstance(error, socket.gaierror):
        return "found no such host name, expected one that can be looked up"
    if "not found in known_hosts" in str(error):
        return "found a host key that is not in known_hosts, expected you to have logged in once"
    return f"ssh: {error}" if str(error) else "the ssh connection was closed"
