# SPDX-License-Identifier: BSD-3-Clause
"""`firesim shareagfi`: let others load an image of AWS F2."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from firesim.cli.common import plain_errors

DatabaseOption = Annotated[
    Path | None, typer.Option("--hwdb", help="Hardware database (default: results/hwdb.yaml).")
]


def _entries(begun: str) -> list[str]:
    """Complete the name of an image of the usual database."""
    from firesim.bitstream.database import default_database, read_database

    database = default_database()
    known = read_database(database) if database.is_file() else {}
    return [name for name, one in known.items() if one.agfi and name.startswith(begun)]


@plain_errors
def shareagfi(
    entry: Annotated[
        str, typer.Argument(help="Entry of the hardware database.", autocompletion=_entries)
    ],
    account: Annotated[
        list[str] | None, typer.Option("--account", help="AWS account; may be repeated.")
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="Let everybody load it.")] = False,
    hwdb: DatabaseOption = None,
) -> None:
    """Let accounts, or everybody, load an image on AWS; print who may now.

    Examples:

      firesim shareagfi reflector-f2 --account 123456789012

      firesim shareagfi reflector-f2 --public --hwdb mine/hwdb.yaml
    """
    from firesim_common.errors import InputError

    from firesim.bitstream.agfi import share_image
    from firesim.bitstream.database import default_database, entry_of

    for number in account or []:
        if not re.fullmatch(r"[0-9]{12}", number):
            text = f'found "{number}", expected the 12 digits of an AWS account.'
            raise InputError(f"--account: {text}")
    if not account and not public:
        raise InputError("shareagfi: found nobody to share with, expected --account or --public.")
    database = hwdb or default_database()
    found = entry_of(database, entry)
    if found.agfi is None:
        text = f'found "{entry}", a bitstream, expected an entry with an agfi.'
        raise InputError(f"{database}: {text}")
    if found.afi is None or found.region is None:
        text = f"found {entry} without afi or region, expected both: AWS shares by them."
        raise InputError(f"{database}: {text}")
    allowed = share_image(entry, found, account or [], public)
    typer.echo(f"{entry}: {found.agfi} may be loaded by {', '.join(allowed)}")
