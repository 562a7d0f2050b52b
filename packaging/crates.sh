#!/usr/bin/env bash
# Prints the crates that are for crates.io, each after those it uses. With `check` it packs them, has the compiler check
# each from what is in its package alone, and publishes them up to the upload:
#
#   packaging/crates.sh [check]
set -euo pipefail
cd "$(dirname "$0")/.."

# Cargo lists a member as publishable by a list of registries that is null.
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
    # Cargo knows best where it puts what it builds.
    target=$(cargo metadata --format-version 1 --no-deps --locked |
        sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')
    # None of another version is left.
    rm -f "$target"/package/*.crate
    # What is not committed yet is looked at too.
    cargo package --quiet --locked --allow-dirty --no-verify "${packages[@]/#/--package=}"
    unpacked=$target/package/unpacked
    rm -rf "$unpacked"
    mkdir -p "$unpacked"
    for package in "${packages[@]}"; do
        # As of now: Cargo tells by times whether it has checked them before, and in packages all are the same.
        tar xzmf "$target/package/$package"-[0-9]*.crate -C "$unpacked"
    done
    # A workspace of what was unpacked, with the dependencies of ours, so that those that are compiled already are used.
    {
        printf '[workspace]\nresolver = "3"\nmembers = ["*"]\n[patch.crates-io]\n'
        for package in "${packages[@]}"; do
            printf '%s = { path = "%s" }\n' "$package" "$(basename "$unpacked/$package"-[0-9]*)"
        done
        sed -n '/^\[profile/,$p' Cargo.toml
    } >"$unpacked/Cargo.toml"
    cp Cargo.lock "$unpacked/"
    cargo check --release --offline --target-dir "$target" --manifest-path "$unpacked/Cargo.toml" --workspace
    # crates.io is asked what it has of each.
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
