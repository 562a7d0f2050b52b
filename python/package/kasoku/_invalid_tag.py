"""The exception for forgeries."""

try:
    from cryptography.exceptions import InvalidTag as _Base
except ImportError:
    _Base = Exception  # type: ignore[assignment,misc]


class InvalidTag(_Base):
    """Raised if a tag does not match the key, the nonce, the AAD and the message.

    If PyCA's cryptography is installed, this class is a subclass of cryptography's InvalidTag.
    """


InvalidTag.__module__ = "kasoku"
