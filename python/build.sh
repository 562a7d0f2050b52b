#!/usr/bin/env bash
# Builds two wheels: python/build.sh [OUT], by default into target/wheels. One wheel is for Python 3.9 and later. The
# other has faster calls and is for Python 3.11 and later, where pip prefers it.
set -euo pipefail
cd "$(dirname "$0")"

out=${1:-../target/wheels}
maturin=../target/maturin/bin/maturin
if ! [ -x "$maturin" ]; then
    python3 -m venv ../target/maturin
    ../target/maturin/bin/python -m pip install --quiet 'maturin>=1.16,<2'
fi
rm -f "$out"/kasoku-*.whl
# maturin includes a file with this name in the wheel, beside our own licences.
triple=$(rustc --print host-tuple)
../packaging/notices.py "$triple" kasoku-python >NOTICES
for oldest in py39 py311; do
    "$maturin" build --release --locked --no-default-features --features "$oldest" --out "$out"
done
