#!/usr/bin/env python3
"""Checks that the C libraries in packages are those that kasoku-proof verified.

    packaging/verified.py FOLDER

Opens each .deb, tar.gz and jar in FOLDER. Fails unless a record of verification in FOLDER lists the SHA-256 of every
libkasoku.so for Linux on x86-64 in these packages, and each of the packages has a copy of that record.
"""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

SUFFIX = ".verification.json"


def members(package):
    """Returns the path and the content of each regular file in a package."""
    if package.suffix == ".jar":
        with zipfile.ZipFile(package) as archive:
            return [(name, archive.read(name)) for name in archive.namelist() if not name.endswith("/")]
    packed = package.read_bytes()
    if package.suffix == ".deb":
        packed = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        return [(file.name, archive.extractfile(file).read()) for file in archive if file.isfile()]


def is_for_x86_64(content):
    """Returns whether a file is a 64-bit ELF file for x86-64."""
    return content[:5] == b"\x7fELF\x02" and content[18:20] == b"\x3e\x00"


def problem(record, copies):
    """Returns why a library with this record does not count as verified, or None. `copies` are the package's records."""
    if record is None:
        return "NO RECORD LISTS IT"
    said = json.loads(record)
    if said["calls"] not in ("sample", "all") or said["code_path"] is not None or said["refused"] != 0:
        return "ITS RECORD IS NOT OF A SUCCESSFUL RUN ON ALL CODE PATHS"
    if record not in copies:
        return "THE PACKAGE HAS NO COPY OF ITS RECORD"
    return None


def summary(record):
    """Returns what a record says in a few words."""
    said = json.loads(record)
    compared = "" if said["all_instructions_as_on_the_cpu"] else ", some instructions not compared with a CPU"
    bound = int(said["error_probability_below_2_to_minus"])
    return f"verified ({said['calls']}: {said['accepted']} calls, bound 2^-{bound}{compared})"


def main(folder):
    records = [file.read_bytes() for file in sorted(folder.glob(f"*{SUFFIX}"))]
    by_hash = {json.loads(record)["library_sha256"]: record for record in records}
    count = unverified = 0
    for package in sorted(file for kind in ("*.deb", "*.tar.gz", "*.jar") for file in folder.glob(kind)):
        files = members(package)
        copies = [content for name, content in files if name.endswith(SUFFIX)]
        for name, content in files:
            if not PurePosixPath(name).name.startswith("libkasoku.so") or not is_for_x86_64(content):
                continue
            sha256 = hashlib.sha256(content).hexdigest()
            record = by_hash.get(sha256)
            wrong = problem(record, copies)
            print(f"{package.name}: {name}, SHA-256 {sha256}: {wrong or summary(record)}")
            count += 1
            unverified += wrong is not None
    if count == 0:
        print(f"No package in {folder} has a libkasoku.so for Linux on x86-64")
    return int(unverified > 0 or count == 0)


if len(sys.argv) != 2:
    print(__doc__, file=sys.stderr)
    sys.exit(2)
sys.exit(main(Path(sys.argv[1])))
