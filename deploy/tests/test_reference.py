"""The generated reference pages say what the code does."""

import pytest
from firesim.cli.reference import PAGES, REFERENCE


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_is_up_to_date(name: str) -> None:
    written = (REFERENCE / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run: .venv/bin/python -m firesim.cli.reference"


def test_every_configuration_key_is_explained() -> None:
    rows = [line for line in PAGES["configuration.md"]().splitlines() if line.startswith("| `")]
    unexplained = [row for row in rows if row.endswith("|  |")]
    assert rows and not unexplained
