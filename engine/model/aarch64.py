#!/usr/bin/env python3
"""What the AArch64 backends cost, where there is no such machine: a model of CPUs, and an emulator that counts.

    engine/model/aarch64.py loops       cycles a block of the loops over long messages, by llvm-mca and simulator.py
    engine/model/aarch64.py messages    instructions a message, by qemu
    engine/model/aarch64.py neon        cycles a byte where there is no AES: llvm-mca over all that qemu executes

It builds with Debian's cross compilers, as .ci/aarch64 does, which also installs them; the model comes with llvm-22.

llvm-mca does not know that AESE and the AESMC behind it are one operation. So AESMCs are left out. It knows nothing
of caches and of what surrounds the loop. Of Apple's cores it has no table of use: simulator.py stands in.

Under our loops stand AWS-LC's, from the crate that the tests use: what the same models make of them, what was
published of them, and so by how much the models err. They are too kind to CPUs that execute out of order, and too
harsh by half and more to those that execute in order (A53, A55, A510).
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import simulator

ROOT = Path(__file__).resolve().parents[2]
TARGET = "aarch64-unknown-linux-gnu"
BUILT = ROOT / "target/arm" / TARGET / "release"
CORES = [
    "cortex-a53", "cortex-a55", "cortex-a510", "cortex-a72", "neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2",
    "apple-m1",
]
# Cores without SHA-3's EOR3: they cannot run loops that contain this instruction.
WITHOUT_SHA3 = {"cortex-a53", "cortex-a55", "cortex-a510", "cortex-a72", "neoverse-n1"}
GROUP = 8
# AWS-LC's loops: blocks per iteration, file, label, and labels of the parts that only longer keys execute.
PEERS = [
    (4, "aesv8-gcm-armv8.S", ".Lenc_main_loop", (".Lenc_main_loop_continue",)),
    (8, "aesv8-gcm-armv8-unroll8.S", ".L128_enc_main_loop", ()),
]
# Cycles per block for whole messages of 16 KiB, including set-up and end: clock rate divided by the published
# throughput. N1: hanno-becker/aws-lc, benchmarks_g2.md; V1 and M1: aws-lc PR 721; V2 and N2: the same loop in OpenSSL,
# lelegard/aesbench; A72: OpenSSL PR 9857, assuming 2.0 GHz; A53: OpenSSL on an i.MX8M Plus, assuming the middle of 1.6
# to 1.8 GHz.
PUBLISHED = {
    (4, "cortex-a53"): 31.5, (4, "cortex-a72"): 16.0, (4, "neoverse-n1"): 17.8, (4, "neoverse-n2"): 15.6,
    (4, "neoverse-v1"): 9.7, (4, "neoverse-v2"): 8.6, (8, "neoverse-v1"): 6.46, (8, "apple-m1"): 6.17,
}


def main():
    command = sys.argv[1:]
    if command == ["loops"]:
        loops()
    elif command == ["messages"]:
        messages()
    elif command == ["neon"]:
        neon()
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
    """Prints the modelled cycles per block of each loop (line) on each core (column)."""
    listing = BUILT / "model.s"
    build("rustc", "--release", "--locked", "-p", "kasoku-engine", "--lib", "--target", TARGET, "--",
          "-C", "symbol-mangling-version=v0", f"--emit=asm={listing}")
    line("cycles a block", "instructions", CORES)
    for name, body in sorted(bulk_loops(listing.read_text())):
        line(name, len(body), [modelled(body, GROUP, core) for core in CORES])
    for blocks, body in peers():
        name = f"AWS-LC, {blocks} blocks, seal AES-128"
        row = [modelled(body, blocks, core) for core in CORES]
        line(name, len(body), row)
        published = [PUBLISHED.get((blocks, core)) for core in CORES]
        line("  published", "", published)
        line("  the model's error", "", [f"{100 * (ours / theirs - 1):+.0f} %" if ours and theirs else None
                                         for ours, theirs in zip(row, published)])


def line(name, instructions, cells):
    """Prints a row of the table."""
    cells = [f"{cell:.2f}" if isinstance(cell, float) else cell or "–" for cell in cells]
    print(f"{name:<30} {instructions:>12}  " + "  ".join(f"{cell:>11}" for cell in cells))


def modelled(body, blocks, core):
    """Returns the modelled cycles per block, or None if the core lacks an instruction."""
    if any(instruction.startswith("eor3") for instruction in body) and core in WITHOUT_SHA3:
        return None
    return cycles(body, core) / blocks


def peers():
    """Yields AWS-LC's sealing loops for AES-128 from its crate: blocks per iteration, and instructions."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    [crate] = [one["manifest_path"] for one in json.loads(said)["packages"] if one["name"] == "aws-lc-sys"]
    folder = Path(crate).parent / "aws-lc/generated-src/linux-aarch64/crypto/fipsmodule"
    for blocks, file, label, passed_over in PEERS:
        # The source has EOR3 as a number, followed by a comment with the instruction.
        code = re.sub(r"\.inst\s+\w+\s*//\s*(eor3[ v0-9.b,]*)", r"\1", (folder / file).read_text())
        lines = [line.split("//")[0].strip().replace("\t", " ") for line in code.splitlines()]
        begin = lines.index(f"{label}:") + 1
        end = next(number for number in range(begin, len(lines)) if re.fullmatch(rf"b\.\w+ {label}", lines[number]))
        body, is_passed_over = [], False
        for text in lines[begin:end + 1]:
            is_passed_over = is_passed_over and text[:-1] not in passed_over
            if re.match(r"[a-z]", text) and not is_passed_over:
                body.append(text)
                is_passed_over = text.split()[-1] in passed_over
        assert sum(text.startswith("aese") for text in body) == 10 * blocks, file
        yield blocks, body


