# SPDX-License-Identifier: BSD-3-Clause
"""Two nodes with a program that has a role on each, as experiments with NICs have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from regression.support.cluster import Config

USUAL_LINK: Config = {"latency": "200ns"}


def small_node(blade: str) -> Config:
    """Return a node of a blade with 16 MiB."""
    return {"blade": blade, "memory": {"size_mib": 16}}


def two_nodes(
    program: str,
    node: Config,
    roles: Mapping[str, Sequence[str]],
    link: Mapping[str, object],
    **simulation: object,
) -> Config:
    """Return two nodes by the keys of a user's file; each has a role, with its arguments."""
    return {
        "system": {"topology": "two_nodes", "link": link, "node": node},
        "workload": {
            "node": {"program": program},
            "nodes": {
                f"node{place}": {
                    "args": [f"role={role}", f"peer=${{node{1 - place}.mac}}", *arguments]
                }
                for place, (role, arguments) in enumerate(roles.items())
            },
        },
        "simulation": simulation,
    }
