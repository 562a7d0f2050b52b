#!/usr/bin/env python3
"""Writes or checks the provenance of packages, an in-toto statement with SLSA's predicate.

    packaging/provenance.py write FOLDER SOURCE TARGET…    prints the statement about the files in FOLDER, which were
                                                           built for these targets from the Git checkout SOURCE
    packaging/provenance.py check FOLDER [REPOSITORY]      compares the statement in FOLDER with the files beside it,
                                                           and with its commit in REPOSITORY

The statement depends only on the commit, the targets and the files: everybody who builds the commit gets the same one.
It names the commit and the build script by their SWHIDs (https://swhid.org), which follow from the content.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

SUFFIX = ".provenance.json"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
SCRIPT = "packaging/build.sh"


def statement(folder, source, targets):
    """Returns the statement about the files in `folder`, built from the checkout `source` for `targets`."""
    commit = git(source, "rev-parse", "HEAD")
    return {
        "_type": STATEMENT,
        "subject": [{"name": file.name, "digest": {"sha256": sha256(file)}} for file in subjects(folder)],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": script(source, commit),
                "externalParameters": {"command": " ".join([SCRIPT, "OUT", *sorted(targets)])},
                "internalParameters": {"SOURCE_DATE_EPOCH": git(source, "log", "-1", "--format=%ct")},
                "resolvedDependencies": [{"uri": f"swh:1:rev:{commit}", "digest": {"gitCommit": commit}}],
            },
            # The person who runs the script is the builder; the signature of SHA256SUMS identifies that person.
            "runDetails": {"builder": {"id": script(source, commit)}},
        },
    }


def script(repository, commit):
    """Returns the SWHID of the build script in `commit`."""
    blob = git(repository, "rev-parse", f"{commit}:{SCRIPT}")
    return f"swh:1:cnt:{blob};anchor=swh:1:rev:{commit};path=/{SCRIPT}"


def problems(folder, repository):
    """Returns what is wrong with the statement in `folder`, and how many files it is about."""
    found = sorted(folder.glob(f"*{SUFFIX}"))
    if len(found) != 1:
        return [f"{folder} has {len(found)} files *{SUFFIX} instead of one"], 0
    said = json.loads(found[0].read_text())
    wrong = []
    if said.get("_type") != STATEMENT or said.get("predicateType") != PREDICATE:
        wrong.append(f"{found[0].name} is no in-toto statement about SLSA provenance v1")
        return wrong, 0
    digests = {subject["name"]: subject["digest"]["sha256"] for subject in said["subject"]}
    files = {file.name: sha256(file) for file in subjects(folder)}
    wrong += [f"{name} is not in the provenance" for name in sorted(files.keys() - digests.keys())]
    wrong += [f"{name} is in the provenance, but not in {folder}" for name in sorted(digests.keys() - files.keys())]
    wrong += [
        f"{name} has the digest {files[name]} instead of {digests[name]}"
        for name in sorted(files.keys() & digests.keys())
        if files[name] != digests[name]
    ]
    if repository:
        wrong += source_problems(said["predicate"], repository)
    return wrong, len(files)


def source_problems(predicate, repository):
    """Returns what the repository contradicts: the commit, its build script, its time."""
    definition = predicate["buildDefinition"]
    commit = definition["resolvedDependencies"][0]["digest"]["gitCommit"]
    if not re.fullmatch("[0-9a-f]{40}", commit):
        return [f"{commit} is not the name of a commit"]
    try:
        named = script(repository, commit)
        time = git(repository, "log", "-1", "--format=%ct", commit)
    except subprocess.CalledProcessError:
        return [f"the commit {commit} is not in {repository}"]
    wrong = []
    if {definition["buildType"], predicate["runDetails"]["builder"]["id"]} != {named}:
        wrong.append(f"the build script is not that of the commit {commit}")
    if definition["internalParameters"] != {"SOURCE_DATE_EPOCH": time}:
        wrong.append(f"the time is not that of the commit {commit}")
    return wrong


def subjects(folder):
    """Returns the files that a statement is about: all but itself, the sums, and signatures."""
    return sorted(
        file
        for file in folder.iterdir()
        if not file.name.endswith(SUFFIX) and not file.name.startswith("SHA256SUMS")
    )


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def git(repository, *arguments):
    command = ["git", "-C", os.fspath(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main(arguments):
    action = arguments[0] if arguments else ""
    if action == "write" and len(arguments) > 3:
        print(json.dumps(statement(Path(arguments[1]), arguments[2], arguments[3:]), indent=2))
        return 0
    if action != "check" or len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    wrong, count = problems(Path(arguments[1]), arguments[2] if len(arguments) == 3 else None)
    if wrong:
        print(*wrong, sep="\n", file=sys.stderr)
        return 1
    print(f"The provenance has the digests of all {count} files")
    return 0


sys.exit(main(sys.argv[1:]))
