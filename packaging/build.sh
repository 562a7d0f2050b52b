#!/usr/bin/env bash
# Builds the packages from the current commit: packaging/build.sh OUT [TARGET...]
#
#   kasoku-VERSION-ARCH-linux.tar.gz    the commands, the C library, the OpenSSL provider; glibc 2.28 or later
#   *.deb                               the same files as Debian packages
#   kasoku-VERSION-x86_64-windows.zip   the commands and the C library for Windows
#   kasoku-jca-VERSION*.jar, .pom       the Java provider for all targets and musl, its sources and its documentation
#   kasoku-VERSION*.whl, .tar.gz        the Python package: wheels for all targets, and its source (packaging/wheels.sh)
#   *.crate                             the crates for crates.io
#   kasoku-book.tar.gz                  the documents as HTML pages
#   *.cdx.json                          the SBOM of each program (CycloneDX), which is also embedded in the program
#   libkasoku-*.verification.json       what kasoku-proof verified of a C library for Linux on x86-64 (docs/PROOF.md)
#   kasoku-VERSION.provenance.json      the commit, the build command and the digests of all of these (in-toto, SLSA)
#   SHA256SUMS
#
# A TARGET is x86_64-linux, aarch64-linux or x86_64-windows. Without a TARGET, builds for all targets. Always builds for
# this machine.
#
# The same commit gives the same bytes on any machine whose CPU has AVX-512 and VAES (packaging/check.sh).
# KASOKU_BUILD_FOLDER names the working folder (default target/packaging/build). KASOKU_PROOF is what kasoku-proof
# verifies: sample (default, half an hour on two idle cores), full, or none for a trial, which check.sh rejects.
set -euo pipefail

# Oldest supported glibc: Debian 10, RHEL 8, Ubuntu 18.10.
glibc=2.28

