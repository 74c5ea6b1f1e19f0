# SPDX-License-Identifier: BSD-3-Clause
"""Command line of Linux workloads: `python -m firesim_software.linux build|launch|test|clean`."""

from __future__ import annotations

import argparse
import sys

from firesim_software import linux


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="firesim workload", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("list", help="name all Linux workloads")
    verbs.add_parser("lock", help="choose Debian's newest packages for all workloads listed here")
    verbs.add_parser("kernel", help="build the kernel alone and say where it is")
    for verb, text in (
        ("build", "build kernel, firmware and root file system"),
        ("launch", "boot it in QEMU, with its console on this terminal (Ctrl-A X ends)"),
        ("test", "boot it in QEMU and compare its console with console.txt"),
        ("clean", "remove its root file systems from the cache"),
    ):
        command = verbs.add_parser(verb, help=text)
        command.add_argument("name", help="a folder of sw/firesim-software/workloads")
        if verb == "launch":
            command.add_argument("--cores", type=int, default=1, help="harts (default 1)")
            command.add_argument("--bootargs", default="", help="words for the kernel")
    return parser


def _show(image: linux.LinuxImage) -> None:
    for what in ("firmware", "kernel", "initrd", "disk", "vmlinux", "bootargs"):
        if (value := getattr(image, what)) is not None:
            print(f"{what:9} {value}")


def main(words: list[str]) -> int:
    """Run one command; return the exit status."""
    options = _parser().parse_args(words)
    if options.verb == "list":
        print(
            "\n".join(f"{name:16} {linux.describe(name).description}" for name in linux.workloads())
        )
    elif options.verb == "lock":
        print(linux.lock())
    elif options.verb == "kernel":
        print(linux.kernel().image.parent)
    elif options.verb == "build":
        _show(linux.build(options.name))
    elif options.verb == "launch":
        return linux.launch(options.name, cores=options.cores, bootargs=options.bootargs)
    elif options.verb == "test":
        differences = linux.test(options.name)
        print(differences or f"{options.name}: the console is as in the reference")
        return 1 if differences else 0
    else:
        print("\n".join(map(str, linux.clean(options.name))))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except linux.LinuxError as error:
        sys.exit(f"firesim: {error}")
