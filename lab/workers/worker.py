#!/usr/bin/env python3
"""A worker for `kasoku run --worker`: the AEADs of PyPI's cryptography. docs/WORKERS.md describes the protocol."""

import json
import sys
import time

import cryptography
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

CIPHERS = {"aes-128-gcm": AESGCM, "aes-256-gcm": AESGCM, "chacha20-poly1305": ChaCha20Poly1305}


class Unsupported(Exception):
    """The reason why this worker does not do what a request asks for."""


def prepare(request):
    """Returns a function that does one operation, and what the answer's output has before its result."""
    inputs = {name: bytes.fromhex(value) for name, value in request["fixtures"].items()}
    key, nonce, text, aad = inputs["key"], inputs["nonce"], inputs.get("text", b""), inputs.get("aad", b"")
    aead = CIPHERS[request["algorithm"]](key)
    if request["operation"] == "seal":
        return lambda: aead.encrypt(nonce, text, aad), b""
    # With a tag, the text is a ciphertext that may be forged; otherwise it is to be sealed first.
    sealed = text + inputs["tag"] if "tag" in inputs else aead.encrypt(nonce, text, aad)
    return lambda: aead.decrypt(nonce, sealed, aad), b"" if "tag" in inputs else sealed


def answer(request):
    if request["operation"] == "describe":
        return {"protocol": 1, "version": f"cryptography {cryptography.__version__}"}
    if request["algorithm"] not in CIPHERS or request["operation"] not in ("seal", "open"):
        raise Unsupported(f"it has no {request['operation']} of {request['algorithm']}")
    if any(request.get(name) for name in ("packets", "file", "seconds")) or request.get("nonces", "ahead") != "ahead":
        raise Unsupported("it measures plain messages only")
    if (request.get("threads") or 1, request.get("keys") or 1) != (1, 1):
        raise Unsupported("it has one thread and one key")
    if request["iterations"] == 0:
        return {}
    run, before = prepare(request)
    parts = min(request.get("parts") or 1, request["iterations"])
    each = request["iterations"] // parts
    result, fastest = run(), None
    for _ in range(parts):
        cpu, start = time.thread_time_ns(), time.perf_counter_ns()
        for _ in range(each):
            result = run()
        taken = time.perf_counter_ns() - start, time.thread_time_ns() - cpu
        fastest = min(fastest or taken, taken)
    wall, cpu = fastest
    return {"nanoseconds": wall, "cpu_nanoseconds": cpu, "iterations": each, "output": (before + result).hex()}


for line in sys.stdin:
    try:
        said = answer(json.loads(line))
    except Unsupported as reason:
        said = {"unsupported": str(reason)}
    except Exception as error:  # whatever is wrong with the request or the message
        said = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(said), flush=True)
