"""Compares kasoku.aioquic with aioquic's own code. (aioquic_suite.py runs aioquic's tests with it.)"""

import random
import sys

import pytest

if sys.version_info < (3, 11):
    pytest.skip("aioquic needs Python 3.11", allow_module_level=True)

import kasoku.aioquic
from aioquic import _crypto
from aioquic.quic import crypto
from aioquic.tls import CipherSuite
from kasoku._kasoku import HeaderKey, PacketKey

AES = [CipherSuite.AES_128_GCM_SHA256, CipherSuite.AES_256_GCM_SHA384]


@pytest.fixture(params=[1, 0x6B3343CF], ids=["v1", "v2"])
def version(request):
    return request.param


def pair(suite, version):
    """Returns crypto contexts of aioquic and of Kasoku with the same keys."""
    contexts = []
    for change in (kasoku.aioquic.uninstall, kasoku.aioquic.install):
        change()
        context = crypto.CryptoContext()
        context.setup(cipher_suite=suite, secret=bytes(range(32)), version=version)
        contexts.append(context)
    return contexts


@pytest.fixture(autouse=True)
def leave_no_trace():
    yield
    kasoku.aioquic.uninstall()


def header(first, number_bytes, number):
    """Returns a long or short header with a packet number of `number_bytes` bytes."""
    start = bytes([first | number_bytes - 1]) + (b"\0\0\0\1" + b"\x08connecti" if first & 0x80 else b"connecti")
    return start + number.to_bytes(8, "big")[-number_bytes:]


@pytest.mark.parametrize("suite", AES)
@pytest.mark.parametrize("number_bytes", [1, 2, 3, 4])
@pytest.mark.parametrize("first", [0x40, 0x60, 0xC0, 0xE0])
def test_packets_equal_those_of_aioquic(suite, version, number_bytes, first):
    theirs, ours = pair(suite, version)
    assert type(ours.aead) is PacketKey and type(ours.hp) is HeaderKey
    assert type(theirs.aead) is not PacketKey
    numbers = random.Random(number_bytes)
    for length in [4, 5, 16, 100, 1200, 1400]:
        number = numbers.randrange(2 ** (8 * number_bytes))
        plain, payload = header(first, number_bytes, number), numbers.randbytes(length)
        packet = ours.encrypt_packet(plain, payload, number)
        sealed = theirs.aead.encrypt(payload, plain, number)
        assert packet == theirs.hp.apply(plain, sealed) == ours.hp.apply(plain, sealed)
        assert ours.aead.encrypt(payload, plain, number) == sealed
        assert ours.aead.decrypt(sealed, plain, number) == payload
        offset = len(plain) - number_bytes
        assert ours.hp.remove(packet, offset) == theirs.hp.remove(packet, offset) == (plain, number)
        expected = (plain, payload, number, False)
        assert ours.decrypt_packet(packet, offset, number) == expected
        assert ours.decrypt_packet(bytearray(packet), offset, number) == expected
        kasoku.aioquic.uninstall()
        assert theirs.decrypt_packet(packet, offset, number) == expected
        kasoku.aioquic.install()


@pytest.mark.parametrize("suite", AES)
def test_invalid_packets_raise_crypto_error(suite, version):
    _, ours = pair(suite, version)
    plain = header(0x40, 2, 7)
    packet = ours.encrypt_packet(plain, bytes(100), 7)
    for place in range(1, len(packet)):
        forged = bytearray(packet)
        forged[place] ^= 1
        with pytest.raises(_crypto.CryptoError):
            ours.decrypt_packet(bytes(forged), 9, 7)
    for end in range(len(packet)):
        with pytest.raises(_crypto.CryptoError):
            ours.decrypt_packet(packet[:end], 9, 7)
    for offset in [0, 110, 200, 2**64 - 1]:
        with pytest.raises(_crypto.CryptoError):
            ours.decrypt_packet(packet, offset, 7)
        with pytest.raises(_crypto.CryptoError):
            ours.hp.remove(packet, offset)
    for wrong in [(b"", bytes(100)), (plain, b"")]:
        with pytest.raises(_crypto.CryptoError):
            ours.hp.apply(*wrong)
    for number in [-1, 2**64]:
        with pytest.raises(OverflowError):
            ours.encrypt_packet(plain, bytes(100), number)
    for wrong in [None, "text", 7]:
        with pytest.raises(TypeError):
            ours.encrypt_packet(wrong, bytes(100), 7)
        with pytest.raises(TypeError):
            ours.decrypt_packet(wrong, 9, 7)


