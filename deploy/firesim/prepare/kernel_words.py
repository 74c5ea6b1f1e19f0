# SPDX-License-Identifier: BSD-3-Clause
"""The kernel's command line of a node: who it is, what it runs, and whom it lets in."""

from __future__ import annotations

from ipaddress import ip_network
from typing import TYPE_CHECKING

from firesim.build.ssh_key import public_key
from firesim.topology.identity import PREFIX_BITS
from firesim.topology.passes.addresses import ip_text
from firesim.topology.plan import Plan, PlannedNode

if TYPE_CHECKING:
    from firesim_software.linux.image import LinuxImage

LONGEST_COMMAND_LINE = 511
"""What the kernel keeps of its command line (COMMAND_LINE_SIZE less the final zero)."""


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


def command_line(plan: Plan, node: PlannedNode, image: LinuxImage) -> str:
    """Return the whole kernel command line of a node.

    The addresses of further links come last: what is behind `--` is init's.

    Raises:
        ValueError: the kernel would cut it off.
    """
    netmask = ip_network(f"0.0.0.0/{PREFIX_BITS}").netmask
    address = f"{ip_text(node.index, '$i')} netmask {netmask}"
    links = image.addresses_words(len(node.more_nics), address)
    words = [image.bootargs, *node.args, *kernel_words(plan, node), links]
    text = " ".join(word for word in words if word)
    if len(text) > LONGEST_COMMAND_LINE:
        raise ValueError(
            f'found a kernel command line of {len(text)} characters for "{node.name}", '
            f"expected at most {LONGEST_COMMAND_LINE}."
        )
    return text
