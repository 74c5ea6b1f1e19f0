# SPDX-License-Identifier: BSD-3-Clause
"""`firesim tar2afi`: an image on AWS of a checkpoint that AWS's kit made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from firesim.cli.common import plain_errors
from firesim.cli.shareagfi import DatabaseOption

if TYPE_CHECKING:
    from firesim.config.hwdb import HwdbEntry


@plain_errors
def tar2afi(
    checkpoint: Annotated[Path, typer.Argument(help="The kit's NAME.Developer_CL.tar.")],
    name: Annotated[str, typer.Option(help="Name of the entry in the hardware database.")],
    fingerprint: Annotated[
        str, typer.Option(help="The design's, as firesim builddriver prints it.")
    ],
    bucket: Annotated[str, typer.Option(help="S3 bucket that the checkpoint goes to.")],
    frequency_mhz: Annotated[float, typer.Option(help="Host clock that it was built for.")],
    blades: Annotated[int, typer.Option(help="How many of the design are in it.", min=1)] = 1,
    supernode: Annotated[
        bool, typer.Option("--supernode", help="They share one copy of the logic.")
    ] = False,
    prefix: Annotated[str, typer.Option(help="Folder in the bucket.")] = "firesim",
    region: Annotated[str, typer.Option(help="Where the image is made.")] = "us-east-1",
    also_in: Annotated[
        list[str] | None, typer.Option(help="Region that it is copied to; may be repeated.")
    ] = None,
    poll_s: Annotated[float, typer.Option(help="Seconds between two looks.")] = 30.0,
    hwdb: DatabaseOption = None,
) -> None:
    """Have AWS make an image of a checkpoint for F2, wait for it, and note it in the database.

    Repeated after an interruption it waits for the same image; repeated after AWS failed to make
    it, it has AWS try again.

    Examples:

      firesim tar2afi 2026_11_23.Developer_CL.tar --name mine --fingerprint 31bc41e3cfee0244
      --bucket my-firesim --frequency-mhz 60

      firesim tar2afi 2026_11_23.Developer_CL.tar --name mine --fingerprint 31bc41e3cfee0244
      --bucket my-firesim --frequency-mhz 60 --also-in eu-west-2
    """
    from firesim.bitstream.agfi import create_image
    from firesim.bitstream.database import default_database, read_database, set_entries
    from firesim.config.hwdb import HwdbEntry

    _check(checkpoint, name, fingerprint, blades)
    database = hwdb or default_database()
    known = read_database(database).get(name) if database.is_file() else None
    same = known if known is not None and known.fingerprint == fingerprint else None
    place = create_image(checkpoint, name, fingerprint, bucket, prefix, region, typer.echo, poll_s)
    entry = HwdbEntry(
        agfi=place["agfi"],
        afi=place["afi"],
        region=place["region"],
        copies=known.copies if known is not None and known.afi == place["afi"] else {},
        fingerprint=fingerprint,
        blades=blades,
        supernode=supernode,
        capture=same.capture if same else None,
        memory=same.memory if same else None,
        board="f2",
        frequency_mhz=frequency_mhz,
        built=_built(checkpoint),
    )
    set_entries(database, {name: entry})
    if also_in:
        set_entries(database, {name: _copied(name, entry, also_in, poll_s)})
    typer.echo(f"{name}: {entry.agfi} in {database}")


def _copied(name: str, entry: HwdbEntry, regions: list[str], poll_s: float) -> HwdbEntry:
    """Have AWS copy an image to further regions; return its entry with its numbers there."""
    from firesim.bitstream.agfi import copy_image

    there = copy_image(name, entry, regions, typer.echo, poll_s)
    return entry.model_copy(update={"copies": {**entry.copies, **there}})


def _built(checkpoint: Path) -> str:
    """Return when a checkpoint was written, in ISO 8601."""
    import time

    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(checkpoint.stat().st_mtime))


def _check(checkpoint: Path, name: str, fingerprint: str, blades: int) -> None:
    """Refuse what no image can be made of, or no entry of the database can have."""
    import re

    from firesim_common.base import NAME_RULE
    from firesim_common.errors import InputError

    from firesim.config.hwdb import MOST_BLADES

    if not checkpoint.is_file():
        raise InputError(f'tar2afi: found "{checkpoint}", expected a file that exists.')
    if not re.fullmatch(r"[0-9a-f]{16}", fingerprint):
        raise InputError(f'--fingerprint: found "{fingerprint}", expected 16 hex digits.')
    if not re.fullmatch(NAME_RULE, name):
        raise InputError(f'--name: found "{name}", expected letters, digits, _ and single -.')
    if blades > MOST_BLADES:
        raise InputError(f"--blades: found {blades}, expected {MOST_BLADES} at most.")
