# SPDX-License-Identifier: BSD-3-Clause
"""What the experiment `hyperscale` takes for a right reply, and what it does not."""

from __future__ import annotations

import struct
from dataclasses import replace

import cramjam
import zstandard

from regression.support.captured_frames import Frame
from regression.support.hyperscale import PROTO, replies_right
from regression.support.protobuf_messages import Types

CLIENT, SERVER = b"client", b"server"
REQUEST, REPLY, REFUSED = 16, 17, 18


def frame(to: bytes, source: bytes, kind: int, number: int, payload: bytes, extra: int) -> Frame:
    data = to + source + b"\x88\xb5" + struct.pack("<3Q", kind, number, extra) + payload
    return Frame(0, True, 0, data + bytes(-len(data) % 8))


def order(rebate: int, total: int | None) -> bytes:
    made = Types(PROTO).new("Order")
    made.id = 7
    made.items.add(name="nail", count=3, price=5, rebate=rebate)
    if total is not None:
        made.total = total
    return bytes(made.SerializeToString(deterministic=True))


def packed(data: bytes) -> bytes:
    return bytes(cramjam.snappy.compress_raw(data))


def asked(number: int, payload: bytes) -> Frame:
    return frame(SERVER, CLIENT, REQUEST, number, payload, len(payload))


def answered(number: int, payload: bytes) -> Frame:
    return frame(CLIENT, SERVER, REPLY, number, payload, len(payload))


def refused(number: int) -> Frame:
    return frame(CLIENT, SERVER, REFUSED, number, b"", 1)


def test_a_reply_has_the_total_and_one_rebate_less() -> None:
    request = asked(0, packed(order(0, None)))
    assert replies_right([request, answered(0, packed(order(-1, 15)))]) == (1, 1)
    for wrong in (order(0, 15), order(-1, 16), order(-1, None)):
        assert replies_right([request, answered(0, packed(wrong))]) == (0, 1)
    assert replies_right([request]) == (0, 1)
    assert replies_right([request, refused(0)]) == (0, 1)


def test_what_a_library_refuses_must_be_refused() -> None:
    stream = packed(order(0, None))
    requests = [asked(0, stream[:-1]), asked(1, packed(order(0, None)[:-1]))]
    assert replies_right([*requests, refused(0), refused(1)]) == (2, 2)
    reply = packed(order(-1, 15))
    assert replies_right([*requests, refused(0), answered(1, reply)]) == (1, 2)


def test_clients_number_their_requests_by_themselves() -> None:
    other = b"client"[::-1]
    request, reply = asked(0, packed(order(0, None))), answered(0, packed(order(-1, 15)))
    second = replace(request, data=SERVER + other + request.data[12:])
    assert replies_right([request, second, reply]) == (1, 2)


def test_zstd_frames_are_read_by_their_own_library() -> None:
    request = asked(0, zstandard.compress(order(0, None)))
    right, wrong = (zstandard.compress(order(-1, total)) for total in (15, 16))
    assert replies_right([request, answered(0, right)], "zstd") == (1, 1)
    assert replies_right([request, answered(0, wrong)], "zstd") == (0, 1)
    assert replies_right([request, answered(0, packed(order(-1, 15)))], "zstd") == (0, 1)
    cut = asked(0, zstandard.compress(order(0, None))[:-1])
    assert replies_right([cut, refused(0)], "zstd") == (1, 1)
    assert replies_right([cut, answered(0, right)], "zstd") == (0, 1)
