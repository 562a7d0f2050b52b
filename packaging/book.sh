#!/usr/bin/env bash
# Builds the book (HTML pages) from the documents, and checks every link in it: packaging/book.sh OUT
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
# mdBook empties the folder, so it may contain only an earlier book.
if [ -n "$(ls -A "$out")" ] && ! grep -qs '<title>Page not found - Kasoku<' "$out/404.html"; then
    echo "$0: there is something else in $out" >&2
    exit 2
fi
command -v mdbook >/dev/null || PATH=$("$root/packaging/tools.sh"):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$root/packaging/book.py" "$work/pages"
cat >"$work/book.toml" <<'END'
[book]
title = "Kasoku"
language = "en"
src = "pages"

[build]
use-default-preprocessors = false
create-missing = false

[output.html]
no-section-label = true

[output.html.fold]
enable = true
END
mdbook build --dest-dir "$out" "$work"
"$root/packaging/links.py" "$out"
echo "The book is $out/index.html"
