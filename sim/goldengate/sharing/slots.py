# SPDX-License-Identifier: BSD-3-Clause
"""The top of a FAME-1 form whose target cycle takes several slots: `fame1.v`.

A slot is a host cycle. They begin when every channel can go on and follow each other without a gap;
nothing that a channel does in between takes that back, as only the step, in the last slot, does.
"""

from __future__ import annotations

from goldengate.channels import HOST_CLOCK, HOST_RESET
from goldengate.errors import GoldenGateError

SLOT = "firesim_slot"
"""Input of the target: which slot it is, one bit each; the last one is the step itself."""


def with_slots(text: str, fire: str, slots: int) -> str:
    """Return the text of fame1.v with a step in the last slot."""
    if slots == 1:
        return text
    before = f"  always @(posedge {HOST_CLOCK}) step <= ~{HOST_RESET} & "
    head, found, tail = text.partition(before)
    every, end, rest = tail.partition(";\n")
    if not (found and end and f"    .{fire}(step)" in rest):
        raise GoldenGateError("found another text of fame1.v than expected.")
    last = slots - 2
    shift = "" if last == 0 else f"slot[{last - 1}:0], "
    body = [
        f"  reg [{last}:0] slot;",
        f"  initial slot = {last + 1}'d0;",
        f"  wire able = {every};",
        f"  always @(posedge {HOST_CLOCK}) begin",
        f"    slot <= {HOST_RESET} ? {last + 1}'d0 : {{{shift}able & ~|slot}};",
        f"    step <= ~{HOST_RESET} & slot[{last}];",
        "  end",
    ]
    connected = rest.replace(f"    .{fire}(step)", f"    .{fire}(step),\n    .{SLOT}(slot)", 1)
    return head + "\n".join(body) + "\n" + connected
