#!/usr/bin/env bash
# Fetches the packaging tools in pinned versions into target/packaging/tools, unless they are there already. Prints the
# folder to add to PATH.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$PWD/target/packaging/tools

# Zig can link against an older glibc than this machine's. Its wheel contains everything it needs.
python=$tools/python
if ! [ -x "$python/bin/maturin" ]; then
    python3 -m venv "$python"
    "$python/bin/python" -m pip install --quiet ziglang==0.15.2 cargo-zigbuild==0.24.0 maturin==1.16.0
fi
# cargo-zigbuild searches for a program `zig` first, then for the Python package.
mkdir -p "$tools/bin"
ln -sf "$python/bin/cargo-zigbuild" "$python/bin/maturin" "$tools/bin/"
printf '#!/bin/sh\nexec "%s" -m ziglang "$@"\n' "$python/bin/python" >"$tools/bin/zig"
chmod 755 "$tools/bin/zig"

for tool in cargo-auditable@0.7.7 cargo-cyclonedx@0.5.9 mdbook@0.5.4; do
    [ -e "$tools/$tool" ] && continue
    CARGO_TARGET_DIR=$tools/target cargo install --quiet --locked --root "$tools" "$tool" >&2
    touch "$tools/$tool"
done
rm -rf "$tools/target"
echo "$tools/bin"
