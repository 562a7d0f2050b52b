"""install() and uninstall(), which need cryptography only when they are called."""

import sys


def install() -> None:
    """Makes AES-GCM of PyCA's cryptography use Kasoku in this process, until uninstall(). Further calls do nothing.

    Call it at the start of the program: modules that imported AESGCM from cryptography before keep PyCA's class.
    Cipher(AES(...), GCM(...)) is reached in any case, unless it allows tags shorter than 16 bytes. Raises ImportError
    without cryptography 43 or later.
    """
    try:
        from . import _pyca
    except (AttributeError, ImportError) as error:
        need = "kasoku.install() needs PyCA's cryptography 43 or later: pip install 'cryptography>=43'"
        raise ImportError(need) from error
    _pyca.install()


def uninstall() -> None:
    """Undoes install(). Objects and names that were taken from cryptography meanwhile remain Kasoku's."""
    if _pyca := sys.modules.get("kasoku._pyca"):
        _pyca.uninstall()
