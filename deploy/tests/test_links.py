# SPDX-License-Identifier: BSD-3-Clause
"""Every relative link of every page leads to a file that is there, and its anchor to a heading."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from firesim_common.paths import ROOT

_FENCE = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)
_NAMED = re.compile(r"<a (?:name|id)=\"([^\"]+)\"")


def pages() -> list[Path]:
    """Return every page of the repository."""
    command = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [path for line in listed.splitlines() if (path := ROOT / line).is_file()]


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page; of headings that are the same the later ones are counted."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    found: set[str] = set(_NAMED.findall(text))
    for heading in _HEADING.findall(text):
        plain = slug(heading)
        name, count = plain, 0
        while name in found:
            count += 1
            name = f"{plain}-{count}"
        found.add(name)
    return frozenset(found)


def links(page: Path) -> Iterator[str]:
    """Yield the targets of a page's links that are no addresses elsewhere."""
    text = _INLINE_CODE.sub("", _FENCE.sub("", page.read_text(encoding="utf-8")))
    return (target for target in _LINK.findall(text) if not re.match(r"[a-z]+:", target))


def broken(page: Path) -> Iterator[str]:
    """Yield the links of a page that lead nowhere."""
    for target in links(page):
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            yield f"{target}: no such file"
        elif name and not file.is_relative_to(ROOT.resolve()):
            yield f"{target}: outside the repository"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{target}: no such heading"


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert list(broken(page)) == []


def test_every_page_is_reached_from_the_readme() -> None:
    reached, left = set(), [ROOT / "README.md"]
    while left:
        page = left.pop()
        if page in reached:
            continue
        reached.add(page)
        aims = ((page.parent / target.partition("#")[0]).resolve() for target in links(page))
        left += [aim for aim in aims if aim.suffix == ".md" and aim.is_file()]
    docs = {page.resolve() for page in pages() if (ROOT / "docs") in page.parents}
    assert sorted(str(page.relative_to(ROOT)) for page in docs - reached) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `b`: c\n[x](nowhere.md) [y](#a-b-c) [z](#a-b-d) `[q](none.md)`\n")
    assert list(broken(page)) == ["nowhere.md: no such file", "#a-b-d: no such heading"]


def test_anchors_are_those_of_github() -> None:
    assert (
        slug("Golden Gate: `goldengate.compile_request`") == "golden-gate-goldengatecompile_request"
    )
    assert slug("[Linux](x.md) & C++, 1.2") == "linux--c-12"
