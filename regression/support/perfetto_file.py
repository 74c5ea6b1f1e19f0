# SPDX-License-Identifier: BSD-3-Clause
"""Reads a Perfetto trace by Perfetto's own protobufs: its tracks, slices, instants and flows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

from regression.support.experiment import ExperimentError


@dataclass
class Slice:
    """A slice of begin <= tick < end, or an instant."""

    stack: tuple[str, ...]
    """Its name, with those of the slices it lies in before it."""
    begin: int
    end: int
    flows: tuple[int, ...] = ()
    notes: dict[str, int] = field(default_factory=dict)
    inner: int = 0
    """Ticks of it that slices in it have."""

    @property
    def own(self) -> int:
        """Ticks in which it is the innermost slice."""
        return self.end - self.begin - self.inner


@dataclass
class Track:
    """A track with what lies on it, in the order in which it ends."""

    name: str
    parent: int
    slices: list[Slice] = field(default_factory=list)
    instants: list[Slice] = field(default_factory=list)
    values: list[tuple[int, float]] = field(default_factory=list)
    open: list[Slice] = field(default_factory=list)


class _Sequence:
    """What the packets of a sequence have said so far."""

    def __init__(self) -> None:
        self.track = 0
        self.names: dict[int, str] = {}
        self.notes: dict[int, str] = {}


def read_trace(path: Path) -> dict[int, Track]:
    """Return the tracks of a trace by their numbers.

    Raises:
        ExperimentError: slices are open at the end, or one ends before it begins.
    """
    trace = Trace()
    trace.ParseFromString(path.read_bytes())
    tracks: dict[int, Track] = {}
    sequences: dict[int, _Sequence] = {}
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            about = packet.track_descriptor
            tracks[about.uuid] = Track(about.name, about.parent_uuid)
        number = packet.trusted_packet_sequence_id
        if packet.sequence_flags & TracePacket.SEQ_INCREMENTAL_STATE_CLEARED:
            sequences[number] = _Sequence()
            defaults = packet.trace_packet_defaults.track_event_defaults
            sequences[number].track = defaults.track_uuid
        sequence = sequences[number]
        for name in packet.interned_data.event_names:
            sequence.names[name.iid] = name.name
        for note in packet.interned_data.debug_annotation_names:
            sequence.notes[note.iid] = note.name
        if packet.HasField("track_event"):
            _take(path, tracks[sequence.track], sequence, packet.timestamp, packet.track_event)
    if left := [track.name for track in tracks.values() if track.open]:
        raise ExperimentError(f"{path}: found slices open at the end of {left}.")
    return tracks


def _take(path: Path, track: Track, sequence: _Sequence, tick: int, event: TrackEvent) -> None:
    if event.type == TrackEvent.TYPE_SLICE_END:
        ended = track.open.pop()
        ended.end = tick
        if tick < ended.begin:
            raise ExperimentError(f"{path}: {ended} ends before it begins.")
        if track.open:
            track.open[-1].inner += tick - ended.begin
        track.slices.append(ended)
        return
    if event.type == TrackEvent.TYPE_COUNTER:
        is_whole = event.HasField("counter_value")
        value = event.counter_value if is_whole else event.double_counter_value
        track.values.append((tick, value))
        return
    below = track.open[-1].stack if track.open else ()
    notes = {sequence.notes[one.name_iid]: one.uint_value for one in event.debug_annotations}
    made = Slice((*below, sequence.names[event.name_iid]), tick, tick, tuple(event.flow_ids), notes)
    if event.type == TrackEvent.TYPE_SLICE_BEGIN:
        track.open.append(made)
    else:
        track.instants.append(made)
