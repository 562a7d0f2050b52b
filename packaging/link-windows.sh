#!/usr/bin/env bash
# Linker for the Windows programs of build.sh: calls gcc with the arguments that Rust gives.
#
# A program lists its imported DLLs in the order of the paths of their import libraries, which are files of mingw-w64 or
# members of Rust's archives. To make the order independent of these paths, this script passes the libraries by name
# only, from a folder of links. All other paths must be absolute, as Cargo's are.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
arguments=()
for argument in "$@"; do
    case $argument in
    /*.rlib | /*.lib)
        ln -s "$argument" "$folder/"
        argument=${argument##*/}
        ;;
    @*)
        echo "$0: arguments in a file are not read" >&2
        exit 1
        ;;
    esac
    arguments+=("$argument")
done
cd "$folder"
x86_64-w64-mingw32-gcc "${arguments[@]}"
