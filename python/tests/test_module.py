"""Package contents: exceptions, self-test, docstrings and types."""

import subprocess
import sys

import cryptography.exceptions
import kasoku
import pytest


def python(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


def test_invalid_tag_derives_from_pyca_class():
    assert issubclass(kasoku.InvalidTag, cryptography.exceptions.InvalidTag)
    assert kasoku.InvalidTag.__module__ == "kasoku"


def test_invalid_tag_exists_without_pyca():
    program = """
import sys
sys.modules["cryptography"] = None
import kasoku
assert kasoku.InvalidTag.__mro__[1] is Exception
try:
    kasoku.AESGCM(bytes(16)).decrypt(bytes(12), bytes(16), None)
except kasoku.InvalidTag:
    print("refused")
"""
    done = python("-c", program)
    assert done.stdout == "refused\n", done.stderr


def test_module_prints_version_and_backend():
    done = python("-m", "kasoku")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"kasoku {kasoku.__version__}, backend {kasoku.backend()}, self-test passed\n"


def test_failed_self_test_is_reported():
    program = "import runpy, kasoku, kasoku.__main__ as m; m.SEALED = bytes(76); raise SystemExit(m.main())"
    done = python("-c", program)
    assert (done.returncode, done.stdout.split()[-1]) == (1, "FAILED"), done.stderr


def test_all_public_names_have_docstrings():
    public = [getattr(kasoku, name) for name in kasoku.__all__ if not name.startswith("__")]
    for thing in [kasoku, *public]:
        assert thing.__doc__ or thing.__module__ == "cryptography.exceptions", thing
        if isinstance(thing, type):
            for name, method in vars(thing).items():
                assert name.startswith("_") or method.__doc__, (thing, name)
    assert "backend" in kasoku.__all__


def test_stubs_match_the_module():
    done = python("-m", "mypy.stubtest", "kasoku._kasoku")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(sys.version_info < (3, 11), reason="aioquic, which one file is for, needs Python 3.11")
def test_python_code_passes_type_checks():
    done = python("-m", "mypy", "--strict", "--package", "kasoku")
    assert done.returncode == 0, done.stdout + done.stderr
