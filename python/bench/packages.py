"""Measures what kasoku.install() saves in packages that use PyCA's AES-GCM.

python/bench/run.sh packages.py [--rounds N] [PACKAGE...]

Each turn runs in a process of its own, with or without install(), and counts its CPU time: for joserfc and jwcrypto, a
token (JWE, dir, A256GCM) of 1 KB encrypted and decrypted; for azure-storage-blob, a stream encrypted in regions of 4
MiB; for asyncssh and paramiko, a transfer over SSH on loopback with aes256-gcm@openssh.com, both ends together.
"""

import argparse
import asyncio
import io
import json
import os
import platform
import random
import socket
import statistics
import subprocess
import sys
import threading
import time
from importlib.metadata import version

SIDES = ["kasoku", "cryptography"]
TOKENS, TOKEN_BYTES = 2000, 1000
MEGABYTES = 20
CIPHER = "aes256-gcm@openssh.com"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("packages", nargs="*", choices=[[], *PACKAGES], default=[], metavar="PACKAGE")
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--turn", choices=SIDES, help=argparse.SUPPRESS)
    asked = options.parse_args()
    names = asked.packages or list(PACKAGES)
    if asked.turn:
        if asked.turn == "kasoku":
            import kasoku

            kasoku.install()
        measure, unit = PACKAGES[names[0]]
        print(json.dumps(measure() / (TOKENS if unit == "token" else MEGABYTES)))
        return
    import kasoku
    from interleaved import cpu, ratio

    print(f"{cpu()}, Python {platform.python_version()}, kasoku {kasoku.__version__} ({kasoku.backend()}), "
          f"cryptography {version('cryptography')}, {asked.rounds} interleaved rounds, median [95 % interval]\n")
    print("| package | CPU time with cryptography | cryptography / kasoku |\n|---|---:|---:|")
    for name in names:
        samples = {side: [] for side in SIDES}
        for _ in range(asked.rounds):
            for side in random.sample(SIDES, len(SIDES)):
                command = [sys.executable, __file__, "--turn", side, name]
                done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=300)
                samples[side].append(json.loads(done.stdout))
        middle, low, high = ratio(*samples.values())
        theirs = statistics.median(samples["cryptography"])
        print(f"| {name} {version(name)} | {theirs * 1e6:,.0f} µs a {PACKAGES[name][1]} | "
              f"{middle:.2f} [{low:.2f}, {high:.2f}] |", flush=True)


def with_joserfc():
    from joserfc import jwe
    from joserfc.jwk import OctKey

    key, payload = OctKey.import_key(os.urandom(32)), os.urandom(TOKEN_BYTES)
    return tokens(
        payload,
        lambda: jwe.encrypt_compact({"alg": "dir", "enc": "A256GCM"}, payload, key),
        lambda token: jwe.decrypt_compact(token, key).plaintext,
    )


def with_jwcrypto():
    from jwcrypto import jwe, jwk

    key, payload = jwk.JWK.generate(kty="oct", size=256), os.urandom(TOKEN_BYTES)

    def encrypt():
        token = jwe.JWE(payload, '{"alg":"dir","enc":"A256GCM"}')
        token.add_recipient(key)
        return token.serialize(compact=True)

    def decrypt(sealed):
        token = jwe.JWE()
        token.deserialize(sealed, key)
        return token.payload

    return tokens(payload, encrypt, decrypt)


def tokens(payload, encrypt, decrypt):
    """Returns the CPU seconds of encrypting and decrypting the tokens."""
    assert decrypt(encrypt()) == payload
    begin = time.process_time()
    for _ in range(TOKENS):
        decrypt(encrypt())
    return time.process_time() - begin


def with_azure():
    from azure.storage.blob._encryption import GCMBlobEncryptionStream

    stream = GCMBlobEncryptionStream(os.urandom(32), io.BytesIO(bytes(MEGABYTES * 1_000_000)))
    begin = time.process_time()
    while stream.read(1 << 22):
        pass
    return time.process_time() - begin


def with_asyncssh():
    return asyncio.run(transfer_by_asyncssh())


async def transfer_by_asyncssh():
    import asyncssh

    async def answer(process):
        process.stdout.write(bytes(MEGABYTES * 1_000_000))
        await process.stdout.drain()
        process.exit(0)

    class Open(asyncssh.SSHServer):
        def begin_auth(self, username):
            return False

    key = asyncssh.generate_private_key("ssh-ed25519")
    server = await asyncssh.listen("127.0.0.1", 0, server_factory=Open, server_host_keys=[key], process_factory=answer,
                                   encryption_algs=[CIPHER], encoding=None)
    client = asyncssh.connect("127.0.0.1", server.get_port(), known_hosts=None, username="user", client_keys=None,
                              agent_path=None, config=None)
    async with client as connection:
        assert connection.get_extra_info("recv_cipher") == CIPHER
        begin = time.process_time()
        done = await connection.run("", encoding=None)
        seconds = time.process_time() - begin
    server.close()
    assert len(done.stdout) == MEGABYTES * 1_000_000
    return seconds


def with_paramiko():
    import paramiko

    class Open(paramiko.ServerInterface):
        def check_auth_none(self, username):
            return paramiko.AUTH_SUCCESSFUL

        def check_channel_request(self, kind, chanid):
            return paramiko.OPEN_SUCCEEDED

    ends = socket.socketpair()
    server, client = (paramiko.Transport(end) for end in ends)
    server.add_server_key(paramiko.ECDSAKey.generate())
    client.get_security_options().ciphers = [CIPHER]
    server.start_server(server=Open(), event=threading.Event())
    client.start_client()
    client.auth_none("user")
    sender = client.open_session()
    receiver = server.accept()
    assert client.local_cipher == CIPHER
    begin = time.process_time()
    thread = threading.Thread(target=sender.sendall, args=(bytes(MEGABYTES * 1_000_000),))
    thread.start()
    received = 0
    while received < MEGABYTES * 1_000_000:
        received += len(receiver.recv(1 << 20))
    thread.join()
    seconds = time.process_time() - begin
    client.close()
    server.close()
    return seconds


PACKAGES = {
    "joserfc": (with_joserfc, "token"),
    "jwcrypto": (with_jwcrypto, "token"),
    "azure-storage-blob": (with_azure, "MB"),
    "asyncssh": (with_asyncssh, "MB"),
    "paramiko": (with_paramiko, "MB"),
}

if __name__ == "__main__":
    main()
