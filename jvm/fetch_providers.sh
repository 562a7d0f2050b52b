#!/usr/bin/env bash
# Fetches the third-party security providers that `kasoku run jvm` measures beside Java's own: three files from Maven
# Central, verified by checksums, into KASOKU_CACHE/java or, by default, kasoku/java in the user's cache.
set -euo pipefail
readonly CENTRAL=https://repo1.maven.org/maven2
folder=${KASOKU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kasoku}/java
mkdir -p "$folder"

# SHA-256 and path in the repository. One provider has a file for each platform.
files() {
    cat <<'LIST'
2d63bd32716b7e30e946b5ba314c0518f2dfd502875d1366eff6d0d3c67a6ce4 org/conscrypt/conscrypt-openjdk-uber/2.9.0/conscrypt-openjdk-uber-2.9.0.jar
12d2d3dd82a9ec15e92ec7c7943ee64f6097c6dc12c07e984f1693b77565b9aa org/bouncycastle/bcprov-jdk18on/1.87/bcprov-jdk18on-1.87.jar
LIST
    case $(uname -sm) in
        'Linux x86_64') cat <<'LIST' ;;
94e92977ee52af1f50cf6744684c214f300e668ee6e1793be1802b209543dc9f software/amazon/cryptools/AmazonCorrettoCryptoProvider/2.5.0/AmazonCorrettoCryptoProvider-2.5.0-linux-x86_64.jar
LIST
        'Linux aarch64') cat <<'LIST' ;;
e03899f5cc33de706b5059a62107b5a3262dd2816d4295d998f0fb843db0c80d software/amazon/cryptools/AmazonCorrettoCryptoProvider/2.5.0/AmazonCorrettoCryptoProvider-2.5.0-linux-aarch_64.jar
LIST
        *) echo "Amazon Corretto Crypto Provider has no file here for $(uname -sm)" >&2 ;;
    esac
}

while read -r sum path; do
    file=$folder/$(basename "$path")
    if [ ! -f "$file" ]; then
        curl --fail --silent --show-error --location --proto '=https' --retry 3 --retry-all-errors --max-time 120 \
            --output "$file.part" "$CENTRAL/$path"
        echo "$sum  $file.part" | sha256sum --check --quiet || { rm -f "$file.part"; exit 1; }
        mv "$file.part" "$file"
    elif ! echo "$sum  $file" | sha256sum --check --quiet; then
        rm -f "$file"
        exit 1
    fi
done < <(files)
