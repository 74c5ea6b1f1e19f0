# SPDX-License-Identifier: BSD-3-Clause
"""Settings that a kind of switch or bridge declares in its folder, and the check of given ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import Field, StrictBool, StrictInt, StrictStr, StringConstraints, model_validator

from firesim_common.base import Strict
from firesim_common.errors import unknown
from firesim_common.explain import shown
from firesim_common.positions import KeyPath

Whole = Annotated[StrictInt, Field(ge=-(2**63), lt=2**63)]
SettingName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$")]


class Setting(Strict):
    """A setting: its type is that of its default."""

    default: StrictBool | Whole | StrictStr | list[Whole]
    """Its value where none is given: true or false, a whole number, a text, or whole numbers."""
    least: Whole | None = None
    """Smallest number."""
    most: Whole | None = None
    """Largest number."""
    one_of: list[str] = Field(default_factory=list)
    """The texts that it may be (default: any)."""
    meaning: str
    """For people."""

    @model_validator(mode="after")
    def _its_own_default(self) -> Self:
        is_number = isinstance(self.default, int | list) and not isinstance(self.default, bool)
        if not is_number and (self.least is not None or self.most is not None):
            raise ValueError("found a limit, expected none: the default is no number.")
        if self.one_of and not isinstance(self.default, str):
            raise ValueError("found one_of, expected none: the default is no text.")
        if text := self.fault(self.default):
            raise ValueError(f"{text.removesuffix('.')} as the default, too.")
        return self

    def fault(self, value: Any) -> str:
        """Return the sentence about a value that does not fit, "" for one that does."""
        if isinstance(self.default, bool):
            return (
                "" if isinstance(value, bool) else f"found {shown(value)}, expected true or false."
            )
        if isinstance(self.default, str):
            return self._text_fault(value)
        if isinstance(self.default, int):
            return self._number_fault(value)
        if not isinstance(value, list):
            return f"found {shown(value)}, expected a list of whole numbers."
        return next((text for one in value if (text := self._number_fault(one))), "")

    def _text_fault(self, value: Any) -> str:
        if not isinstance(value, str):
            return f"found {shown(value)}, expected a text."
        if self.one_of and value not in self.one_of:
            return unknown(value, "one of", self.one_of)
        return ""

    def _number_fault(self, value: Any) -> str:
        low, high = self.least, self.most
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if is_number and (low is None or value >= low) and (high is None or value <= high):
            return ""
        wanted = f"a whole number {self.shown_limits}".rstrip()
        return f"found {shown(value)}, expected {wanted}."

    @property
    def shown_limits(self) -> str:
        """The limits as text, "" where there are none."""
        words = (("from", self.least), ("to", self.most))
        limits = [f"{word} {limit:,}" for word, limit in words if limit is not None]
        return " ".join(limits) or ", ".join(self.one_of)

    @property
    def shown_default(self) -> str:
        """The default as YAML has it."""
        return json.dumps(self.default)


Settings = dict[SettingName, Setting]


def fault_of(
    declared: Mapping[str, Setting], given: Mapping[str, Any]
) -> tuple[KeyPath, str] | None:
    """Return the first given setting that is not declared or does not fit, and what is wrong."""
    for name, value in given.items():
        if name not in declared:
            if not declared:
                return (name,), f'found "{name}", expected no settings: this kind has none.'
            return (name,), unknown(name, "one of the settings", list(declared))
        if text := declared[name].fault(value):
            return (name,), text
    return None


def with_defaults(declared: Mapping[str, Setting], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given settings, whether declared or not, and the defaults of all others."""
    return {**{name: one.default for name, one in declared.items()}, **given}
