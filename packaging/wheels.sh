#!/usr/bin/env bash
# Builds the Python package: packaging/wheels.sh OUT TARGET...
#
#   kasoku-VERSION.tar.gz    the source package
#   kasoku-VERSION-*.whl     for each TARGET of packaging/build.sh: a wheel for Python 3.9 and later (not for Windows),
#                            one with faster calls for 3.11 and later, and one for the free-threaded 3.14. For Linux,
#                            each of them for glibc 2.28 (manylinux) and for musl 1.2 (musllinux)
#
# packaging/build.sh calls this script with the tools of packaging/tools.sh in PATH and with its settings for Cargo.
set -euo pipefail
cd "$(dirname "$0")/../python"

main() {
    [ $# -gt 1 ] || { sed -n 's/^# \{0,1\}//; 2,9p' ../packaging/wheels.sh >&2; exit 2; }
    out=$(cd "$1" && pwd)
    maturin sdist --out "$out"
    copy_sources
    local target
    for target in "${@:2}"; do
        case $target in
        *-linux)
            build "${target%-*}-unknown-linux-gnu" "py39 py311" --zig --compatibility manylinux_2_28
            build "${target%-*}-unknown-linux-musl" "py39 py311" --zig --compatibility musllinux_1_2
            ;;
        *-windows)
            # As in build.sh. Before 3.11, python3.dll does not export the functions for buffers.
            RUSTFLAGS="${RUSTFLAGS:-} -Clink-arg=-Wl,--no-insert-timestamp" build "${target%-*}-pc-windows-gnu" py311
            ;;
        esac
    done
}

# Copies the sources, so that the engine and the crate for files seem to be inside Python's workspace. Cargo hashes the
# absolute paths of crates outside a workspace into symbol names, on which the order of the code depends.
copy_sources() {
    copy=$(cd .. && pwd)/target/wheels-source
    rm -rf "$copy"
    mkdir -p "$copy"
    (cd .. && git ls-files -z | xargs -0 cp --no-dereference --parents --target-directory "$copy")
    cd "$copy/python"
    ln -s ../engine ../file .
    sed -i -e 's,"\.\./\(engine\|file\)","\1",' -e 's,^\[workspace\]$,&\nexclude = ["engine"\, "file"],' Cargo.toml
    sed -i '/^    "python",$/d' ../Cargo.toml
}

# Builds the wheels for a triple and the oldest Python of each stable ABI. maturin puts NOTICES beside our licences, and
# the SBOM into .dist-info/sboms.
build() {
    local triple=$1 oldest each=$2
    rustup --quiet target add "$triple"
    ../packaging/notices.py "$triple" kasoku-python >NOTICES
    describe "$triple"
    shift 2
    set -- --quiet --release --locked --target "$triple" --no-default-features --sbom-include "$sbom" --out "$out" "$@"
    for oldest in $each; do
        maturin build "$@" --features "$oldest"
    done
    maturin build "$@" --interpreter python3.14t
}

# Writes the SBOM. maturin's own would contain this folder's name and the time.
describe() {
    sbom=$copy/kasoku.cdx.json
    cargo cyclonedx --quiet --format json --spec-version 1.5 --no-build-deps --target "$1"
    sed "s|$copy|/kasoku|g" kasoku-python.cdx.json >"$sbom"
}

main "$@"
