"""Runs the Python examples of pages: documented.py PAGE..."""

import re
import sys

for page in sys.argv[1:]:
    with open(page, encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    assert blocks, f"{page} has no Python"
    for block in blocks:
        exec(compile(block, page, "exec"), {"__name__": "__main__"})
    print(f"{page}: {len(blocks)} blocks of Python work")
