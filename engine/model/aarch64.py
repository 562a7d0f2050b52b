#!/usr/bin/env python3
"""What the AArch64 backends cost, where there is no such machine: a model of CPUs, and an emulator that counts.

    engine/model/aarch64.py loops       cycles a block of the loops over long messages, by llvm-mca
    engine/model/aarch64.py messages    instructions a message, by qemu

It builds with Debian's cross compilers, as .ci/aarch64 does, which also installs them; the model comes with llvm-22.

The model does not know that AESE and the AESMC behind it are one operation. So AESMCs are left out. It knows nothing
of caches and of what surrounds the loop. Held against published figures of other people's loops, it is 2 to 18 % too
kind to CPUs that execute out of order, and too harsh to the others by half and more: those are left out.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = "aarch64-unknown-linux-gnu"
BUILT = ROOT / "target/arm" / TARGET / "release"
CORES = ["cortex-a72", "neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2"]
# One instruction of SHA-3's EOR3 makes a loop one that only some of them have.
WITHOUT_SHA3 = {"cortex-a72", "neoverse-n1"}
GROUP = 8


def main():
    command = sys.argv[1:]
    if command == ["loops"]:
        loops()
    elif command == ["messages"]:
        messages()
    else:
        sys.exit(__doc__)


def build(*arguments):
    environment = os.environ | {
        "RUSTC": "/usr/bin/rustc",
        "CARGO_TARGET_DIR": str(ROOT / "target/arm"),
        "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER": "aarch64-linux-gnu-gcc",
    }
    command = ["cargo", *arguments]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)


def loops():
    """Prints a line a loop, a column a core."""
    listing = BUILT / "model.s"
    build("rustc", "--release", "--locked", "-p", "kasoku-engine", "--lib", "--target", TARGET, "--",
          "-C", "symbol-mangling-version=v0", f"--emit=asm={listing}")
    print(f"{'cycles a block':<32} instructions  " + "  ".join(f"{core:>11}" for core in CORES))
    for name, body in sorted(bulk_loops(listing.read_text())):
        row = []
        for core in CORES:
            has = "eor3" not in "".join(body) or core not in WITHOUT_SHA3
            row.append(f"{cycles(body, core) / GROUP:>11.2f}" if has else f"{'–':>11}")
        print(f"{name:<32} {len(body):>12}  " + "  ".join(row))


def bulk_loops(listing):
    """The loop of each function for groups: its name, and its instructions."""
    for function in re.split(r"^(?=_R\w+:$)", listing, flags=re.M)[1:]:
        symbol, code = function.split(":", 1)
        name = demangled(symbol)
        found = re.search(r"products::(\w+) as .*Entry>::groups::<(\d+)\w*, (true|false)>", name)
        if not found:
            continue
        products, rounds, seals = found.groups()
        body = loop_with_most_aes(code.split(".cfi_endproc")[0])
        assert sum(line.startswith("aese") for line in body) == GROUP * int(rounds), name
        backend = {"Karatsuba": "aes-pmull", "Eor3": "aes-eor3"}[products]
        bits = {"10": 128, "12": 192, "14": 256}[rounds]
        yield f"{backend}, {'seal' if seals == 'true' else 'open'} AES-{bits}", body


def demangled(symbol):
    return subprocess.run(["llvm-cxxfilt-22", symbol], capture_output=True, text=True, check=True).stdout


def loop_with_most_aes(code):
    """What stands between a label and the last branch back to it, if there is no smaller loop in it."""
    lines = [line.split("//")[0].strip() for line in code.splitlines()]
    labels = {line[:-1]: number for number, line in enumerate(lines) if re.fullmatch(r"\.\w+:", line)}
    spans = []
    for number, line in enumerate(lines):
        target = re.search(r"(\.\w+)$", line)
        if re.match(r"(b\.?\w*|cbn?z|tbn?z)\s", line) and target and labels.get(target[1], number) < number:
            spans.append((labels[target[1]], number + 1))
    with_aes = [span for span in spans if any(line.startswith("aese") for line in lines[slice(*span)])]
    begin, end = min(with_aes, key=lambda span: span[1] - span[0])
    return [line for line in lines[begin:end] if re.match(r"[a-z]", line)]


def cycles(body, core):
    """Modelled cycles of one turn."""
    fused = "\n".join(line for line in body if not line.startswith("aesmc"))
    command = ["llvm-mca-22", f"-mtriple={TARGET}", f"-mcpu={core}", "-mattr=+aes,+sha3", "-iterations=200"]
    said = subprocess.run(command, input=fused, capture_output=True, text=True, check=True).stdout
    return int(re.search(r"Total Cycles:\s+(\d+)", said)[1]) / 200


def messages():
    """Prints a line a size: instructions that the whole program executes for one message more."""
    build("build", "--release", "--locked", "-p", "kasoku-engine", "--example", "messages", "--target", TARGET)
    paths = [(backend, key) for backend in ["aes-pmull", "aes-eor3", "portable"] for key in [16, 32]]
    print("bytes  " + "  ".join(f"{f'{backend} {8 * key}':>13}" for backend, key in paths))
    for size in [16, 64, 256, 1350, 16384]:
        row = [f"{instructions(backend, key, size):>13.0f}" for backend, key in paths]
        print(f"{size:>5}  " + "  ".join(row))


def instructions(backend, key_bytes, size):
    more = 20
    return (executed(backend, key_bytes, size, 1 + more) - executed(backend, key_bytes, size, 1)) / more


def executed(backend, key_bytes, size, count):
    program = [str(BUILT / "examples/messages"), backend, str(key_bytes), str(size), str(count)]
    command = ["qemu-aarch64-static", "-cpu", "max", "-singlestep", "-d", "exec,nochain", *program]
    log = subprocess.Popen(command, stderr=subprocess.PIPE)
    steps = sum(line.startswith(b"Trace") for line in log.stderr)
    assert log.wait() == 0, command
    return steps


main()
