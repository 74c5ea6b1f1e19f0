"""What every configuration model shares: strict types, no unknown keys, names."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints


class Strict(BaseModel):
    """A mapping of a YAML file: exact types, every key known, keys documented by their fields."""

    model_config = ConfigDict(
        strict=True, extra="forbid", validate_default=True, use_attribute_docstrings=True
    )


NAME_RULE = r"^[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*$"
Name = Annotated[str, StringConstraints(pattern=NAME_RULE, max_length=64)]
"""A node, switch, program or blade: it becomes a folder, so letters, digits, _ and single -."""

MacAddress = Annotated[str, StringConstraints(pattern=r"^[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}$")]
