"""Measures the cost that Python adds: encrypt_into against the same calls of the C library from C, in interleaved
rounds; and the share of encrypt_many that creates the returned bytes objects.

python/bench/run.sh library.py [--rounds N]: needs a C compiler and libkasoku.so in target/release
(cargo build --release -p kasoku-c).
"""

import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
import timeit

import kasoku
from interleaved import cpu, measured, ratio

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = [16, 64, 256, 1440, 16384]
MANY = ["encrypt_many(nonces, packets, aad)", "encrypt_many_into(nonces, packets, aad, out)"]


class Library:
    """Times calls from C. Has the interface of timeit.Timer."""

    def __init__(self, folder, key, nonce, aad, data):
        built, release = pathlib.Path(folder) / "seals.so", ROOT / "target" / "release"
        if not built.exists():
            built.with_name("libkasoku.so.0").symlink_to(release / "libkasoku.so")
            subprocess.run(
                ["cc", "-O2", "-shared", "-fPIC", f"-I{ROOT}/c-abi/include", ROOT / "python/bench/seals.c",
                 f"-L{release}", "-lkasoku", f"-Wl,-rpath,{folder}", "-o", built],
                check=True,
            )  # fmt: skip
        self.library, self.objects = ctypes.CDLL(os.fspath(built)), ctypes.PyDLL(os.fspath(built)).objects
        self.library.kasoku_gcm_new.restype = ctypes.c_void_p
        self.gcm = ctypes.c_void_p(self.library.kasoku_gcm_new(key, ctypes.c_size_t(len(key))))
        self.arguments = (nonce, aad, ctypes.c_size_t(len(aad)), data, ctypes.c_size_t(len(data)),
                          ctypes.create_string_buffer(len(data) + 16))  # fmt: skip

    def timeit(self, count):
        begin = time.perf_counter()
        failed = self.library.seals(self.gcm, *self.arguments, ctypes.c_size_t(count))
        seconds = time.perf_counter() - begin
        assert failed == 0
        return seconds

    def autorange(self):
        count = 100_000
        return count, self.timeit(count)


class Objects:
    """Times C code that creates and frees 64 bytes objects. Has the interface of timeit.Timer."""

    def __init__(self, library, size):
        self.call, self.size = library.objects, ctypes.c_ssize_t(size)

    def timeit(self, count):
        begin = time.perf_counter()
        self.call(self.size, ctypes.c_size_t(count))
        return time.perf_counter() - begin

    def autorange(self):
        return 1000, self.timeit(1000)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=200)
    options.add_argument("--slice", type=float, default=0.001, help="seconds")
    asked = options.parse_args()
    print(f"{cpu()}, kasoku {kasoku.__version__} ({kasoku.backend()}); AES-256-GCM with 13 bytes of AAD\n")
    print("| encrypt_into | from Python, ns | from C, ns | Python adds, ns | C / Python, % |")
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            key, nonce, aad, data = os.urandom(32), os.urandom(12), os.urandom(13), os.urandom(size)
            here = {"key": kasoku.AESGCM(key), "buf": bytearray(size + 16), "nonce": nonce, "aad": aad, "data": data}
            python = timeit.Timer("key.encrypt_into(nonce, data, aad, buf)", globals=here)
            library = Library(folder, key, nonce, aad, data)
            samples = measured({"python": python, "c": library}, asked.rounds, asked.slice)
            share = "{:.0f} [{:.0f}, {:.0f}]".format(*(100 * part for part in ratio(samples["python"], samples["c"])))
            ours, theirs = (statistics.median(samples[name]) * 1e9 for name in ("python", "c"))
            print(f"| {size} B | {ours:,.0f} | {theirs:,.0f} | {ours - theirs:,.0f} | {share} |")
        nonces, packets = ([os.urandom(length) for _ in range(64)] for length in (12, 1200))
        here |= {"nonces": nonces, "packets": packets, "out": bytearray(64 * 1216)}
        timers = {call: timeit.Timer(f"key.{call}", globals=here) for call in MANY}
        timers["objects of 1216 bytes"] = Objects(library, 1216)
        print("\n| 64 packets of 1200 bytes, 64 objects | ns each |\n|---|---:|")
        for name, seconds in measured(timers, asked.rounds, asked.slice).items():
            print(f"| {name} | {statistics.median(seconds) / 64 * 1e9:.0f} |")


if __name__ == "__main__":
    main()
