#!/bin/sh
# Builds the OpenSSL provider and installs it as kasoku.so into FOLDER, by default OpenSSL's folder for modules:
#
#   openssl-provider/install.sh [FOLDER]
#
# Package builders can set DESTDIR, which is prepended to the folder when the file is written. If BUILT names a folder
# with a built library, nothing is built. OpenSSL uses only providers that its configuration names; this script does not
# change the configuration. docs/OPENSSL.md shows what to add.
set -eu

if [ $# -gt 1 ]; then
    echo "usage: $0 [FOLDER]    (DESTDIR is read from the environment)" >&2
    exit 2
fi
if [ $# -eq 1 ]; then
    modules=$1
else
    # Example of the output: MODULESDIR: "/usr/lib/x86_64-linux-gnu/ossl-modules"
    modules=$(openssl version -m 2>/dev/null | sed -n 's/^MODULESDIR: "\(.*\)"$/\1/p')
    if [ -z "$modules" ]; then
        echo "$0: openssl version -m does not say where modules belong; is there an OpenSSL 3? Name the folder." >&2
        exit 2
    fi
fi
case "$modules" in
/*) ;;
*)
    echo "$0: the folder must be an absolute path: $modules" >&2
    exit 2
    ;;
esac
destdir=${DESTDIR:-}

cd "$(dirname "$0")"
built=${BUILT:-}
if [ -z "$built" ]; then
    unset CARGO_BUILD_TARGET
    cargo build --release --locked --package kasoku-openssl
    # Asks Cargo for the target folder, which may be configured.
    built=$(cargo metadata --format-version 1 --no-deps --locked |
        sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')/release
fi

install -d "$destdir$modules"
# Copies beside the target and renames: running programs keep the old module, and no program loads a partial file.
install -m 644 "$built/libkasoku_openssl.so" "$destdir$modules/.kasoku.so.new"
mv -f "$destdir$modules/.kasoku.so.new" "$destdir$modules/kasoku.so"
echo "Kasoku's provider is $destdir$modules/kasoku.so"
