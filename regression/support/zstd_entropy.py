# SPDX-License-Identifier: BSD-3-Clause
"""The codes of the ZStd unit's compressor: Huffman codes, finite state entropy, streams of bits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

LONGEST = 11
"""Bits of a Huffman code."""
_LEAST_LOG = 5


def bit_stream(fields: Iterable[tuple[int, int]]) -> bytes:
    """Return values of some bits each, the first one lowest, and the mark behind them."""
    value, at = 0, 0
    for bits, width in fields:
        value |= bits << at
        at += width
    return (value | 1 << at).to_bytes(at // 8 + 1, "little")


@dataclass(frozen=True)
class HuffmanCode:
    """Codes of bytes; those that have none have a length of 0."""

    lengths: list[int]
    codes: list[int]

    def bits(self, counts: Mapping[int, int]) -> int:
        """Return how many bits these bytes take."""
        return sum(count * self.lengths[byte] for byte, count in counts.items())


def _depths(shares: list[int]) -> list[int]:
    """Return how many leaves of a Huffman tree have each depth; shares are in ascending order."""
    leaves, children = list(shares), []
    nodes: list[int] = []
    parents: dict[int, int] = {}
    leaf = node = 0
    for made in range(len(shares) - 1):
        total, below = 0, 0
        for _ in range(2):
            if leaf < len(leaves) and (node == len(nodes) or leaves[leaf] <= nodes[node]):
                total += leaves[leaf]
                leaf += 1
                below += 1
            else:
                total += nodes[node]
                parents[node] = made
                node += 1
        nodes.append(total)
        children.append(below)
    depth: dict[int, int] = {}
    found = [0] * (LONGEST + 1)
    for index in reversed(range(len(nodes))):
        depth[index] = depth[parents[index]] + 1 if index in parents else 0
        found[min(depth[index] + 1, LONGEST)] += children[index]
    return found


def huffman_code(counts: Sequence[int]) -> HuffmanCode:
    """Return the code of bytes that come so often; at least two of them do."""
    ordered = sorted((byte for byte in range(256) if counts[byte]), key=lambda byte: counts[byte])
    found = _depths([counts[byte] for byte in ordered])
    total = sum(number << (LONGEST - length) for length, number in enumerate(found) if length)
    while total > 1 << LONGEST:  # leaves were deeper: one goes below a shorter one
        found[LONGEST] -= 1
        length = max(i for i in range(1, LONGEST) if found[i])
        found[length] -= 1
        found[length + 1] += 2
        total -= 1
    lengths = [0] * 256
    length = LONGEST
    for byte in ordered:
        while not found[length]:
            length -= 1
        lengths[byte] = length
        found[length] -= 1
    longest = max(lengths)
    codes, code = [0] * 256, 0
    for length in range(longest, 0, -1):
        for byte in range(256):
            if lengths[byte] == length:
                codes[byte] = code
                code += 1
        code >>= 1
    return HuffmanCode(lengths, codes)


def weights_described(code: HuffmanCode) -> bytes | None:
    """Return the tree as it stands in a frame; None: it cannot be described."""
    longest = max(code.lengths)
    last = max(byte for byte in range(256) if code.lengths[byte])
    weights = [longest + 1 - size if size else 0 for size in code.lengths[:last]]
    counts = Counter(weights)
    described = None
    if last >= 3 and len(counts) > 1:
        table = FseTable.of(counts, 6)
        described = table.described() + bit_stream(_weight_bits(weights, table))
    if last <= 128 and (described is None or len(described) >= (last + 1) // 2):
        even = weights + [0] * (last % 2)
        pairs = zip(even[::2], even[1::2], strict=True)
        return bytes([127 + last, *(high << 4 | low for high, low in pairs)])
    if described is None or len(described) > 127:
        return None
    return bytes([len(described)]) + described


def _weight_bits(weights: list[int], table: FseTable) -> Iterable[tuple[int, int]]:
    """Yield the bits of weights: those at even places have one state, others another one."""
    states = [0, 0]
    for index in reversed(range(len(weights))):
        if index >= len(weights) - 2:
            states[index % 2] = table.first(weights[index])
        else:
            bits, states[index % 2] = table.step(states[index % 2], weights[index])
            yield bits
    for state in reversed(states):
        yield state - (1 << table.log), table.log


class FseTable:
    """A table of finite state entropy, for who writes: states of symbols, -1 is a rare one."""

    def __init__(self, states: Sequence[int], log: int) -> None:
        """Spread symbols over a table of 2^log states; `states` says how many each has."""
        self.counts, self.log = list(states), log
        size = 1 << log
        owners, high = [0] * size, size - 1
        for symbol, count in enumerate(self.counts):
            if count == -1:
                owners[high] = symbol
                high -= 1
        at, step = 0, (size >> 1) + (size >> 3) + 3
        for symbol, count in enumerate(self.counts):
            for _ in range(max(count, 0)):
                owners[at] = symbol
                at = (at + step) % size
                while at > high:
                    at = (at + step) % size
        self._states: list[list[int]] = [[] for _ in self.counts]
        for place, owner in enumerate(owners):
            self._states[owner].append(size + place)

    @classmethod
    def of(cls, counts: Mapping[int, int], most_log: int) -> FseTable:
        """Return the table of symbols that come so often; at least two of them do."""
        total, last = sum(counts.values()), max(counts)
        log = min(most_log, max(total - 1, 1).bit_length() - 3)
        log = max(log, min(total.bit_length(), last.bit_length() + 1), _LEAST_LOG)
        log = min(log, most_log)
        scale = (1 << 24) // total
        shares = [counts.get(symbol, 0) for symbol in range(last + 1)]
        half = 1 << (23 - log)
        states = [max(1, share * scale + half >> 24 - log) if share else 0 for share in shares]
        largest = states.index(max(states))
        missing = (1 << log) - sum(states)
        if missing >= 0 or states[largest] >= -4 * missing:
            states[largest] += missing
            missing = 0
        least = 4
        while missing:
            for symbol, count in enumerate(states):
                if missing and count >= least:
                    states[symbol] -= 1
                    missing += 1
            least = 2
        return cls(states, log)

    def described(self) -> bytes:
        """Return the table as it stands in a frame."""
        value, at = self.log - _LEAST_LOG, 4
        remaining, threshold, width = (1 << self.log) + 1, 1 << self.log, self.log + 1
        zeros = None
        for count in self.counts:
            if zeros is not None:
                if count == 0:
                    zeros += 1
                    if zeros == 3:
                        value |= 3 << at
                        at += 2
                        zeros = 0
                    continue
                value |= zeros << at
                at += 2
                zeros = None
            most = 2 * threshold - 1 - remaining
            remaining -= count
            shown = count + 1
            if shown >= threshold:
                shown += most
            value |= shown << at
            at += width - (shown < most)
            zeros = 0 if count == 0 else None
            while remaining < threshold:
                width -= 1
                threshold >>= 1
        return value.to_bytes((at + 7) // 8, "little")

    def first(self, symbol: int) -> int:
        """Return the state in which a stream may end."""
        return self._states[symbol][0]

    def step(self, state: int, symbol: int) -> tuple[tuple[int, int], int]:
        """Return the bits that bring a reader from `symbol` to `state`, and the state before."""
        count = len(self._states[symbol])
        width = self.log - (count - 1).bit_length() + 1 if count > 1 else self.log
        if count > 1 and state < count << width:
            width -= 1
        bits = (state & (1 << width) - 1, width)
        return bits, self._states[symbol][(state >> width) - count]
