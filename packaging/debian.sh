#!/usr/bin/env bash
# Makes Debian packages from the folders of build.sh: packaging/debian.sh FOLDER OUT
# Compiles nothing. dpkg-deb packs the files; SOURCE_DATE_EPOCH is the only time in the packages.
set -euo pipefail

tree=$1
out=$2
here=$(cd "$(dirname "$0")" && pwd)
version=$(basename "$tree" | cut -d- -f2)
revision=$version-1
cpu=$(basename "$tree" | cut -d- -f3)
case $cpu in
x86_64) architecture=amd64 ipsec_mb='libipsec-mb2 | libipsec-mb1, ' ;;
# Intel's library exists for x86-64 only.
aarch64) architecture=arm64 ipsec_mb='' ;;
esac
libdir=usr/lib/$cpu-linux-gnu
maintainer=${KASOKU_MAINTAINER:-The Kasoku developers <kasoku@example.org>}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

main() {
    kasoku
    kasoku_file
    libkasoku0
    libkasoku_dev
    kasoku_openssl_provider
}

kasoku() {
    begin kasoku
    put_command kasoku
    rm -f "$root"/usr/share/man/man1/kasoku-file*
    depends=$(needed_by usr/bin/kasoku)
    finish <<END
Section: utils
Depends: $depends
Recommends: libssl3t64 | libssl3, openssl
Suggests: kasoku-openssl-provider, ${ipsec_mb}libnss3, nginx-light, apache2-utils, default-jdk-headless
Description: measure what cryptographic acceleration is worth on a machine
 Kasoku switches the CPU's cryptographic instructions on and off, measures the
 libraries it finds (OpenSSL, AWS-LC, ring, RustCrypto, Java, nginx and others)
 with their output checked against another library's, says which instructions
 really ran, and advises which ciphers to choose.
END
}

kasoku_file() {
    begin kasoku-file
    put_command kasoku-file
    depends=$(needed_by usr/bin/kasoku-file)
    finish <<END
Section: utils
Depends: $depends
Description: encrypt files at the speed of copying
 AES-GCM in chunks, in an open format (C2SP chunked encryption,
 Cobblestone-128 and -256) that other programs read, too. Files are
 encrypted and decrypted on all cores, in pipes, or in part; only verified
 plaintext is written.
END
}

libkasoku0() {
    begin libkasoku0
    put 644 "lib/libkasoku.so.$version" "$libdir/libkasoku.so.$version"
    ln -s "libkasoku.so.$version" "$root/$libdir/libkasoku.so.0"
    # Absent for AArch64 and in trial builds.
    find "$tree/share/doc/kasoku" -name 'libkasoku-*.verification.json' \
        -exec cp -t "$root/usr/share/doc/$package" '{}' +
    echo "libkasoku 0 libkasoku0 (>= $version)" >"$root/DEBIAN/shlibs"
    echo "activate-noawait ldconfig" >"$root/DEBIAN/triggers"
    depends=$(needed_by "$libdir/libkasoku.so.$version")
    finish <<END
Section: libs
Multi-Arch: same
Depends: $depends
Description: AES-GCM and QUIC packet protection at the speed of the CPU
 AES-128, AES-192 and AES-256-GCM, XAES-256-GCM and QUIC packets in one pass,
 with the widest instructions that the CPU has, constant-time on all of them.
 .
 This package has the shared library.
END
}

libkasoku_dev() {
    begin libkasoku-dev
    put 644 include/kasoku.h usr/include/kasoku.h
    put 644 lib/libkasoku.a "$libdir/libkasoku.a"
    mkdir -p "$root/$libdir/pkgconfig"
    ln -s libkasoku.so.0 "$root/$libdir/libkasoku.so"
    # Like the file in the archive, but with the paths of a package and without a linker flag for its own folder.
    sed -e 's|^prefix=.*|prefix=/usr|' -e "s|^libdir=.*|libdir=\${prefix}/${libdir#usr/}|" \
        "$tree/lib/pkgconfig/kasoku.pc" >"$root/$libdir/pkgconfig/kasoku.pc"
    finish <<END
Section: libdevel
Multi-Arch: same
Depends: libkasoku0 (= $revision)
Description: AES-GCM and QUIC packet protection - files for development
 AES-128, AES-192 and AES-256-GCM, XAES-256-GCM and QUIC packets in one pass,
 with the widest instructions that the CPU has, constant-time on all of them.
 .
 This package has the header, the static library and what pkg-config reads.
END
}

