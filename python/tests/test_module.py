"""The package as a whole."""

import subprocess
import sys

import cryptography.exceptions
import kasoku
import pytest


def python(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=60)


def test_invalid_tag_is_a_child_of_pyca_s():
    assert issubclass(kasoku.InvalidTag, cryptography.exceptions.InvalidTag)
    assert kasoku.InvalidTag.__module__ == "kasoku"


def test_invalid_tag_needs_no_pyca():
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


def test_it_shows_itself():
    done = python("-m", "kasoku")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"kasoku {kasoku.__version__}, backend {kasoku.backend()}, self-test passed\n"


def test_a_failed_self_test_is_told():
    program = "import runpy, kasoku, kasoku.__main__ as m; m.SEALED = bytes(76); raise SystemExit(m.main())"
    done = python("-c", program)
    assert (done.returncode, done.stdout.split()[-1]) == (1, "FAILED"), done.stderr


def test_everything_has_a_docstring():
    public = [getattr(kasoku, name) for name in kasoku.__all__ if not name.startswith("__")]
    for thing in [kasoku, *public]:
        assert thing.__doc__, thing
        if isinstance(thing, type):
            for name, method in vars(thing).items():
                assert name.startswith("_") or method.__doc__, (thing, name)
    assert "backend" in kasoku.__all__


def test_the_stubs_say_what_is_there():
    done = python("-m", "mypy.stubtest", "kasoku._kasoku")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(sys.version_info < (3, 11), reason="aioquic, which one file is for, needs Python 3.11")
def test_what_is_in_python_is_typed():
    done = python("-m", "mypy", "--strict", "--package", "kasoku")
    assert done.returncode == 0, done.stdout + done.stderr
