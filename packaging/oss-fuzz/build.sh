#!/usr/bin/env bash
# Builds all fuzz targets for OSS-Fuzz, which sets SRC and OUT. OUT gets each program, the inputs that it starts with,
# and the maximum length of an input. .ci/fuzz has the list of targets.
set -euo pipefail
cd "$SRC/kasoku"

# The crates that the targets share are built once. OSS-Fuzz's Cargo reads the variable when it measures coverage.
export CARGO_TARGET_DIR=$SRC/target
# The OpenSSL provider's target finds libcrypto beside itself, wherever OSS-Fuzz runs it.
export RUSTFLAGS="${RUSTFLAGS:-} -C link-arg=-Wl,-rpath,\$ORIGIN/lib"
mkdir -p "$OUT/lib"
cp "$(/sbin/ldconfig -p | sed -n '/x86-64/s/.*libcrypto\.so\.3 .*=> //p' | head -n 1)" "$OUT/lib/"

built=
while read -r folder target longest files; do
    [[ -n $folder ]] || continue
    if [[ $folder != "$built" ]]; then
        (cd "$folder" && cargo fuzz build --target-dir "$CARGO_TARGET_DIR")
        built=$folder
    fi
    cp "$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    printf '[libfuzzer]\nmax_len = %s\n' "$longest" >"$OUT/$target.options"
    corpus=$SRC/corpus/$target
    rm -rf "$corpus"
    mkdir -p "$corpus"
    number=0
    while read -r line; do
        number=$((number + 1))
        printf '%b' "$line" >"$corpus/kept-$number"
    done < <(sed 's/../\\x&/g' "$folder/fuzz/seeds/$target.hex")
    for file in $files; do # as the pattern matches
        cp "$file" "$corpus/"
    done
    (cd "$corpus" && zip --quiet --recurse-paths "$OUT/${target}_seed_corpus.zip" .)
done < <(sed -n "/^targets='\$/,/^'\$/{//!p}" .ci/fuzz)
