# SPDX-License-Identifier: BSD-3-Clause
"""The ends of links among the parts of a blade: their bridges, and the parts in stream sockets."""

from __future__ import annotations

from collections.abc import Sequence

from firesim_common.errors import listed
from firesim_common.positions import Source

from firesim.build.parts import LinkEnd, soc_part


def check_sockets(parts: Sequence[tuple[str, LinkEnd | None, bool]], source: Source) -> None:
    """Refuse parts for a stream socket without one, or with more than one to choose from.

    `parts` are names, ends of links, and whether a part is for a socket.

    Raises:
        InputError: there is such a part.
    """
    sockets = [name for name, link, _ in parts if link is not None and link.socket]
    for index, (name, _, is_stage) in enumerate(parts):
        if is_stage and len(sockets) != 1:
            text = f'found "{name}", which stands in a stream socket, expected a part with one'
            more = f", and not {listed(sockets)}" if sockets else ', such as "nic"'
            raise source.error(("parts", index), f"{text}{more}.")


def bridges_of(
    parts: Sequence[tuple[str, Sequence[str], LinkEnd | None]], source: Source
) -> frozenset[str]:
    """Return the kinds of bridges of a blade: of links any number, of all other kinds one.

    `parts` are names, kinds of bridges, and ends of links.

    Raises:
        InputError: a second bridge of another kind.
    """
    owner = dict.fromkeys(soc_part().bridges, "soc")
    linked: set[str] = set()
    for index, (name, kinds, link) in enumerate(parts):
        for kind in kinds:
            if kind in owner and not (link is not None and kind in linked):
                text = (
                    f'found the bridge "{kind}" in "{name}" and in "{owner[kind]}", '
                    "expected one of a kind in a blade."
                )
                raise source.error(("parts", index), text)
            owner.setdefault(kind, name)
            if link is not None:
                linked.add(kind)
    return frozenset(owner)