def bulk_loops(listing):
    """Yields the name and the instructions of the main loop of each function for groups of blocks."""
    for function in re.split(r"^(?=_R\w+:$)", listing, flags=re.M)[1:]:
        symbol, code = function.split(":", 1)
        name = demangled(symbol)
        found = re.search(r"products::(\w+) as .*Entry>::groups::<(\d+)\w*, (true|false)>", name)
        if not found:
            continue
        products, rounds, seals = found.groups()
        body = smallest_loop_with_aes(code.split(".cfi_endproc")[0])
        assert sum(line.startswith("aese") for line in body) == GROUP * int(rounds), name
        backend = {"Karatsuba": "aes-pmull", "Eor3": "aes-eor3"}[products]
        bits = {"10": 128, "12": 192, "14": 256}[rounds]
        yield f"{backend}, {'seal' if seals == 'true' else 'open'} AES-{bits}", body


def demangled(symbol):
    return subprocess.run(["llvm-cxxfilt-22", symbol], capture_output=True, text=True, check=True).stdout


def smallest_loop_with_aes(code):
    """Returns the instructions of the smallest loop that contains AES instructions."""
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


def cycles(body, core, turns=200):
    """Returns the modelled cycles per iteration, averaged over `turns` iterations."""
    fused = [line for line in body if not line.startswith("aesmc")]
    if core == "apple-m1":
        return simulator.cycles(fused)
    command = ["llvm-mca-22", f"-mtriple={TARGET}", f"-mcpu={core}", "-mattr=+v8.5a,+aes,+sha3", f"-iterations={turns}"]
    said = subprocess.run(command, input="\n".join(fused), capture_output=True, text=True, check=True).stdout
    return int(re.search(r"Total Cycles:\s+(\d+)", said)[1]) / turns


def messages():
    """Prints, for each message size, how many more instructions the program executes for one more message."""
    build("build", "--release", "--locked", "-p", "kasoku-engine", "--example", "messages", "--target", TARGET)
    paths = [(backend, key) for backend in ["aes-pmull", "aes-eor3", "portable"] for key in [16, 32]]
    print("bytes  " + "  ".join(f"{f'{backend} {8 * key}':>13}" for backend, key in paths))
    for size in [16, 64, 256, 1350, 16384]:
        row = [f"{instructions(backend, key, size):>13.0f}" for backend, key in paths]
        print(f"{size:>5}  " + "  ".join(row))


def neon():
    """Prints, for each backend, the cycles per byte by which 8 KiB take longer than 4 KiB."""
    build("build", "--release", "--locked", "-p", "kasoku-engine", "--example", "messages", "--target", TARGET)
    cores = ["cortex-a53", "cortex-a72"]
    print(f"{'cycles a byte, AES-128':<24}" + "  ".join(f"{core:>11}" for core in cores))
    sizes = [4096, 8192]
    for backend in ["neon", "portable"]:
        streams = [stream(backend, size) for size in sizes]
        row = [[cycles(one, core, 1) for one in streams] for core in cores]
        cells = [f"{(more - less) / (sizes[1] - sizes[0]):>11.1f}" for less, more in row]
        print(f"{backend:<24}" + "  ".join(cells))


def stream(backend, size):
    """Returns all instructions that the program executes, from its start to its end, for one message."""
    program = [str(BUILT / "examples/messages"), backend, "16", str(size), "1"]
    command = ["qemu-aarch64-static", "-cpu", "cortex-a72", "-singlestep", "-d", "in_asm,exec,nochain", *program]
    log = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=True).stderr
    words = dict(re.findall(r"^0x([0-9a-f]+): +([0-9a-f]{8}) ", log, flags=re.M))
    executed = [address.lstrip("0") for address in re.findall(r"^Trace \d+: \S+ \[\w+/(\w+)/", log, flags=re.M)]
    texts = disassembled(sorted(set(words.values())))
    return [texts[words[address]] for address in executed]


def disassembled(words):
    """Returns the disassembly of each instruction word."""
    code = "\n".join(" ".join(f"0x{word[place:place + 2]}" for place in (6, 4, 2, 0)) for word in words)
    command = ["llvm-mc-22", "--disassemble", f"-triple={TARGET}", "-mattr=+v8.5a,+aes,+sha3"]
    said = subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout
    texts = [line.strip() for line in said.splitlines() if line.startswith("\t") and not line.startswith("\t.")]
    assert len(texts) == len(words), (len(texts), len(words))
    return dict(zip(words, texts))


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
