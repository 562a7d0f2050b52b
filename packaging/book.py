#!/usr/bin/env python3
"""Lays out the documents for mdBook: packaging/book.py OUT

Pages keep their paths, so links between pages do not change. The book has only the pages that docs/SUMMARY.md lists;
links to other pages and to source code become plain text.
"""

import posixpath
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def main(out):
    summary = (ROOT / "docs/SUMMARY.md").read_text()
    pages = {posixpath.normpath("docs/" + target) for _, _, target in LINK.findall(summary)}
    pictures = {str(path.relative_to(ROOT)) for path in (ROOT / "docs/pictures").iterdir()}
    for page in pages:
        write(out / page, in_book((ROOT / page).read_text(), posixpath.dirname(page), pages | pictures))
    for picture in pictures:
        write(out / picture, (ROOT / picture).read_text())
    moved = LINK.sub(lambda m: f"[{m[2]}]({posixpath.normpath('docs/' + m[3])})", summary)
    write(out / "SUMMARY.md", moved)


def in_book(text, folder, there):
    """Returns the text of a page, with links only to pages of the book."""

    def link(match):
        mark, label, target = match.groups()
        file = target.partition("#")[0]
        if not file or ":" in file or posixpath.normpath(posixpath.join(folder, file)) in there:
            return match[0]
        return label

    return LINK.sub(link, text)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


main(Path(sys.argv[1]))
