"""kasoku.install(), each test in a process of its own, since it changes another package."""

import subprocess
import sys

START = """
import kasoku
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, base, modes
"""
IMPORT = "from cryptography.hazmat.primitives.ciphers.aead import AESGCM"


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_imports_after_install_get_kasoku_class():
    run(f"""{START}
kasoku.install()
kasoku.install()
{IMPORT}
from cryptography.hazmat.primitives.ciphers import aead
assert AESGCM is aead.AESGCM is kasoku.AESGCM
kasoku.uninstall()
assert aead.AESGCM is not kasoku.AESGCM
{IMPORT} as theirs
assert theirs.__module__.startswith("cryptography.")
kasoku.uninstall()
assert aead.AESGCM is theirs
""")


def test_names_imported_before_install_remain_pyca_class():
    run(f"""{START}
{IMPORT}
from cryptography.hazmat.primitives.ciphers import aead
table = {{"aes256-gcm": aead.AESGCM}}
kasoku.install()
assert AESGCM is table["aes256-gcm"] is not kasoku.AESGCM
assert aead.AESGCM is kasoku.AESGCM
sealed = AESGCM(bytes(16)).encrypt(bytes(12), b"text", None)
assert aead.AESGCM(bytes(16)).decrypt(bytes(12), sealed, None) == b"text"
""")


def test_ciphers_imported_before_install_use_kasoku():
    run(f"""{START}
cipher = Cipher(algorithms.AES(bytes(16)), modes.GCM(bytes(12)))
begun = cipher.encryptor()
assert not isinstance(begun, kasoku.Encryptor)
kasoku.install()
for algorithm in (algorithms.AES, algorithms.AES128):
    cipher = Cipher(algorithm(bytes(16)), modes.GCM(bytes(12)))
    encryptor = cipher.encryptor()
    assert isinstance(encryptor, kasoku.Encryptor) and isinstance(encryptor, base.AEADEncryptionContext)
    encryptor.authenticate_additional_data(b"header")
    ciphertext = encryptor.update(b"text") + encryptor.finalize()
    assert ciphertext + encryptor.tag == kasoku.AESGCM(bytes(16)).encrypt(bytes(12), b"text", b"header")
    for decryptor in (cipher.decryptor(), Cipher(cipher.algorithm, modes.GCM(bytes(12), encryptor.tag)).decryptor()):
        assert isinstance(decryptor, kasoku.Decryptor) and isinstance(decryptor, base.AEADDecryptionContext)
        decryptor.authenticate_additional_data(b"header")
        out = bytearray(4)
        assert decryptor.update(ciphertext[:2]) == b"te"
        assert decryptor.update_into(ciphertext[2:], out) == 2 and out[:2] == b"xt"
    assert decryptor.finalize() == b""
assert not isinstance(begun, kasoku.Encryptor)
kasoku.uninstall()
assert not isinstance(cipher.encryptor(), kasoku.Encryptor)
assert not isinstance(cipher.decryptor(), kasoku.Decryptor)
""")


def test_short_tags_and_other_ciphers_remain_pyca():
    run(f"""{START}
kasoku.install()
key, nonce = algorithms.AES(bytes(16)), bytes(12)
for mode in (modes.GCM(nonce, bytes(12), 12), modes.GCM(nonce, None, 12), modes.CTR(bytes(16)), modes.ECB()):
    assert not isinstance(Cipher(key, mode).decryptor(), kasoku.Decryptor), mode
    assert isinstance(Cipher(key, mode).decryptor(), base.CipherContext)
for mode in (modes.CTR(bytes(16)), modes.ECB()):
    assert not isinstance(Cipher(key, mode).encryptor(), kasoku.Encryptor)
""")


def test_install_without_cryptography_says_what_to_install():
    run("""
import sys
sys.modules["cryptography"] = None
import kasoku
kasoku.uninstall()
try:
    kasoku.install()
    raise SystemExit("no error")
except ImportError as error:
    assert "pip install 'cryptography>=43'" in str(error), error
assert kasoku.AlreadyFinalized.__mro__[1] is Exception
encryptor = kasoku.Encryptor(kasoku.AESGCM(bytes(16)), bytes(12))
try:
    encryptor.tag
    raise SystemExit("no error")
except kasoku.NotYetFinalized:
    pass
""")


def test_sitecustomize_installs_before_the_program(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import kasoku\nkasoku.install()\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert run(f"{IMPORT}\nprint(AESGCM.__module__)") == "kasoku\n"


def test_other_processes_keep_pyca_class():
    run(f"""{START}
import subprocess, sys
kasoku.install()
program = "{IMPORT}; assert AESGCM.__module__.startswith('cryptography.')"
subprocess.run([sys.executable, "-c", program], check=True)
""")
