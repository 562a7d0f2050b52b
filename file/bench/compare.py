#!/usr/bin/env python3
"""Measures Kasoku and other programs on one file. Each round runs every program once, in random order.

    python3 file/bench/compare.py --kasoku target/release/kasoku-file [--sio PROGRAM] [--size 1G] [--dir /dev/shm]
        [--rounds 5]

Run it with a Python that has PyPI's cryptography 50 or newer, which is one of the programs. Another is minio/sio:

    cd file/bench/sio && go build -o sio .

Shows the median wall time and the minima of wall and CPU time. Minima, because other load only adds time, and a
virtual machine waits about a second for each GiB of memory that its host has to return. "per core" is bytes divided by
the minimal CPU time, user and system, of all threads.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

PEER = """
import base64, resource, sys, time
from cryptography.cobblestone import Cobblestone256Decryptor, Cobblestone256Encryptor
way, key, source, destination = sys.argv[1:]
key = base64.b64decode(open(key).read().splitlines()[1])
start, cpu = time.perf_counter(), time.process_time()
worker = (Cobblestone256Encryptor if way == 'encrypt' else Cobblestone256Decryptor)(key, b'')
with open(source, 'rb', buffering=0) as input, open(destination, 'wb', buffering=0) as output:
    while piece := input.read(PIECE):
        output.write(worker.update(piece))
    output.write(worker.finalize())
print(time.perf_counter() - start, time.process_time() - cpu)
"""
# The fastest of 256 KiB, 1 MiB, 4 MiB and 16 MiB on the development machine.
PIECE = 1 << 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kasoku", required=True)
    parser.add_argument("--sio")
    parser.add_argument("--size", type=size, default=1 << 30)
    parser.add_argument("--dir", default="/dev/shm")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--discard", action="store_true", help="write to /dev/null: half of the copying is left out")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.dir) as folder:
        compare(args, folder)


def size(text):
    units = {"K": 10, "M": 20, "G": 30}
    return int(text[:-1]) << units[text[-1]] if text[-1] in units else int(text)


def compare(args, folder):
    path = lambda name: os.path.join(folder, name)
    subprocess.run([args.kasoku, "keygen", "-o", path("key")], check=True, stderr=subprocess.DEVNULL)
    make(path("text"), args.size)
    peers = {
        "cp": {"copy": None},
        "kasoku": both_directions(lambda way, source, to: run(kasoku(args, path, way, source, to))),
        "kasoku, one core": both_directions(
            lambda way, source, to: run(["taskset", "-c", "0"] + kasoku(args, path, way, source, to))
        ),
        "cryptography": both_directions(lambda way, source, to: peer(way, path("key"), source, to)),
    }
    if args.sio:
        peers["minio/sio"] = both_directions(lambda way, source, to: run([args.sio, way, source, to]))
    for name, ways in peers.items():
        if "encrypt" in ways:
            ways["encrypt"](path("text"), path(file_of(name)))
    times = {}
    for _ in range(args.rounds):
        tasks = [(name, way) for name, ways in peers.items() for way in ways]
        random.shuffle(tasks)
        for name, way in tasks:
            out = "/dev/null" if args.discard else path("out")
            source = path(file_of(name) if way == "decrypt" else "text")
            warm(source)
            if way == "copy":
                taken = run(["cp", source, out])
            else:
                taken = peers[name][way](source, out)
            if way == "decrypt" and not args.discard:
                check(path("text"), out)
            times.setdefault((name, way), []).append(taken)
            if not args.discard:
                os.remove(out)
    show(times, args)


def both_directions(work):
    return {way: (lambda source, to, way=way: work(way, source, to)) for way in ("encrypt", "decrypt")}


def kasoku(args, path, way, source, to):
    return [args.kasoku, way, "--key", path("key"), "--force", "-o", to, source]


def file_of(name):
    return "encrypted-" + name.split(",")[0].replace("/", "-")


def make(path, size):
    with open(path, "wb") as file:
        left = size
        while left > 0:
            file.write(os.urandom(min(left, 1 << 20)))
            left -= 1 << 20


def warm(path):
    """Reads a file into the page cache, from which the kernel may have evicted it."""
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def check(text, out):
    """Compares lengths, and 17 samples including both ends. The tests compare whole files."""
    length = os.path.getsize(text)
    assert os.path.getsize(out) == length, out
    with open(text, "rb") as one, open(out, "rb") as other:
        for place in range(17):
            offset = max(0, length - 4096) * place // 16
            one.seek(offset)
            other.seek(offset)
            assert one.read(4096) == other.read(4096), (out, offset)


def run(command):
    """Runs a command, and returns its wall time and CPU time."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command[0]}: {process.stderr.read().decode()}")
    process.stderr.close()
    return wall, usage.ru_utime + usage.ru_stime


def peer(way, key, source, to):
    """Runs a Python program, and returns the times that it measures itself, so that starting Python does not count."""
    code = f"PIECE = {PIECE}\n" + PEER
    command = [sys.executable, "-c", code, way, key, source, to]
    printed = subprocess.run(command, check=True, capture_output=True, text=True)
    return tuple(map(float, printed.stdout.split()))


def show(times, args):
    gib = args.size / (1 << 30)
    print(f"{gib:g} GiB in {args.dir}, {args.rounds} rounds")
    print(f"{'':24}{'median s':>10}{'fastest s':>11}{'GB/s':>8}{'CPU s':>8}{'per core GB/s':>15}")
    for (name, way), taken in sorted(times.items(), key=lambda item: (item[0][1], item[0][0])):
        wall = statistics.median(one[0] for one in taken)
        fastest = min(one[0] for one in taken)
        cpu = min(one[1] for one in taken)
        print(
            f"{way + ', ' + name if way != 'copy' else name:24}{wall:10.3f}{fastest:11.3f}{args.size / wall / 1e9:8.2f}"
            f"{cpu:8.3f}{args.size / cpu / 1e9:15.2f}"
        )
    print()
    least_copy = min(one[1] for one in times["cp", "copy"])
    for way in ("encrypt", "decrypt"):
        for other in ("cryptography", "minio/sio"):
            if (other, way) not in times:
                continue
            least = lambda name: min(one[1] for one in times[name, way])
            ours = min(least("kasoku"), least("kasoku, one core"))
            beyond = f"{least(other) - least_copy:.3f} s beyond copying, kasoku {ours - least_copy:.3f} s"
            print(f"{way}: {least(other) / ours:.2f} times {other} per core used ({beyond})")


main()
