#!/bin/sh
# Builds the C library and installs it below a prefix:
#
#   c-abi/install.sh /usr/local
#
# LIBDIR and INCLUDEDIR default to PREFIX/lib and PREFIX/include. Package builders can set DESTDIR, which is prepended
# to the paths of all written files. If BUILT names a folder with built libraries, nothing is built.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: $0 PREFIX    (LIBDIR, INCLUDEDIR and DESTDIR are read from the environment)" >&2
    exit 2
fi
case "$1" in
/*) prefix=${1%/} ;;
*)
    echo "$0: the prefix must be an absolute path: $1" >&2
    exit 2
    ;;
esac
libdir=${LIBDIR:-$prefix/lib}
includedir=${INCLUDEDIR:-$prefix/include}
destdir=${DESTDIR:-}
case "$prefix$libdir$includedir" in
*[[:space:]]*)
    echo "$0: pkg-config could not take a path with blanks in it" >&2
    exit 2
    ;;
esac

cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

built=${BUILT:-}
if [ -z "$built" ]; then
    unset CARGO_BUILD_TARGET
    cargo build --release --locked --package kasoku-c
    # Asks Cargo for the target folder, which may be configured.
    built=$(cargo metadata --format-version 1 --no-deps --locked |
        sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')/release
fi
version=$(cargo pkgid --locked --package kasoku-c | sed 's/.*[#@]//')

# The static library needs the libraries that Rust's standard library needs.
: >"$scratch/empty.rs"
if ! rustc --crate-type staticlib "$scratch/empty.rs" -o "$scratch/libempty.a" \
    --print native-static-libs="$scratch/native" >"$scratch/said" 2>&1; then
    cat "$scratch/said" >&2
    exit 1
fi
native=$(tr '\n' ' ' <"$scratch/native" | sed 's/ *$//')

# Escapes "|" and "&" in paths, which sed would interpret.
quoted() { printf '%s' "$1" | sed 's/[\\|&]/\\&/g'; }
sed -e "s|@prefix@|$(quoted "$prefix")|" -e "s|@libdir@|$(quoted "$libdir")|" \
    -e "s|@includedir@|$(quoted "$includedir")|" -e "s|@version@|$(quoted "$version")|" \
    -e "s|@native_libraries@|$(quoted "$native")|" kasoku.pc.in >"$scratch/kasoku.pc"

install -d "$destdir$libdir/pkgconfig" "$destdir$includedir"
install -m 755 "$built/libkasoku.so" "$destdir$libdir/libkasoku.so.$version"
ln -sf "libkasoku.so.$version" "$destdir$libdir/libkasoku.so.0"
ln -sf libkasoku.so.0 "$destdir$libdir/libkasoku.so"
install -m 644 "$built/libkasoku.a" "$destdir$libdir/libkasoku.a"
install -m 644 include/kasoku.h "$destdir$includedir/kasoku.h"
install -m 644 "$scratch/kasoku.pc" "$destdir$libdir/pkgconfig/kasoku.pc"
echo "Kasoku $version is in $destdir$libdir and $destdir$includedir"
if [ -z "$destdir" ] && [ "$(id -u)" = 0 ] && [ "$libdir" = /usr/local/lib ]; then
    echo "Run ldconfig once, so that programs find the shared library."
fi
