# SPDX-License-Identifier: BSD-3-Clause
"""Templates of pages: what they show is escaped, and a name that is missing is an error."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template


def page_template(folder: Path, name: str) -> Template:
    """Return a template of a folder, which may include others of it."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)
