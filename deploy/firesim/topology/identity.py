# SPDX-License-Identifier: BSD-3-Clause
"""Who a node is, as its Linux is told: by the kernel's command line, or a clone by a frame."""

from __future__ import annotations

import hashlib

from firesim.access.key import public_key
from firesim.topology.plan import Plan, PlannedNode

PREFIX_BITS = 16
SEED_BYTES = 32
IDENTITY_SEED_BYTES = 16
LONGEST_COMMAND_LINE = 511
"""What the kernel keeps of its command line (COMMAND_LINE_SIZE less the final zero)."""


def random_seed(plan: Plan, node: PlannedNode) -> bytes:
    """Return the node's random seed: fixed by the names of run and node, different for each node.

    A cluster whose runs were not alike would not be exact, so no outside randomness enters.
    """
    return hashlib.sha256(f"firesim {plan.name} {node.name} {node.mac}".encode()).digest()


def kernel_words(plan: Plan, node: PlannedNode) -> list[str]:
    """Return the words that tell a node's Linux its address, name, place and what to run."""
    words = [
        f"firesim.ip={node.ip}/{PREFIX_BITS}",
        f"firesim.name={node.name}",
        f"firesim.index={node.index}",
        f"firesim.nodes={len(plan.nodes)}",
    ]
    if plan.gateway and node.name in plan.gateway.ssh_nodes:
        words.append(f"firesim.ssh={public_key().read_text().split()[1]}")
    if node.command is not None:
        quote = '"' if " " in node.command else ""
        words.append(f"firesim.run={quote}{node.command}{quote}")
    return words


def command_line(plan: Plan, node: PlannedNode, image_words: str) -> str:
    """Return the whole kernel command line of a node.

    Raises:
        ValueError: the kernel would cut it off.
    """
    text = " ".join(word for word in [image_words, *node.args, *kernel_words(plan, node)] if word)
    if len(text) > LONGEST_COMMAND_LINE:
        raise ValueError(
            f'found a kernel command line of {len(text)} characters for "{node.name}", '
            f"expected at most {LONGEST_COMMAND_LINE}."
        )
    return text


def identity(plan: Plan, node: PlannedNode) -> dict[str, str | int]:
    """Return what a clone is told by the identity frame (interfaces.md, section 7)."""
    return {
        "ip": f"{node.ip}/{PREFIX_BITS}",
        "name": node.name,
        "index": node.index,
        "nodes": len(plan.nodes),
        "seed": random_seed(plan, node)[:IDENTITY_SEED_BYTES].hex(),
        **({"run": node.command} if node.command is not None else {}),
    }
