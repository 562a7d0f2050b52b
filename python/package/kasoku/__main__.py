"""python -m kasoku: prints the version and the backend, and runs a known-answer test."""

import sys

from . import AESGCM, InvalidTag, __version__, backend

# Test case 4 of the submission of GCM to NIST (McGrew and Viega).
KEY = bytes.fromhex("feffe9928665731c6d6a8f9467308308")
NONCE = bytes.fromhex("cafebabefacedbaddecaf888")
AAD = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
PLAINTEXT = bytes.fromhex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
    "b16aedf5aa0de657ba637b39"
)
SEALED = bytes.fromhex(
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
    "1ba30b396a0aac973d58e091"
    "5bc94fbc3221a5db94fae95ae7121a47"
)


def self_test() -> bool:
    """Returns whether encryption and decryption give the known answers, and a forgery is rejected."""
    key = AESGCM(KEY)
    if key.encrypt(NONCE, PLAINTEXT, AAD) != SEALED or key.decrypt(NONCE, SEALED, AAD) != PLAINTEXT:
        return False
    try:
        key.decrypt(NONCE, SEALED[:-1] + b"\0", AAD)
    except InvalidTag:
        return True
    return False


def main() -> int:
    """Prints version, backend and the result of the test; returns 1 if the test fails."""
    passed = self_test()
    print(f"kasoku {__version__}, backend {backend()}, self-test {'passed' if passed else 'FAILED'}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