kasoku_openssl_provider() {
    begin kasoku-openssl-provider
    put_notices
    put 644 lib/ossl-modules/kasoku.so "$libdir/ossl-modules/kasoku.so"
    install -D -m 755 "$here/provider/kasoku-provider" "$root/usr/sbin/kasoku-provider"
    install -D -m 644 "$here/provider/openssl.cnf" "$root/usr/share/kasoku/openssl.cnf"
    install -D -m 644 "$here/provider/kasoku-provider.8" "$root/usr/share/man/man8/kasoku-provider.8"
    gzip --no-name --best "$root/usr/share/man/man8/kasoku-provider.8"
    mkdir -p "$root/etc/kasoku"
    sed "s|@module@|/$libdir/ossl-modules/kasoku.so|" "$here/provider/openssl-provider.cnf.in" \
        >"$root/etc/kasoku/openssl-provider.cnf"
    echo /etc/kasoku/openssl-provider.cnf >"$root/DEBIAN/conffiles"
    install -m 755 "$here/provider/prerm" "$here/provider/postinst" "$root/DEBIAN/"
    depends=$(needed_by "$libdir/ossl-modules/kasoku.so")
    finish <<END
Section: libs
Depends: $depends, libssl3t64 | libssl3, openssl
Suggests: kasoku
Description: fast AES-GCM for every program that uses OpenSSL 3
 A provider for OpenSSL 3 with AES-128, AES-192 and AES-256-GCM: nginx, Apache,
 curl, Python and others use it unmodified.
 .
 Nothing uses it until "kasoku-provider enable" says so for the whole system,
 which "kasoku-provider disable" undoes, or OPENSSL_CONF for one program.
END
}

# Begins a package with this name in $root.
begin() {
    package=$1
    root=$work/$package
    mkdir -p "$root/DEBIAN" "$root/usr/share/doc/$package"
}

put() {
    install -D -m "$1" "$tree/$2" "$root/$3"
}

# Adds a command with its manual pages and completions.
put_command() {
    local page
    put_notices
    put 755 "bin/$1" "usr/bin/$1"
    for page in "$tree/share/man/man1/$1"*.1; do
        put 644 "share/man/man1/$(basename "$page")" "usr/share/man/man1/$(basename "$page")"
    done
    gzip --no-name --best "$root"/usr/share/man/man1/*.1
    put 644 "share/bash-completion/completions/$1" "usr/share/bash-completion/completions/$1"
    put 644 "share/zsh/site-functions/_$1" "usr/share/zsh/vendor-completions/_$1"
    put 644 "share/fish/vendor_completions.d/$1.fish" "usr/share/fish/vendor_completions.d/$1.fish"
}

# Adds the licences of linked crates. The C library links no crates. Its package can be installed for two architectures
# at once, so files at the same path must be identical.
put_notices() {
    gzip --no-name --best <"$tree/share/doc/kasoku/NOTICES" >"$root/usr/share/doc/$package/NOTICES.gz"
}

# Prints the packages whose libraries a file needs. Fails for unknown libraries, so do not call it in a here-document,
# which would hide the failure.
needed_by() {
    local library glibc
    glibc=$("$cpu-linux-gnu-objdump" -T "$root/$1" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1) || return
    printf 'libc6 (>= %s)' "${glibc#GLIBC_}"
    "$cpu-linux-gnu-objdump" -p "$root/$1" | awk '$1 == "NEEDED" { print $2 }' | while read -r library; do
        case $library in
        libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | ld-linux-*) ;;
        libgcc_s.so.1) printf ', libgcc-s1' ;;
        *) echo "$1 needs $library, of a package that is not known" >&2 && exit 1 ;;
        esac
    done
}

# Reads the fields of this package, adds those that all packages share, and packs it.
finish() {
    local documents=$root/usr/share/doc/$package fields
    fields=$(cat)
    cp "$here/debian/copyright" "$documents/copyright"
    gzip --no-name --best <"$tree/share/doc/kasoku/CHANGELOG.md" >"$documents/changelog.gz"
    printf '%s (%s) unstable; urgency=medium\n\n  * As changelog.gz says.\n\n -- %s  %s\n' kasoku "$revision" \
        "$maintainer" "$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")" |
        gzip --no-name --best >"$documents/changelog.Debian.gz"
    chmod 644 "$documents"/*
    (cd "$root" && find . -type f -not -path './DEBIAN/*' -printf '%P\0' | LC_ALL=C sort -z |
        xargs -0 md5sum >DEBIAN/md5sums)
    {
        printf 'Package: %s\nSource: kasoku\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nPriority: optional\n' \
            "$package" "$revision" "$architecture" "$maintainer"
        printf 'Installed-Size: %s\n' "$(du --apparent-size -sk --exclude=DEBIAN "$root" | cut -f1)"
        printf '%s\n' "$fields"
    } >"$root/DEBIAN/control"
    dpkg-deb --root-owner-group --build "$root" "$out/${package}_${revision}_$architecture.deb"
}

main
