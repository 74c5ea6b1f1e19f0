# SPDX-License-Identifier: BSD-3-Clause
"""Tar streams of strangers, member by member, whose headers use up neither memory nor the stack."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

_MOST_HEADER_BYTES = 1 << 20
_MOST_HEADERS = 16
"""For one member: each is read by a call within that for the one before it."""
_LONG = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)
BROKEN = (tarfile.TarError, EOFError, ValueError, OverflowError)
"""What reading a stream raises that is no whole one."""


class _Header(tarfile.TarInfo):
    """A header of the stream; those with long names or attributes are read into memory whole."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:
        assert isinstance(archive, TarStream)
        if self.type in _LONG and self.size > _MOST_HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {self.size:,} bytes")
        if archive.depth >= _MOST_HEADERS:
            raise tarfile.ReadError(f"more than {_MOST_HEADERS} headers for one member")
        archive.depth += 1
        try:
            found: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]
        finally:
            archive.depth -= 1
        return found


class TarStream(tarfile.TarFile):
    """A stream of members, each of which is forgotten when the next one is read."""

    tarinfo = _Header
    depth = 0
    """Headers that are being read for one member."""

    def each(self) -> Iterator[tarfile.TarInfo]:
        """Yield the members."""
        while (member := self.next()) is not None:
            yield member
            self.members: list[tarfile.TarInfo] = []  # there may be any number


@contextmanager
def opened_stream(stream: IO[bytes]) -> Iterator[TarStream]:
    """Yield the archive that comes from a stream; see BROKEN."""
    with TarStream.open(fileobj=stream, mode="r|") as archive:
        assert isinstance(archive, TarStream)
        yield archive
