# SPDX-License-Identifier: BSD-3-Clause
"""DCQCN as a reference: the rate of a queue pair after notifications, time and bytes.

Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015.
Rates are whole Mb/s, alpha is in units of 2^-20 and time in rounds of 64 cycles, as in the NIC;
`PUBLISHED` rules without rounding are beside them, so that the difference can be bounded. Nothing
here is shared with the RTL.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

ROUND_CYCLES = 64
ALPHA_ONE = 1 << 20
STEPS_MOST = 63
CYCLES_PER_US = 3_200


@dataclass(frozen=True)
class Settings:
    """Parameters, with the values of the paper; it gives none for `least_mbps` and `hyper_mbps`."""

    cnp_cycles: int = 50 * CYCLES_PER_US
    """N: least cycles between two notifications of a queue pair."""
    alpha_cycles: int = 55 * CYCLES_PER_US
    """K: cycles without one after which alpha falls."""
    increase_cycles: int = 55 * CYCLES_PER_US
    """T: of the timer that increases the rate."""
    increase_bytes: int = 10_000_000
    """B: and of the byte counter; 0: none."""
    line_mbps: int = 204_800
    least_mbps: int = 100
    additive_mbps: int = 40
    """R_AI."""
    hyper_mbps: int = 200
    """R_HAI."""
    recoveries: int = 5
    """F: steps of fast recovery."""
    gain_shift: int = 8
    """g is 2 to the power of minus this."""


@dataclass
class ReactionPoint:
    """A queue pair, round by round: what the NIC's registers show of it."""

    settings: Settings
    active: bool = False
    rate_mbps: int = 0
    target_mbps: int = 0
    alpha: int = ALPHA_ONE
    timer_steps: int = 0
    byte_steps: int = 0
    _alpha_age: int = field(default=0, repr=False)
    _timer_age: int = field(default=0, repr=False)
    _bytes: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        """Begin at the line's rate."""
        self.rate_mbps = self.target_mbps = self.settings.line_mbps

    def shown(self) -> tuple[int, int, int, int, int]:
        """Return rate, target, alpha and the steps of timer and byte counter."""
        return self.rate_mbps, self.target_mbps, self.alpha, self.timer_steps, self.byte_steps

    def round(self, notified: bool, sent_bytes: int) -> None:
        """End a round in which a notification came or not, and frames of `sent_bytes` left."""
        if not self.active and not notified:
            return
        if notified:
            self.active = True
            self._decrease()
            return
        self._alpha_age += 1
        if self._alpha_age >= self._rounds(self.settings.alpha_cycles):
            self._alpha_age = 0
            self.alpha -= self.alpha >> self.settings.gain_shift
        self._timer_age += 1
        self._bytes += sent_bytes
        if self._timer_age >= self._rounds(self.settings.increase_cycles):
            self._timer_age = 0
            self.timer_steps = min(self.timer_steps + 1, STEPS_MOST)
            self._increase()
        elif 0 < self.settings.increase_bytes <= self._bytes:
            self._bytes -= self.settings.increase_bytes
            self.byte_steps = min(self.byte_steps + 1, STEPS_MOST)
            self._increase()

    @staticmethod
    def _rounds(cycles: int) -> int:
        return max(1, cycles // ROUND_CYCLES)

    def _decrease(self) -> None:
        cut = self.rate_mbps * self.alpha // (2 * ALPHA_ONE)
        self.target_mbps = self.rate_mbps
        self.rate_mbps = max(self.settings.least_mbps, self.rate_mbps - cut)
        shift = self.settings.gain_shift
        self.alpha += (ALPHA_ONE >> shift) - (self.alpha >> shift)
        self.timer_steps = self.byte_steps = 0
        self._alpha_age = self._timer_age = self._bytes = 0

    def _increase(self) -> None:
        steps = (self.timer_steps, self.byte_steps)
        if min(steps) > self.settings.recoveries:
            more = self.settings.hyper_mbps
        elif max(steps) > self.settings.recoveries:
            more = self.settings.additive_mbps
        else:
            more = 0
        self.target_mbps = min(self.settings.line_mbps, self.target_mbps + more)
        self.rate_mbps = (self.target_mbps + self.rate_mbps + 1) // 2


@dataclass
class ExactRates:
    """The published rules with fractions, in place of the NIC's whole numbers."""

    settings: Settings
    rate: Fraction = Fraction(0)
    target: Fraction = Fraction(0)
    alpha: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        """Begin at the line's rate."""
        self.rate = self.target = Fraction(self.settings.line_mbps)

    def notify(self) -> None:
        """Apply a notification (equation 1)."""
        gain = Fraction(1, 1 << self.settings.gain_shift)
        self.target = self.rate
        self.rate *= 1 - self.alpha / 2
        self.alpha = (1 - gain) * self.alpha + gain

    def rest(self) -> None:
        """Apply a time without notifications to alpha (equation 2)."""
        self.alpha *= 1 - Fraction(1, 1 << self.settings.gain_shift)

    def recover(self, more: int = 0) -> None:
        """Apply a step of recovery or increase (equations 3 and 4)."""
        self.target = min(Fraction(self.settings.line_mbps), self.target + more)
        self.rate = (self.target + self.rate) / 2
