#!/usr/bin/env python3
"""Checks the links of HTML pages: packaging/links.py FOLDER

Checks that linked files exist in the folder and have the linked anchors. Links to other sites (https:) are ignored.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.places, self.links = set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.places.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)


def main(folder):
    # A server shows this page at any address, so its links are not relative to the file.
    paths = [path for path in Path(folder).resolve().rglob("*.html") if path.name != "404.html"]
    pages = {path: Page(path) for path in paths}
    looked, broken = 0, []
    for path, page in sorted(pages.items()):
        for link in page.links:
            if link.startswith(("https:", "http:", "mailto:", "data:", "javascript:")):
                continue
            looked += 1
            name, _, place = unquote(link).partition("#")
            to = (path.parent / name).resolve() if name else path
            if not to.exists() or (place and to in pages and place not in pages[to].places):
                broken.append(f"{path}: {link}")
    print(*broken, sep="\n", end="\n" if broken else "", file=sys.stderr)
    print(f"{len(pages)} pages, {looked} links, {len(broken)} broken")
    return 1 if broken or not pages else 0


sys.exit(main(sys.argv[1]))
