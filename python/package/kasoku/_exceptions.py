"""The exceptions for forgeries, and for calls in a wrong order. Those of PyCA's cryptography, where it is installed."""

try:
    from cryptography.exceptions import AlreadyFinalized as AlreadyFinalized
    from cryptography.exceptions import AlreadyUpdated as AlreadyUpdated
    from cryptography.exceptions import InvalidTag as _Base
    from cryptography.exceptions import NotYetFinalized as NotYetFinalized
except ImportError:
    _Base = Exception  # type: ignore[assignment,misc]

    class AlreadyFinalized(Exception):  # type: ignore[no-redef]
        """Raised by calls for a message that is finished."""

    class AlreadyUpdated(Exception):  # type: ignore[no-redef]
        """Raised if AAD comes after data."""

    class NotYetFinalized(Exception):  # type: ignore[no-redef]
        """Raised if the tag of an unfinished message is read."""


class InvalidTag(_Base):
    """Raised if a tag does not match the key, the nonce, the AAD and the message.

    If PyCA's cryptography is installed, this class is a subclass of cryptography's InvalidTag.
    """


InvalidTag.__module__ = "kasoku"
