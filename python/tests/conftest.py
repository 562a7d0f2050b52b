"""What the tests share."""

import os
import pathlib
import sys

import kasoku
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as PyCA

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "target" / "vectors"


# Before 3.11 theirs looks at buffers in another way, and takes more of them.
CLASSES = {"kasoku": kasoku.AESGCM} | ({"pyca": PyCA} if sys.version_info >= (3, 11) else {})


@pytest.fixture(params=CLASSES.values(), ids=CLASSES)
def aes_gcm(request):
    """Our class and PyCA's: what is said of one holds for the other."""
    return request.param


def vector_file(*names):
    """A fetched file of vectors; without it the test is left out, but not where everything has to be there."""
    path = VECTORS.joinpath(*names)
    if not path.exists() and not os.environ.get("CI"):
        pytest.skip(f"{path} is not there; vectors/fetch_*.sh fetches it")
    return path.read_text()
