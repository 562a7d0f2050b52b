#!/usr/bin/env python3
"""Packs a folder as an archive whose bytes depend only on its content: packaging/zip.py FOLDER OUT.zip

The time of every file is SOURCE_DATE_EPOCH.
"""

import os
import sys
import time
import zipfile
from pathlib import Path

# Deflate as everybody reads it, and who made it: a system of the Unix kind, so that its rights (0644) are kept.
UNIX, REGULAR = 3, 0o100644


def main(folder, out):
    when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    with zipfile.ZipFile(out, "w") as archive:
        for file in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(file.as_posix(), when)
            entry.create_system = UNIX
            entry.external_attr = REGULAR << 16
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED, 9)


main(*sys.argv[1:])
