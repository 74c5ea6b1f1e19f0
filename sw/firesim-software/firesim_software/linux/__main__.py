"""Command line: `python -m firesim_software.linux kernel` builds the kernel."""

from __future__ import annotations

import sys

from firesim_software.linux import LinuxError, kernel

if __name__ == "__main__":
    if sys.argv[1:] != ["kernel"]:
        sys.exit("firesim: usage: python -m firesim_software.linux kernel")
    try:
        print(kernel().image.parent)
    except LinuxError as error:
        sys.exit(f"firesim: {error}")
