"""The exception for forgeries."""

try:
    from cryptography.exceptions import InvalidTag as _Base
except ImportError:
    _Base = Exception  # type: ignore[assignment,misc]


class InvalidTag(_Base):
    """The tag is not that of this message under this key.

    Where PyCA's cryptography is installed this is a subclass of its InvalidTag.
    """


InvalidTag.__module__ = "kasoku"