main() {
    if [ $# -lt 1 ]; then
        usage
    fi
    here=$(cd "$(dirname "$0")/.." && pwd)
    local asked=("${@:2}") target
    [ ${#asked[@]} -gt 0 ] || asked=(x86_64-linux aarch64-linux x86_64-windows)
    # This machine's target comes first: its command writes the manual pages for all targets.
    targets=("$(uname -m)-linux")
    proof=${KASOKU_PROOF:-sample}
    case $proof in
    sample | full | none) ;;
    *) usage ;;
    esac
    for target in "${asked[@]}"; do
        case $target in
        "${targets[0]}") ;;
        x86_64-linux | aarch64-linux | x86_64-windows) targets+=("$target") ;;
        *) usage ;;
        esac
    done
    mkdir -p "$1"
    given=$(cd "$1" && pwd)
    refuse_others
    work=${KASOKU_BUILD_FOLDER:-$here/target/packaging/build}
    mkdir -p "$work"
    work=$(cd "$work" && pwd)
    source=$work/source
    prepare_compilers
    PATH=$("$here/packaging/tools.sh"):$PATH

    take_sources
    prepare_cargo
    version=$(cd "$source" && cargo pkgid --locked --package kasoku | sed 's/.*[#@]//')
    out=$work/out
    rm -rf "$out"
    mkdir "$out"
    for target in "${targets[@]}"; do
        name=kasoku-$version-$target
        arch=${target%-*}
        case $target in
        *-linux) for_linux ;;
        *-windows) for_windows ;;
        esac
    done
    make_jars
    "$source/packaging/wheels.sh" "$out" "${targets[@]}"
    make_crates
    rm -rf "$work/kasoku-book"
    "$source/packaging/book.sh" "$work/kasoku-book"
    archive "$work" kasoku-book "$out/kasoku-book.tar.gz"
    "$source/packaging/provenance.py" write "$out" "$source" "${targets[@]}" >"$work/provenance.json"
    mv "$work/provenance.json" "$out/kasoku-$version.provenance.json"
    (cd "$out" && sha256sum -- * >"$work/SHA256SUMS")
    refuse_others
    rm -f "$given"/*
    # Writes the mark first, so that the folder can be reused even if a later step fails.
    mv "$work/SHA256SUMS" "$given/"
    mv "$out"/* "$given/"
    cat "$given/SHA256SUMS"
}

# The folder will be emptied, so it may contain only an earlier build.
refuse_others() {
    local others
    others=$(find "$given" -mindepth 1 -printf '%P\n' | grep -vxF -e SHA256SUMS \
        -f <(sed -nE 's/^[0-9a-f]{64}  ((lib)?kasoku)/\1/p' "$given/SHA256SUMS" 2>/dev/null) || true)
    [ -n "$others" ] || return 0
    printf '%s\n' "$0: there is something else in $given:" "$others" >&2
    exit 2
}

usage() {
    sed -n 's/^# \{0,1\}//; 2,17p' "$0" >&2
    exit 2
}

# Installs Rust's standard library of each target, and checks for the programs that inspect or link the result.
prepare_compilers() {
    local target triple program missing=()
    for target in "${targets[@]}"; do
        case $target in
        *-linux)
            add_target "${target%-*}-unknown-linux-musl"
            triple=${target%-*}-unknown-linux-gnu
            set -- "${target%-*}-linux-gnu-strip" "${target%-*}-linux-gnu-objdump" dpkg-deb
            ;;
        *-windows)
            triple=${target%-*}-pc-windows-gnu
            set -- "${target%-*}-w64-mingw32-gcc" nasm
            ;;
        esac
        for program in "$@"; do command -v "$program" >/dev/null || missing+=("$program"); done
        add_target "$triple"
    done
    if [ ${#missing[@]} -gt 0 ]; then
        echo "$0: ${missing[*]} is not here; packaging/README.md says of which packages it is" >&2
        exit 1
    fi
}

# Installs Rust's standard library of a target.
add_target() {
    [ -d "$(cd "$here" && rustc --print sysroot)/lib/rustlib/$1" ] ||
        (cd "$here" && rustup --quiet target add "$1")
}

# Builds from a clone, so that uncommitted changes are excluded. The clone is kept, so that only changes are rebuilt.
take_sources() {
    [ -d "$source/.git" ] || git init --quiet "$source"
    git -C "$source" fetch --quiet "$here" HEAD
    git -C "$source" checkout --quiet --force --detach FETCH_HEAD
    git -C "$source" clean --quiet --force -d -x
    if [ -n "$(git -C "$here" status --porcelain)" ]; then
        echo "What is not committed in $here is not in what is built" >&2
    fi
}

# Sets Cargo up so that programs contain no paths of this machine, no time except the commit's, and no user settings.
prepare_cargo() {
    unset CFLAGS CXXFLAGS LDFLAGS CARGO_BUILD_TARGET CARGO_ENCODED_RUSTFLAGS
    SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct)
    local home=${CARGO_HOME:-$HOME/.cargo}
    RUSTFLAGS=''
    CFLAGS=''
    local path
    for path in "$source=/kasoku" "$home=/cargo" "$work/target=/target"; do
        RUSTFLAGS+=" --remap-path-prefix=$path"
        CFLAGS+=" -ffile-prefix-map=$path"
    done
    CARGO_TARGET_DIR=$work/target
    CARGO_PROFILE_RELEASE_STRIP=symbols
    CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=$source/packaging/link-windows.sh
    LC_ALL=C.UTF-8
    TZ=UTC
    export SOURCE_DATE_EPOCH RUSTFLAGS CFLAGS CARGO_TARGET_DIR CARGO_PROFILE_RELEASE_STRIP LC_ALL TZ PATH \
        CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER
    umask 022
}

for_linux() {
    triple=$arch-unknown-linux-gnu
    built=$work/target/$triple/release
    build_for_linux
    build_for_musl
    describe lab/kasoku:kasoku file:kasoku-file c-abi:libkasoku openssl-provider:kasoku-openssl-provider
    lay_out_for_linux
    if [ "$target" = x86_64-linux ] && [ "$proof" != none ]; then
        verify "$to/lib/libkasoku.so.$version" "$out/libkasoku-$version-$target.verification.json"
        verify "$(library_for_musl "$arch")" "$out/libkasoku-$version-$target-musl.verification.json"
        cp "$out/libkasoku-$version-$target.verification.json" "$to/share/doc/kasoku/"
    fi
    archive "$work" "$name" "$out/$name.tar.gz"
    "$source/packaging/debian.sh" "$work/$name" "$out"
}

build_for_linux() {
    local package file needed
    # Builds each package separately. Together, shared crates would have the union of the features.
    for package in kasoku 'kasoku-file --features command' kasoku-c kasoku-openssl; do
        # shellcheck disable=SC2086 # a package and its features
        (cd "$source" && cargo auditable zigbuild --release --locked --target "$triple.$glibc" --package $package)
    done
    for file in kasoku kasoku-file libkasoku.so libkasoku_openssl.so; do
        needed=$("$arch-linux-gnu-objdump" -T "$built/$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
        echo "$file needs $needed"
        [ "$(printf '%s\n' "$needed" "GLIBC_$glibc" | sort -V | tail -1)" = "GLIBC_$glibc" ]
    done
}

# Builds the C library for musl, the C library of Alpine. Only the jar contains it. It must depend on nothing but musl.
build_for_musl() {
    local -x RUSTFLAGS="$RUSTFLAGS -Ctarget-feature=-crt-static"
    local needed
    (cd "$source" && cargo auditable zigbuild --release --locked --target "$arch-unknown-linux-musl" --package kasoku-c)
    needed=$("$arch-linux-gnu-objdump" -p "$(library_for_musl "$arch")" | awk '$1 == "NEEDED" { print $2 }')
    if [ "$needed" != libc.so ]; then
        echo "libkasoku.so for musl needs $needed" >&2
        exit 1
    fi
}

library_for_musl() {
    echo "$work/target/$1-unknown-linux-musl/release/libkasoku.so"
}

# Verifies the machine code of a C library, and writes the record.
verify() {
    local prover=$work/target/x86_64-unknown-linux-gnu/release/kasoku-proof options=(--json "$2")
    [ "$proof" = full ] || options+=(--sample)
    # Zig links the prover too, so that its hash in the record does not depend on this machine.
    (cd "$source" && cargo auditable zigbuild --release --locked --target "x86_64-unknown-linux-gnu.$glibc" \
        --package kasoku-proof)
    # The library for musl needs a `libc.so`. The prover models libc's functions, so that of this machine will do.
    mkdir -p "$work/libc"
    ln -sf "$(ldd "$prover" | awk '$1 == "libc.so.6" { print $3 }')" "$work/libc/libc.so"
    LD_LIBRARY_PATH=$work/libc "$prover" --library "$1" "${options[@]}"
}

for_windows() {
    # Keeps the linker from writing a time stamp: a program that was linked for an earlier commit and is not rebuilt
    # would keep the time of that commit.
    local -x RUSTFLAGS="$RUSTFLAGS -Clink-arg=-Wl,--no-insert-timestamp"
    triple=$arch-pc-windows-gnu
    built=$work/target/$triple/release
    local package
    for package in kasoku 'kasoku-file --features command' kasoku-c; do
        # shellcheck disable=SC2086 # a package and its features
        (cd "$source" && cargo auditable build --release --locked --target "$triple" --package $package)
    done
    describe lab/kasoku:kasoku file:kasoku-file c-abi:libkasoku
    lay_out_for_windows
    (cd "$work" && "$source/packaging/zip.py" "$name" "$out/$name.zip")
}

# Writes the SBOM of each program. An argument is FOLDER:PROGRAM, with the folder of the program's crate.
describe() {
    local folder
    (cd "$source" && cargo cyclonedx --quiet --format json --spec-version 1.5 --no-build-deps --target "$triple" \
        --features kasoku-file/command)
    for folder in "$@"; do
        sed "s|$source|/kasoku|g" "$source/${folder%:*}/"*.cdx.json >"$out/${folder#*:}-$target.cdx.json"
    done
    find "$source" -name '*.cdx.json' -delete
}

# Assembles the folder of the archive.
lay_out_for_linux() {
    to=$work/$name
    rm -rf "$to"
    install -D -m 755 -t "$to/bin" "$built/kasoku" "$built/kasoku-file"
    BUILT=$built DESTDIR=$to "$source/c-abi/install.sh" /
    # Strips only the copy, because stripping a file twice gives different bytes.
    "$arch-linux-gnu-strip" --strip-debug --enable-deterministic-archives "$to/lib/libkasoku.a"
    # Makes the paths relative, so that the file works wherever the archive is unpacked.
    # shellcheck disable=SC2016  # pkg-config's variables, not the shell's
    sed -i -e 's|^prefix=.*|prefix=${pcfiledir}/../..|' -e 's,^\(libdir\|includedir\)=/,\1=${prefix}/,' \
        "$to/lib/pkgconfig/kasoku.pc"
    BUILT=$built DESTDIR=$to "$source/openssl-provider/install.sh" /lib/ossl-modules
    mkdir -p "$to/share/man/man1" "$to/share/bash-completion/completions" "$to/share/zsh/site-functions" \
        "$to/share/fish/vendor_completions.d" "$to/share/doc/kasoku"
    [ "$target" != "${targets[0]}" ] || own=$to/bin
    local command
    for command in kasoku kasoku-file; do
        "$own/$command" manual "$to/share/man/man1"
        "$own/$command" completions bash >"$to/share/bash-completion/completions/$command"
        "$own/$command" completions zsh >"$to/share/zsh/site-functions/_$command"
        "$own/$command" completions fish >"$to/share/fish/vendor_completions.d/$command.fish"
    done
    add_documents "$to/share/doc/kasoku" kasoku kasoku-file kasoku-c kasoku-openssl
}

# Assembles the folder of the archive, with the libraries beside the programs. Strips the programs, because the linker
# leaves symbols with generated file names. Does not strip the static library: strip fails on the debug information of
# Rust's standard library.
lay_out_for_windows() {
    to=$work/$name
    rm -rf "$to"
    install -D -m 644 -t "$to" "$built"/{kasoku.exe,kasoku-file.exe,kasoku.dll,libkasoku.dll.a,libkasoku.a}
    "$arch-w64-mingw32-strip" "$to/kasoku.exe" "$to/kasoku-file.exe" "$to/kasoku.dll"
    install -m 644 "$source/c-abi/include/kasoku.h" "$to/kasoku.h"
    "$own/kasoku" completions powershell >"$to/kasoku.ps1"
    "$own/kasoku-file" completions powershell >"$to/kasoku-file.ps1"
    add_documents "$to" kasoku kasoku-file kasoku-c
}

# Adds documents, licences and the notices of linked crates.
add_documents() {
    cp "$source"/{README.md,CHANGELOG.md,LICENSE-APACHE,LICENSE-MIT} "$1/"
    (cd "$source" && packaging/notices.py "$triple" "${@:2}") >"$1/NOTICES"
}

# Builds one jar for all platforms. The provider loads the library for its platform.
make_jars() {
    local libraries=() target
    for target in "${targets[@]}"; do
        case $target in
        *-linux)
            libraries+=("linux-${target%-*}=$work/kasoku-$version-$target/lib/libkasoku.so"
                "linux-musl-${target%-*}=$(library_for_musl "${target%-*}")")
            ;;
        *-windows) libraries+=("windows-${target%-*}=$work/kasoku-$version-$target/kasoku.dll") ;;
        esac
    done
    (cd "$source" && KASOKU_JAVA_LIBRARIES="${libraries[*]}" KASOKU_JAVA_RECORDS=$out \
        java/build.sh --quiet -DskipTests package)
    cp "$source"/java/target/kasoku-jca-"$version"*.jar "$out/"
    cp "$source/java/pom.xml" "$out/kasoku-jca-$version.pom"
}

# Packs the crates, and compiles each from its package.
make_crates() {
    local packages=()
    mapfile -t packages < <("$source/packaging/crates.sh")
    rm -rf "$work/target/package"
    (cd "$source" && cargo package --quiet --locked --no-verify "${packages[@]/#/--package=}")
    cp "$work/target/package"/*.crate "$out/"
}

# Packs a folder as an archive whose bytes depend only on its content.
archive() {
    tar --create --directory "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --format=gnu "$2" | gzip --no-name --best >"$3"
}

main "$@"
