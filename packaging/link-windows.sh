#!/usr/bin/env bash
# The linker of what build.sh makes for Windows: gcc, with the arguments that Rust gives.
#
# A program lists the libraries that it imports in the order of the paths of their import libraries, which are
# mingw-w64's or lie in Rust's archives. So that the order is the same wherever those are, gcc gets them by name alone,
# in a folder of links to them. All other paths have to be absolute, as Cargo's are.
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
