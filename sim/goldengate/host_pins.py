# SPDX-License-Identifier: BSD-3-Clause
"""The ports of a FAME-1 form as its host's side has them, each with the signal that is on it."""

from __future__ import annotations

from dataclasses import dataclass

from goldengate.channels import Channel


@dataclass(frozen=True)
class Pin:
    """A port of the form: `way` is "input" or "output", as the form has it."""

    port: str
    way: str
    width_bits: int
    signal: str


def channel_pins(channel: Channel, valid: str, ready: str, bits: str) -> list[Pin]:
    """Return the pins of a channel, which these signals are on."""
    forward, back = ("input", "output") if channel.direction == "in" else ("output", "input")
    return [
        Pin(f"{channel.name}_valid", forward, 1, valid),
        Pin(f"{channel.name}_ready", back, 1, ready),
        Pin(f"{channel.name}_bits", forward, channel.width_bits, bits),
    ]
