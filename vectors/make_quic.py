#!/usr/bin/env python3
"""Writes quic-packets.txt from the published packets that PyPI's aioquic carries in its tests.

    pip download --no-deps --no-binary :all: aioquic==1.7.2     # and unpack it
    python3 vectors/make_quic.py DIR                            # the unpacked folder

This script derives the keys of the short packet from its published secret.
"""

import ast
import hashlib
import hmac
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CONNECTION_ID = "8394c8f03e515708"
HEAD = """\
# Whole QUIC packets: a header and a payload, and the packet that they become. Blocks of NAME = HEX; vectors/README.md
# says where they come from and under which licence. Written by make_quic.py.
"""


def constants(path):
    """Returns the byte and number constants of a module, and the secret of the short packet."""
    found, tree = {}, ast.parse(path.read_text())
    for node in tree.body:
        if isinstance(node, ast.Assign):
            value = value_of(node.value)
            if value is not None:
                found[node.targets[0].id] = value
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "test_decrypt_short_server":
            found["SECRET"] = next(
                value_of(word.value)
                for word in ast.walk(node)
                if isinstance(word, ast.keyword) and word.arg == "secret"
            )
    return found


def value_of(node):
    """Evaluates literals, bytes.fromhex(literal), bytes(number), and sums of these."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = value_of(node.left), value_of(node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.Call) and len(node.args) == 1:
        argument = value_of(node.args[0])
        if getattr(node.func, "attr", "") == "fromhex" and isinstance(argument, str):
            return bytes.fromhex(argument)
        if getattr(node.func, "id", "") == "bytes" and isinstance(argument, int):
            return bytes(argument)
    return None


def expand_label(secret, label, length):
    """Computes HKDF-Expand-Label (RFC 8446 section 7.1) for at most one block."""
    label = b"tls13 " + label
    info = length.to_bytes(2, "big") + bytes([len(label)]) + label + b"\0"
    return hmac.new(secret, info + b"\1", hashlib.sha256).digest()[:length]


def blocks(version, rfc, prefix, known):
    for sender, section in (("client", "A.2"), ("server", "A.3")):
        part = f"LONG_{sender.upper()}_"
        yield {
            "source": f"{rfc} {section}",
            "version": version,
            "sender": sender,
            "connection_id": CONNECTION_ID,
            **packet(known, part),
        }
    yield {
        "source": f"aioquic 1.7.2, test_crypto_v{version}.py, short server packet",
        "key": expand_label(known["SECRET"], prefix + b" key", 16).hex(),
        "iv": expand_label(known["SECRET"], prefix + b" iv", 12).hex(),
        "header_key": expand_label(known["SECRET"], prefix + b" hp", 16).hex(),
        **packet(known, "SHORT_SERVER_"),
    }


def packet(known, part):
    return {
        "number": known[part + "PACKET_NUMBER"],
        "header": known[part + "PLAIN_HEADER"].hex(),
        "payload": known[part + "PLAIN_PAYLOAD"].hex(),
        "packet": known[part + "ENCRYPTED_PACKET"].hex(),
    }


def main():
    tests = Path(sys.argv[1]) / "tests"
    text = HEAD
    for version, rfc, prefix in ((1, "RFC 9001", b"quic"), (2, "RFC 9369", b"quicv2")):
        known = constants(tests / f"test_crypto_v{version}.py")
        for block in blocks(version, rfc, prefix, known):
            text += "\n" + "".join(f"{name} = {value}\n" for name, value in block.items())
    (HERE / "quic-packets.txt").write_text(text)


main()
