#!/usr/bin/env python3
"""Prints the licences of crates that are linked into our programs: packaging/notices.py TARGET PACKAGE…

Prints each crate with its version and licence, then each licence text once, with the crates that include it.
"""

import json
import subprocess
import sys
from pathlib import Path

NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense")


def main(target, packages):
    ask = ["cargo", "metadata", "--format-version=1", "--locked", "--features=kasoku-file/command"]
    ask += ["--filter-platform", target]
    metadata = json.loads(subprocess.check_output(ask))
    crates = {crate["id"]: crate for crate in metadata["packages"]}
    uses = {node["id"]: linked(node) for node in metadata["resolve"]["nodes"]}
    reached = set()
    waiting = [id for id, crate in crates.items() if crate["name"] in packages]
    while waiting:
        id = waiting.pop()
        if id not in reached:
            reached.add(id)
            waiting += uses[id]
    others = sorted((crates[id] for id in reached if crates[id]["source"]), key=lambda c: (c["name"], c["version"]))

    print("What is in these programs beside Kasoku and Rust's standard library (Apache-2.0 OR MIT).\n")
    texts = {}
    for crate in others:
        label = f"{crate['name']} {crate['version']}"
        print(f"{label}: {crate['license'] or 'see below'}")
        for file in sorted(licences(crate)):
            texts.setdefault(file.read_text(errors="replace").strip(), []).append(label)
    for text, labels in texts.items():
        print(f"\n{'=' * 80}\n{', '.join(labels)}\n{'-' * 80}\n{text}")


def linked(node):
    """Returns the dependencies of a crate, without those of its tests and build script."""
    return [use["pkg"] for use in node["deps"] if any(kind["kind"] is None for kind in use["dep_kinds"])]


def licences(crate):
    folder = Path(crate["manifest_path"]).parent
    return [file for file in folder.iterdir() if file.is_file() and file.name.lower().startswith(NAMES)]


main(sys.argv[1], sys.argv[2:])
