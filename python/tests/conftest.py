"""Fixtures of the tests."""

import os
import pathlib
import sys

import kasoku
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as PyCA

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "target" / "vectors"


# Before Python 3.11, PyCA reads buffers with other functions, and accepts more kinds of them.
CLASSES = {"kasoku": kasoku.AESGCM} | ({"pyca": PyCA} if sys.version_info >= (3, 11) else {})


@pytest.fixture(params=CLASSES.values(), ids=CLASSES)
def aes_gcm(request):
    """Provides Kasoku's class, then PyCA's."""
    return request.param


def vector_file(*names):
    """Returns the text of a fetched file of vectors. Without the file, skips the test, or fails it in CI."""
    path = VECTORS.joinpath(*names)
    if not path.exists() and not os.environ.get("CI"):
        pytest.skip(f"{path} is not there; vectors/fetch_*.sh fetches it")
    return path.read_text()
