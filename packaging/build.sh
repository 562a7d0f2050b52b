#!/usr/bin/env bash
# Makes what others install, out of what is committed: packaging/build.sh OUT
#
#   kasoku-VERSION-ARCH-linux.tar.gz    the command, the C library, the OpenSSL provider, for any Linux of glibc 2.28 on
#   *.deb                               the same as Debian packages
#   *.crate                             the crates, as crates.io takes them
#   kasoku-book.tar.gz                  the documents as pages
#   *.cdx.json                          what each program is made of (CycloneDX); the programs say it themselves too
#   SHA256SUMS
#
# The same commit gives the same bytes, wherever it is built: packaging/check.sh shows it. KASOKU_BUILD_FOLDER is where
# it works, target/packaging/build unless set.
set -euo pipefail

# The oldest glibc that what is built here runs with: Debian 10, RHEL 8, Ubuntu 18.10.
glibc=2.28

main() {
    if [ $# -ne 1 ]; then
        sed -n 's/^# \{0,1\}//; 2,12p' "$0" >&2
        exit 2
    fi
    here=$(cd "$(dirname "$0")/.." && pwd)
    mkdir -p "$1"
    out=$(cd "$1" && pwd)
    if [ -n "$(ls -A "$out")" ] && [ ! -e "$out/SHA256SUMS" ]; then
        echo "$0: there is something else in $out" >&2
        exit 2
    fi
    work=${KASOKU_BUILD_FOLDER:-$here/target/packaging/build}
    mkdir -p "$work"
    work=$(cd "$work" && pwd)
    source=$work/source
    arch=$(uname -m)
    triple=$arch-unknown-linux-gnu
    PATH=$("$here/packaging/tools.sh"):$PATH

    take_sources
    prepare_cargo
    version=$(cd "$source" && cargo pkgid --locked --package kasoku | sed 's/.*[#@]//')
    name=kasoku-$version-$arch-linux
    rm -f "$out"/*
    build
    describe
    lay_out
    archive "$work" "$name" "$out/$name.tar.gz"
    "$source/packaging/debian.sh" "$work/$name" "$out"
    make_crates
    "$source/packaging/book.sh" "$work/kasoku-book"
    archive "$work" kasoku-book "$out/kasoku-book.tar.gz"
    (cd "$out" && sha256sum -- * >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .)
    cat "$out/SHA256SUMS"
}

# A clone, so that nothing gets in that is not committed. What did not change since the last time is not built again.
take_sources() {
    [ -d "$source/.git" ] || git init --quiet "$source"
    git -C "$source" fetch --quiet "$here" HEAD
    git -C "$source" checkout --quiet --force --detach FETCH_HEAD
    git -C "$source" clean --quiet --force -d -x
    if [ -n "$(git -C "$here" status --porcelain)" ]; then
        echo "What is not committed in $here is not in what is built" >&2
    fi
}

# No path of this machine, no time but that of the commit, and nothing of what the user has set gets into a program.
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
    LC_ALL=C.UTF-8
    TZ=UTC
    export SOURCE_DATE_EPOCH RUSTFLAGS CFLAGS CARGO_TARGET_DIR CARGO_PROFILE_RELEASE_STRIP LC_ALL TZ PATH
    umask 022
}

build() {
    local packages
    built=$work/target/$triple/release
    # The libraries by themselves: together, the command's features of shared crates would be in them.
    for packages in kasoku kasoku-c kasoku-openssl; do
        (cd "$source" && cargo auditable zigbuild --release --locked --target "$triple.$glibc" --package "$packages")
    done
    local file needed
    for file in kasoku libkasoku.so libkasoku_openssl.so; do
        needed=$(objdump -T "$built/$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
        echo "$file needs $needed"
        [ "$(printf '%s\n' "$needed" "GLIBC_$glibc" | sort -V | tail -1)" = "GLIBC_$glibc" ]
    done
}

# What each is made of; the folder and the name of its crate are the same but for these three.
describe() {
    local folder
    (cd "$source" && cargo cyclonedx --quiet --format json --spec-version 1.5 --no-build-deps --target "$triple")
    for folder in lab/kasoku:kasoku c-abi:libkasoku openssl-provider:kasoku-openssl-provider; do
        sed "s|$source|/kasoku|g" "$source/${folder%:*}/"*.cdx.json >"$out/${folder#*:}.cdx.json"
    done
    find "$source" -name '*.cdx.json' -delete
}

# The folder that is put together: as it lies in the archive.
lay_out() {
    local to=$work/$name
    rm -rf "$to"
    install -D -m 755 "$built/kasoku" "$to/bin/kasoku"
    BUILT=$built DESTDIR=$to "$source/c-abi/install.sh" /
    # The copy only: what was stripped once before comes out differently.
    strip --strip-debug --enable-deterministic-archives "$to/lib/libkasoku.a"
    # Wherever the archive is unpacked.
    # shellcheck disable=SC2016  # pkg-config's variables, not the shell's
    sed -i -e 's|^prefix=.*|prefix=${pcfiledir}/../..|' -e 's,^\(libdir\|includedir\)=/,\1=${prefix}/,' \
        "$to/lib/pkgconfig/kasoku.pc"
    BUILT=$built DESTDIR=$to "$source/openssl-provider/install.sh" /lib/ossl-modules
    mkdir -p "$to/share/man/man1" "$to/share/bash-completion/completions" "$to/share/zsh/site-functions" \
        "$to/share/fish/vendor_completions.d" "$to/share/doc/kasoku"
    "$to/bin/kasoku" manual "$to/share/man/man1"
    "$to/bin/kasoku" completions bash >"$to/share/bash-completion/completions/kasoku"
    "$to/bin/kasoku" completions zsh >"$to/share/zsh/site-functions/_kasoku"
    "$to/bin/kasoku" completions fish >"$to/share/fish/vendor_completions.d/kasoku.fish"
    cp "$source"/{README.md,CHANGELOG.md,LICENSE-APACHE,LICENSE-MIT} "$to/share/doc/kasoku/"
    (cd "$source" && packaging/notices.py "$triple" kasoku kasoku-c kasoku-openssl) >"$to/share/doc/kasoku/NOTICES"
}

# The crates are built from what they contain: nothing else is there when each is compiled.
make_crates() {
    local packages=()
    mapfile -t packages < <("$source/packaging/crates.sh")
    rm -rf "$work/target/package"
    (cd "$source" && cargo package --quiet --locked --no-verify "${packages[@]/#/--package=}")
    cp "$work/target/package"/*.crate "$out/"
}

# A folder as an archive whose bytes say nothing but its content.
archive() {
    tar --create --directory "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --format=gnu "$2" | gzip --no-name --best >"$3"
}

main "$@"
