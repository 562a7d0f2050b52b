#!/usr/bin/env bash
# Prints the crates for crates.io, each after its dependencies. With `check`, packs the crates, compiles each from its
# package, and runs `cargo publish` up to the upload:
#
#   packaging/crates.sh [check]
set -euo pipefail
cd "$(dirname "$0")/.."

# `publish` is null for crates that may be published.
crates() {
    cargo metadata --format-version 1 --no-deps --locked | python3 -c '
import graphlib, json, sys
crates = {one["name"]: one for one in json.load(sys.stdin)["packages"] if one["publish"] is None}
order = {name: [use["name"] for use in one["dependencies"] if use["name"] in crates and use["name"] != name
                and use["kind"] != "dev"] for name, one in crates.items()}
print(*graphlib.TopologicalSorter(order).static_order(), sep="\n")'
}

case "${1:-}" in
'') crates ;;
check)
    mapfile -t packages < <(crates)
    # Asks Cargo for the target folder, which may be configured.
    target=$(cargo metadata --format-version 1 --no-deps --locked |
        sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
    # Removes packages of other versions.
    rm -f "$target"/package/*.crate
    # Includes uncommitted changes.
    cargo package --quiet --locked --allow-dirty --no-verify "${packages[@]/#/--package=}"
    unpacked=$target/package/unpacked
    rm -rf "$unpacked"
    mkdir -p "$unpacked"
    for package in "${packages[@]}"; do
        # Gives files the current time (tar -m). All files in packages have the same time, but Cargo compares times to
        # find changed files.
        tar xzmf "$target/package/$package"-[0-9]*.crate -C "$unpacked"
    done
    # Creates a workspace of the unpacked crates with our lock file, so that compiled dependencies are reused.
    {
        printf '[workspace]\nresolver = "3"\nmembers = ["*"]\n[patch.crates-io]\n'
        for package in "${packages[@]}"; do
            printf '%s = { path = "%s" }\n' "$package" "$(basename "$unpacked/$package"-[0-9]*)"
        done
        sed -n '/^\[profile/,$p' Cargo.toml
    } >"$unpacked/Cargo.toml"
    cp Cargo.lock "$unpacked/"
    cargo check --release --offline --target-dir "$target" --manifest-path "$unpacked/Cargo.toml" --workspace
    # If crates.io can be reached, tries everything except the upload.
    if cargo info --quiet --registry crates-io libc >/dev/null 2>&1; then
        cargo publish --quiet --dry-run --locked --allow-dirty --no-verify "${packages[@]/#/--package=}"
        echo "cargo publish --dry-run: ${#packages[@]} crates"
    else
        echo "crates.io cannot be asked, so that cargo publish --dry-run was left out" >&2
        [ -z "${CI:-}" ] || exit 1
    fi
    ;;
*)
    sed -n 's/^#   //p' "$0" >&2
    exit 2
    ;;
esac
