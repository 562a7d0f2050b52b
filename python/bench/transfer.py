"""Measures the cost of an aioquic transfer from end to end, with aioquic's own packet protection and with Kasoku's.

python/bench/run.sh transfer.py [--rounds N] [--megabytes N]

Each transfer runs in a process of its own, with a server and a client on loopback. Its CPU time is counted from the end
of the handshake to the last byte.
"""

import argparse
import asyncio
import datetime
import json
import platform
import random
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version

SIDES = ["kasoku", "aioquic"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=20)
    options.add_argument("--megabytes", type=int, default=20)
    options.add_argument("--turn", choices=SIDES, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.turn:
        print(json.dumps(asyncio.run(transfer(asked.turn, asked.megabytes * 1_000_000))))
        return
    from interleaved import cpu, ratio

    samples = {side: [] for side in SIDES}
    for _ in range(asked.rounds):
        for side in random.sample(SIDES, len(SIDES)):
            command = [sys.executable, __file__, "--turn", side, "--megabytes", str(asked.megabytes)]
            done = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=300)
            samples[side].append(json.loads(done.stdout) / asked.megabytes * 1000)
    saved = sorted(100 * (1 - 1 / value) for value in ratio(*samples.values()))
    print(f"{cpu()}, Python {platform.python_version()}, aioquic {version('aioquic')}, AES-256-GCM, "
          f"{asked.megabytes} MB a turn, {asked.rounds} interleaved rounds\n")
    print("| packets by | CPU seconds a GB, both ends | saved |\n|---|---:|---:|")
    low, middle, high = saved
    print(f"| kasoku | {statistics.median(samples['kasoku']):.1f} | {middle:.1f} % [{low:.1f}, {high:.1f}] |")
    print(f"| aioquic | {statistics.median(samples['aioquic']):.1f} | |")


async def transfer(side, count):
    """Transfers `count` bytes, and returns the CPU seconds of both ends."""
    from aioquic.asyncio import QuicConnectionProtocol, connect, serve
    from aioquic.quic.configuration import QuicConfiguration
    from aioquic.tls import CipherSuite

    if side == "kasoku":
        import kasoku.aioquic

        kasoku.aioquic.install()
    data = bytes(count)

    def answer(reader, writer):
        writer.write(data)
        writer.write_eof()

    suites = [CipherSuite.AES_256_GCM_SHA384]
    with tempfile.TemporaryDirectory() as folder:
        certificate(folder)
        server = QuicConfiguration(is_client=False, cipher_suites=suites)
        server.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
        listening = await serve("127.0.0.1", 0, configuration=server, stream_handler=answer)
        port = listening._transport.get_extra_info("sockname")[1]
        client = QuicConfiguration(verify_mode=ssl.CERT_NONE, cipher_suites=suites)
        client.max_data = client.max_stream_data = 1 << 24
        async with connect("127.0.0.1", port, configuration=client, create_protocol=QuicConnectionProtocol) as protocol:
            begin = time.process_time()
            reader, writer = await protocol.create_stream()
            writer.write(b"?")
            writer.write_eof()
            received = 0
            while part := await reader.read(1 << 16):
                received += len(part)
            seconds = time.process_time() - begin
        listening.close()
    assert received == count
    from aioquic.quic.crypto import CryptoContext

    assert (CryptoContext.encrypt_packet.__module__ == "kasoku.aioquic") == (side == "kasoku")
    return seconds


def certificate(folder):
    """Creates a self-signed certificate, which nobody verifies, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now - day, now + day).sign(key, hashes.SHA256())
    with open(f"{folder}/certificate.pem", "wb") as file:
        file.write(made.public_bytes(serialization.Encoding.PEM))
    with open(f"{folder}/key.pem", "wb") as file:
        file.write(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ))  # fmt: skip


if __name__ == "__main__":
    main()
