# SPDX-License-Identifier: BSD-3-Clause
"""The ends of links among the parts of a blade: their bridges, and the parts in stream sockets."""

from __future__ import annotations

from collections.abc import Sequence

from firesim_common.errors import unknown
from firesim_common.positions import Source

from firesim.build.parts import LinkEnd, soc_part


def sockets_of(
    parts: Sequence[tuple[str, LinkEnd | None, bool, str | None]], source: Source
) -> list[str]:
    """Return for each part the name of the NIC in whose stream socket it stands, else "".

    `parts` are names, ends of links, whether a part is for a socket, and the NIC that it says. One
    that says none stands in the first.

    Raises:
        InputError: there is no such socket, or the part is for none.
    """
    sockets = [name for name, link, _, _ in parts if link is not None and link.socket]
    found = []
    for index, (name, _, is_stage, nic) in enumerate(parts):
        place = ("parts", index)
        if is_stage and not sockets:
            text = f'found "{name}", which stands in a stream socket, expected a part with one'
            raise source.error(place, f'{text}, such as "nic".')
        if nic is not None and not is_stage:
            text = f'found "{nic}", expected none: "{name}" stands in no stream socket.'
            raise source.error((*place, "nic"), text)
        if nic is not None and nic not in sockets:
            raise source.error((*place, "nic"), unknown(nic, "one of the NICs", sockets))
        found.append((nic or sockets[0]) if is_stage else "")
    return found


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
