# SPDX-License-Identifier: BSD-3-Clause
"""The Debian base: its parts come from Debian."""

from __future__ import annotations

from firesim_software.linux import packages
from firesim_software.linux.debian import BASE


def test_the_base_has_names_of_packages_once_each() -> None:
    packages.check_names(BASE)
    assert sorted(set(BASE)) == BASE
