#!/usr/bin/env python3
"""Packs a folder as a ZIP archive whose bytes depend only on its content: packaging/zip.py FOLDER OUT.zip

Every file gets the modification time in the environment variable SOURCE_DATE_EPOCH.
"""

import os
import sys
import time
import zipfile
from pathlib import Path

# Values of the ZIP format: the creating system is Unix, so that tools keep the mode (regular file, 0644).
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
