# SPDX-License-Identifier: BSD-3-Clause
"""Archives: where the data of their files lies, and that they are the same every time."""

from __future__ import annotations

import random
import stat

from firesim_software.linux.cpio import Entry, archive, read_entries

SEED = 3
SIZES = (0, 1, 4095, 4096, 4097, 100, 20_000, 7)


def read(found: bytes) -> dict[str, tuple[int, bytes]]:
    """Return where each file's data begins, and the data, by name; as the kernel reads them."""
    files: dict[str, tuple[int, bytes]] = {}
    at = 0
    while True:
        while found[at] == 0:
            at += 4
        assert found[at : at + 6] == b"070701"
        size, name_size = (int(found[at + 8 * i + 6 :][:8], 16) for i in (6, 11))
        name = found[at + 110 : at + 110 + name_size].split(b"\0")[0].decode()
        data = at + 110 + name_size + -(at + 110 + name_size) % 4
        if name == "TRAILER!!!":
            return files
        files[name] = (data, found[data : data + size])
        at = data + size + -(data + size) % 4


def test_large_files_begin_at_pages_and_others_at_words() -> None:
    source = random.Random(SEED)
    entries = [Entry("folder", stat.S_IFDIR | 0o755)]
    for size in SIZES:
        name = f"folder/{'n' * source.randrange(1, 90)}-{size}"
        entries.append(Entry(name, stat.S_IFREG | 0o644, source.randbytes(size)))
    found = archive(entries)
    assert read_entries(found) == entries
    files = read(found)
    assert {name: data for name, (_, data) in files.items()} == {x.name: x.data for x in entries}
    for entry in entries:
        assert files[entry.name][0] % (4096 if len(entry.data) >= 4096 else 8) == 0, f"seed {SEED}"
    assert archive(entries) == found
