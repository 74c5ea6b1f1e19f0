# SPDX-License-Identifier: BSD-3-Clause
"""The hardware database on disk: read, written, bitstreams fetched and compared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlparse

import yaml
from firesim_common.errors import InputError, cut, unknown
from firesim_common.explain import checked
from firesim_common.locks import locked
from firesim_common.positions import read_users_yaml
from firesim_common.user_path import user_path
from firesim_common.whole_file import write_whole

from firesim.bitstream.fetched import MOST_BYTES, fetched
from firesim.config.hwdb import Hwdb, HwdbEntry
from firesim.hosts.client import sha256_of
from firesim.work.folder import results_root

HEAD = "# Hardware database: bitstreams and the designs that they are of.\n"
FILE = "hwdb.yaml"


def default_database() -> Path:
    """Return the database of who names none."""
    return results_root() / FILE


def read_database(path: Path) -> dict[str, HwdbEntry]:
    """Return the entries of a database.

    Raises:
        InputError: there is none, or it is broken; one line for each thing wrong.
    """
    return checked(Hwdb, read_users_yaml(path)).root


def entry_of(path: Path, name: str) -> HwdbEntry:
    """Return one entry of a database.

    Raises:
        InputError: it has none of that name.
    """
    entries = read_database(path)
    if name not in entries:
        raise InputError(f"{path}: {unknown(name, 'one of the entries', list(entries))}")
    return entries[name]


def set_entries(path: Path, entries: Mapping[str, HwdbEntry]) -> None:
    """Write entries into a database, over those of the same names; the others stay.

    Raises:
        InputError: what is there is broken.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with locked(path.with_name(f".{path.name}.lock")):
        known = read_database(path) if path.is_file() else {}
        merged = {**known, **entries}
        plain = {
            name: merged[name].model_dump(exclude_none=True, exclude_defaults=True)
            for name in sorted(merged)
        }
        text = HEAD + yaml.safe_dump(plain, sort_keys=False, width=100)
        write_whole(path, text)


def refusal(name: str, entry: HwdbEntry, fingerprint: str, model: str) -> str | None:
    """Return why a bitstream is not of a model, None when it is."""
    if entry.fingerprint == fingerprint:
        return None
    return (
        f'hwdb entry "{name}": found a bitstream with the fingerprint {entry.fingerprint}, '
        f"expected {fingerprint}, that of {model}: firesim buildbitstream builds it again."
    )


def bitstream_file(database: Path, name: str, entry: HwdbEntry) -> Path:
    """Return the bitstream of an entry as a file here, fetched if need be, with the right content.

    Raises:
        InputError: it is an image on AWS, cannot be had, or has another content.
    """
    where = entry.bitstream
    if where is None:
        raise InputError(
            f'hwdb entry "{name}": found {entry.agfi}, expected a bitstream: AWS has it.'
        )
    try:
        there = urlparse(where)
        path = user_path(there.path)
    except (ValueError, InputError) as error:
        raise InputError(
            f'hwdb entry "{name}": found "{cut(where)}", expected a path or a URI: {error}'
        ) from error
    kind = there.scheme
    if kind in ("", "file"):
        file = database.parent / path
    elif kind in ("http", "https", "s3"):
        file = _fetched(name, where, entry.sha256)
    else:
        text = unknown(kind, "one of the kinds of URI", ["file", "http", "https", "s3"])
        raise InputError(f'hwdb entry "{name}": {text}')
    if not file.is_file():
        raise InputError(f'hwdb entry "{name}": found no file {where}, expected its bitstream.')
    # Files of /proc say that they have none, and may have no end.
    if not 0 < (size := file.stat().st_size) <= MOST_BYTES:
        raise InputError(
            f'hwdb entry "{name}": found {size:,} bytes in {where}, expected 1 to {MOST_BYTES:,}.'
        )
    if entry.sha256 is not None and (found := sha256_of(file)) != entry.sha256:
        raise InputError(
            f'hwdb entry "{name}": found the SHA-256 {found[:16]}... of {where}, expected '
            f"{entry.sha256[:16]}..."
        )
    return file


def _fetched(name: str, uri: str, sha256: str | None) -> Path:
    try:
        return fetched(uri, sha256)
    except Exception as error:
        hint = "" if sha256 else "; with its sha256 in the entry, what is kept needs no server"
        raise InputError(
            f'hwdb entry "{name}": found {uri} not to be had ({error}), expected its bitstream'
            f"{hint}."
        ) from error