@pytest.mark.parametrize("expected", [2**62 + 2**31, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1])
@pytest.mark.parametrize("number_bytes", [1, 2, 3, 4])
def test_unprotect_rejects_expected_numbers_near_2_64(expected, number_bytes):
    _, ours = pair(AES[0], 1)
    number = 2**62 - 3
    packet = ours.encrypt_packet(header(0x40, number_bytes, number), bytes(100), number)
    with pytest.raises(_crypto.CryptoError, match="packet number"):
        ours.decrypt_packet(packet, 9, expected)
    assert ours.decrypt_packet(packet, 9, number)[2] == number


@pytest.mark.parametrize("number", [2**62, 2**62 + 1, 2**63, 2**64 - 1])
def test_packet_numbers_of_2_62_or_more_are_rejected(number):
    _, ours = pair(AES[0], 1)
    plain = header(0x40, 4, number)
    with pytest.raises(ValueError, match="packet number"):
        ours.encrypt_packet(plain, bytes(100), number)
    with pytest.raises(ValueError, match="packet number"):
        ours.aead.encrypt(bytes(100), plain, number)
    with pytest.raises(_crypto.CryptoError, match="packet number"):
        ours.aead.decrypt(bytes(116), plain, number)


def test_packets_open_after_key_update(version):
    kasoku.aioquic.install()
    sender, receiver = crypto.CryptoPair(), crypto.CryptoPair()
    for one, other in [(sender.send, receiver.recv), (receiver.send, sender.recv)]:
        for context in (one, other):
            context.setup(cipher_suite=AES[0], secret=bytes(32), version=version)
    for number in range(6):
        plain = header(0x40 | sender.key_phase << 2, 2, number)
        packet = sender.encrypt_packet(plain, b"payload", number)
        assert receiver.decrypt_packet(packet, 9, number) == (plain, b"payload", number)
        assert sender.send.key_phase == receiver.recv.key_phase
        sender.update_key()
    assert type(sender.send.aead) is PacketKey


def test_unsupported_suites_and_wrong_keys_use_aioquic_code():
    kasoku.aioquic.install()
    context = crypto.CryptoContext()
    context.setup(cipher_suite=CipherSuite.CHACHA20_POLY1305_SHA256, secret=bytes(32), version=1)
    packet = context.encrypt_packet(header(0x40, 2, 7), bytes(100), 7)
    assert context.decrypt_packet(packet, 9, 7)[1:3] == (bytes(100), 7)
    for wrong in [(b"aes-128-ccm", bytes(16), bytes(12)), (b"aes-128-gcm", bytes(16), bytes(8))]:
        with pytest.raises(_crypto.CryptoError):
            _crypto.AEAD(*wrong)
    with pytest.raises(_crypto.CryptoError):
        _crypto.HeaderProtection(b"aes-128-cbc", bytes(16))
    with pytest.raises(ValueError):
        _crypto.AEAD(b"aes-128-gcm", bytes(17), bytes(12))


def test_uninstall_restores_aioquic_code():
    before = (_crypto.AEAD, crypto.HeaderProtection, crypto.CryptoContext.encrypt_packet)
    kasoku.aioquic.install()
    kasoku.aioquic.install()
    assert crypto.AEAD is kasoku.aioquic.AEAD
    kasoku.aioquic.uninstall()
    assert (_crypto.AEAD, crypto.HeaderProtection, crypto.CryptoContext.encrypt_packet) == before
