# SPDX-License-Identifier: BSD-3-Clause
"""How-tos that are followed to their last step; a page says itself what must be seen.

Experiment first-hour follows all of them; what these do not show, tests show without their pages.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from regression.support.pages import HOW_TO, run_page

PAGES = (
    "bring-your-own-verilog",
    "card-to-card",
    "chipyard",
    "congestion",
    "faulty-links",
    "count-events",
    "own-software",
    "watch-a-run",
    "write-a-bridge",
)


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str, tmp_path: Path) -> None:
    run_page(HOW_TO / f"{name}.md", tmp_path)
