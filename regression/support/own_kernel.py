# SPDX-License-Identifier: BSD-3-Clause
"""Experiments on a kernel variant, which takes minutes to build: the quick form has to be asked."""

from __future__ import annotations

import argparse

from regression.support.experiment import Experiment, NotHereError


def add_kernel_argument(parser: argparse.ArgumentParser) -> None:
    """Add the argument of an experiment whose nodes have a kernel of their own."""
    parser.add_argument(
        "--with-kernel",
        action="store_true",
        help="with --quick: build the kernel variant, and fetch its tools, if need be",
    )


def check_kernel(experiment: Experiment) -> None:
    """Refuse the quick form when it was not told to build the kernel.

    Raises:
        NotHereError: it was not.
    """
    if experiment.quick and not experiment.arguments.with_kernel:
        raise NotHereError("its kernel takes minutes to build: --quick --with-kernel does")
