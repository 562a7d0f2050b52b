"""Measures the cost of one call: AES-256-GCM of each Python library, AES-GCM-SIV and XAES-256-GCM, in interleaved
rounds.

python/bench/run.sh calls.py [--rounds N]
"""

import argparse
import os
import platform
import statistics
import timeit
from importlib.metadata import version

import kasoku
import nacl.bindings
from Crypto.Cipher import AES
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESGCMSIV
from interleaved import cpu, measured, ratio

SIZES = [16, 64, 256, 1440, 16384]
PACKETS, PACKET_BYTES = 64, 1200
CALLS = {
    "encrypt": {
        "kasoku": "ours.encrypt(nonce, data, aad)",
        "cryptography": "theirs.encrypt(nonce, data, aad)",
        "pynacl": "nacl.crypto_aead_aes256gcm_encrypt(data, aad, nonce, key)",
        "pycryptodome": "AES.new(key, AES.MODE_GCM, nonce=nonce).update(aad).encrypt_and_digest(data)",
    },
    "decrypt": {
        "kasoku": "ours.decrypt(nonce, sealed, aad)",
        "cryptography": "theirs.decrypt(nonce, sealed, aad)",
        "pynacl": "nacl.crypto_aead_aes256gcm_decrypt(sealed, aad, nonce, key)",
        "pycryptodome": "AES.new(key, AES.MODE_GCM, nonce=nonce).update(aad).decrypt_and_verify(text, tag)",
    },
    "encrypt_into": {
        "kasoku": "ours.encrypt_into(nonce, data, aad, buf)",
        "cryptography": "theirs.encrypt_into(nonce, data, aad, buf)",
    },
    "encrypt, AESGCMSIV": {
        "kasoku": "our_siv.encrypt(nonce, data, aad)",
        "cryptography": "their_siv.encrypt(nonce, data, aad)",
    },
    "decrypt, AESGCMSIV": {
        "kasoku": "our_siv.decrypt(nonce, siv_sealed, aad)",
        "cryptography": "their_siv.decrypt(nonce, siv_sealed, aad)",
    },
    "encrypt, kasoku": {
        "AESGCM": "ours.encrypt(nonce, data, aad)",
        "XAESGCM": "our_xaes.encrypt(long_nonce, data, aad)",
    },
}
BATCH = {
    "encrypt_many_into, one buffer": "ours.encrypt_many_into(all_nonces, all_packets, aad, buf)",
    "encrypt_many_into, lists": "ours.encrypt_many_into(nonces, packets, aad, buf)",
    "encrypt_many": "ours.encrypt_many(nonces, packets, aad)",
    "a loop over encrypt": "[ours.encrypt(nonce, packet, aad) for nonce, packet in zip(nonces, packets)]",
    "cryptography": "[theirs.encrypt(nonce, packet, aad) for nonce, packet in zip(nonces, packets)]",
}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=100)
    options.add_argument("--slice", type=float, default=0.001, help="seconds")
    asked = options.parse_args()
    key, nonce, aad = os.urandom(32), os.urandom(12), os.urandom(13)
    names = {
        "key": key, "nonce": nonce, "aad": aad, "AES": AES, "nacl": nacl.bindings,
        "ours": kasoku.AESGCM(key), "theirs": AESGCM(key), "our_xaes": kasoku.XAESGCM(key),
        "our_siv": kasoku.AESGCMSIV(key), "their_siv": AESGCMSIV(key), "long_nonce": os.urandom(24),
    }  # fmt: skip
    about = ", ".join(f"{name} {version(name)}" for name in ["cryptography", "pynacl", "pycryptodome"])
    print(f"{cpu()}, Python {platform.python_version()}, kasoku {kasoku.__version__} ({kasoku.backend()}), {about};")
    print("AES-GCM where nothing else is said, keys of 256 bits, 13 bytes of AAD, "
          f"{asked.rounds} interleaved rounds, median [95 % interval]\n")
    for method, calls in CALLS.items():
        first, *others = calls
        print(f"| {method} | {' | '.join(f'{name}, ns' for name in calls)} | "
              f"{' | '.join(f'{name} / {first}' for name in others)} |")
        print("|---|" + "---:|" * (2 * len(calls) - 1))
        for size in SIZES:
            data = os.urandom(size)
            sealed = names["theirs"].encrypt(nonce, data, aad)
            here = names | {
                "data": data, "sealed": sealed, "text": sealed[:-16], "tag": sealed[-16:], "buf": bytearray(size + 16),
                "siv_sealed": names["their_siv"].encrypt(nonce, data, aad),
            }  # fmt: skip
            samples = measured({name: timeit.Timer(call, globals=here) for name, call in calls.items()},
                               asked.rounds, asked.slice)
            row([f"{size} B"], samples)
        print()
    batch(names, asked)


def batch(names, asked):
    nonces, packets = ([os.urandom(length) for _ in range(PACKETS)] for length in (12, PACKET_BYTES))
    here = names | {
        "nonces": nonces, "packets": packets, "all_nonces": b"".join(nonces), "all_packets": b"".join(packets),
        "buf": bytearray(PACKETS * (PACKET_BYTES + 16)),
    }  # fmt: skip
    samples = measured({name: timeit.Timer(call, globals=here) for name, call in BATCH.items()},
                       asked.rounds, asked.slice)
    print(f"| {PACKETS} packets of {PACKET_BYTES} bytes | ns a packet | a loop over cryptography / this |")
    print("|---|---:|---:|")
    for name, seconds in samples.items():
        middle, low, high = ratio(seconds, samples["cryptography"])
        each = statistics.median(seconds) / PACKETS * 1e9
        times = "" if name == "cryptography" else f"{middle:.1f} [{low:.1f}, {high:.1f}]"
        print(f"| {name} | {each:.0f} | {times} |")


def row(cells, samples):
    ours, *others = samples.values()
    cells += [f"{statistics.median(seconds) * 1e9:,.0f}" for seconds in samples.values()]
    cells += ["{:.1f} [{:.1f}, {:.1f}]".format(*ratio(ours, theirs)) for theirs in others]
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
