"""Fast AES-GCM with the names of PyCA's cryptography.

>>> from kasoku import AESGCM
>>> key = AESGCM(AESGCM.generate_key(128))
>>> sealed = key.encrypt(b"a nonce once", b"to be kept secret", b"header")
>>> key.decrypt(b"a nonce once", sealed, b"header")
b'to be kept secret'
"""

from ._exceptions import AlreadyFinalized, AlreadyUpdated, InvalidTag, NotYetFinalized
from ._file import open
from ._install import install, uninstall
from ._kasoku import AESGCM, AESGCMSIV, XAESGCM, Decryptor, Encryptor, __version__, backend, read_key

__all__ = [
    "AESGCM",
    "AESGCMSIV",
    "AlreadyFinalized",
    "AlreadyUpdated",
    "Decryptor",
    "Encryptor",
    "InvalidTag",
    "NotYetFinalized",
    "XAESGCM",
    "__version__",
    "backend",
    "install",
    "open",
    "read_key",
    "uninstall",
]
