# SPDX-License-Identifier: BSD-3-Clause
"""Draws the topology as inline SVG: switches above, nodes below, link latencies on the lines.

Also used by `runcheck`, which draws a system before it runs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from firesim.report.network import Link, Network
from firesim.topology.levels import levels
from firesim.units import grouped, target_time

BOX_WIDTH, BOX_HEIGHT = 132, 46
GAP_X, GAP_Y = 10, 84
MARGIN = 16
MOST_IN_A_ROW = 8
"""In a longer row, models under the same switches are drawn as one box."""
MOST_LABELLED_LINKS = 12
LETTERS_A_BOX = {"name": 16, "caption": 22}
"""Longer texts are drawn narrower, to fit into their box."""
MOST_LETTERS = 25
"""Of texts that are longer still the middle is left out."""


@dataclass
class _Box:
    name: str
    caption: str
    css: str
    members: list[str]
    level: int = 0
    x: float = 0.0
    neighbours: list[str] = field(default_factory=list)


def _groups(models: list[str], key: Callable[[str], object], most: int) -> list[list[str]]:
    """Put models with the same key together when there are more than `most`."""
    if len(models) <= most:
        return [[model] for model in models]
    shared: dict[object, list[str]] = defaultdict(list)
    for model in models:
        shared[key(model)].append(model)
    return list(shared.values())


def _boxes(network: Network) -> dict[str, _Box]:
    """Make one box a model; in a wide row, models with the same switches above share a box."""
    found = levels(network.nodes, network.neighbours)
    # What no node reaches is drawn as a switch; a link may end at what is not drawn at all.
    level = {**dict.fromkeys(network.neighbours, 1), **found}
    owner: dict[str, str] = {}
    boxes: dict[str, _Box] = {}

    def above(model: str) -> object:
        higher = [other for other in network.neighbours[model] if level[other] > level[model]]
        beside = [other for other in network.neighbours[model] if level[other] == level[model]]
        # A model linked to one of its own row is drawn alone: the link would have no second end.
        return model if beside else frozenset(owner[other] for other in higher if other in owner)

    for row in range(max(level.values(), default=0), -1, -1):
        switches = [name for name in network.switching_cycles if level[name] == row]
        nodes = [name for name in network.nodes if level[name] == row]
        made = [(group, "switch") for group in _groups(switches, above, MOST_IN_A_ROW)]
        made += [(group, "node") for group in _groups(nodes, above, MOST_IN_A_ROW)]
        for group, kind in made:
            owner.update(dict.fromkeys(group, group[0]))
            boxes[group[0]] = _box(network, group, kind, row)
    return boxes


def _box(network: Network, members: list[str], kind: str, level: int) -> _Box:
    first, count = members[0], len(members)
    if kind == "switch":
        latencies = {network.switching_cycles[name] for name in members}
        cycles = " / ".join(grouped(value) for value in sorted(latencies))
        caption = (
            f"switch · {cycles} cycles" if count == 1 else f"{count} switches · {cycles} cycles"
        )
    else:
        caption = f"{network.node_kind[first]} node" if count == 1 else f"{count} nodes"
    if count == 1:
        return _Box(first, caption, kind, members, level)
    return _Box(f"{first} … {members[-1]}", caption, f"{kind} many", members, level)


def _owner(boxes: dict[str, _Box]) -> dict[str, str]:
    return {member: key for key, box in boxes.items() for member in box.members}


def _place(boxes: dict[str, _Box], edges: dict[tuple[str, str], list[Link]]) -> float:
    """Give every box its x, return the width: leaves in order, parents above their children."""
    for a, b in edges:
        boxes[a].neighbours.append(b)
        boxes[b].neighbours.append(a)
    order: list[str] = []
    seen: set[str] = set()
    for root in sorted(boxes, key=lambda key: -boxes[key].level):
        stack = [root]
        while stack:
            key = stack.pop()
            if key in seen:
                continue
            seen.add(key)
            order.append(key)
            stack.extend(n for n in reversed(boxes[key].neighbours) if n not in seen)
    place = {key: index for index, key in enumerate(boxes)}
    step = BOX_WIDTH + GAP_X
    for level in sorted({box.level for box in boxes.values()}):
        layer = [key for key in order if boxes[key].level == level]
        below = {
            k: [boxes[n].x for n in boxes[k].neighbours if boxes[n].level < level] for k in layer
        }
        if all(below.values()):
            layer.sort(key=lambda key: (sum(below[key]) / len(below[key]), place[key]))
        wanted = [
            sum(below[key]) / len(below[key]) if below[key] else index * step
            for index, key in enumerate(layer)
        ]
        least = -1e9
        for key, x in zip(layer, wanted, strict=True):
            boxes[key].x = max(least, x)
            least = boxes[key].x + step
        pushed = sum(boxes[key].x for key in layer) - sum(wanted)
        for key in layer:
            boxes[key].x -= pushed / len(layer)
    left = min(box.x for box in boxes.values())
    for box in boxes.values():
        box.x -= left
    return max(box.x for box in boxes.values()) + BOX_WIDTH


def _edges(network: Network, owner: dict[str, str]) -> dict[tuple[str, str], list[Link]]:
    edges: dict[tuple[str, str], list[Link]] = defaultdict(list)
    for link in network.links:
        if link.a in owner and link.b in owner:
            edges[owner[link.a], owner[link.b]].append(link)
    return edges


def _low_and_high(a: _Box, b: _Box) -> tuple[_Box, _Box]:
    """Return where the line between two boxes begins, and where it ends."""
    low, high = sorted((a, b), key=lambda box: (box.level, box.x))
    return low, high


def _is_beside(low: _Box, high: _Box) -> bool:
    return low.level == high.level and high.x - low.x < 1.5 * (BOX_WIDTH + GAP_X)


def _rise(low: _Box, high: _Box) -> float:
    """Return how far the ends of an arc over boxes of a row pull it up, in pixels."""
    return min(24 + 0.14 * (high.x - low.x), 4 * GAP_Y)


def _draw_edge(
    ends: tuple[_Box, _Box], links: list[Link], y_of: dict[int, int], clock_hz: float, label: bool
) -> str:
    low, high = _low_and_high(*ends)
    latencies = sorted({link.latency_cycles for link in links})
    text = " / ".join(target_time(cycles, clock_hz) for cycles in latencies)
    detail = f"{len(links)} × " if len(links) > 1 else f"{links[0].name}: "
    detail += " / ".join(f"{grouped(c)} cycles" for c in latencies) + f" = {text} (configured)"
    x1, x2 = low.x + BOX_WIDTH / 2, high.x + BOX_WIDTH / 2
    y1, y2 = y_of[low.level], y_of[high.level] + BOX_HEIGHT
    x, y = x1 * 0.62 + x2 * 0.38, y1 * 0.62 + y2 * 0.38
    shape = f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
    if _is_beside(low, high):
        x1, x2, y = low.x + BOX_WIDTH, high.x, y_of[low.level] + BOX_HEIGHT / 2
        x = (x1 + x2) / 2
        shape = f'<line x1="{x1:.1f}" y1="{y:.1f}" x2="{x2:.1f}" y2="{y:.1f}"/>'
    elif low.level == high.level:
        rise = _rise(low, high)
        x, y = (x1 + x2) / 2, y1 - 0.75 * rise
        shape = (
            f'<path d="M{x1:.1f} {y1:.1f}C{x1:.1f} {y1 - rise:.1f} {x2:.1f} {y1 - rise:.1f} '
            f'{x2:.1f} {y1:.1f}"/>'
        )
    parts = [f'<g class="link"><title>{escape(detail)}</title>{shape}']
    if label:
        half = 3.6 * len(text) + 5
        parts.append(
            f'<rect class="plate" x="{x - half:.1f}" y="{y - 9:.1f}" width="{2 * half:.1f}" '
            f'height="18" rx="4"/><text x="{x:.1f}" y="{y + 4:.1f}">{escape(text)}</text>'
        )
    return "".join([*parts, "</g>"])


def _room_above(a: _Box, b: _Box, y_of: dict[int, int]) -> float:
    """Return by how much the arc between two boxes is higher than the highest row."""
    low, high = _low_and_high(a, b)
    if low.level != high.level or _is_beside(low, high):
        return 0.0
    return 0.75 * _rise(low, high) - y_of[low.level]


def _draw_box(box: _Box, y: float) -> str:
    middle = box.x + BOX_WIDTH / 2
    return (
        f'<g class="box {box.css}"><title>{escape(box.name)}</title>'
        f'<rect x="{box.x:.1f}" y="{y:.1f}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="8"/>'
        f"{_fitted('name', box.name, middle, y + 20)}"
        f"{_fitted('caption', box.caption, middle, y + 36)}</g>"
    )


def _fitted(css: str, text: str, x: float, y: float) -> str:
    """Return a line of text around x that is as wide as a box at most."""
    half = (MOST_LETTERS - 1) // 2
    shown = text if len(text) <= MOST_LETTERS else f"{text[:half]}…{text[-half:]}"
    width = f' textLength="{BOX_WIDTH - 10}" lengthAdjust="spacingAndGlyphs"'
    fit = width if len(shown) > LETTERS_A_BOX[css] else ""
    return f'<text class="{css}" x="{x:.1f}" y="{y:.1f}"{fit}>{escape(shown)}</text>'


@dataclass(frozen=True)
class DrawnLine:
    """The links that a line stands for; it is drawn from the lower box to the higher one."""

    low: int
    """The box at which the line begins, by its number."""
    high: int
    links: list[tuple[str, bool]]
    """Of each link the name, and whether its end a is in the lower box."""


@dataclass(frozen=True)
class Drawn:
    """What the elements of a drawing stand for, in the order in which they are in it."""

    boxes: list[list[str]]
    """The models in each box."""
    lines: list[DrawnLine]


def drawn(network: Network) -> Drawn:
    """Return what the boxes and lines of `topology_svg` stand for."""
    boxes = _boxes(network)
    owner = _owner(boxes)
    edges = _edges(network, owner)
    if boxes:
        _place(boxes, edges)
    number = {key: index for index, key in enumerate(boxes)}
    lines = []
    for (a, b), links in edges.items():
        low, high = (box.members[0] for box in _low_and_high(boxes[a], boxes[b]))
        named = [(link.name, owner[link.a] == low) for link in links]
        lines.append(DrawnLine(number[low], number[high], named))
    return Drawn([box.members for box in boxes.values()], lines)


def topology_svg(network: Network, clock_hz: float) -> Markup:
    """Draw the network as an `<svg>` element that takes its colours from the page's style sheet.

    Latencies are labelled on the lines of small systems and always shown when pointed at.
    """
    boxes = _boxes(network)
    if not boxes:
        return Markup("")
    edges = _edges(network, _owner(boxes))
    width = _place(boxes, edges)
    top = max(box.level for box in boxes.values())
    y_of = {level: (top - level) * (BOX_HEIGHT + GAP_Y) for level in range(top + 1)}
    height = y_of[0] + BOX_HEIGHT
    label = len(edges) <= MOST_LABELLED_LINKS
    body = [
        _draw_edge((boxes[a], boxes[b]), links, y_of, clock_hz, label)
        for (a, b), links in edges.items()
    ]
    body += [_draw_box(box, y_of[box.level]) for box in boxes.values()]
    rises = [_room_above(boxes[a], boxes[b], y_of) for a, b in edges]
    above = MARGIN + max([0.0, *rises])
    box_text = f"{-MARGIN} {-above:.0f} {width + 2 * MARGIN:.0f} {height + above + MARGIN:.0f}"
    return Markup(
        f'<svg class="topology" role="img" aria-label="topology" viewBox="{box_text}" '
        f'style="width:{width + 2 * MARGIN:.0f}px" xmlns="http://www.w3.org/2000/svg">'
        f"{''.join(body)}</svg>"
    )
