#!/usr/bin/env bash
# Packs the Java provider as a bundle for Maven Central (https://central.sonatype.org/publish/publish-portal-upload/):
#
#   packaging/maven.sh OUT BUNDLE.zip    OUT is a folder with kasoku-jca-VERSION.pom and its three jars, as build.sh
#                                        makes it
#
# Signs each file with gpg, by the key KASOKU_GPG_KEY or gpg's default key, and adds checksums. Uploads nothing.
set -euo pipefail

if [ $# -ne 2 ]; then
    sed -n 's/^#   //p' "$0" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
poms=("$1"/kasoku-jca-*.pom)
pom=${poms[0]}
if [ ${#poms[@]} -ne 1 ] || [ ! -f "$pom" ]; then
    echo "$0: $1 must have one kasoku-jca-VERSION.pom" >&2
    exit 1
fi
if grep -nE 'OWNER|CONTACT@' "$pom" >&2; then
    echo "$0: replace these placeholders first: step 1 of packaging/RELEASE.md" >&2
    exit 1
fi
name=$(basename "$pom" .pom)
group=$(sed -n 's|^    <groupId>\(.*\)</groupId>$|\1|p' "$pom")
bundle=$(realpath --canonicalize-missing "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

folder=$work/${group//.//}/kasoku-jca/${name#kasoku-jca-}
mkdir -p "$folder"
cp "$pom" "$1/$name.jar" "$1/$name-sources.jar" "$1/$name-javadoc.jar" "$folder/"
for file in "$folder"/*; do
    gpg --batch --quiet ${KASOKU_GPG_KEY:+--local-user "$KASOKU_GPG_KEY"} --armor --detach-sign "$file"
    for sum in md5 sha1 sha256; do
        "${sum}sum" <"$file" | cut -d ' ' -f 1 >"$file.$sum"
    done
done
(cd "$work" && SOURCE_DATE_EPOCH=$(stat -c %Y "$folder/$name.jar") "$here/zip.py" "${group%%.*}" "$bundle")
cat <<TEXT
$2 is ready. Upload it at https://central.sonatype.com/publishing, or with a user token from there:
  curl --request POST --header "Authorization: Bearer \$(printf 'NAME:PASSWORD' | base64 --wrap=0)" \\
    --form bundle=@$2 'https://central.sonatype.com/api/v1/publisher/upload?name=$name'
TEXT
