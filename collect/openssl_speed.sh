#!/bin/sh
# Measures the ciphers, hashes and curves of TLS and VPNs with the openssl of a device on which Kasoku itself does not
# run, and writes one file for `kasoku import`. POSIX sh: dash, the ash of busybox on OpenWrt, ksh, macOS.
#
# Records the human-readable tables instead of the output of -mr. Only the tables have the version, the build, the CPU
# and every algorithm, and rates in all versions. (Before 1.1.1, -mr prints rounded seconds.)
set -u

FORM=1

usage() {
    cat <<'TEXT'
Usage: openssl_speed.sh [--name NAME] [--seconds N] [--openssl PROGRAM] [-o FILE]

Measures with `openssl speed` (about four minutes) and writes one file for `kasoku import`.

  --name NAME        what this device is called in tables [default: its CPU or board]
  --seconds N        how long each measurement takes [default: openssl's own 3, and 10 for curves]
  --openssl PROGRAM  the openssl to measure [default: the one in PATH]
  -o FILE            the file to write [default: kasoku-NAME-DATE.txt here]; one that is there stays

Close other programs first. Nothing leaves this device; the file holds what `openssl version -a` says, the CPU, the
operating system, and no name but the one you give.
TEXT
}

refuse() {
    echo "openssl_speed.sh: $1" >&2
    exit 2
}

# Prints the value of the first line of /proc/cpuinfo that begins with one of these keys.
cpuinfo() {
    for key in "$@"; do
        sed -n "s/^${key}[[:space:]]*:[[:space:]]*//p" /proc/cpuinfo 2>/dev/null | sed -n '/./{p;q;}'
    done | sed -n 1p
}

# Prints the name of the CPU if the system reports it (x86, MIPS, macOS, BSD), otherwise that of the board (Arm).
cpu() {
    {
        cpuinfo 'model name' 'system type'
        sysctl -n machdep.cpu.brand_string 2>/dev/null
        sysctl -n hw.model 2>/dev/null
        tr -d '\000' 2>/dev/null </proc/device-tree/model
        echo
        cpuinfo 'Hardware' 'cpu model' 'cpu'
    } 2>/dev/null | sed -n '/./{p;q;}'
}

system() {
    for release in /etc/os-release /usr/lib/os-release; do
        [ -r "$release" ] && sed -n 's/^PRETTY_NAME=//p' "$release" | tr -d "\"'" | sed -n '/./{p;q;}' && return
    done
    if command -v sw_vers >/dev/null 2>&1; then
        echo "$(sw_vers -productName) $(sw_vers -productVersion)"
    else
        uname -sr
    fi
}

name=
seconds=
openssl=openssl
file=
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --name | --seconds | --openssl | -o)
        [ $# -gt 1 ] || refuse "$1 takes a value; --help says more"
        case $1 in
        --name) name=$2 ;;
        --seconds) seconds=$2 ;;
        --openssl) openssl=$2 ;;
        -o) file=$2 ;;
        esac
        shift 2
        ;;
    *) refuse "$1 is no option; --help says more" ;;
    esac
done
case $seconds in
'') ;;
*[!0-9]* | 0* | ?????*) refuse "--seconds takes a whole number from 1 to 9999" ;;
esac
command -v "$openssl" >/dev/null 2>&1 ||
    refuse "there is no $openssl here; install it (OpenWrt: opkg install openssl-util) or name it with --openssl"

cpu=$(cpu)
if [ -z "$file" ]; then
    label=$(printf '%s' "${name:-${cpu:-device}}" | tr -cs 'A-Za-z0-9._-' '-' | cut -c1-40)
    file=kasoku-$label-$(date -u +%Y%m%d-%H%M%S).txt
fi
[ ! -e "$file" ] || refuse "$file is there already; move it away, or name another with -o"
# The temporary file is beside the output file, because /tmp is small and in memory on routers.
part=$file.part
trap 'rm -f "$part"; echo "openssl_speed.sh: interrupted, nothing was written" >&2; exit 130' INT TERM HUP

{
    echo "# kasoku collect $FORM"
    echo "# name: $(printf '%s' "$name" | tr '\n\r' '  ')"
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    echo "# os: $(system)"
    echo "# cpu: $cpu"
    echo "# machine: $(uname -m)"
    echo "# kernel: $(uname -sr)"
    "$openssl" version -a 2>&1
} >"$part" || refuse "$part cannot be written; change into a folder where it can"

# The option -seconds exists since OpenSSL 1.1.1.
limit=
if [ -n "$seconds" ]; then
    if "$openssl" speed -help 2>&1 | grep -e '-seconds' >/dev/null; then
        limit="-seconds $seconds"
    else
        echo "openssl_speed.sh: this openssl does not know -seconds; each measurement takes as long as it likes" >&2
    fi
fi

total=14
number=0
failed=0
measure() {
    number=$((number + 1))
    echo "$number/$total openssl speed -elapsed $*" >&2
    echo "# run: openssl speed -elapsed $*" >>"$part"
    # Keeps openssl's message about a missing algorithm in the file. $limit is empty or two words.
    # shellcheck disable=SC2086
    "$openssl" speed -elapsed $limit "$@" >>"$part" 2>&1 </dev/null || failed=$((failed + 1))
}

measure -evp aes-128-cbc
measure -evp aes-256-cbc
measure -evp aes-128-gcm
measure -evp aes-256-gcm
measure -evp chacha20-poly1305
measure -evp sha1
measure -evp sha256
measure -evp sha512
measure -evp blake2s256
measure -evp blake2b512
measure ecdhx25519
measure ecdhx448
measure ed25519
measure ed448

mv "$part" "$file" || refuse "$part cannot be renamed to $file"
trap - INT TERM HUP
if [ "$failed" -gt 0 ]; then
    echo "openssl_speed.sh: $failed of $total are not in this openssl; the rest is measured" >&2
fi
echo "Bring $file to a machine with Kasoku, and there: kasoku import $file" >&2
echo "$file"
